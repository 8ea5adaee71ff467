//! Candidate rows for the context of a new session; `context` decides which of them are shown.

use super::{Reader, Result, row};
use crate::model::{Observation, Project};

/// At most this many rows are checked: some files are edited again and again, and most prompts lead to nothing.
const MAX_SCANNED: usize = 200;

impl Reader {
    /// Returns what was done in a project, newest first: everything but reads and searches.
    pub(crate) fn deeds(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        self.newest_where(project, "obs_type NOT IN ('file_read', 'search') AND ?2 = ''", "", limit, |_| {
            Ok(true)
        })
    }

    /// Returns the last observations of a project, newest first.
    pub(crate) fn trail(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        self.newest_where(project, "?2 = ''", "", limit, |_| Ok(true))
    }

    /// Returns the newest rows of a project that meet an SQL condition on `value` and that `wanted` accepts.
    fn newest_where(
        &self,
        project: &Project,
        condition: &str,
        value: &str,
        limit: usize,
        mut wanted: impl FnMut(&Observation) -> Result<bool>,
    ) -> Result<Vec<Observation>> {
        let sql = format!(
            "SELECT {} FROM observed WHERE project_id = ?1 AND {condition}
             ORDER BY timestamp DESC, id DESC LIMIT ?3",
            row::COLUMNS
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut all = Vec::new();
        for id in self.project_ids(project)? {
            let mut rows = statement.query((id, value, limit.max(MAX_SCANNED) as i64))?;
            let mut found = 0;
            while found < limit
                && let Some(row) = rows.next()?
            {
                let observation = row::observation(row)?;
                if wanted(&observation)? {
                    all.push(observation);
                    found += 1;
                }
            }
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
