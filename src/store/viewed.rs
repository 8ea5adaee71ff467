//! Queries of the viewer.

use rusqlite::OptionalExtension;

use super::{Reader, Result, row};
use crate::model::{ObservationId, SessionId};

/// Maximum number of sessions that are named.
const MAX_NAMED: i64 = 50;

impl Reader {
    /// Counts the observations about the same thing: how many, in how many sessions, of which agents.
    pub(crate) fn same_subject(&self, id: ObservationId) -> Result<(usize, usize, Vec<String>)> {
        let sql = "SELECT subject FROM observations WHERE id = ?1 AND subject IS NOT NULL";
        let subject = self.connection.query_row(sql, [id.0], |row| row.get::<_, i64>(0)).optional()?;
        let Some(subject) = subject else { return Ok((1, 1, Vec::new())) };
        let sql = "SELECT count(*), count(DISTINCT session_id) FROM observations WHERE subject = ?1";
        let (count, sessions) =
            self.connection.query_row(sql, [subject], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let sql =
            "SELECT DISTINCT harness FROM observations WHERE subject = ?1 AND harness IS NOT NULL ORDER BY 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let agents = statement.query_map([subject], |row| row::text(row, 0))?;
        Ok((count, sessions, agents.collect::<rusqlite::Result<_>>()?))
    }

    /// Returns the sessions that were told about an observation, the latest first.
    pub(crate) fn told_to(&self, id: ObservationId) -> Result<Vec<SessionId>> {
        let sql = "SELECT session FROM told_rows JOIN told ON told.id = told_rows.told WHERE observation = ?1
             GROUP BY session ORDER BY max(at_ms) DESC LIMIT ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map((id.0, MAX_NAMED), |row| row::text(row, 0).map(SessionId))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
