//! Why a hint was chosen, or was not.

use serde::{Deserialize, Serialize};

use super::HintScope;

/// The score of a hint and the reasons for it, in plain words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MatchExplain {
    pub(crate) matched: bool,
    pub(crate) score: f64,
    pub(crate) reasons: Vec<String>,
}

/// A variant that does not apply where the caller is, and the conditions that failed; never its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct HintCandidate {
    pub(crate) scope: HintScope,
    pub(crate) failed: Vec<String>,
}
