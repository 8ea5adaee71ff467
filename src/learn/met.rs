//! A failure that was met, and how often a thing must be met to count as coming back.

use crate::model::Observation;
use crate::recall::Remedy;

/// A thing counts as coming back if at least this many sessions met it: within one session it is the work of that session.
pub(super) const MIN_SESSIONS: usize = 2;

/// One failure, and how it was overcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MetFailure<'r> {
    pub(crate) row: &'r Observation,
    pub(crate) remedy: Option<Remedy>,
}
