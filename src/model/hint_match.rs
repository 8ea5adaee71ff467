//! Why a hint was chosen.

use serde::Serialize;

/// The score of a hint and what speaks for it, in words that a person understands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct MatchExplain {
    pub(crate) matched: bool,
    pub(crate) score: f64,
    pub(crate) reasons: Vec<String>,
}
