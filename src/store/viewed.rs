//! Queries of the viewer, over the tables of `summaries`.

mod files;
mod rules;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use rusqlite::{OptionalExtension, Row};

use super::{Reader, Result, row, summaries};
use crate::model::{
    CountedSession, DaySessions, DeedRow, MarkRow, Observation, ObservationId, Project, SessionId,
    SessionOrder, SessionQuery, SessionTotals,
};

/// The columns of a session, in the order in which `session` reads them.
const SESSION: &str = "sessions.id, coalesce(project_identities.title, projects.name), projects.root,
     sessions.harness, started_at, last_at, prompts, edits, commands, failed, fixed, blocked, commits,
     coalesce((SELECT sum(chars) FROM told WHERE told.session = sessions.id), 0),
     (SELECT content FROM observations WHERE session_id = sessions.id AND mark = 3 ORDER BY timestamp, id LIMIT 1),
     (SELECT obs_type FROM observations WHERE session_id = sessions.id ORDER BY timestamp DESC, id DESC LIMIT 1)
         IS 'session_end', observations
     FROM sessions LEFT JOIN projects ON projects.id = sessions.project_id
         LEFT JOIN project_identities ON project_identities.id = sessions.project_id";

fn session(row: &Row<'_>) -> rusqlite::Result<CountedSession> {
    Ok(CountedSession {
        id: SessionId(row::text(row, 0)?),
        project: row::optional_text(row, 1)?,
        project_root: row::optional_text(row, 2)?,
        harness: row::optional_text(row, 3)?,
        started_at: row.get(4)?,
        last_at: row.get(5)?,
        prompts: row.get(6)?,
        edits: row.get(7)?,
        commands: row.get(8)?,
        failed: row.get(9)?,
        fixed: row.get(10)?,
        blocked: row.get(11)?,
        commits: row.get(12)?,
        told_chars: row.get::<_, i64>(13)?.unsigned_abs(),
        first_prompt: row::optional_text(row, 14)?,
        has_ended: row.get(15)?,
        observations: row.get(16)?,
    })
}

/// Returns a condition for folders and agents; both columns may be of any table.
fn narrow(query: &SessionQuery, table: &str) -> String {
    let mut condition = String::new();
    if let Some(folders) = &query.folders {
        let ids: Vec<String> = folders.iter().map(i64::to_string).collect();
        let _ = write!(condition, " AND {table}.project_id IN ({})", ids.join(", "));
    }
    if !query.agents.is_empty() {
        let agents: Vec<String> =
            query.agents.iter().map(|agent| format!("'{}'", agent.replace('\'', "''"))).collect();
        let _ = write!(condition, " AND {table}.harness IN ({})", agents.join(", "));
    }
    condition
}

