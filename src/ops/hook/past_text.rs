//! What the memory adds to an answer.

use crate::model::ObservationId;

/// What the memory adds to an answer, and the rows that it is made from.
pub(super) struct PastText {
    pub(super) text: String,
    pub(super) rows: Vec<ObservationId>,
}
