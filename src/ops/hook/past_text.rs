//! What the memory adds to an answer.

use crate::model::ObservationId;

/// What the memory adds to an answer, and the rows that it is made from.
pub(super) struct PastText {
    pub(super) text: String,
    pub(super) rows: Vec<ObservationId>,
}

impl PastText {
    pub(super) fn without_rows(text: String) -> PastText {
        PastText { text, rows: Vec::new() }
    }
}
