//! Failures with what connects them: their signatures, and what came after each in its session.

use rusqlite::{OptionalExtension, params};

use super::{Reader, Result, row};
use crate::model::{EventKey, FailureRow, Observation, ObservationId, Project, SessionId, Timestamp};

/// At most this many observations after a failure are searched for the success.
const MAX_AFTER: i64 = 300;

impl Reader {
    /// Returns the newest failures that have a signature, of all projects or of one.
    pub(crate) fn failures(&self, project: Option<&Project>, limit: usize) -> Result<Vec<FailureRow>> {
        // The index has the columns of all failures side by side, so none of their rows is read.
        let columns = "SELECT id, timestamp, session_id, program, signature FROM observations
             WHERE signature IS NOT NULL";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut all = Vec::new();
        match project {
            None => {
                let mut statement =
                    self.connection.prepare_cached(&format!("{columns} ORDER BY id DESC LIMIT ?1"))?;
                let rows = statement.query_map([limit], failure_row)?;
                all.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
            }
            Some(project) => {
                // The `+` keeps SQLite from reading all rows of the project instead.
                let sql = format!("{columns} AND +project_id = ?1 ORDER BY id DESC LIMIT ?2");
                let mut statement = self.connection.prepare_cached(&sql)?;
                for id in self.project_ids(project)? {
                    let rows = statement.query_map(params![id, limit], failure_row)?;
                    all.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
                }
                all.sort_by_key(|failure| std::cmp::Reverse(failure.id));
            }
        }
        Ok(all)
    }

    /// Returns the number under which an event is stored.
    pub(crate) fn id_of(&self, key: EventKey) -> Result<Option<ObservationId>> {
        let mut statement =
            self.connection.prepare_cached("SELECT id FROM observations WHERE event_key = ?1")?;
        Ok(statement.query_row([key.0], |row| row.get(0).map(ObservationId)).optional()?)
    }

    /// Returns a failure and what its session did after it, in chronological order.
    pub(crate) fn failure_and_after(
        &self,
        id: ObservationId,
    ) -> Result<Option<(Observation, Vec<Observation>)>> {
        let Some(failure) = row::first(&self.connection, "WHERE id = ?1", [id.0])? else { return Ok(None) };
        let rest = format!(
            "WHERE session_id = ?1 AND (timestamp, id) > (?2, ?3) AND obs_type NOT IN ('file_read', 'search')
             ORDER BY timestamp, id LIMIT {MAX_AFTER}"
        );
        let place = (&failure.session_id.0, failure.timestamp.0, failure.id.0);
        let after = row::all(&self.connection, &rest, place)?;
        Ok(Some((failure, after)))
    }
}

pub(super) fn failure_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<FailureRow> {
    Ok(FailureRow {
        id: ObservationId(row.get(0)?),
        timestamp: Timestamp(row.get(1)?),
        session_id: SessionId(row::text(row, 2)?),
        program: row::optional_text(row, 3)?,
        signature: row::text(row, 4)?,
    })
}

#[cfg(test)]
mod tests;
