//! What a briefing is made from: the rows of the project, what goes wrong in it, and where the session is.

use std::collections::HashMap;

use crate::model::{Observation, ObservationId, ObservationType, SessionId, TellRecord, Timestamp};
use crate::recall;

/// A cause of failures that may come back, and the way out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Obstacle {
    pub(crate) failure: Observation,
    pub(crate) times: usize,
    pub(crate) sessions: usize,
    /// The way out in one line; `None` if nobody found one.
    pub(crate) remedy: Option<String>,
    /// The failures of this cause, the newest first.
    pub(crate) failures: Vec<ObservationId>,
    /// Whether another command, or the same one after another, was the way out; an edit can only follow.
    pub(crate) has_command: bool,
}

/// What the briefing is made from.
#[derive(Debug, Default)]
pub(crate) struct BriefingInput {
    /// What was done in the project, the newest first, without reads and searches.
    pub(crate) rows: Vec<Observation>,
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) branch: Option<String>,
    /// The name of the linked worktree that the session is in.
    pub(crate) worktree: Option<String>,
    /// How often rows were told before, and whether that helped.
    pub(crate) records: HashMap<ObservationId, TellRecord>,
    /// The session that is to be briefed.
    pub(crate) session: Option<SessionId>,
    pub(crate) now: Timestamp,
}

impl BriefingInput {
    /// Returns whether a row was told often and never concerned a session.
    pub(super) fn is_tired(&self, id: ObservationId) -> bool {
        self.records.get(&id).is_some_and(|record| recall::is_tired(*record))
    }
}

/// Returns whether a row is a change of a file.
pub(super) fn is_change(row: &Observation) -> bool {
    matches!(row.obs_type, ObservationType::FileEdit | ObservationType::FileWrite)
}
