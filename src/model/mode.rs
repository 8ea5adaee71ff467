//! The mode of a session: which skill, started by a tag, is active.

use serde::{Deserialize, Serialize};

/// The content of `mode.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mode {
    pub(crate) mode: ModeName,
    /// The agent decides without asking.
    #[serde(default)]
    pub(crate) auto: bool,
    pub(crate) set_at: String,
    /// The session that set it; it does not apply to others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ModeName {
    Plan,
    Run,
    Sync,
}

impl ModeName {
    pub(crate) fn name(self) -> &'static str {
        match self {
            ModeName::Plan => "plan",
            ModeName::Run => "run",
            ModeName::Sync => "sync",
        }
    }
}
