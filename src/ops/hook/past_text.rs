//! What the memory adds to an answer.

use crate::model::ObservationId;

/// What the memory adds to an answer, and the rows that it is made from.
pub(super) struct PastText {
    pub(super) text: String,
    pub(super) rows: Vec<ObservationId>,
    /// Rows of colleagues, by their numbers here.
    pub(super) colleague_rows: Vec<i64>,
}

impl PastText {
    /// Returns a text that is made from rows of this machine.
    pub(super) fn own(text: String, rows: Vec<ObservationId>) -> PastText {
        PastText { text, rows, colleague_rows: Vec::new() }
    }

    /// Puts what colleagues know below what is known here.
    pub(super) fn joined(own: Option<PastText>, colleagues: Option<PastText>) -> Option<PastText> {
        let (mut own, colleagues) = match (own, colleagues) {
            (Some(own), Some(colleagues)) => (own, colleagues),
            (own, colleagues) => return own.or(colleagues),
        };
        if !own.text.is_empty() {
            own.text.push('\n');
        }
        own.text.push_str(&colleagues.text);
        own.colleague_rows.extend(colleagues.colleague_rows);
        Some(own)
    }
}
