//! Cleaning rows that older versions wrote, a few at a time.

use rusqlite::{Connection, OptionalExtension, params};

use super::summaries::recount;
use super::{Result, Store, insert, row, words};
use crate::model::{NewObservation, Observation};

/// The progress of cleaning old rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OldRows {
    /// There are no old rows, or all of them were cleaned earlier.
    None,
    /// Some are left.
    Left,
    /// All are clean now; `end_cleaning` removes what they left in the files.
    AllClean,
}

impl Store {
    /// Returns whether rows of an older version have to be cleaned.
    pub(crate) fn has_old_rows(&self) -> Result<bool> {
        Ok(progress(&self.connection)?.is_some())
    }

    /// Cleans up to `max_rows` rows that an older version wrote.
    ///
    /// Events that an older version spooled must be drained first, or they are never cleaned.
    pub(crate) fn clean_old_rows(
        &mut self,
        max_rows: usize,
        clean: impl Fn(NewObservation) -> NewObservation,
    ) -> Result<OldRows> {
        self.write(|connection| {
            let Some((next, until)) = progress(connection)? else { return Ok(OldRows::None) };
            let newest = "SELECT coalesce(max(id), 0) FROM observations";
            let until = until.map_or_else(|| connection.query_row(newest, [], |row| row.get(0)), Ok)?;
            let lot = (next, until, i64::try_from(max_rows).unwrap_or(i64::MAX));
            let last = "SELECT max(id) FROM
                (SELECT id FROM observations WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3)";
            let last: i64 = connection
                .query_row(last, lot, |row| row.get(0))
                .map(|id: Option<i64>| id.unwrap_or(until))?;
            let sql = format!(
                "SELECT {} FROM observed WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3",
                row::COLUMNS
            );
            let mut statement = connection.prepare_cached(&sql)?;
            for old in statement.query_map(lot, row::observation)? {
                // A row that nudge cannot read is never shown either.
                let Ok(old) = old else { continue };
                let new = clean(old.seen.clone());
                replace(connection, &old, &new)?;
            }
            connection.execute("UPDATE cleaning SET next = ?1, until = ?2", (last + 1, until))?;
            Ok(if last >= until { OldRows::AllClean } else { OldRows::Left })
        })
    }

    /// Removes what old rows left in free pages and in the log; if a reader is in the way, the next call does it.
    pub(crate) fn end_cleaning(&mut self) -> Result<()> {
        if self.shrink()? {
            self.write(|connection| Ok(connection.execute("DELETE FROM cleaning", [])?))?;
        }
        Ok(())
    }
}

/// Returns the next row to clean and the last one, or `None` if everything is clean.
fn progress(connection: &Connection) -> Result<Option<(i64, Option<i64>)>> {
    let mut statement = connection.prepare_cached("SELECT next, until FROM cleaning")?;
    Ok(statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

fn replace(connection: &Connection, old: &Observation, new: &NewObservation) -> Result<()> {
    let has_same_texts = (&old.session_id, &old.tool_name, &old.content, &old.file_path, &old.metadata)
        == (&new.session_id, &new.tool_name, &new.content, &new.file_path, &new.metadata);
    if has_same_texts {
        // The index is not rewritten if no indexed column is named.
        if (&old.program, &old.signature) != (&new.program, &new.signature) {
            let sql = "UPDATE observations SET program = ?2, signature = ?3 WHERE id = ?1";
            connection.prepare_cached(sql)?.execute((old.id.0, &new.program, &new.signature))?;
        }
        return Ok(());
    }
    let texts = [Some(new.content.as_str()), new.file_path.as_deref()];
    let parts = Some(words::parts(texts.into_iter().flatten())).filter(|parts| !parts.is_empty());
    let metadata = new.metadata.as_ref().map(|metadata| serde_json::to_string(metadata).unwrap_or_default());
    recount(connection, old.id.0, || {
        let sql = "UPDATE observations SET session_id = ?2, tool_name = ?3, content = ?4, file_path = ?5,
        metadata = ?6, program = ?7, signature = ?8, subject = ?9, parts = ?10 WHERE id = ?1";
        connection.prepare_cached(sql)?.execute(params![
            old.id.0,
            new.session_id.0,
            new.tool_name,
            new.content,
            new.file_path,
            metadata,
            new.program,
            new.signature,
            insert::subject(new),
            parts,
        ])?;
        Ok(())
    })
}
