//! A refusal about hints, as a client reads it.

use serde::Deserialize;

use crate::model::{HintCandidate, HintCode, SkippedHint};

/// A JSON-RPC error with the seed's codes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct HintErrorWire {
    code: i64,
    data: HintErrorDataWire,
}

/// What a client shows besides the message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HintErrorDataWire {
    candidates: Vec<HintCandidate>,
    errors: Vec<SkippedHint>,
}

impl HintErrorWire {
    /// Returns the code, if it is one of the seed's.
    pub(crate) fn code(&self) -> Option<HintCode> {
        HintCode::by_number(self.code)
    }

    /// Returns the variants of the hint that do not apply here.
    pub(crate) fn candidates(&self) -> &[HintCandidate] {
        &self.data.candidates
    }

    /// Returns the hints that kept an import from being done.
    pub(crate) fn skipped(&self) -> &[SkippedHint] {
        &self.data.errors
    }
}
