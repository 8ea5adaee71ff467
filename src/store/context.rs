//! Rows that earn a place in what a new session is told; which of them are told is decided by `context`.

use std::collections::HashSet;

use super::{Reader, Result, row};
use crate::model::{ActedPrompt, Observation, ObservationType, Project};

/// For every row wanted, so many are looked at: some files are edited again and again, most prompts lead to nothing.
const LOOKED_AT: usize = 10;

/// Actions on one prompt are counted up to here.
const MOST_ACTIONS: i64 = 100;

impl Reader {
    /// Returns the newest edits and writes of a project, each file once.
    pub(crate) fn recent_edits(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        let mut edits = self.newest(project, ObservationType::FileEdit, limit * LOOKED_AT)?;
        edits.extend(self.newest(project, ObservationType::FileWrite, limit * LOOKED_AT)?);
        edits.sort_by_key(|edit| std::cmp::Reverse((edit.timestamp, edit.id)));
        let mut seen = HashSet::new();
        edits.retain(|edit| edit.file_path.as_ref().is_none_or(|path| seen.insert(path.clone())));
        edits.truncate(limit);
        Ok(edits)
    }

    /// Returns the newest prompts of a project on which the agent acted.
    pub(crate) fn acted_prompts(&self, project: &Project, limit: usize) -> Result<Vec<ActedPrompt>> {
        let mut acted = Vec::new();
        for prompt in self.newest(project, ObservationType::UserPrompt, limit * LOOKED_AT)? {
            let actions = self.actions_on(&prompt)?;
            if actions > 0 {
                acted.push(ActedPrompt { prompt, actions });
                if acted.len() >= limit {
                    break;
                }
            }
        }
        Ok(acted)
    }

    /// Returns the newest observations of a finer kind, such as `git_commit`.
    pub(crate) fn recent_of_kind(
        &self,
        project: &Project,
        kind: &str,
        limit: usize,
    ) -> Result<Vec<Observation>> {
        self.newest_where(project, "metadata ->> '$.kind' = ?2", kind, limit)
    }

    /// Returns the last observations of a project as they came, the newest first.
    pub(crate) fn trail(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        self.newest_where(project, "?2 = ''", "", limit)
    }

    pub(super) fn newest(
        &self,
        project: &Project,
        kind: ObservationType,
        limit: usize,
    ) -> Result<Vec<Observation>> {
        self.newest_where(project, "obs_type = ?2", kind.name(), limit)
    }

    /// Returns the newest rows of a project for which a value meets a condition.
    pub(super) fn newest_where(
        &self,
        project: &Project,
        condition: &str,
        value: &str,
        limit: usize,
    ) -> Result<Vec<Observation>> {
        let rest = format!("WHERE project_id = ?1 AND {condition} ORDER BY timestamp DESC, id DESC LIMIT ?3");
        let mut rows = Vec::new();
        let ids = self.project_ids(project)?;
        for id in &ids {
            rows.extend(row::all(&self.connection, &rest, (id, value, limit as i64))?);
        }
        if ids.len() > 1 {
            rows.sort_by_key(|row| std::cmp::Reverse((row.timestamp, row.id)));
            rows.truncate(limit);
        }
        Ok(rows)
    }

    /// Counts what the agent did between this prompt and the next.
    fn actions_on(&self, prompt: &Observation) -> Result<usize> {
        let sql = format!(
            "SELECT obs_type FROM observations WHERE session_id = ?1 AND (timestamp, id) > (?2, ?3)
             ORDER BY timestamp, id LIMIT {MOST_ACTIONS}"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query((&prompt.session_id.0, prompt.timestamp.0, prompt.id.0))?;
        let mut actions = 0;
        while let Some(row) = rows.next()? {
            match row::obs_type(row, 0)? {
                ObservationType::UserPrompt | ObservationType::SessionStart | ObservationType::SessionEnd => {
                    break;
                }
                _ => actions += 1,
            }
        }
        Ok(actions)
    }
}

#[cfg(test)]
mod tests;
