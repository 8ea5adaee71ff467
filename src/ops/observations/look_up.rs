//! Queries the memory: search, fetch by id, timeline, and the latest observations.
//!
//! Before the first event there is no memory, and every answer is empty.

use super::remember::{self, Waiting};
use super::salvage::Repair;
use crate::model::{Observation, ObservationId, Project, Search, SearchHit, Timeline};
use crate::ops::observations::careful_reader::CarefulReader;
use crate::store::{Reader, StoreError};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookUpError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An empty answer would be wrong: the result may be among the events that are not stored yet.
    #[error(transparent)]
    Waiting(#[from] Waiting),
}

impl LookUpError {
    /// Returns what the user can do about it.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            LookUpError::Store(error) => error.hint(),
            LookUpError::Waiting(waiting) => waiting.why.hint(),
        }
    }
}

/// Queries the memory for a list; an empty one is an error while there are events that cannot be stored.
fn list<T>(query: impl Fn(&Reader) -> Result<Vec<T>, StoreError>) -> Result<Vec<T>, LookUpError> {
    let Some((reader, waiting)) = remember::reader_and_waiting()? else { return Ok(Vec::new()) };
    let found = careful(reader).ask(query)?;
    match waiting {
        Some(waiting) if found.is_empty() => Err(waiting.into()),
        _ => Ok(found),
    }
}

/// Returns the hits of a search, the best first.
pub(crate) fn search(search: &Search) -> Result<Vec<SearchHit>, LookUpError> {
    list(|reader| reader.search(search, remember::now()))
}

/// Returns observations in the order of their ids; ids that do not exist are left out.
pub(crate) fn observations(ids: &[ObservationId]) -> Result<Vec<Observation>, LookUpError> {
    list(|reader| reader.get(ids))
}

/// Returns an observation with what came before and after it in its session.
pub(crate) fn timeline(anchor: ObservationId, before: usize, after: usize) -> Result<Timeline, LookUpError> {
    let reader = remember::reader()?.ok_or(StoreError::AnchorNotFound)?;
    Ok(careful(reader).ask(|reader| reader.timeline(anchor, before, after))?)
}

/// Returns the latest observations of a project, filled up with those of other projects; without a project, of all.
pub(crate) fn recent(project: Option<&Project>, limit: usize) -> Result<Vec<Observation>, LookUpError> {
    list(|reader| {
        let mut rows = reader.recent_context(project, limit)?;
        // Other projects fill up the list of a project, but do not replace an empty one.
        if let Some(project) = project
            && !rows.first().is_some_and(|row| row.is_of(project))
        {
            rows.clear();
        }
        Ok(rows)
    })
}

fn careful(reader: Reader) -> CarefulReader {
    CarefulReader::new(reader, Repair::Whole, remember::DATABASE_TIMEOUT)
}
