//! Candidate rows for the context of a new session; `context` decides which of them are shown.

use super::{Reader, Result, row};
use crate::model::{Observation, Project};

impl Reader {
    /// Returns what was done in a project, newest first: everything but reads and searches.
    pub(crate) fn deeds(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        self.newest_where(project, "obs_type NOT IN ('file_read', 'search')", limit)
    }

    /// Returns the last observations of a project, newest first.
    pub(crate) fn trail(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        self.newest_where(project, "TRUE", limit)
    }

    /// Returns the newest rows of a project that meet an SQL condition.
    fn newest_where(&self, project: &Project, condition: &str, limit: usize) -> Result<Vec<Observation>> {
        let rest = format!("WHERE project_id = ?1 AND {condition} ORDER BY timestamp DESC, id DESC LIMIT ?2");
        let mut all = Vec::new();
        for id in self.project_ids(project)? {
            all.extend(row::all(&self.connection, &rest, (id, limit as i64))?);
        }
        newest_first(&mut all);
        all.truncate(limit);
        Ok(all)
    }
}

fn newest_first(observations: &mut [Observation]) {
    observations.sort_by_key(|observation| std::cmp::Reverse((observation.timestamp, observation.id)));
}

#[cfg(test)]
mod tests;