impl Reader {
    /// Returns the sessions that overlap a range; `before` is the last one of the previous page.
    pub(crate) fn counted_sessions(
        &self,
        query: &SessionQuery,
        order: SessionOrder,
        before: Option<(i64, &str)>,
        limit: usize,
    ) -> Result<Vec<CountedSession>> {
        let (last, id, skipped) = match (order, before) {
            (SessionOrder::Newest, Some((last, id))) => (last, id, 0),
            (_, Some((skipped, _))) => (i64::MAX, "", skipped),
            (_, None) => (i64::MAX, "", 0),
        };
        let order = match order {
            SessionOrder::Newest => "last_at DESC, sessions.id DESC",
            SessionOrder::Failures => "failed DESC, last_at DESC, sessions.id DESC",
            SessionOrder::Told => "14 DESC, last_at DESC, sessions.id DESC",
        };
        let sql = format!(
            "SELECT {SESSION} WHERE last_at >= ?1 AND last_at <= ?3 AND started_at <= ?2
                 AND (last_at < ?3 OR sessions.id < ?4){} ORDER BY {order} LIMIT ?5 OFFSET ?6",
            narrow(query, "sessions")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let id = if last == i64::MAX { "\u{10ffff}" } else { id };
        let rows = statement.query_map((query.from, query.to, last, id, limit as i64, skipped), session)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns one session.
    pub(crate) fn counted_session(&self, id: &SessionId) -> Result<Option<CountedSession>> {
        let sql = format!("SELECT {SESSION} WHERE sessions.id = ?1");
        Ok(self.connection.prepare_cached(&sql)?.query_row([&id.0], session).optional()?)
    }

    /// Returns the first prompt of a session.
    pub(crate) fn first_prompt(&self, id: &SessionId) -> Result<Option<String>> {
        let sql = "SELECT content FROM observations WHERE session_id = ?1 AND mark = 3 ORDER BY timestamp, id LIMIT 1";
        Ok(self.connection.prepare_cached(sql)?.query_row([&id.0], |row| row::text(row, 0)).optional()?)
    }

    /// Returns how many sessions there are in all.
    pub(crate) fn session_count(&self, query: &SessionQuery) -> Result<usize> {
        Ok(self.session_totals(query)?.sessions)
    }

    /// Adds up the sessions that overlap a range.
    pub(crate) fn session_totals(&self, query: &SessionQuery) -> Result<SessionTotals> {
        let sql = format!(
            "SELECT count(DISTINCT harness), count(*), coalesce(sum(blocked), 0), coalesce(sum(guided), 0),
                 coalesce(sum(failed), 0), coalesce(sum(fixed), 0), coalesce(sum(open), 0)
             FROM sessions WHERE last_at >= ?1 AND started_at <= ?2{}",
            narrow(query, "sessions")
        );
        let totals = self.connection.prepare_cached(&sql)?.query_row((query.from, query.to), |row| {
            Ok(SessionTotals {
                agents: row.get(0)?,
                sessions: row.get(1)?,
                blocked: row.get(2)?,
                guided: row.get(3)?,
                failed: row.get(4)?,
                fixed: row.get(5)?,
                open: row.get(6)?,
            })
        })?;
        Ok(totals)
    }

    /// Adds up the sessions whose last observation is in a range, by its day and their agents.
    pub(crate) fn session_days(&self, query: &SessionQuery) -> Result<Vec<DaySessions>> {
        let sql = format!(
            "SELECT last_at / 86400, harness, count(*), sum(blocked), sum(guided), sum(failed), sum(fixed), sum(open)
             FROM sessions WHERE last_at >= ?1 AND last_at <= ?2{} GROUP BY 1, 2",
            narrow(query, "sessions")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map((query.from, query.to), |row| {
            Ok(DaySessions {
                day: row.get(0)?,
                harness: row::optional_text(row, 1)?,
                totals: SessionTotals {
                    agents: 0,
                    sessions: row.get(2)?,
                    blocked: row.get(3)?,
                    guided: row.get(4)?,
                    failed: row.get(5)?,
                    fixed: row.get(6)?,
                    open: row.get(7)?,
                },
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Counts marks by hours from 1970: hour, mark, count.
    pub(crate) fn activity(&self, query: &SessionQuery) -> Result<Vec<(i64, u8, usize)>> {
        let sql = format!(
            "SELECT hour, mark, sum(n) FROM activity WHERE hour >= ?1 AND hour <= ?2{} GROUP BY 1, 2 ORDER BY 1, 2",
            narrow(query, "activity")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let hours = (query.from.div_euclid(3_600), query.to.div_euclid(3_600));
        let rows = statement.query_map(hours, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Counts marks by steps of fewer than an hour: start of the step in seconds, mark, count. It reads every row of
    /// the range, so the range must be short.
    pub(crate) fn fine_activity(&self, query: &SessionQuery, step: i64) -> Result<Vec<(i64, u8, usize)>> {
        let sql = format!(
            "SELECT (timestamp - ?1) / ?3 * ?3 + ?1, coalesce(mark, 9), count(*) FROM observations
             WHERE timestamp >= ?1 AND timestamp <= ?2{} GROUP BY 1, 2",
            narrow(query, "observations")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement
            .query_map((query.from, query.to, step), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the time of the oldest observation.
    pub(crate) fn first_at(&self) -> Result<Option<i64>> {
        Ok(self.connection.query_row("SELECT min(timestamp) FROM observations", [], |row| row.get(0))?)
    }

    /// Returns the marks of a session, in the order of time.
    pub(crate) fn marks(&self, session: &SessionId) -> Result<Vec<MarkRow>> {
        let sql = "SELECT id, timestamp, mark, metadata ->> '$.agent_id' FROM observations
             WHERE session_id = ?1 AND mark IS NOT NULL ORDER BY timestamp, id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([&session.0], |row| {
            Ok(MarkRow {
                id: row.get(0)?,
                at: row.get(1)?,
                mark: row.get(2)?,
                subagent: row::optional_text(row, 3)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns what a session ran, in the order of time.
    pub(crate) fn deed_rows(&self, session: &SessionId) -> Result<Vec<DeedRow>> {
        summaries::deeds(&self.connection, &session.0)
    }

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

    /// Returns the next call of the same tool on the same file or program, in the same session.
    pub(crate) fn next_call_alike(&self, row: &Observation) -> Result<Option<Observation>> {
        let rest = "WHERE session_id = ?1 AND (timestamp, id) > (?2, ?3) AND tool_name IS ?4
                 AND (file_path = ?5 OR program = ?6) ORDER BY timestamp, id LIMIT 1";
        let place =
            (&row.session_id.0, row.timestamp.0, row.id.0, &row.tool_name, &row.file_path, &row.program);
        row::first(&self.connection, rest, place)
    }

    /// Returns the rows of a session between two times, both included, in the order of time.
    pub(crate) fn session_part(
        &self,
        session: &SessionId,
        range: (i64, i64),
        limit: usize,
    ) -> Result<Vec<Observation>> {
        let rest =
            "WHERE session_id = ?1 AND timestamp >= ?2 AND timestamp <= ?3 ORDER BY timestamp, id LIMIT ?4";
        row::all(&self.connection, rest, (&session.0, range.0, range.1, limit as i64))
    }
}

impl Reader {
    /// Returns the project that has this root, or else this name.
    pub(crate) fn project_at(&self, word: &str) -> Result<Option<Project>> {
        let sql = "SELECT name, root FROM projects JOIN project_identities USING (id)
             WHERE root = ?1 AND NOT replaced ORDER BY id DESC LIMIT 1";
        let found = self.connection.prepare_cached(sql)?.query_row([word], |row| {
            Ok(Project { name: row::text(row, 0)?, root: row::optional_text(row, 1)?, repository: None })
        });
        if let Some(found) = found.optional()? {
            return Ok(Some(found));
        }
        let sql =
            "SELECT 1 FROM projects JOIN project_identities USING (id) WHERE coalesce(title, name) = ?1";
        let is_name = self.connection.prepare_cached(sql)?.exists([word])?;
        Ok(is_name.then(|| Project { name: word.to_owned(), ..Project::default() }))
    }

    /// Returns the ids of the newest observation and the newest delivery.
    pub(crate) fn newest_ids(&self) -> Result<(i64, i64)> {
        let sql =
            "SELECT coalesce((SELECT max(id) FROM observations), 0), coalesce((SELECT max(id) FROM told), 0)";
        Ok(self.connection.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// Returns the sessions with observations or deliveries after these ids.
    pub(crate) fn sessions_since(&self, id: i64, told: i64, limit: usize) -> Result<Vec<SessionId>> {
        let sql = "SELECT session_id FROM observations WHERE id > ?1 UNION SELECT session FROM told WHERE id > ?2 LIMIT ?3";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map((id, told, limit as i64), |row| row::text(row, 0).map(SessionId))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the ids of the agents that were ever observed.
    pub(crate) fn seen_agents(&self) -> Result<BTreeSet<String>> {
        let mut statement = self.connection.prepare_cached("SELECT DISTINCT harness FROM sessions")?;
        let rows = statement.query_map([], |row| row::optional_text(row, 0))?;
        Ok(rows.filter_map(rusqlite::Result::transpose).collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the agents of sessions.
    pub(crate) fn session_agents(&self, sessions: &BTreeSet<&str>) -> Result<BTreeMap<String, String>> {
        let sql = "SELECT harness FROM sessions WHERE id = ?1 AND harness IS NOT NULL";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut agents = BTreeMap::new();
        for session in sessions {
            let agent = statement.query_row([session], |row| row::text(row, 0)).optional()?;
            agents.extend(agent.map(|agent| ((*session).to_owned(), agent)));
        }
        Ok(agents)
    }

    /// Counts the calls, prompts and sessions of a range.
    pub(crate) fn events_of_sessions(&self, query: &SessionQuery) -> Result<[usize; 3]> {
        let sql = format!(
            "SELECT coalesce(sum(reads + edits + commands + failed + blocked), 0), coalesce(sum(prompts), 0), count(*)
             FROM sessions WHERE last_at >= ?1 AND started_at <= ?2{}",
            narrow(query, "sessions")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row((query.from, query.to), |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?)
    }
}
