//! Candidate rows for the context of a new session; `context` decides which of them are shown.

use std::collections::{HashMap, HashSet};

use super::{Reader, Result, row};
use crate::model::{ActedPrompt, Observation, ObservationType, Project};

/// At most this many rows are checked: some files are edited again and again, and most prompts lead to nothing.
const MAX_SCANNED: usize = 200;

/// The actions after one prompt are counted up to this number.
const MAX_ACTIONS: i64 = 100;

impl Reader {
    /// Returns the newest edits and writes of a project, each file once.
    pub(crate) fn recent_edits(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        let mut edits = Vec::new();
        for kind in [ObservationType::FileEdit, ObservationType::FileWrite] {
            let mut seen = HashSet::new();
            let first =
                |edit: &Observation| Ok(edit.file_path.as_ref().is_none_or(|path| seen.insert(path.clone())));
            edits.extend(self.newest(project, kind, limit, first)?);
        }
        newest_first(&mut edits);
        let mut seen = HashSet::new();
        edits.retain(|edit| edit.file_path.as_ref().is_none_or(|path| seen.insert(path.clone())));
        edits.truncate(limit);
        Ok(edits)
    }

    /// Returns the newest prompts of a project that the agent acted on.
    pub(crate) fn acted_prompts(&self, project: &Project, limit: usize) -> Result<Vec<ActedPrompt>> {
        let mut actions = HashMap::new();
        let prompts = self.newest(project, ObservationType::UserPrompt, limit, |prompt| {
            let count = self.actions_on(prompt)?;
            actions.insert(prompt.id, count);
            Ok(count > 0)
        })?;
        Ok(prompts.into_iter().map(|prompt| ActedPrompt { actions: actions[&prompt.id], prompt }).collect())
    }

    /// Returns the newest observations with this `kind` in their metadata, such as `git_commit`.
    pub(crate) fn recent_of_kind(
        &self,
        project: &Project,
        kind: &str,
        limit: usize,
    ) -> Result<Vec<Observation>> {
        self.newest_where(project, "metadata ->> '$.kind' = ?2", kind, limit, |_| Ok(true))
    }

    /// Returns the last observations of a project, newest first.
    pub(crate) fn trail(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        self.newest_where(project, "?2 = ''", "", limit, |_| Ok(true))
    }

    /// Returns the newest rows of one type that `wanted` accepts.
    pub(super) fn newest(
        &self,
        project: &Project,
        kind: ObservationType,
        limit: usize,
        wanted: impl FnMut(&Observation) -> Result<bool>,
    ) -> Result<Vec<Observation>> {
        self.newest_where(project, "obs_type = ?2", kind.name(), limit, wanted)
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

    /// Counts what the agent did between this prompt and the next.
    fn actions_on(&self, prompt: &Observation) -> Result<usize> {
        let sql = format!(
            "SELECT obs_type FROM observations WHERE session_id = ?1 AND (timestamp, id) > (?2, ?3)
             ORDER BY timestamp, id LIMIT {MAX_ACTIONS}"
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

fn newest_first(observations: &mut [Observation]) {
    observations.sort_by_key(|observation| std::cmp::Reverse((observation.timestamp, observation.id)));
}

#[cfg(test)]
mod tests;
