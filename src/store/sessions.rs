//! Sessions: a list of them, and all observations of one.

use super::query::quoted;
use super::search::in_text_columns;
use super::{Reader, Result, row};
use crate::model::{Observation, Project, SessionId, SessionSummary, Timestamp};

/// At most this many rows with the digits of a reference are looked at: digits are everywhere.
const MAX_NUMBERED: usize = 300;

/// A row that names something.
struct NamedRow {
    id: i64,
    session: SessionId,
    project: Option<i64>,
}

impl NamedRow {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<NamedRow> {
        Ok(NamedRow { id: row.get(0)?, session: SessionId(row::text(row, 1)?), project: row.get(2)? })
    }
}

impl Reader {
    /// Returns the sessions; the one with the newest observation comes first.
    pub(crate) fn sessions(&self, project: Option<&Project>, limit: usize) -> Result<Vec<SessionSummary>> {
        let mut sessions = Vec::new();
        let of_project = project.map(|project| self.of_project(project)).transpose()?;
        let concerns = of_project.map(|rows| {
            self.connection
                .prepare(&format!("SELECT 1 FROM observations WHERE session_id = ?1 AND {rows} LIMIT 1"))
        });
        let mut concerns = concerns.transpose()?;
        for (_, session) in self.sessions_by_end()? {
            if sessions.len() >= limit {
                break;
            }
            let summary = self.session_summary(&session)?;
            let is_in_project = match &mut concerns {
                Some(concerns) => concerns.exists([&session.0])?,
                None => true,
            };
            sessions.extend(summary.filter(|_| is_in_project));
        }
        Ok(sessions)
    }

