//! Counts observations in small tables, so that the viewer and statistics need not read them all.
//!
//! Rows are counted in the order of their ids, some thousands in a transaction, by whoever needs the counts; a hook
//! never does. Triggers take deleted rows out again. A changed row counts as deleted and added, which `recount` does.

use rusqlite::{Connection, OptionalExtension};

use super::{Result, Store, row};
use crate::model::{DeedRow, deed_arcs};

/// Rows that are counted in one transaction: a hook that waits for the lock meanwhile does not notice.
const MAX_COUNTED: i64 = 5_000;
/// Sessions that are looked at in one transaction.
const MAX_SETTLED: i64 = 100;

/// Adds one row of `observations`, named `one`, to the counts.
const COUNT_SESSIONS: &str =
    "INSERT INTO sessions (id, harness, started_at, last_at, observations, reads, edits, commands, prompts,
         failed, blocked, commits, guided)
     SELECT session_id, max(harness), min(timestamp), max(timestamp), count(*), total(mark IS 0), total(mark IS 1),
         total(mark IS 2 OR mark IS 8), total(mark IS 3), total(mark IS 4), total(mark IS 6), total(mark IS 8),
         total(rule IS NOT NULL AND mark IS NOT 6)
     FROM observations WHERE id > ?1 AND id <= ?2 GROUP BY session_id
     ON CONFLICT (id) DO UPDATE SET harness = coalesce(sessions.harness, excluded.harness),
         started_at = min(sessions.started_at, excluded.started_at),
         last_at = max(sessions.last_at, excluded.last_at),
         observations = sessions.observations + excluded.observations, reads = sessions.reads + excluded.reads,
         edits = sessions.edits + excluded.edits, commands = sessions.commands + excluded.commands,
         prompts = sessions.prompts + excluded.prompts, failed = sessions.failed + excluded.failed,
         blocked = sessions.blocked + excluded.blocked, commits = sessions.commits + excluded.commits,
         guided = sessions.guided + excluded.guided, is_stale = 1";
const COUNT_ACTIVITY: &str = "INSERT INTO activity (hour, project_id, harness, mark, n)
     SELECT timestamp / 3600, coalesce(project_id, 0), coalesce(harness, ''), coalesce(mark, 9), count(*)
     FROM observations WHERE id > ?1 AND id <= ?2 GROUP BY 1, 2, 3, 4
     ON CONFLICT DO UPDATE SET n = n + excluded.n";
const COUNT_RULES: &str = "INSERT INTO rule_days (rule, project_id, day, harness, fired, blocked, guided)
     SELECT rule, coalesce(project_id, 0), timestamp / 86400, coalesce(harness, ''), count(*),
         total(mark IS 6), total(mark IS NOT 6)
     FROM observations WHERE id > ?1 AND id <= ?2 AND rule IS NOT NULL GROUP BY 1, 2, 3, 4
     ON CONFLICT DO UPDATE SET fired = fired + excluded.fired, blocked = blocked + excluded.blocked,
         guided = guided + excluded.guided";
const LIST_BLOCKS: &str =
    "INSERT OR REPLACE INTO blocked_calls (observation, rule, at, session_id, project_id, target)
     SELECT id, coalesce(rule, ''), timestamp, session_id, coalesce(project_id, 0),
         coalesce(tool_name, '') || char(31) || coalesce(file_path, program, '')
     FROM observations WHERE id > ?1 AND id <= ?2 AND mark = 6";
const COUNT_TOLD: &str = "INSERT INTO told_days (day, project_id, harness, part, deliveries, chars)
     SELECT told.at_ms / 86400000, coalesce(sessions.project_id, 0), told.harness,
         coalesce(one.value ->> '$.part', ''), count(*), coalesce(sum(one.value ->> '$.chars'), 0)
     FROM told JOIN json_each(told.parts) AS one LEFT JOIN sessions ON sessions.id = told.session
     WHERE told.id > ?1 AND told.id <= ?2 GROUP BY 1, 2, 3, 4
     ON CONFLICT DO UPDATE SET deliveries = deliveries + excluded.deliveries, chars = chars + excluded.chars";
