//! Queries of the viewer, over the tables of `summaries`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use rusqlite::{OptionalExtension, Row};

use super::query::quoted;
use super::{Reader, Result, row, summaries};
use crate::model::{
    BlockedCall, Carry, CountedSession, DaySessions, DeedRow, Delivery, FileEvent, MarkRow, Observation,
    ObservationId, Project, RuleActivity, SessionId, SessionOrder, SessionQuery, SessionTotals, ToldTotals,
    TurnFile,
};

/// Maximum number of sessions that are named.
const MAX_NAMED: i64 = 50;
/// In a shorter range, in milliseconds, deliveries are added up one by one.
const MAX_COUNTED_MS: i64 = 3 * 86_400_000;
const DAY_MS: i64 = 86_400_000;

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

    /// Counts the calls that were blocked in a range. A session may work in several projects, so its own sum is not that
    /// of a project.
    pub(crate) fn blocked_count(&self, query: &SessionQuery) -> Result<usize> {
        let calls = SessionQuery { agents: Vec::new(), ..query.clone() };
        let agents = SessionQuery { folders: None, ..query.clone() };
        let sql = format!(
            "SELECT count(*) FROM blocked_calls
             WHERE at >= ?1 AND at <= ?2{} AND session_id IN (SELECT id FROM sessions WHERE true{})",
            narrow(&calls, "blocked_calls"),
            narrow(&agents, "sessions")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row((query.from, query.to), |row| row.get(0))?)
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

    /// Adds up what was told in a range, by days from 1970: day, deliveries, characters.
    pub(crate) fn told_by_day(&self, query: &SessionQuery) -> Result<Vec<(i64, usize, u64)>> {
        let sql = format!(
            "SELECT at_ms / 86400000, count(*), sum(told.chars)
             FROM told LEFT JOIN sessions ON sessions.id = told.session
             WHERE at_ms >= ?1 AND at_ms <= ?2{} GROUP BY 1",
            narrow(query, "sessions")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let range = (query.from.saturating_mul(1_000), query.to.saturating_mul(1_000).saturating_add(999));
        let rows = statement
            .query_map(range, |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?.unsigned_abs())))?;
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

    /// Returns when a session was told something, in the order of time: id and milliseconds.
    pub(crate) fn delivery_times(&self, session: &SessionId) -> Result<Vec<(i64, i64)>> {
        let sql = "SELECT id, at_ms FROM told WHERE session = ?1 ORDER BY at_ms, id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([&session.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns what a session was told, in the order of time.
    pub(crate) fn deliveries(&self, session: &SessionId) -> Result<Vec<Delivery>> {
        let sql = "SELECT id, at_ms, session, harness, hook, chars, parts FROM told
             WHERE session = ?1 ORDER BY at_ms, id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([&session.0], delivery)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns deliveries of a range, the newest first; `before` is the last one of the previous page.
    pub(crate) fn deliveries_before(
        &self,
        query: &SessionQuery,
        before: Option<(i64, i64)>,
        limit: usize,
    ) -> Result<Vec<Delivery>> {
        let (at, id) = before.unwrap_or((i64::MAX, i64::MAX));
        let sql = format!(
            "SELECT told.id, at_ms, session, told.harness, hook, told.chars, parts FROM told
                 LEFT JOIN sessions ON sessions.id = told.session
             WHERE at_ms >= ?1 AND at_ms <= ?2 AND (at_ms, told.id) < (?3, ?4){}
             ORDER BY at_ms DESC, told.id DESC LIMIT ?5",
            narrow(query, "sessions")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let range = (query.from.saturating_mul(1_000), query.to.saturating_mul(1_000));
        let rows = statement.query_map((range.0, range.1, at, id, limit as i64), delivery)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Adds up the parts and agents of what was told in a range; not the deliveries.
    pub(crate) fn told_parts(&self, query: &SessionQuery) -> Result<ToldTotals> {
        let (from, to) = (query.from.saturating_mul(1_000), query.to.saturating_mul(1_000));
        let mut totals = ToldTotals::default();
        let is_short = to.saturating_sub(from) <= MAX_COUNTED_MS;
        let parts_of = |group: &str| match is_short {
            true => format!(
                "SELECT {}, sum(one.value ->> '$.chars') FROM told JOIN json_each(told.parts) AS one
                     LEFT JOIN sessions ON sessions.id = told.session
                 WHERE at_ms >= ?1 AND at_ms <= ?2{} GROUP BY 1 ORDER BY 2 DESC",
                if group == "part" { "one.value ->> '$.part'" } else { "told.harness" },
                narrow(query, "sessions")
            ),
            false => format!(
                "SELECT {group}, sum(chars) FROM told_days WHERE day >= ?1 AND day <= ?2{}
                 GROUP BY 1 ORDER BY 2 DESC",
                narrow(query, "told_days")
            ),
        };
        let range = if is_short { (from, to) } else { (from.div_euclid(DAY_MS), to.div_euclid(DAY_MS)) };
        for (group, sums) in [("part", &mut totals.parts), ("harness", &mut totals.agents)] {
            let mut statement = self.connection.prepare_cached(&parts_of(group))?;
            let rows = statement.query_map(range, |row| {
                let name = row::optional_text(row, 0)?.unwrap_or_default();
                Ok((name, row.get::<_, Option<i64>>(1)?.unwrap_or(0).unsigned_abs()))
            })?;
            *sums = rows.collect::<rusqlite::Result<_>>()?;
        }
        Ok(totals)
    }

    /// Returns the ways out that sessions were told in a range, the newest first.
    pub(crate) fn carries(&self, query: &SessionQuery, limit: usize) -> Result<Vec<Carry>> {
        let sql = format!(
            "SELECT carries.told, carries.observation, carries.at_ms, carries.session, from_session, outcome
             FROM carries JOIN sessions ON sessions.id = carries.session
                 LEFT JOIN told_rows ON told_rows.told = carries.told AND told_rows.observation = carries.observation
             WHERE carries.at_ms >= ?1 AND carries.at_ms <= ?2{}
             ORDER BY carries.at_ms DESC, carries.told DESC, carries.observation LIMIT ?3",
            narrow(query, "sessions")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let range = (query.from.saturating_mul(1_000), query.to.saturating_mul(1_000));
        let rows = statement.query_map((range.0, range.1, limit as i64), |row| {
            let outcome = row::optional_text(row, 5)?;
            Ok(Carry {
                told: row.get(0)?,
                observation: ObservationId(row.get(1)?),
                at_ms: row.get(2)?,
                session: SessionId(row::text(row, 3)?),
                from_session: SessionId(row::text(row, 4)?),
                helped: match outcome.as_deref() {
                    Some("used" | "avoided") => Some(true),
                    Some("met" | "unused") => Some(false),
                    _ => None,
                },
            })
        })?;
        let mut all = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        // Of one delivery, the first row is what it was about.
        all.dedup_by_key(|carry| carry.told);
        Ok(all)
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

    /// Returns the sessions that were told about an observation, the latest first.
    pub(crate) fn told_to(&self, id: ObservationId) -> Result<Vec<SessionId>> {
        let sql = "SELECT session FROM told_rows JOIN told ON told.id = told_rows.told WHERE observation = ?1
             GROUP BY session ORDER BY max(at_ms) DESC LIMIT ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map((id.0, MAX_NAMED), |row| row::text(row, 0).map(SessionId))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
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

    /// Returns the sessions of a range in which files were edited, the newest first: id, agent, and counts.
    pub(crate) fn editing_sessions(
        &self,
        query: &SessionQuery,
        limit: usize,
    ) -> Result<Vec<(SessionId, Option<String>, String)>> {
        let sql = format!(
            "SELECT id, harness, started_at || '.' || last_at || '.' || observations || '.' || edits || '.' || failed
             FROM sessions WHERE last_at >= ?1 AND started_at <= ?2 AND edits > 0{}
             ORDER BY last_at DESC, id DESC LIMIT ?3",
            narrow(query, "sessions")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map((query.from, query.to, limit as i64), |row| {
            Ok((SessionId(row::text(row, 0)?), row::optional_text(row, 1)?, row::text(row, 2)?))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the files that a session edited, by turns, with the failures of each turn.
    pub(crate) fn turn_files(&self, session: &SessionId) -> Result<Vec<TurnFile>> {
        let sql = "SELECT mark, timestamp, file_path FROM observations
             WHERE session_id = ?1 AND obs_type IN ('file_edit', 'file_write', 'user_prompt', 'command_error')
             ORDER BY timestamp, id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([&session.0])?;
        let (mut files, mut turn, mut failed): (Vec<TurnFile>, Vec<TurnFile>, usize) =
            (Vec::new(), Vec::new(), 0);
        let mut end = |turn: &mut Vec<TurnFile>, failed: &mut usize| {
            let ended = std::mem::take(turn).into_iter();
            files.extend(ended.map(|file| TurnFile { failed: *failed, ..file }));
            *failed = 0;
        };
        while let Some(row) = rows.next()? {
            match row.get::<_, Option<u8>>(0)? {
                Some(3) => end(&mut turn, &mut failed),
                Some(4) => failed += 1,
                Some(1) => {
                    let (at, Some(path)) = (row.get(1)?, row::optional_text(row, 2)?) else { continue };
                    match turn.iter_mut().find(|file| file.path == path) {
                        Some(known) => known.times.push(at),
                        None => turn.push(TurnFile { path, times: vec![at], failed: 0 }),
                    }
                }
                _ => {}
            }
        }
        end(&mut turn, &mut failed);
        Ok(files)
    }

    /// Returns the rules that did something in a range of days.
    pub(crate) fn rules_that_fired(&self, query: &SessionQuery) -> Result<BTreeSet<String>> {
        let sql = format!(
            "SELECT DISTINCT rule FROM rule_days WHERE day >= ?1 AND day <= ?2{}",
            narrow(query, "rule_days")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let days = (query.from.div_euclid(86_400), query.to.div_euclid(86_400));
        let rows = statement.query_map(days, |row| row::text(row, 0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the first day on which a rule did something, counted from 1970.
    pub(crate) fn first_fired(&self, rule: &str) -> Result<Option<i64>> {
        let sql = "SELECT min(day) FROM rule_days WHERE rule = ?1";
        Ok(self.connection.prepare_cached(sql)?.query_row([rule], |row| row.get(0))?)
    }

    /// Returns whether a session edited a file after a time.
    pub(crate) fn is_edited_again(&self, session: &SessionId, path: &str, at: i64) -> Result<bool> {
        let sql = "SELECT 1 FROM observations WHERE session_id = ?1 AND timestamp > ?3 AND mark = 1
                 AND (file_path = ?2 OR ?2 LIKE '%/' || file_path) LIMIT 1";
        Ok(self.connection.prepare_cached(sql)?.exists((&session.0, path, at))?)
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

    /// Returns the edits of a file, the newest first. The index of words finds them.
    pub(crate) fn file_touches(
        &self,
        path: &str,
        folders: Option<&[i64]>,
        limit: usize,
    ) -> Result<Vec<FileEvent>> {
        let query = SessionQuery { folders: folders.map(<[i64]>::to_vec), ..SessionQuery::default() };
        let sql = format!(
            "SELECT observations.id, session_id, timestamp, coalesce(mark, 9), observations.file_path, harness
             FROM observations_fts CROSS JOIN observations ON observations.id = observations_fts.rowid
             WHERE observations_fts MATCH ?1 AND observations.file_path = ?2 AND mark = 1{}
             ORDER BY observations_fts.rowid DESC LIMIT ?3",
            narrow(&query, "observations")
        );
        let words = format!("file_path : {}", quoted(rare_part(path)));
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map((words, path, limit as i64), file_event)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Counts what rules did in a range of seconds.
    pub(crate) fn rule_counts(&self, query: &SessionQuery) -> Result<Vec<RuleActivity>> {
        let sql = format!(
            "SELECT rule, day, sum(fired), sum(blocked), sum(guided) FROM rule_days
             WHERE day >= ?1 AND day <= ?2{} GROUP BY rule, day ORDER BY rule, day",
            narrow(query, "rule_days")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let days = (query.from.div_euclid(86_400), query.to.div_euclid(86_400));
        let mut rows = statement.query(days)?;
        let mut all: Vec<RuleActivity> = Vec::new();
        while let Some(row) = rows.next()? {
            let rule = row::text(row, 0)?;
            if all.last().is_none_or(|last| last.rule != rule) {
                all.push(RuleActivity { rule, ..RuleActivity::default() });
            }
            let Some(last) = all.last_mut() else { continue };
            let (day, fired): (i64, usize) = (row.get(1)?, row.get(2)?);
            last.fired += fired;
            last.blocked += row.get::<_, usize>(3)?;
            last.guided += row.get::<_, usize>(4)?;
            last.days.push((day, fired));
            last.last_at = Some(day * 86_400);
        }
        drop(rows);
        for counts in &mut all {
            let calls = self.blocked_calls(&counts.rule, query, usize::MAX)?;
            counts.insisted = calls.iter().filter(|call| call.again_at.is_some()).count();
            counts.last_at = calls.first().map(|call| call.at).max(counts.last_at);
        }
        Ok(all)
    }

    /// Returns the calls that a rule blocked in a range, the newest first.
    pub(crate) fn blocked_calls(
        &self,
        rule: &str,
        query: &SessionQuery,
        limit: usize,
    ) -> Result<Vec<BlockedCall>> {
        let folders = SessionQuery { agents: Vec::new(), ..query.clone() };
        let sql = format!(
            "SELECT observation, at, session_id, target,
                 lead(at) OVER (PARTITION BY session_id, target ORDER BY at, observation)
             FROM blocked_calls WHERE rule = ?1 AND at >= ?2 AND at <= ?3{} ORDER BY at DESC, observation DESC LIMIT ?4",
            narrow(&folders, "blocked_calls")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement.query_map((rule, query.from, query.to, limit), |row| {
            Ok(BlockedCall {
                observation: ObservationId(row.get(0)?),
                at: row.get(1)?,
                session: SessionId(row::text(row, 2)?),
                target: row::text(row, 3)?,
                again_at: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// Returns the part of a path that few other files have: its folder and its name without the ending. More of it would
/// mean to walk all files of a language or of a source folder.
fn rare_part(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    let folder = path[..name].trim_end_matches('/').rfind('/').map_or(0, |at| at + 1);
    let end = path[name..].rfind('.').filter(|at| *at > 0).map_or(path.len(), |at| name + at);
    let part = &path[folder..end];
    if part.chars().any(char::is_alphanumeric) { part } else { path }
}

fn file_event(row: &Row<'_>) -> rusqlite::Result<FileEvent> {
    Ok(FileEvent {
        id: row.get(0)?,
        session: SessionId(row::text(row, 1)?),
        at: row.get(2)?,
        mark: row.get(3)?,
        path: row::optional_text(row, 4)?,
        harness: row::optional_text(row, 5)?,
    })
}

fn delivery(row: &Row<'_>) -> rusqlite::Result<Delivery> {
    Ok(Delivery {
        id: row.get(0)?,
        at_ms: row.get(1)?,
        session: SessionId(row::text(row, 2)?),
        harness: row::text(row, 3)?,
        hook: row::text(row, 4)?,
        chars: row.get(5)?,
        parts: serde_json::from_str(&row::text(row, 6)?).unwrap_or_default(),
    })
}
