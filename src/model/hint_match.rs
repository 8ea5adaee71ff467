//! Why a hint was chosen.

use serde::Serialize;

/// The score of a hint and the reasons for it, in plain words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct MatchExplain {
    pub(crate) matched: bool,
    pub(crate) score: f64,
    pub(crate) reasons: Vec<String>,
}
