//! Statistics of the database, and its integrity.

use super::migrate::MIGRATIONS;
use super::schema::{self, Schema};
use super::{Reader, Result, row};
use crate::model::{FileCount, Integrity, Project, Stats, Timestamp};

/// Observations are counted per day for this many days.
const DAYS: u32 = 30;

/// At most this many files are listed.
const MAX_FILES: usize = 10;

impl Reader {
    /// Counts what is remembered, of one project or of all.
    pub(crate) fn stats(&self, project: Option<&Project>, now: Timestamp) -> Result<Stats> {
        let scope = match project {
            Some(project) => self.of_project(project)?,
            None => "TRUE".to_owned(),
        };
        let connection = &self.connection;
        let by_type = connection
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
        Ok(Stats {
            observations: by_type.iter().map(|(_, count)| count).sum(),
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
