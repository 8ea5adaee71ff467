//! Candidate rows for the context of a new session; `context` decides which of them are shown.

use super::{Reader, Result, row};
use crate::model::{Observation, Project};

/// At most this many pull requests of a project are looked at.
const MAX_REQUESTS: usize = 50;

impl Reader {
    /// Returns what was done in a project, newest first: everything but reads and searches.
    pub(crate) fn deeds(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        self.newest_where(project, "obs_type NOT IN ('file_read', 'search')", limit)
    }

    /// Returns the last observations of a project, newest first.
    pub(crate) fn trail(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        self.newest_where(project, "TRUE", limit)
    }

    /// Returns the address of the last pull request that was made on a branch.
    pub(crate) fn request_of(&self, project: &Project, branch: &str) -> Result<Option<String>> {
        let condition = "metadata ->> '$.kind' = 'pull_request'";
        let rows = self.newest_where(project, condition, MAX_REQUESTS)?;
        let here = rows.iter().filter(|row| row.branch() == Some(branch));
        let url = |row: &Observation| Some(row.metadata.as_ref()?.0.get("url")?.as_str()?.to_owned());
        Ok(here.filter_map(url).next())
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
