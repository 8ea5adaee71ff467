//! An import of hints: how it treats existing hints, in which parts it arrives, and what became of it.

use serde::{Deserialize, Serialize};

/// What happens to the existing hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ImportMode {
    /// They are kept, and win over imported ones.
    Merge,
    /// They are deleted, once all imported hints have been validated.
    Replace,
}

/// Which part of which replacement a payload is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ImportStage {
    pub(crate) id: String,
    /// Counts from 0. A client that sends it gets an error if an earlier part was lost, as when another server took
    /// over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<usize>,
    pub(crate) last: bool,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct ImportReport {
    pub(crate) imported: usize,
    pub(crate) skipped: usize,
    pub(crate) errors: Vec<SkippedHint>,
    /// The part is kept until the last one has arrived.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) staged: bool,
}

/// A hint that was not imported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SkippedHint {
    pub(crate) component: String,
    /// `None` for something in a file that is not a hint.
    pub(crate) key: Option<String>,
    /// The name of an error code.
    pub(crate) reason: String,
    pub(crate) detail: String,
}
