//! What agents were told, and what came of it.

use std::collections::HashMap;

use rusqlite::params;

use super::{Reader, Result, Store, row};
use crate::model::{ObservationId, Project, SessionId, TellRecord, Told, ToldCount, ToldOutcome};

/// What was told longer ago than this many milliseconds is deleted.
const MAX_AGE_MS: i64 = 180 * 86_400_000;

/// A row that a session was told about, and when.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToldRow {
    pub(crate) told: i64,
    pub(crate) at_ms: i64,
    /// The event that was answered.
    pub(crate) hook: String,
    pub(crate) observation: ObservationId,
}

impl Store {
    /// Stores what agents were told, each delivery once.
    pub(crate) fn insert_told(&mut self, all: &[Told]) -> Result<()> {
        if all.is_empty() {
            return Ok(());
        }
        self.write(|connection| {
            let mut add = connection.prepare_cached(
                "INSERT INTO told (at_ms, session, harness, hook, chars, parts)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
            )?;
            let mut add_row = connection.prepare_cached(
                "INSERT INTO told_rows (told, observation) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            )?;
            for told in all {
                let chars: usize = told.parts.iter().map(|part| part.chars).sum();
                let parts = serde_json::to_string(&told.parts).unwrap_or_default();
                let values =
                    params![told.at_ms, told.session.0, told.harness, told.hook, chars as i64, parts];
                if add.execute(values)? == 0 {
                    continue;
                }
                let id = connection.last_insert_rowid();
                for row in told.parts.iter().flat_map(|part| &part.rows) {
                    add_row.execute((id, row.0))?;
                }
            }
            Ok(())
        })
    }

    /// Notes what a session did about the rows that it was told, and deletes what is old.
    pub(crate) fn judge_told(&mut self, judged: &[(ToldRow, ToldOutcome)], now_ms: i64) -> Result<()> {
        if judged.is_empty() {
            return Ok(());
        }
        self.write(|connection| {
            let mut set = connection
                .prepare_cached("UPDATE told_rows SET outcome = ?3 WHERE told = ?1 AND observation = ?2")?;
            for (row, outcome) in judged {
                set.execute((row.told, row.observation.0, outcome.name()))?;
            }
            let oldest = now_ms - MAX_AGE_MS;
            let rows = "DELETE FROM told_rows WHERE told IN (SELECT id FROM told WHERE at_ms < ?1)";
            connection.prepare_cached(rows)?.execute([oldest])?;
            connection.prepare_cached("DELETE FROM told WHERE at_ms < ?1")?.execute([oldest])?;
            Ok(())
        })
    }
}

impl Reader {
    /// Returns some sessions that were told something before this time, and nobody knows yet what came of it.
    pub(crate) fn unjudged_sessions(&self, before_ms: i64, limit: usize) -> Result<Vec<SessionId>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT told.session FROM told_rows JOIN told ON told.id = told_rows.told
             WHERE told_rows.outcome IS NULL AND told.at_ms < ?1 LIMIT ?2",
        )?;
        let rows = statement.query_map((before_ms, limit as i64), |row| row::text(row, 0).map(SessionId))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the rows that a session was told about, as far as nobody knows yet what came of it.
    pub(crate) fn unjudged_rows(&self, session: &SessionId) -> Result<Vec<ToldRow>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT told.id, told.at_ms, told.hook, told_rows.observation FROM told
             JOIN told_rows ON told_rows.told = told.id
             WHERE told.session = ?1 AND told_rows.outcome IS NULL ORDER BY told.at_ms",
        )?;
        let rows = statement.query_map([&session.0], |row| {
            let (told, at_ms, hook) = (row.get(0)?, row.get(1)?, row::text(row, 2)?);
            Ok(ToldRow { told, at_ms, hook, observation: ObservationId(row.get(3)?) })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns how often each of these rows was told at a start, and how often it concerned the session. What is told
    /// at a failure or before a command concerns the session, or it would not be told.
    pub(crate) fn tell_records(&self, ids: &[ObservationId]) -> Result<HashMap<ObservationId, TellRecord>> {
        let ids: Vec<String> = ids.iter().map(|id| id.0.to_string()).collect();
        let mut statement = self.connection.prepare_cached(
            "SELECT observation, count(*) FILTER (WHERE hook = 'SessionStart'),
                 count(*) FILTER (WHERE hook <> 'SessionStart' OR outcome <> 'unused')
             FROM told_rows JOIN told ON told.id = told_rows.told
             WHERE observation IN (SELECT value FROM json_each(?1))
                 AND outcome IN ('used', 'avoided', 'met', 'unused')
             GROUP BY observation",
        )?;
        let rows = statement.query_map([format!("[{}]", ids.join(","))], |row| {
            let (told, concerned): (usize, usize) = (row.get(1)?, row.get(2)?);
            let record = TellRecord { told, concerned: concerned.min(told.max(1)) };
            Ok((ObservationId(row.get(0)?), record))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Counts the answers from memory among the last prompts of a project.
    pub(crate) fn answered_lately(&self, project: &Project, prompts: usize) -> Result<usize> {
        let ids: Vec<String> = self.project_ids(project)?.iter().map(ToString::to_string).collect();
        let mut statement = self.connection.prepare_cached(
            "WITH recent AS (
                 SELECT session_id, timestamp FROM observations
                 WHERE project_id IN (SELECT value FROM json_each(?1)) AND obs_type = 'user_prompt'
                 ORDER BY timestamp DESC LIMIT ?2)
             SELECT count(*) FROM told
             WHERE session IN (SELECT session_id FROM recent) AND hook = 'UserPromptSubmit'
                 AND at_ms >= (SELECT min(timestamp) * 1000 FROM recent)
                 AND EXISTS (SELECT 1 FROM told_rows WHERE told = told.id)",
        )?;
        Ok(statement.query_row((format!("[{}]", ids.join(",")), prompts as i64), |row| row.get(0))?)
    }

    /// Counts what agents were told, by the event that was answered.
    pub(crate) fn told_counts(&self) -> Result<Vec<ToldCount>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT hook, count(*), sum(chars) FROM told GROUP BY 1 ORDER BY 2 DESC, 1")?;
        let counts = statement.query_map([], |row| {
            let (hook, deliveries, chars) = (row::text(row, 0)?, row.get(1)?, row.get(2)?);
            Ok(ToldCount { hook, deliveries, chars, ..ToldCount::default() })
        })?;
        let mut counts = counts.collect::<rusqlite::Result<Vec<_>>>()?;
        let mut statement = self.connection.prepare_cached(
            "SELECT told.hook, told_rows.outcome, count(*) FROM told_rows
             JOIN told ON told.id = told_rows.told GROUP BY 1, 2",
        )?;
        let rows = statement.query_map([], |row| {
            Ok((row::text(row, 0)?, row::optional_text(row, 1)?, row.get::<_, usize>(2)?))
        })?;
        for row in rows {
            let (hook, outcome, count) = row?;
            let Some(known) = counts.iter_mut().find(|known| known.hook == hook) else { continue };
            known.rows += count;
            match outcome.as_deref() {
                Some("used") => known.used += count,
                Some("avoided") => known.avoided += count,
                Some("met") => known.met += count,
                Some("unused") => known.unused += count,
                _ => {}
            }
        }
        Ok(counts)
    }
}
