//! Hints that a hook shows an agent automatically.

use serde::{Deserialize, Serialize};

/// The hook event that asks for hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PushTrigger {
    SessionStart,
    Prompt,
    Failure,
}

/// A hint that is pushed to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct HintSuggestion {
    pub(crate) component: String,
    pub(crate) key: String,
    /// As a person would write it.
    pub(crate) value: String,
    pub(crate) reasons: Vec<String>,
    pub(crate) tags: Vec<String>,
}