/// What is told at the start of a session is a summary; what is told later answers a failure or a prompt.
const LIST_CARRIES: &str = "INSERT OR IGNORE INTO carries (told, observation, at_ms, session, from_session)
     SELECT told.id, observations.id, told.at_ms, told.session, observations.session_id
     FROM told JOIN told_rows ON told_rows.told = told.id
         JOIN observations ON observations.id = told_rows.observation
     WHERE told.id > ?1 AND told.id <= ?2 AND told.hook <> 'SessionStart' AND observations.mark IN (2, 4, 8)
         AND observations.session_id <> told.session";

impl Store {
    /// Counts what is not counted yet; returns whether there was time for everything. `is_over` is asked between two
    /// transactions.
    pub(crate) fn summarize(&mut self, is_over: impl Fn() -> bool) -> Result<bool> {
        while !self.is_summarized()? {
            if is_over() {
                return Ok(false);
            }
            self.write(|connection| {
                let (last_id, last_told) = state(connection)?;
                let until = end(connection, "SELECT max(id) FROM observations", last_id)?;
                if until > last_id {
                    for sql in [COUNT_SESSIONS, COUNT_ACTIVITY, COUNT_RULES, LIST_BLOCKS] {
                        connection.prepare_cached(sql)?.execute((last_id, until))?;
                    }
                    connection.execute("UPDATE summary_state SET last_id = ?1", [until])?;
                }
                settle(connection)?;
                // The projects of sessions are known by now.
                let told_until = end(connection, "SELECT max(id) FROM told", last_told)?;
                if told_until > last_told && until >= newest(connection, "SELECT max(id) FROM observations")?
                {
                    for sql in [COUNT_TOLD, LIST_CARRIES] {
                        connection.prepare_cached(sql)?.execute((last_told, told_until))?;
                    }
                    connection.execute("UPDATE summary_state SET last_told = ?1", [told_until])?;
                }
                Ok(())
            })?;
        }
        Ok(true)
    }

    /// Returns whether everything is counted.
    pub(crate) fn is_summarized(&self) -> Result<bool> {
        let connection = &self.reader.connection;
        let (last_id, last_told) = state(connection)?;
        let is_stale =
            connection.prepare_cached("SELECT 1 FROM sessions WHERE is_stale LIMIT 1")?.exists([])?;
        Ok(!is_stale
            && newest(connection, "SELECT max(id) FROM observations")? <= last_id
            && newest(connection, "SELECT max(id) FROM told")? <= last_told)
    }
}

/// Forgets all counts, so that the next reader counts again: rows with old ids were added.
pub(super) fn begin_again(connection: &Connection) -> Result<()> {
    for table in ["sessions", "activity", "rule_days", "blocked_calls", "told_days", "carries"] {
        connection.execute(&format!("DELETE FROM {table}"), [])?;
    }
    connection.execute("UPDATE summary_state SET last_id = 0, last_told = 0", [])?;
    Ok(())
}

/// Does to a row what its deletion and insertion would do, around a change of it.
pub(super) fn recount(connection: &Connection, id: i64, change: impl FnOnce() -> Result<()>) -> Result<()> {
    let (last_id, _) = state(connection)?;
    if id > last_id {
        return change();
    }
    for sql in [
        "UPDATE sessions SET observations = observations - 1, reads = reads - (one.mark IS 0),
             edits = edits - (one.mark IS 1), commands = commands - (one.mark IS 2 OR one.mark IS 8),
             prompts = prompts - (one.mark IS 3), failed = failed - (one.mark IS 4),
             blocked = blocked - (one.mark IS 6), commits = commits - (one.mark IS 8),
             guided = guided - (one.rule IS NOT NULL AND one.mark IS NOT 6), is_stale = 1
         FROM observations AS one WHERE one.id = ?1 AND sessions.id = one.session_id",
        "UPDATE activity SET n = n - 1 FROM observations AS one WHERE one.id = ?1 AND hour = one.timestamp / 3600
             AND activity.project_id = coalesce(one.project_id, 0) AND activity.harness = coalesce(one.harness, '')
             AND activity.mark = coalesce(one.mark, 9)",
        "UPDATE rule_days SET fired = fired - 1, blocked = blocked - (one.mark IS 6),
             guided = guided - (one.mark IS NOT 6)
         FROM observations AS one WHERE one.id = ?1 AND rule_days.rule = one.rule AND day = one.timestamp / 86400
             AND rule_days.project_id = coalesce(one.project_id, 0)
             AND rule_days.harness = coalesce(one.harness, '')",
        "DELETE FROM blocked_calls WHERE observation = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([id])?;
    }
    change()?;
    for sql in [COUNT_SESSIONS, COUNT_ACTIVITY, COUNT_RULES, LIST_BLOCKS] {
        connection.prepare_cached(sql)?.execute((id - 1, id))?;
    }
    Ok(())
}

