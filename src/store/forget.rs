//! Forgetting: on request, and by age. What is forgotten is gone from the index, the free pages and the log too.

use std::fs;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::{Reader, Result, Store, migrate, query, removed, row, search};
use crate::model::{Forgotten, ObservationId, SearchHit, Selection};

/// So many rows go in one transaction, so that a writer waits for a moment only.
const AT_ONCE: usize = 1_000;

/// Overwriting the words of one row takes as long as merging the whole index takes for so many rows.
const WORTH_A_MERGE: usize = 50;

/// So many rows are shown of what is, or would be, forgotten.
const SAMPLE: usize = 20;

impl Reader {
    /// Returns what `forget` would remove.
    pub(crate) fn would_forget(&self, selection: &Selection) -> Result<Forgotten> {
        let ids = self.selected(selection)?;
        self.forgotten(&ids)
    }

    fn selected(&self, selection: &Selection) -> Result<Vec<i64>> {
        let table = |condition: &str| format!("SELECT id FROM observations WHERE {condition} ORDER BY id");
        let (sql, params) = match selection {
            Selection::Ids(ids) => {
                let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
                (table("id IN (SELECT value FROM json_each(?))"), vec![Value::Text(list(&ids))])
            }
            Selection::Query(text) => {
                let Some(expression) = query::understand(text)?.every() else { return Ok(Vec::new()) };
                let sql = "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ? ORDER BY rowid";
                (sql.to_owned(), vec![Value::Text(search::searched(&expression))])
            }
            Selection::Session(session) => (table("session_id = ?"), vec![Value::Text(session.0.clone())]),
            Selection::Project(project) => {
                let root = project.root.clone().map_or(Value::Null, Value::Text);
                let condition =
                    "project_id IN (SELECT id FROM projects WHERE name = ?1 AND (?2 IS NULL OR root = ?2))";
                (table(condition), vec![Value::Text(project.name.clone()), root])
            }
            Selection::Before(moment) => (table("timestamp < ?"), vec![Value::Integer(moment.0)]),
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
        let mut forgotten = Forgotten { count: ids.len(), copies, ..Forgotten::default() };
        for id in ids {
            forgotten.pinned += usize::from(pinned.exists([id])?);
        }
        let sample = ids.iter().rev().take(SAMPLE).map(|id| hits.query_row([id], row::hit));
        forgotten.sample = sample.collect::<rusqlite::Result<Vec<SearchHit>>>()?;
        Ok(forgotten)
    }
}

impl Store {
    /// Forgets what is selected, pinned or not, and returns what it was.
    pub(crate) fn forget(&mut self, selection: &Selection) -> Result<Forgotten> {
        let ids = self.selected(selection)?;
        let mut forgotten = self.forgotten(&ids)?;
        // Nobody can search them, so they are deleted whatever is forgotten.
        removed::clear(&self.path)?;
        if !ids.is_empty() || forgotten.copies > 0 {
            let rows: usize =
                self.connection
                    .query_row("SELECT coalesce(max(id), 0) FROM observations", [], |row| row.get(0))?;
            // The words of expired rows may still be in the index.
            if forgotten.copies == 0 && ids.len() * WORTH_A_MERGE < rows {
                self.delete(&ids, Words::GoneAtOnce)?;
            } else {
                self.delete(&ids, Words::GoneInTime)?;
                self.write(|connection| command(connection, "optimize", 0))?;
            }
            forgotten.scrubbed = self.scrub()?;
        }
        Ok(forgotten)
    }

    /// Keeps an observation for ever, or no longer so; says whether it is there.
    pub(crate) fn set_pinned(&mut self, id: ObservationId, pinned: bool) -> Result<bool> {
        self.write(|connection| {
            Ok(connection.execute("UPDATE observations SET pinned = ?2 WHERE id = ?1", (id.0, pinned))? > 0)
        })
    }

    /// Makes the index anew from the rows.
    pub(crate) fn rebuild_index(&mut self) -> Result<()> {
        self.write(|connection| {
            Ok(connection
                .execute_batch("INSERT INTO observations_fts (observations_fts) VALUES ('rebuild')")?)
        })
    }

    pub(super) fn delete(&mut self, ids: &[i64], words: Words) -> Result<()> {
        for some in ids.chunks(AT_ONCE) {
            self.write(|connection| match words {
                Words::GoneAtOnce => delete_rows(connection, some),
                Words::GoneInTime => {
                    command(connection, "secure-delete", 0)?;
                    delete_rows(connection, some)?;
                    command(connection, "flush", 0)?;
                    command(connection, "secure-delete", 1)
                }
            })?;
        }
        // A project of which nothing is known any more has a name and a path that nobody needs.
        self.write(|connection| {
            connection.execute(
                "DELETE FROM projects
                 WHERE NOT EXISTS (SELECT 1 FROM observations WHERE project_id = projects.id)",
                [],
            )?;
            Ok(())
        })
    }

    /// Removes what deleted rows may have left anywhere in our files; says whether nobody was in the way.
    fn scrub(&mut self) -> Result<bool> {
        for copy in migrate::backups(&self.path) {
            fs::remove_file(copy)?;
        }
        self.shrink()
    }

    /// Gives free pages back and empties the write-ahead log, unless somebody is still reading from it.
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

/// What becomes of the words of deleted rows in the index.
#[derive(Clone, Copy)]
pub(super) enum Words {
    /// Each is looked up and overwritten.
    GoneAtOnce,
    /// They are marked, found by nobody, and go when the index is merged: many times faster.
    GoneInTime,
}

/// Tells the index to do something; what it is told within a transaction, nobody else sees.
fn command(connection: &Connection, name: &str, value: i64) -> Result<()> {
    let sql = "INSERT INTO observations_fts (observations_fts, rank) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute((name, value))?;
    Ok(())
}

/// In one statement, because FTS5 writes out its buffer at the beginning of each.
fn delete_rows(connection: &Connection, ids: &[i64]) -> Result<()> {
    let sql = "DELETE FROM observations WHERE id IN (SELECT value FROM json_each(?1))";
    connection.prepare_cached(sql)?.execute([list(ids)])?;
    Ok(())
}

/// Returns numbers as one value that a statement can unfold.
fn list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", ids.join(","))
}

#[cfg(test)]
mod tests;
