//! What the memory returns besides single observations, and what it is asked to delete.

use super::{
    Observation, ObservationId, ObservationType, Project, SearchHit, SessionId, Timestamp, ToldCount,
};

/// The result of storing a batch of new observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Inserted {
    pub(crate) stored: usize,
    /// Events that were stored before, and repeated reads and searches.
    pub(crate) duplicates: usize,
}

/// An observation with those before and after it in its session, in chronological order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Timeline {
    pub(crate) anchor: Observation,
    pub(crate) before: Vec<Observation>,
    pub(crate) after: Vec<Observation>,
}

/// What is needed of a failure to compare it with others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FailureRow {
    pub(crate) id: ObservationId,
    pub(crate) timestamp: Timestamp,
    pub(crate) session_id: SessionId,
    pub(crate) program: Option<String>,
    pub(crate) signature: String,
}

/// A project with all its folders, and how much is remembered of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KnownProject {
    pub(crate) name: String,
    /// Where it was cloned from.
    pub(crate) origin: Option<String>,
    /// Its folders, the one with the latest observation first, and other names that it had.
    pub(crate) roots: Vec<String>,
    pub(crate) other_names: Vec<String>,
    pub(crate) observations: usize,
    pub(crate) last_at: Option<Timestamp>,
}

/// A one-line summary of a session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SessionSummary {
    pub(crate) session_id: SessionId,
    pub(crate) project: Option<String>,
    pub(crate) started_at: Timestamp,
    pub(crate) ended_at: Timestamp,
    pub(crate) observations: usize,
    pub(crate) prompts: usize,
    pub(crate) edits: usize,
    pub(crate) failures: usize,
    /// What rules and gates of the project blocked.
    pub(crate) blocked: usize,
    pub(crate) first_prompt: Option<String>,
    /// The id of the agent.
    pub(crate) harness: Option<String>,
    /// The last branch.
    pub(crate) branch: Option<String>,
    /// The name of the linked git worktree that it was in last.
    pub(crate) worktree: Option<String>,
}

/// The memory in numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Stats {
    pub(crate) observations: usize,
    pub(crate) sessions: usize,
    /// Without what was blocked, and without looks that failed.
    pub(crate) by_type: Vec<(ObservationType, usize)>,
    /// What rules and gates of the project blocked.
    pub(crate) blocked: usize,
    /// Failures of tools that only look.
    pub(crate) failed_looks: usize,
    /// The rules that blocked, those that blocked most first.
    pub(crate) by_rule: Vec<(String, usize)>,
    /// By the id of the agent: how many sessions it had, and how many observations.
    pub(crate) by_agent: Vec<AgentCount>,
    /// The programs that commands spent most time in.
    pub(crate) slowest: Vec<ProgramTime>,
    /// The tables and indexes of the file, the largest first; empty if SQLite cannot report them.
    pub(crate) bytes_by_table: Vec<(String, u64)>,
    pub(crate) file_bytes: u64,
    pub(crate) busiest_files: Vec<FileCount>,
    /// What agents were told, in all projects.
    pub(crate) told: Vec<ToldCount>,
    /// Days since 1970 with their number of observations, the newest last.
    pub(crate) by_day: Vec<(i64, usize)>,
}

impl Stats {
    /// Returns the fraction of commands that failed, if there were any commands.
    pub(crate) fn failure_rate(&self) -> Option<f64> {
        let count = |wanted| self.by_type.iter().find(|(kind, _)| *kind == wanted).map_or(0, |(_, n)| *n);
        let failed = count(ObservationType::CommandError);
        let all = failed + count(ObservationType::Command);
        (all > 0).then(|| failed as f64 / all as f64)
    }
}

/// An agent and what was observed of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentCount {
    /// Its id.
    pub(crate) harness: String,
    pub(crate) sessions: usize,
    pub(crate) observations: usize,
}

/// A program, and how long its commands took, as far as their times are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramTime {
    pub(crate) program: String,
    pub(crate) runs: usize,
    pub(crate) total_ms: u64,
    pub(crate) longest_ms: u64,
}

/// A file and how often it was written or edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileCount {
    pub(crate) project: Option<String>,
    pub(crate) file_path: String,
    pub(crate) count: usize,
}

/// Which observations to delete.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Selection {
    Ids(Vec<ObservationId>),
    /// All that match; for plain words, all that contain every word.
    Query(String),
    Session(SessionId),
    Project(Project),
    Before(Timestamp),
    /// What both select.
    Within(Project, Box<Selection>),
}

/// What was deleted, or would be.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Forgotten {
    pub(crate) count: usize,
    /// How many of them are pinned.
    pub(crate) pinned: usize,
    /// The newest of them, for display.
    pub(crate) sample: Vec<SearchHit>,
    /// Copies of expired rows, which are deleted along with any deletion.
    pub(crate) copies: usize,
    /// How many of them a team's server has.
    pub(crate) told: usize,
    /// Whether their text was also erased from the free pages and the write-ahead log.
    pub(crate) scrubbed: bool,
}

/// For how many days each type of observation is kept; `None` means forever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Retention {
    pub(crate) days: Vec<(ObservationType, Option<u32>)>,
}

impl Default for Retention {
    fn default() -> Retention {
        let days = |kind| match kind {
            ObservationType::FileRead | ObservationType::Search => 90,
            ObservationType::Command | ObservationType::CommandError | ObservationType::McpCall => 180,
            ObservationType::FileWrite
            | ObservationType::FileEdit
            | ObservationType::UserPrompt
            | ObservationType::SessionStart
            | ObservationType::SessionEnd
            | ObservationType::Outcome
            | ObservationType::Summary => 365,
        };
        Retention { days: ObservationType::ALL.into_iter().map(|kind| (kind, Some(days(kind)))).collect() }
    }
}

/// Whether the memory is intact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Integrity {
    pub(crate) rows: usize,
    pub(crate) indexed: usize,
    /// What SQLite reports as wrong in the file.
    pub(crate) faults: Vec<String>,
}

impl Integrity {
    pub(crate) fn is_sound(&self) -> bool {
        self.rows == self.indexed && self.faults.is_empty()
    }
}