/// Finds out what follows from several rows of a session: its ends, its project, and what ended its failures.
fn settle(connection: &Connection) -> Result<()> {
    let sql = "SELECT id, observations, failed FROM sessions WHERE is_stale LIMIT ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let stale = statement.query_map([MAX_SETTLED], |row| {
        Ok((row::text(row, 0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
    })?;
    let stale = stale.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut set = connection.prepare_cached(
        "UPDATE sessions SET is_stale = 0, fixed = ?2, open = ?3,
             started_at = coalesce((SELECT min(timestamp) FROM observations WHERE session_id = ?1), started_at),
             last_at = coalesce((SELECT max(timestamp) FROM observations WHERE session_id = ?1), last_at),
             project_id = (SELECT project_id FROM observations
                 WHERE session_id = ?1 AND project_id IS NOT NULL ORDER BY timestamp DESC, id DESC LIMIT 1)
         WHERE id = ?1",
    )?;
    for (id, observations, failed) in stale {
        if observations <= 0 {
            connection.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([id])?;
            continue;
        }
        let arcs = if failed > 0 { deed_arcs(&deeds(connection, &id)?) } else { Default::default() };
        set.execute((&id, arcs.arcs.len() as i64, arcs.open.len() as i64))?;
    }
    connection.prepare_cached("DELETE FROM activity WHERE n <= 0")?.execute([])?;
    connection.prepare_cached("DELETE FROM rule_days WHERE fired <= 0")?.execute([])?;
    Ok(())
}

/// Returns what a session ran, in the order of time.
pub(super) fn deeds(connection: &Connection, session: &str) -> Result<Vec<DeedRow>> {
    let sql = "SELECT id, timestamp, mark, program, metadata ->> '$.programs', signature IS NOT NULL,
             obs_type = 'command' AND metadata ->> '$.command' IS NOT NULL AND metadata ->> '$.exit_code' IS NULL,
             metadata ->> '$.interrupted' IS NOT NULL
         FROM observations WHERE session_id = ?1 AND program IS NOT NULL ORDER BY timestamp, id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([session], |row| {
        let programs = row::optional_text(row, 4)?;
        Ok(DeedRow {
            id: row.get(0)?,
            at: row.get(1)?,
            mark: row.get::<_, Option<u8>>(2)?,
            program: row::text(row, 3)?,
            programs: programs.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            is_particular: row.get::<_, bool>(5)? && !row.get::<_, bool>(7)?,
            is_unfinished: row.get(6)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn state(connection: &Connection) -> Result<(i64, i64)> {
    let mut statement = connection.prepare_cached("SELECT last_id, last_told FROM summary_state")?;
    let found = statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    Ok(found.unwrap_or((i64::MAX, i64::MAX)))
}

fn newest(connection: &Connection, sql: &str) -> Result<i64> {
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get::<_, Option<i64>>(0))?.unwrap_or(0))
}

/// Returns the last id of the next part.
fn end(connection: &Connection, sql: &str, last: i64) -> Result<i64> {
    Ok(newest(connection, sql)?.min(last.saturating_add(MAX_COUNTED)))
}

#[cfg(test)]
mod tests;
