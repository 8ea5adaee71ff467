//! Files and who edited them, as the viewer shows them.

use rusqlite::Row;

use super::narrow;
use crate::model::{FileEvent, SessionId, SessionQuery, TurnFile};
use crate::store::query::quoted;
use crate::store::{Reader, Result, row};

impl Reader {
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

    /// Returns whether a session edited a file after a time.
    pub(crate) fn is_edited_again(&self, session: &SessionId, path: &str, at: i64) -> Result<bool> {
        let sql = "SELECT 1 FROM observations WHERE session_id = ?1 AND timestamp > ?3 AND mark = 1
                 AND (file_path = ?2 OR ?2 LIKE '%/' || file_path) LIMIT 1";
        Ok(self.connection.prepare_cached(sql)?.exists((&session.0, path, at))?)
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
