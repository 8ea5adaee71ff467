//! Salvage: rows that can be read from a damaged file are restored with their old ids.
//!
//! It works page by page and records its progress, so that a hook can do a part and any process can continue. Rows that
//! already exist are left as they are, so that doing a part twice does no harm.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::cells::{self, CellValue, TableRow};
use super::insert::SalvagedRow;
use super::migrate::MIGRATIONS;
use super::note::{self, DamageKind, DamageNote, Pass, damage_notes};
use super::pages::Pages;
use super::{Reader, Result, Store, beside, row};
use crate::files::{self, private_file};
use crate::model::{EventKey, Metadata, NewObservation, SessionId, Timestamp};

/// After this many pages the rows are stored and the time is checked.
const PAGES_PER_STEP: u32 = 64;
/// No timestamp is later: larger first values of an index entry are hashes.
const MAX_TIMESTAMP: i64 = 1 << 40;

/// Which damaged files are salvaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SalvageScope {
    /// Those with a note.
    Noted,
    /// Also those without a note, which an earlier version left.
    All,
}

impl Store {
    /// Restores what can be read from damaged files, until the time is up; returns whether nothing is left to do.
    pub(crate) fn salvage(
        path: &Path,
        which: SalvageScope,
        timeout: Duration,
        is_late: &dyn Fn() -> bool,
    ) -> Result<bool> {
        if which == SalvageScope::All {
            note::note_unnoted(path);
        }
        let is_pending = |note: &DamageNote| !note.is_finished();
        if !damage_notes(path).iter().any(is_pending) {
            return Ok(true);
        }
        let mut options = private_file();
        options.read(true).write(true).create(true);
        // Another process is salvaging, and it is faster alone.
        let Ok(_lock) = files::lock(&beside(path, ".salvage.lock"), &options, Duration::ZERO) else {
            return Ok(false);
        };
        let mut store = Store::open(path, timeout)?;
        for mut note in damage_notes(path).into_iter().filter(is_pending) {
            // The file was about to be moved away, but was not.
            if files::identity(&note.file(path)).is_some_and(|file| files::identity(path) == Some(file)) {
                continue;
            }
            if !store.salvage_one(&mut note, is_late)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn salvage_one(&mut self, note: &mut DamageNote, is_late: &dyn Fn() -> bool) -> Result<bool> {
        let path = self.path.clone();
        let opened = match note.kind {
            DamageKind::Database => {
                let file = note.file(&path);
                Pages::open(Some(&file), &beside(&file, "-wal"))
            }
            DamageKind::Log { .. } => {
                // The projects of its rows are in the database itself, or in the log too.
                if note.projects.is_empty() {
                    note.projects = self.projects_by_id()?;
                }
                fs::metadata(note.file(&path)).and_then(|_| Pages::open(None, &note.file(&path)))
            }
        };
        let mut pages = match opened {
            // The user has deleted it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                note.pass = Pass::Done;
                note.save(&path)?;
                return Ok(true);
            }
            opened => opened?,
        };
        while !note.is_finished() {
            self.salvage_some(note, &mut pages)?;
            note.save(&path)?;
            if is_late() && !note.is_finished() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads the next pages and stores their rows.
    fn salvage_some(&mut self, note: &mut DamageNote, pages: &mut Pages) -> Result<()> {
        let end = note.next_page.saturating_add(PAGES_PER_STEP).min(pages.last() + 1);
        let mut rows = Vec::new();
        for number in note.next_page..end {
            let Some(page) = pages.read(number) else { continue };
            match note.pass {
                Pass::Projects => {
                    let found = cells::table_rows(pages, &page);
                    note.projects.extend(found.into_iter().filter_map(parse_project));
                    note.expected +=
                        cells::index_rows(&page).iter().filter(|row| is_by_time(row)).count() as u64;
                }
                Pass::Rows => {
                    let found = cells::table_rows(pages, &page);
                    let found = found.into_iter().filter_map(|row| parse_observation(row, note, pages));
                    rows.extend(found.filter(|row| note.concerns(row.id)));
                }
                Pass::Done => {}
            }
        }
        note.readable += rows.len() as u64;
        note.restored += self.insert_with_ids(&rows)? as u64;
        note.next_page = end;
        if end > pages.last() {
            (note.next_page, note.pass) =
                (1, if note.pass == Pass::Projects { Pass::Rows } else { Pass::Done });
        }
        Ok(())
    }
}

impl Reader {
    fn projects_by_id(&self) -> Result<BTreeMap<i64, (String, Option<String>)>> {
        let mut statement = self.connection.prepare("SELECT id, name, root FROM projects")?;
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, (row::text(row, 1)?, row::optional_text(row, 2)?))))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// Parses a row of `projects`: no other table has three columns.
fn parse_project(row: TableRow) -> Option<(i64, (String, Option<String>))> {
    match <[CellValue; 3]>::try_from(row.values).ok()? {
        [CellValue::Null, CellValue::Text(name), CellValue::Text(root)] => Some((row.id, (name, Some(root)))),
        [CellValue::Null, CellValue::Text(name), CellValue::Null] => Some((row.id, (name, None))),
        _ => None,
    }
}

/// Returns whether an entry belongs to the index by time, which has one for each observation.
fn is_by_time(entry: &[CellValue]) -> bool {
    matches!(entry, [CellValue::Integer(time), CellValue::Integer(_)] if (0..MAX_TIMESTAMP).contains(time))
}

/// Parses a row of `observations`. Its columns are in the order of the first migration; later ones only add columns.
fn parse_observation(row: TableRow, note: &DamageNote, pages: &Pages) -> Option<SalvagedRow> {
    let mut values = row.values.into_iter();
    if values.len() < 16 || values.next()? != CellValue::Null || row.id <= 0 {
        return None;
    }
    let timestamp = integer(&values.next()?)?;
    let session_id = text(values.next()?)?;
    let project = integer(&values.next()?).and_then(|id| note.projects.get(&id).cloned());
    let obs_type = text(values.next()?)?.parse().ok()?;
    let source_event = text(values.next()?)?;
    let tool_name = text(values.next()?);
    let content = text(values.next()?)?;
    let file_path = text(values.next()?);
    let metadata = text(values.next()?).and_then(|json| serde_json::from_str::<Metadata>(&json).ok());
    let event_key = match values.next()? {
        CellValue::Blob(bytes) => bytes.try_into().ok().map(EventKey),
        _ => None,
    };
    let (program, signature) = (text(values.next()?), text(values.next()?));
    // Migrations that remove secrets from old rows have not run on this file.
    let is_current = pages.user_version() as usize == MIGRATIONS.len();
    let is_log = note.kind != DamageKind::Database;
    let seen = NewObservation {
        timestamp: Timestamp(timestamp),
        session_id: SessionId(session_id),
        project_root: project.as_ref().and_then(|(_, root)| root.clone()),
        project: project.map(|(name, _)| name),
        // The next session says it again.
        repository: None,
        obs_type,
        source_event,
        tool_name,
        content,
        file_path,
        metadata,
        event_key,
        program,
        signature: signature.filter(|_| is_current || is_log),
        pinned: integer(&values.next()?)? != 0,
    };
    // After `pinned` come two columns that are made again, and then the machine.
    let is_own = matches!(values.nth(2), None | Some(CellValue::Null));
    Some(SalvagedRow { id: row.id, observation: seen, is_own })
}

fn integer(value: &CellValue) -> Option<i64> {
    if let CellValue::Integer(number) = value { Some(*number) } else { None }
}

fn text(value: CellValue) -> Option<String> {
    if let CellValue::Text(text) = value { Some(text) } else { None }
}

#[cfg(test)]
mod tests;
