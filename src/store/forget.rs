//! Forgetting, on request and by age. What is forgotten is also removed from the index, the free pages and the log.

use std::fs;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::{Reader, Result, Store, forgotten, migrate, projects, query, removed, row, search, streams};
#[cfg(feature = "team")]
use crate::model::EventKey;
use crate::model::{Forgotten, ObservationId, SearchHit, Selection, SessionId, Timestamp};

/// This many rows are deleted in one transaction, so that other writers wait only briefly.
const MAX_BATCH: usize = 1_000;

/// Overwriting the words of one row takes as long as merging the index entries of this many rows.
const ROWS_MERGED_PER_OVERWRITE: usize = 50;

/// At most this many rows are shown of what is, or would be, forgotten.
const MAX_SAMPLE: usize = 20;

impl Reader {
    /// Returns what `forget` would remove.
    pub(crate) fn would_forget(&self, selection: &Selection) -> Result<Forgotten> {
        let ids = self.selected(selection)?;
        self.forgotten(&ids)
    }

    /// Returns the session and the time of each observation that is selected.
    pub(crate) fn selected_moments(&self, selection: &Selection) -> Result<Vec<(SessionId, Timestamp)>> {
        let ids = self.selected(selection)?;
        let sql = "SELECT DISTINCT session_id, timestamp FROM observations
                   WHERE id IN (SELECT value FROM json_each(?1))";
        let mut statement = self.connection.prepare(sql)?;
        let rows =
            statement.query_map([list(&ids)], |row| Ok((SessionId(row.get(0)?), Timestamp(row.get(1)?))))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the keys of the observations that are selected.
    #[cfg(feature = "team")]
    pub(crate) fn selected_keys(&self, selection: &Selection) -> Result<Vec<EventKey>> {
        let ids = self.selected(selection)?;
        let sql = "SELECT event_key FROM observations
                   WHERE id IN (SELECT value FROM json_each(?1)) AND event_key IS NOT NULL";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([list(&ids)], |row| row.get(0).map(EventKey))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn selected(&self, selection: &Selection) -> Result<Vec<i64>> {
        let table = |condition: &str| format!("SELECT id FROM observations WHERE {condition} ORDER BY id");
        let (sql, params) = match selection {
            Selection::Ids(ids) => {
                let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
                (table("id IN (SELECT value FROM json_each(?))"), vec![Value::Text(list(&ids))])
            }
            Selection::Query(text) => {
                let Some(expression) = query::parse_query(text)?.every() else { return Ok(Vec::new()) };
                let sql = "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ? ORDER BY rowid";
                (sql.to_owned(), vec![Value::Text(search::in_text_columns(&expression))])
            }
            Selection::Session(session) => (table("session_id = ?"), vec![Value::Text(session.0.clone())]),
            Selection::Project(project) => {
                let ids = self.project_ids(project)?;
                (table("project_id IN (SELECT value FROM json_each(?))"), vec![Value::Text(list(&ids))])
            }
            Selection::Within(project, selection) => {
                let wanted = "id IN (SELECT value FROM json_each(?))";
                let of_project = "project_id IN (SELECT value FROM json_each(?))";
                let lists = [self.selected(selection)?, self.project_ids(project)?];
                let lists = lists.iter().map(|ids| Value::Text(list(ids)));
                (table(&format!("{wanted} AND {of_project}")), lists.collect())
            }
            Selection::Before(time) => (table("timestamp < ?"), vec![Value::Integer(time.0)]),
        };
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map(params_from_iter(params), |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn forgotten(&self, ids: &[i64]) -> Result<Forgotten> {
        let mut pinned =
            self.connection.prepare_cached("SELECT 1 FROM observations WHERE id = ?1 AND pinned")?;
        let sql = format!("SELECT {} FROM observed WHERE id = ?1", row::HIT_COLUMNS);
        let mut hits = self.connection.prepare_cached(&sql)?;
        let copies = self.connection.path().map_or(0, |path| removed::count(path.as_ref()));
        let told = self.count_told(&list(ids))?;
        let mut forgotten = Forgotten { count: ids.len(), copies, told, ..Forgotten::default() };
        for id in ids {
            forgotten.pinned += usize::from(pinned.exists([id])?);
        }
        let sample = ids.iter().rev().take(MAX_SAMPLE).map(|id| hits.query_row([id], row::hit));
        forgotten.sample = sample.collect::<rusqlite::Result<Vec<SearchHit>>>()?;
        Ok(forgotten)
    }
}

impl Store {
    /// Forgets what is selected, pinned or not, and returns what it was.
    pub(crate) fn forget(&mut self, selection: &Selection) -> Result<Forgotten> {
        let ids = self.selected(selection)?;
        let mut forgotten = self.forgotten(&ids)?;
        // The copies cannot be searched, so all of them are deleted, whatever is forgotten.
        removed::clear(&self.path)?;
        if !ids.is_empty() || forgotten.copies > 0 {
            for some in ids.chunks(MAX_BATCH) {
                self.write(|connection| {
                    // Before the rows are deleted: nobody could say later which of them a team has.
                    streams::take_back(connection, &list(some))?;
                    forgotten::keep(connection, &list(some))
                })?;
            }
            let rows: usize =
                self.connection
                    .query_row("SELECT coalesce(max(id), 0) FROM observations", [], |row| row.get(0))?;
            // The words of expired rows may still be in the index.
            if forgotten.copies == 0 && ids.len() * ROWS_MERGED_PER_OVERWRITE < rows {
                self.delete(&ids, IndexRemoval::Overwrite)?;
            } else {
                self.delete(&ids, IndexRemoval::Lazy)?;
                self.write(|connection| command(connection, "optimize", 0))?;
            }
            forgotten.scrubbed = self.scrub()?;
        }
        Ok(forgotten)
    }

    /// Pins or unpins an observation; returns whether it exists. Pinned observations are kept forever.
    pub(crate) fn set_pinned(&mut self, id: ObservationId, pinned: bool) -> Result<bool> {
        self.write(|connection| {
            Ok(connection.execute("UPDATE observations SET pinned = ?2 WHERE id = ?1", (id.0, pinned))? > 0)
        })
    }

    /// Rebuilds the index from the rows.
    pub(crate) fn rebuild_index(&mut self) -> Result<()> {
        self.write(|connection| {
            Ok(connection
                .execute_batch("INSERT INTO observations_fts (observations_fts) VALUES ('rebuild')")?)
        })
    }

    pub(super) fn delete(&mut self, ids: &[i64], removal: IndexRemoval) -> Result<()> {
        for some in ids.chunks(MAX_BATCH) {
            self.write(|connection| match removal {
                IndexRemoval::Overwrite => delete_rows(connection, some),
                IndexRemoval::Lazy => {
                    command(connection, "secure-delete", 0)?;
                    delete_rows(connection, some)?;
                    command(connection, "flush", 0)?;
                    command(connection, "secure-delete", 1)
                }
            })?;
        }
        // Nobody needs the name and the path of a project without observations.
        self.write(|connection| {
            connection.execute(
                "DELETE FROM projects
                 WHERE NOT EXISTS (SELECT 1 FROM observations WHERE project_id = projects.id)",
                [],
            )?;
            projects::sweep(connection)
        })
    }

    /// Removes everything that deleted rows may have left in nudge's files; returns whether no reader was in the way.
    pub(super) fn scrub(&mut self) -> Result<bool> {
        for copy in migrate::backups(&self.path) {
            fs::remove_file(copy)?;
        }
        self.shrink()
    }

    /// Frees unused pages and empties the write-ahead log, unless a reader still uses it.
    pub(super) fn shrink(&mut self) -> Result<bool> {
        let connection = &self.reader.connection;
        let mut vacuum = connection.prepare("PRAGMA incremental_vacuum")?;
        let mut pages = vacuum.query([])?;
        while pages.next()?.is_some() {}
        drop(pages);
        let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        Ok(busy == 0)
    }
}

/// How the words of deleted rows are removed from the index.
#[derive(Clone, Copy)]
pub(super) enum IndexRemoval {
    /// Each is looked up and overwritten.
    Overwrite,
    /// They are marked as deleted, so that no search finds them, and removed when the index is merged: many times
    /// faster.
    Lazy,
}

/// Sends a command to the index; inside a transaction, no other connection sees its effect.
pub(super) fn command(connection: &Connection, name: &str, value: i64) -> Result<()> {
    let sql = "INSERT INTO observations_fts (observations_fts, rank) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute((name, value))?;
    Ok(())
}

/// Uses one statement, because FTS5 flushes its buffer at the beginning of each.
pub(super) fn delete_rows(connection: &Connection, ids: &[i64]) -> Result<()> {
    let sql = "DELETE FROM observations WHERE id IN (SELECT value FROM json_each(?1))";
    connection.prepare_cached(sql)?.execute([list(ids)])?;
    Ok(())
}

/// Returns the ids as a JSON array, which a statement can expand.
fn list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", ids.join(","))
}

#[cfg(test)]
mod tests;