    /// Returns a summary of one session, if it is known.
    pub(crate) fn session_summary(&self, session: &SessionId) -> Result<Option<SessionSummary>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT min(timestamp), max(timestamp), count(*),
                 count(*) FILTER (WHERE obs_type = 'user_prompt'),
                 count(*) FILTER (WHERE obs_type IN ('file_edit', 'file_write')),
                 count(*) FILTER (WHERE obs_type = 'command_error' AND coalesce(metadata ->> '$.kind', '') NOT IN ('rule', 'tool')),
                 (SELECT project FROM observed WHERE session_id = ?1 AND project_id IS NOT NULL
                      ORDER BY timestamp DESC, id DESC LIMIT 1),
                 (SELECT content FROM observations WHERE session_id = ?1 AND obs_type = 'user_prompt'
                      ORDER BY timestamp, id LIMIT 1),
                 count(*) FILTER (WHERE obs_type = 'command_error' AND metadata ->> '$.kind' IS 'rule'),
                 (SELECT harness FROM observations WHERE session_id = ?1 AND harness IS NOT NULL
                      ORDER BY timestamp LIMIT 1),
                 (SELECT branch FROM observations WHERE session_id = ?1 AND branch IS NOT NULL
                      ORDER BY timestamp DESC LIMIT 1),
                 (SELECT worktree FROM observations WHERE session_id = ?1
                      ORDER BY timestamp DESC LIMIT 1)
             FROM observations WHERE session_id = ?1",
        )?;
        let summary = statement.query_row([&session.0], |row| {
            let Some(started_at) = row.get(0)? else { return Ok(None) };
            Ok(Some(SessionSummary {
                session_id: session.clone(),
                started_at: Timestamp(started_at),
                ended_at: Timestamp(row.get(1)?),
                observations: row.get(2)?,
                prompts: row.get(3)?,
                edits: row.get(4)?,
                failures: row.get(5)?,
                project: row::optional_text(row, 6)?,
                first_prompt: row::optional_text(row, 7)?,
                blocked: row.get(8)?,
                harness: row::optional_text(row, 9)?,
                branch: row::optional_text(row, 10)?,
                worktree: row::optional_text(row, 11)?,
            }))
        })?;
        Ok(summary)
    }

    /// Returns all of one session, in the order of time.
    pub(crate) fn session(&self, session: &SessionId) -> Result<Vec<Observation>> {
        row::all(&self.connection, "WHERE session_id = ?1 ORDER BY timestamp, id", [&session.0])
    }

    /// Returns up to `limit` sessions whose ids begin with `prefix`.
    pub(crate) fn sessions_starting(&self, prefix: &str, limit: usize) -> Result<Vec<SessionId>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT session_id FROM observations
             WHERE session_id >= ?1 AND session_id < ?1 || char(0x10ffff) LIMIT ?2",
        )?;
        let rows = statement.query_map((prefix, limit as i64), |row| row::text(row, 0).map(SessionId))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the sessions of a project that have a word in one of its spellings, the newest last; empty if nothing has
    /// it, or more than `max` rows. A `*` at the end of a spelling stands for any ending; `#42` is found as it stands.
    pub(crate) fn sessions_with(
        &self,
        spellings: &[String],
        project: &Project,
        max: usize,
    ) -> Result<Vec<SessionId>> {
        let ids = self.project_ids(project)?;
        let quoted = |spelling: &String| match spelling.strip_suffix('*') {
            Some(stem) => format!("{} *", quoted(stem)),
            None => quoted(spelling),
        };
        let (numbers, names): (Vec<&String>, Vec<&String>) =
            spellings.iter().partition(|spelling| spelling.starts_with('#'));
        let expression = names.into_iter().map(quoted).collect::<Vec<_>>().join(" OR ");
        let mut found = if expression.is_empty() { Vec::new() } else { self.rows_with(&expression, max)? };
        for number in numbers {
            found.extend(self.rows_with_number(number)?);
        }
        if found.len() > max {
            return Ok(Vec::new());
        }
        found.sort_unstable_by_key(|row| row.id);
        let mut sessions: Vec<SessionId> = Vec::new();
        for row in found {
            if row.project.is_some_and(|id| ids.contains(&id)) && !sessions.contains(&row.session) {
                sessions.push(row.session);
            }
        }
        Ok(sessions)
    }

    /// Returns the newest rows that match an expression, up to one more than wanted.
    fn rows_with(&self, expression: &str, max: usize) -> Result<Vec<NamedRow>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT observations.id, observations.session_id, observations.project_id FROM observations_fts
             CROSS JOIN observations ON observations.id = observations_fts.rowid
             WHERE observations_fts MATCH ?1 ORDER BY observations_fts.rowid DESC LIMIT ?2",
        )?;
        let found = statement.query_map((in_text_columns(expression), max as i64 + 1), NamedRow::read)?;
        Ok(found.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the newest rows that name a number as a reference, such as `#42`: the index has only its digits.
    fn rows_with_number(&self, number: &str) -> Result<Vec<NamedRow>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT observations.id, observations.session_id, observations.project_id, observations.content
             FROM (SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?1 ORDER BY rowid DESC LIMIT ?2) AS found
             CROSS JOIN observations ON observations.id = found.rowid",
        )?;
        let digits = quoted(number.trim_start_matches('#'));
        let read = |row: &rusqlite::Row<'_>| Ok((NamedRow::read(row)?, row::text(row, 3)?));
        let rows = statement.query_map((in_text_columns(&digits), MAX_NUMBERED as i64), read)?;
        let is_named = |content: &str| {
            let mut behind = content.match_indices(number).map(|(at, _)| &content[at + number.len()..]);
            behind.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        };
        let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        Ok(rows.into_iter().filter(|(_, content)| is_named(content)).map(|(row, _)| row).collect())
    }

    /// Returns what a session did, newest first: everything but reads and searches.
    pub(crate) fn session_deeds(&self, session: &SessionId, limit: usize) -> Result<Vec<Observation>> {
        let rest = "WHERE session_id = ?1 AND obs_type NOT IN ('file_read', 'search')
             ORDER BY timestamp DESC, id DESC LIMIT ?2";
        row::all(&self.connection, rest, (&session.0, limit as i64))
    }

    pub(super) fn sessions_by_end(&self) -> Result<Vec<(Timestamp, SessionId)>> {
        // Jumps from one session to the next in the index.
        let mut next = self.connection.prepare_cached(
            "SELECT session_id, (SELECT max(timestamp) FROM observations WHERE session_id = outside.session_id)
             FROM observations AS outside WHERE session_id > CAST(?1 AS TEXT) ORDER BY session_id LIMIT 1",
        )?;
        let mut sessions = Vec::new();
        // Compare bytes: a damaged text that is converted to another one would be found again and again.
        let mut last = Vec::new();
        loop {
            let mut rows = next.query([&last])?;
            let Some(row) = rows.next()? else { break };
            last = row.get_ref(0)?.as_bytes().map_err(rusqlite::Error::from)?.to_vec();
            sessions.push((Timestamp(row.get(1)?), SessionId(row::text(row, 0)?)));
        }
        sessions.sort_by(|one, two| two.cmp(one));
        Ok(sessions)
    }
}

#[cfg(test)]
mod tests;
