//! What the viewer reads of the memory: sessions with their counts, marks, deliveries and what travelled.

use super::{ObservationId, SessionId, ToldPart};

/// A session with what is counted of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CountedSession {
    pub(crate) id: SessionId,
    pub(crate) project: Option<String>,
    pub(crate) project_root: Option<String>,
    pub(crate) harness: Option<String>,
    /// Seconds since 1970.
    pub(crate) started_at: i64,
    pub(crate) last_at: i64,
    pub(crate) observations: usize,
    pub(crate) prompts: usize,
    pub(crate) edits: usize,
    pub(crate) commands: usize,
    pub(crate) failed: usize,
    pub(crate) fixed: usize,
    pub(crate) blocked: usize,
    pub(crate) commits: usize,
    /// The characters that it was told.
    pub(crate) told_chars: u64,
    pub(crate) first_prompt: Option<String>,
    /// Whether it said that it ended.
    pub(crate) has_ended: bool,
}

impl CountedSession {
    /// Returns its counts as a text that is another one if it has other observations.
    pub(crate) fn counts(&self) -> String {
        let CountedSession { started_at, last_at, observations, prompts, edits, failed, .. } = self;
        format!("{started_at}.{last_at}.{observations}.{prompts}.{edits}.{failed}")
    }
}

/// Which sessions are asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionQuery {
    /// The folders of a project; `None` for all.
    pub(crate) folders: Option<Vec<i64>>,
    /// Agents; empty for all.
    pub(crate) agents: Vec<String>,
    /// Seconds since 1970; a session that overlaps the range is part of it.
    pub(crate) from: i64,
    pub(crate) to: i64,
}

/// In which order sessions are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionOrder {
    Newest,
    Failures,
    Told,
}

/// What all sessions of a range have together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SessionTotals {
    pub(crate) agents: usize,
    pub(crate) sessions: usize,
    pub(crate) blocked: usize,
    pub(crate) guided: usize,
    pub(crate) failed: usize,
    pub(crate) fixed: usize,
    pub(crate) open: usize,
}

/// The sessions of one agent that ended on one day, counted from 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DaySessions {
    pub(crate) day: i64,
    pub(crate) harness: Option<String>,
    pub(crate) totals: SessionTotals,
}

/// A mark on a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkRow {
    pub(crate) id: i64,
    pub(crate) at: i64,
    pub(crate) mark: u8,
    /// The subagent that did it.
    pub(crate) subagent: Option<String>,
}

/// One delivery of context to an agent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Delivery {
    pub(crate) id: i64,
    pub(crate) at_ms: i64,
    pub(crate) session: SessionId,
    pub(crate) harness: String,
    pub(crate) hook: String,
    pub(crate) chars: usize,
    pub(crate) parts: Vec<ToldPart>,
}

/// What was told in a range: by part, deliveries and characters.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ToldTotals {
    pub(crate) deliveries: usize,
    pub(crate) chars: u64,
    pub(crate) parts: Vec<(String, u64)>,
    pub(crate) agents: Vec<(String, u64)>,
}

/// A known way out of a failure that another session was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Carry {
    pub(crate) told: i64,
    pub(crate) observation: ObservationId,
    pub(crate) at_ms: i64,
    pub(crate) session: SessionId,
    pub(crate) from_session: SessionId,
    pub(crate) helped: Option<bool>,
}

/// An edit, a prompt or a failure, as the list of files needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileEvent {
    pub(crate) id: i64,
    pub(crate) session: SessionId,
    pub(crate) at: i64,
    /// 1 edit, 3 prompt, 4 failed.
    pub(crate) mark: u8,
    pub(crate) path: Option<String>,
    pub(crate) harness: Option<String>,
}

/// A file that was edited in one turn of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TurnFile {
    pub(crate) path: String,
    /// When, in seconds since 1970.
    pub(crate) times: Vec<i64>,
    /// The failures of the turn.
    pub(crate) failed: usize,
}

/// What a rule did in a range.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RuleActivity {
    pub(crate) rule: String,
    pub(crate) fired: usize,
    pub(crate) blocked: usize,
    pub(crate) guided: usize,
    /// Blocks of a call that it had blocked in the same session before.
    pub(crate) insisted: usize,
    /// Firings by day, counted from 1970.
    pub(crate) days: Vec<(i64, usize)>,
    pub(crate) last_at: Option<i64>,
}

/// A call that a rule blocked, and when the session did the same again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlockedCall {
    pub(crate) observation: ObservationId,
    pub(crate) at: i64,
    pub(crate) session: SessionId,
    pub(crate) target: String,
    /// The next block of the same call.
    pub(crate) again_at: Option<i64>,
}
