//! Statistics of the database, and its integrity.

use super::migrate::MIGRATIONS;
use super::schema::{self, Schema};
use super::{Reader, Result, row};
use crate::model::{
    AgentCount, FileCount, Integrity, ObservationType, ProgramTime, Project, Stats, Timestamp,
};

/// Observations are counted per day for this many days.
const DAYS: u32 = 30;

/// At most this many files, rules, agents and programs are listed.
const MAX_FILES: usize = 10;
const MAX_RULES: usize = 10;
const MAX_AGENTS: usize = 10;
const MAX_PROGRAMS: usize = 5;

/// What rules and gates of the project blocked.
const BLOCKED_ROWS: &str = "obs_type = 'command_error' AND metadata ->> '$.kind' IS 'rule'";

/// Failures of tools that only look.
const FAILED_LOOKS: &str = "obs_type = 'command_error' AND metadata ->> '$.kind' IS 'tool'";

impl Reader {
    /// Counts what is remembered, of one project or of all.
    pub(crate) fn stats(&self, project: Option<&Project>, now: Timestamp) -> Result<Stats> {
        let scope = match project {
            Some(project) => self.of_project(project)?,
            None => "TRUE".to_owned(),
        };
        let connection = &self.connection;
        let mut by_type = connection
            .prepare(&format!(
                "SELECT obs_type, count(*) FROM observed WHERE {scope} GROUP BY 1 ORDER BY 2 DESC, 1 DESC"
            ))?
            .query_map([], |row| Ok((row::obs_type(row, 0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        let by_day = connection
            .prepare(&format!(
                "SELECT timestamp / 86400, count(*) FROM observed WHERE {scope} AND timestamp >= ?1 GROUP BY 1 ORDER BY 1"
            ))?
            .query_map([now.minus_days(DAYS).0], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        let busiest_files = connection
            .prepare(&format!(
                "SELECT project, file_path, count(*) FROM observed
                 WHERE {scope} AND obs_type IN ('file_edit', 'file_write') AND file_path IS NOT NULL
                 GROUP BY 1, 2 ORDER BY 3 DESC, 2 LIMIT {MAX_FILES}"
            ))?
            .query_map([], |row| {
                Ok(FileCount {
                    project: row::optional_text(row, 0)?,
                    file_path: row::text(row, 1)?,
                    count: row.get(2)?,
                })
            })?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        let observations = by_type.iter().map(|(_, count)| count).sum();
        // What a rule blocked has the type of a failure, so that agents find it, but nothing failed.
        let blocked = connection.query_row(
            &format!("SELECT count(*) FROM observed WHERE {scope} AND {BLOCKED_ROWS}"),
            [],
            |row| row.get(0),
        )?;
        let failures = by_type.iter_mut().find(|(kind, _)| *kind == ObservationType::CommandError);
        let failed_looks: usize = connection.query_row(
            &format!("SELECT count(*) FROM observed WHERE {scope} AND {FAILED_LOOKS}"),
            [],
            |row| row.get(0),
        )?;
        failures.into_iter().for_each(|(_, count)| *count -= blocked + failed_looks);
        by_type.retain(|(_, count)| *count > 0);
        let by_rule = connection
            .prepare(&format!(
                "SELECT rule, count(*) FROM observed WHERE {scope} AND {BLOCKED_ROWS} AND rule IS NOT NULL
                 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MAX_RULES}"
            ))?
            .query_map([], |row| Ok((row::text(row, 0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        Ok(Stats {
            observations,
            blocked,
            failed_looks,
            by_rule,
            by_agent: self.by_agent(&scope)?,
            slowest: self.slowest(&scope)?,
            told: self.told_counts()?,
            sessions: match project {
                None => self.sessions_by_end()?.len(),
                Some(_) => connection.query_row(
                    &format!("SELECT count(DISTINCT session_id) FROM observed WHERE {scope}"),
                    [],
                    |row| row.get(0),
                )?,
            },
            by_type,
            by_day,
            busiest_files,
            bytes_by_table: self.bytes_by_table().unwrap_or_default(),
            file_bytes: connection.query_row(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                [],
                |row| row.get(0),
            )?,
        })
    }

    fn by_agent(&self, scope: &str) -> Result<Vec<AgentCount>> {
        let sql = format!(
            "SELECT harness, count(DISTINCT session_id), count(*) FROM observed
             WHERE {scope} AND harness IS NOT NULL GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT {MAX_AGENTS}"
        );
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map([], |row| {
            Ok(AgentCount { harness: row::text(row, 0)?, sessions: row.get(1)?, observations: row.get(2)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn slowest(&self, scope: &str) -> Result<Vec<ProgramTime>> {
        let sql = format!(
            "SELECT program, count(*), sum(duration_ms), max(duration_ms) FROM observed
             WHERE {scope} AND obs_type IN ('command', 'command_error')
                 AND program IS NOT NULL AND duration_ms > 0
             GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT {MAX_PROGRAMS}"
        );
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map([], |row| {
            Ok(ProgramTime {
                program: row::text(row, 0)?,
                runs: row.get(1)?,
                total_ms: row.get(2)?,
                longest_ms: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Compares rows and index, and lets SQLite check for damage.
    pub(crate) fn integrity(&self) -> Result<Integrity> {
        let count = |sql: &str| self.connection.query_row(sql, [], |row| row.get(0));
        let faults = self
            .connection
            .prepare("PRAGMA quick_check(20)")?
            .query_map([], |row| row.get::<_, String>(0))?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        let schema = schema::check(&self.connection, MIGRATIONS, true)?;
        let schema = (schema == Schema::Damaged).then(|| "the schema is not as nudge writes it".to_owned());
        Ok(Integrity {
            rows: count("SELECT count(*) FROM observations")?,
            indexed: count("SELECT count(*) FROM observations_fts_docsize")?,
            faults: faults.into_iter().filter(|fault| fault != "ok").chain(schema).collect(),
        })
    }

    /// Returns the version of the file's schema.
    pub(crate) fn schema_version(&self) -> Result<u32> {
        Ok(self.connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
    }

    fn bytes_by_table(&self) -> Result<Vec<(String, u64)>> {
        let sql = "SELECT name, sum(pgsize) FROM dbstat WHERE aggregate = TRUE GROUP BY 1 ORDER BY 2 DESC";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

#[cfg(test)]
mod tests;
