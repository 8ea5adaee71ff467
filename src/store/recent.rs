//! Observations by id, around one of them, and the latest of a project.

use std::collections::HashSet;

use rusqlite::{Params, params_from_iter};

use super::{Reader, Result, StoreError, row};
use crate::model::{Filter, Observation, ObservationId, Project, Timeline};

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
        let mut rows = self.recent_of(project, limit)?;
        rows.extend(self.recent_elsewhere(Some(project), limit - rows.len())?);
        Ok(rows)
    }

    /// Returns the latest observations of a project, each file once, in whichever of its folders it was.
    pub(crate) fn recent_of(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        let ids = self.project_ids(project)?;
        let is_one = ids.len() < 2;
        let mut rows = self.latest(ids.into_iter().map(Some), limit)?;
        let mut seen = HashSet::new();
        rows.retain(|row| is_one || row.file_path.as_ref().is_none_or(|path| seen.insert(path.clone())));
        Ok(rows)
    }

    /// Returns the latest observations that a filter lets through, each file once.
    pub(crate) fn recent_filtered(&self, filter: &Filter, limit: usize) -> Result<Vec<Observation>> {
        let (conditions, params) = self.conditions(filter)?;
        let mut recent = Recent::new(limit);
        self.collect(&mut recent, &format!("WHERE {conditions} {NEWEST}"), params_from_iter(params))?;
        Ok(recent.rows)
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
