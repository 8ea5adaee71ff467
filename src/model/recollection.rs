//! Recollections: what the memory answers besides single observations, and what it is told to forget.

use super::{Observation, ObservationId, ObservationType, Project, SearchHit, SessionId, Timestamp};

/// What became of a batch of new observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Inserted {
    pub(crate) stored: usize,
    /// Events seen before, and looks at what was just looked at.
    pub(crate) duplicates: usize,
}

/// An observation with what came before and after it in its session, each in the order of time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Timeline {
    pub(crate) anchor: Observation,
    pub(crate) before: Vec<Observation>,
    pub(crate) after: Vec<Observation>,
}

/// A prompt, and how many actions the agent took on it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ActedPrompt {
    pub(crate) prompt: Observation,
    pub(crate) actions: usize,
}

/// A failure of the past that was overcome in its session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PastFix {
    pub(crate) failure: Observation,
    /// Edits and commands between the failure and the success, in the order of time.
    pub(crate) steps: Vec<Observation>,
    /// The run of the same program that worked.
    pub(crate) success: Observation,
}

/// One session in one line.
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
    pub(crate) first_prompt: Option<String>,
}

/// The memory in numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Stats {
    pub(crate) observations: usize,
    pub(crate) sessions: usize,
    pub(crate) by_type: Vec<(ObservationType, usize)>,
    /// The file's tables and indices, the largest first; empty where SQLite cannot say.
    pub(crate) bytes_by_table: Vec<(String, u64)>,
    pub(crate) file_bytes: u64,
    pub(crate) busiest_files: Vec<FileCount>,
    /// Days since 1970 with their number of observations, the newest last.
    pub(crate) by_day: Vec<(i64, usize)>,
}

impl Stats {
    /// Returns the part of commands that failed, if there were any.
    pub(crate) fn failure_rate(&self) -> Option<f64> {
        let count = |wanted| self.by_type.iter().find(|(kind, _)| *kind == wanted).map_or(0, |(_, n)| *n);
        let failed = count(ObservationType::CommandError);
        let all = failed + count(ObservationType::Command);
        (all > 0).then(|| failed as f64 / all as f64)
    }
}

/// A file and how often it was written or edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileCount {
    pub(crate) project: Option<String>,
    pub(crate) file_path: String,
    pub(crate) count: usize,
}

/// Which observations are to be forgotten.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Selection {
    Ids(Vec<ObservationId>),
    /// All that match; of plain words, all that have every word.
    Query(String),
    Session(SessionId),
    Project(Project),
    Before(Timestamp),
}

/// What is, or would be, forgotten.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Forgotten {
    pub(crate) count: usize,
    /// How many of them are pinned.
    pub(crate) pinned: usize,
    /// The newest of them, to show.
    pub(crate) sample: Vec<SearchHit>,
    /// Copies of expired rows, which are deleted with anything that is forgotten.
    pub(crate) copies: usize,
    /// Whether their text is gone from the free pages and the write-ahead log too.
    pub(crate) scrubbed: bool,
}

/// For how many days each type of observation is kept; `None` is for ever.
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
            | ObservationType::SessionEnd => 365,
        };
        Retention { days: ObservationType::ALL.into_iter().map(|kind| (kind, Some(days(kind)))).collect() }
    }
}

/// Whether the memory is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Integrity {
    pub(crate) rows: usize,
    pub(crate) indexed: usize,
    /// What SQLite finds wrong in the file, in its own words.
    pub(crate) faults: Vec<String>,
}

impl Integrity {
    pub(crate) fn is_sound(&self) -> bool {
        self.rows == self.indexed && self.faults.is_empty()
    }
}
