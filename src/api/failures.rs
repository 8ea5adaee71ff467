//! What `nudge failures --json` prints.

use serde::Serialize;

/// Failures by cause: those of most sessions first, then the latest.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct FailuresWire {
    pub(crate) items: Vec<FailureCauseWire>,
    /// How many causes there are; `null` if there may be more than were read.
    pub(crate) total: Option<usize>,
    /// How many failures were compared.
    pub(crate) failures: usize,
}

/// Failures of one cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FailureCauseWire {
    /// The latest of them, for `nudge show`.
    pub(crate) id: i64,
    pub(crate) program: Option<String>,
    /// The command that failed last.
    pub(crate) command: String,
    /// The lines that tell it from other failures.
    pub(crate) signature: String,
    /// The line of them that names the error, as it was printed the last time.
    pub(crate) error: String,
    pub(crate) project: Option<String>,
    pub(crate) times: usize,
    pub(crate) sessions: usize,
    pub(crate) first_at: String,
    pub(crate) last_at: String,
    /// What ended it the last time that something did.
    pub(crate) ended_by: Option<WayOutWire>,
}

/// What ended a failure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct WayOutWire {
    /// The command that worked.
    pub(crate) id: i64,
    pub(crate) text: String,
}
