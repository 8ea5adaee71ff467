//! Failures that came back: those of one cause in several sessions, with what ended them.

use std::collections::{HashMap, HashSet};

use super::met::{MIN_SESSIONS, MetFailure};
use super::way_out::{self, WayOut};
use crate::model::{FailureRow, Observation, ObservationId, ObservationType, SessionId};
use crate::recall;

/// At most this many observations after a failure are searched for what ended it.
const MAX_AFTER: usize = 300;

/// A cause that several sessions met.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecurringFailure<'r> {
    /// The newest first.
    pub(crate) failures: Vec<MetFailure<'r>>,
    /// How many sessions met it.
    pub(crate) sessions: usize,
    /// In how many of these something ended it.
    pub(crate) ended: usize,
    /// What ended it, if the same thing did so in several sessions.
    pub(crate) way_out: Option<WayOut>,
}

impl RecurringFailure<'_> {
    pub(crate) fn newest(&self) -> &Observation {
        self.failures[0].row
    }

    /// Returns the lines that tell it from other failures.
    pub(crate) fn signature(&self) -> &str {
        self.newest().signature.as_deref().unwrap_or_default()
    }

    pub(crate) fn ids(&self) -> Vec<ObservationId> {
        self.failures.iter().map(|failure| failure.row.id).collect()
    }
}

/// Finds what came back; `rows` are in chronological order. The causes of most sessions come first, then the newest.
pub(crate) fn recurrences(rows: &[Observation]) -> Vec<RecurringFailure<'_>> {
    let by_id: HashMap<ObservationId, usize> =
        rows.iter().enumerate().map(|(at, row)| (row.id, at)).collect();
    let mut sessions: HashMap<&SessionId, Vec<usize>> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        if !matches!(row.obs_type, ObservationType::FileRead | ObservationType::Search) {
            sessions.entry(&row.session_id).or_default().push(at);
        }
    }
    let after = |at: usize| -> Vec<Observation> {
        let of_session = sessions.get(&rows[at].session_id).map(Vec::as_slice).unwrap_or_default();
        let first = of_session.partition_point(|other| *other <= at);
        of_session[first..].iter().take(MAX_AFTER).map(|other| rows[*other].clone()).collect()
    };
    let failures: Vec<FailureRow> = rows.iter().rev().filter_map(failure_row).collect();
    let causes = recall::causes(failures).into_iter().filter(|cause| cause.sessions() >= MIN_SESSIONS);
    // Tests that fail are what is being written, not what goes wrong here.
    let is_about_tests = |cause: &recall::Cause| {
        cause.failures.iter().all(|failure| recall::names_only_tests(&failure.signature))
    };
    causes
        .filter(|cause| !is_about_tests(cause))
        .map(|cause| {
            let met = cause.failures.iter().filter_map(|failure| by_id.get(&failure.id)).map(|at| {
                let row = &rows[*at];
                MetFailure { row, remedy: recall::remedy(row, &after(*at)) }
            });
            recurrence(met.collect())
        })
        .collect()
}

fn recurrence(failures: Vec<MetFailure<'_>>) -> RecurringFailure<'_> {
    let session = |failure: &MetFailure<'_>| failure.row.session_id.clone();
    let sessions: HashSet<SessionId> = failures.iter().map(session).collect();
    let ended: HashSet<SessionId> =
        failures.iter().filter(|failure| failure.remedy.is_some()).map(session).collect();
    let way_out = way_out::shared(&failures);
    RecurringFailure { sessions: sessions.len(), ended: ended.len(), way_out, failures }
}

/// Returns a row as a failure that can be compared; what a rule blocked and what the user interrupted did not fail.
pub(crate) fn failure_row(row: &Observation) -> Option<FailureRow> {
    let is_failure = (row.is_failure() || row.is_failed_look()) && !row.is_interrupted();
    Some(FailureRow {
        id: row.id,
        timestamp: row.timestamp,
        session_id: row.session_id.clone(),
        program: row.program.clone(),
        signature: row.signature.clone().filter(|_| is_failure)?,
    })
}

#[cfg(test)]
mod tests;
