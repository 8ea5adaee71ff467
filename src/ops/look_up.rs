//! Looks into the memory: searches it, fetches from it, and shows what was around and what was last.
//!
//! Before the first event there is no memory, and every answer is empty.

use std::path::Path;

use super::remember;
use crate::config::{project, settings};
use crate::model::{Observation, ObservationId, Project, Search, SearchHit, Timeline};
use crate::store::StoreError;

/// Returns the hits of a search, the best first.
pub(crate) fn search(search: &Search) -> Result<Vec<SearchHit>, StoreError> {
    match remember::reader()? {
        Some(reader) => reader.search(search, remember::now()),
        None => Ok(Vec::new()),
    }
}

/// Returns observations in the order of their numbers; what is not there is left out.
pub(crate) fn observations(ids: &[ObservationId]) -> Result<Vec<Observation>, StoreError> {
    match remember::reader()? {
        Some(reader) => reader.get(ids),
        None => Ok(Vec::new()),
    }
}

/// Returns an observation with what came before and after it in its session.
pub(crate) fn timeline(anchor: ObservationId, before: usize, after: usize) -> Result<Timeline, StoreError> {
    remember::reader()?.ok_or(StoreError::AnchorNotFound)?.timeline(anchor, before, after)
}

/// Returns the latest observations of a project, filled up with those of others; without a project, of all.
pub(crate) fn recent(project: Option<&Project>, limit: usize) -> Result<Vec<Observation>, StoreError> {
    let Some(reader) = remember::reader()? else { return Ok(Vec::new()) };
    let mut rows = reader.recent_context(project, limit)?;
    // Other projects fill up what a project has; they do not stand in for one that has nothing.
    if let Some(project) = project
        && !rows.first().is_some_and(|row| row.is_of(project))
    {
        rows.clear();
    }
    Ok(rows)
}

/// Returns the project that a folder is in, as its settings name it.
pub(crate) fn current_project(cwd: &Path) -> Option<Project> {
    let (settings, _) = settings::load(&project::root(None, cwd));
    remember::project(cwd, &settings)
}
