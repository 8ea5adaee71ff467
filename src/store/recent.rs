//! Observations by id, around one of them, and the latest of a project.

use std::collections::HashSet;

use rusqlite::Params;

use super::{Reader, Result, StoreError, row};
use crate::model::{Observation, ObservationId, Project, Timeline};

/// Newest first; the limit is enough even if the same few files occur again and again.
const NEWEST: &str = "ORDER BY timestamp DESC, id DESC LIMIT 5000";

impl Reader {
    /// Returns the observations in the order of `ids`; missing ones are left out.
    pub(crate) fn get(&self, ids: &[ObservationId]) -> Result<Vec<Observation>> {
        ids.iter().filter_map(|id| self.get_one(*id).transpose()).collect()
    }

    /// Returns an observation with its neighbours in its session.
    pub(crate) fn timeline(&self, anchor: ObservationId, before: usize, after: usize) -> Result<Timeline> {
        let anchor = self.get_one(anchor)?.ok_or(StoreError::AnchorNotFound)?;
        let place = (&anchor.session_id.0, anchor.timestamp.0, anchor.id.0);
        let neighbours = |comparison: &str, direction: &str, max: usize| {
            let rest = format!(
                "WHERE session_id = ?1 AND (timestamp, id) {comparison} (?2, ?3)
                 ORDER BY timestamp {direction}, id {direction} LIMIT ?4"
            );
            row::all(&self.connection, &rest, (place.0, place.1, place.2, max as i64))
        };
        let mut earlier = neighbours("<", "DESC", before)?;
        earlier.reverse();
        let after = neighbours(">", "ASC", after)?;
        Ok(Timeline { before: earlier, after, anchor })
    }

    /// Returns the latest observations of a project, then of others, each file once; without a project, of all
    /// projects.
    pub(crate) fn recent_context(&self, project: Option<&Project>, limit: usize) -> Result<Vec<Observation>> {
        let Some(project) = project else {
            let mut recent = Recent::new(limit);
            self.collect(&mut recent, NEWEST, [])?;
            return Ok(recent.rows);
        };
        let mut rows = self.latest(self.project_ids(project)?.into_iter().map(Some), limit)?;
        rows.extend(self.recent_elsewhere(Some(project), limit - rows.len())?);
        Ok(rows)
    }

    /// Returns the latest observations of other projects, each file once.
    pub(crate) fn recent_elsewhere(
        &self,
        project: Option<&Project>,
        limit: usize,
    ) -> Result<Vec<Observation>> {
        // Project by project: reading everything in the order of time could scan any number of rows of this project.
        let own = project.map(|project| self.project_ids(project)).transpose()?.unwrap_or_default();
        let mut statement = self.connection.prepare_cached(
            "SELECT id, (SELECT max(timestamp) FROM observations WHERE project_id = projects.id) FROM projects
             UNION ALL SELECT NULL, (SELECT max(timestamp) FROM observations WHERE project_id IS NULL)
             ORDER BY 2 DESC",
        )?;
        let rows = statement.query_map([], |row| row.get::<_, Option<i64>>(0))?;
        let ids = rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter();
        // The projects after the first `limit` only have rows that are older than those of the others.
        self.latest(ids.filter(|id| !id.is_some_and(|id| own.contains(&id))).take(limit), limit)
    }

    /// Returns all projects by name and root.
    pub(crate) fn projects(&self) -> Result<Vec<Project>> {
        let mut statement =
            self.connection.prepare_cached("SELECT name, root FROM projects ORDER BY 1, 2")?;
        let rows = statement.query_map([], |row| {
            Ok(Project { name: row::text(row, 0)?, root: row::optional_text(row, 1)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the ids of a project: several if there is no root and several projects have this name.
    pub(super) fn project_ids(&self, project: &Project) -> Result<Vec<i64>> {
        let sql = "SELECT id FROM projects WHERE name = ?1 AND (?2 IS NULL OR root = ?2)";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map((&project.name, &project.root), |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the latest observations of some projects together, each file of each once.
    fn latest(&self, projects: impl Iterator<Item = Option<i64>>, limit: usize) -> Result<Vec<Observation>> {
        let mut rows = Vec::new();
        for id in projects {
            let mut recent = Recent::new(limit);
            self.collect(&mut recent, &format!("WHERE project_id IS ?1 {NEWEST}"), [id])?;
            rows.extend(recent.rows);
        }
        rows.sort_by_key(|row| std::cmp::Reverse((row.timestamp, row.id)));
        rows.truncate(limit);
        Ok(rows)
    }

    fn collect(&self, recent: &mut Recent, rest: &str, params: impl Params) -> Result<()> {
        if recent.rows.len() >= recent.limit {
            return Ok(());
        }
        let sql = format!("SELECT {} FROM observed {rest}", row::COLUMNS);
        let mut statement = self.connection.prepare_cached(&sql)?;
        for row in statement.query_map(params, row::observation)? {
            recent.add(row?);
            if recent.rows.len() >= recent.limit {
                break;
            }
        }
        Ok(())
    }

    fn get_one(&self, id: ObservationId) -> Result<Option<Observation>> {
        row::first(&self.connection, "WHERE id = ?1", [id.0])
    }
}

struct Recent {
    limit: usize,
    /// Projects and files whose newest row has been added.
    seen: HashSet<(Option<String>, String)>,
    rows: Vec<Observation>,
}

impl Recent {
    fn new(limit: usize) -> Recent {
        Recent { limit, seen: HashSet::new(), rows: Vec::new() }
    }

    fn add(&mut self, observation: Observation) {
        let new = observation
            .file_path
            .as_ref()
            .is_none_or(|path| self.seen.insert((observation.project.clone(), path.clone())));
        if new {
            self.rows.push(observation);
        }
    }
}

#[cfg(test)]
mod tests;
