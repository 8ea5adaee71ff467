//! Exports observations as JSON Lines, and imports them.

use std::io::BufRead;

use super::memory::{self, MemoryError};
use super::{database, remember};
use crate::api::Scope;
use crate::config::{env, paths, settings};
use crate::model::{DAY, Filter, Inserted, NewObservation, Timestamp};
use crate::observations;
use crate::ops::observations::careful_reader::CarefulReader;
use crate::ops::secret_patterns;
use crate::store::{Extent, Store, StoreError};
use crate::system::{clock, project};

/// Lines per transaction: few enough that other processes need not wait, enough to be fast.
const BATCH: usize = 500;

/// Maximum length of a line in bytes; no observation is this long.
const MAX_LINE: usize = 1 << 20;

/// Maximum number of seconds that a timestamp may be in the future: the other clock may be wrong.
const MAX_SECONDS_AHEAD: i64 = 2 * DAY;

/// The observations to export.
pub(crate) struct Export {
    reader: CarefulReader,
    filter: Filter,
    pub(crate) count: usize,
}

/// The result of an import.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Imported {
    pub(crate) inserted: Inserted,
    pub(crate) skipped: Vec<SkippedLine>,
}

/// A line that was not imported.
#[derive(Debug, PartialEq)]
pub(crate) struct SkippedLine {
    pub(crate) line: usize,
    pub(crate) why: String,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ImportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the lines cannot be read: {0}")]
    Read(#[from] std::io::Error),
    #[error("a pattern under `redact` is not a regex: {0}")]
    Pattern(String),
    #[error("the database has no place: there is no home folder")]
    Homeless,
}

/// Prepares an export; `None` if nothing was ever remembered.
pub(crate) fn export(scope: &Scope, since: Option<Timestamp>) -> Result<Option<Export>, MemoryError> {
    // A damaged memory has to be repaired before its old rows can be cleaned, and a query notices the damage.
    let Some(memory) = memory::open()? else { return Ok(None) };
    memory.into_reader().ask(|reader| reader.count_filtered(&Filter::default()))?;
    remember::clean_all()?;
    let Some(memory) = memory::open()? else { return Ok(None) };
    let filter = Filter { project: memory.project(scope)?, since, ..Filter::default() };
    let reader = memory.into_reader();
    let count = reader.ask(|reader| reader.count_filtered(&filter))?;
    Ok(Some(Export { reader, filter, count }))
}

impl Export {
    /// Passes each observation to `line`, until it returns an error.
    pub(crate) fn each<E>(
        &self,
        mut line: impl FnMut(String) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        // A repair keeps the ids, so rows that were already passed on can be skipped.
        let mut last = 0;
        self.reader.ask(|reader| {
            reader.export(&self.filter, |row| {
                if row.id.0 <= last {
                    return Ok(());
                }
                last = row.id.0;
                line(serde_json::to_string(&row).unwrap_or_default() + "\n")
            })
        })
    }
}

/// Imports lines; each is checked and redacted again, because nobody knows where it has been.
pub(crate) fn import(
    mut lines: impl BufRead,
    mut progress: impl FnMut(usize),
) -> Result<Imported, ImportError> {
    let (settings, _) = settings::load(&project::root(None, &env::current_dir()));
    let own = secret_patterns::of(&settings).map_err(ImportError::Pattern)?;
    let path = paths::database().ok_or(ImportError::Homeless)?;
    remember::drain(database::DATABASE_TIMEOUT, Extent::All)?;
    let mut store = Store::open(&path, database::DATABASE_TIMEOUT)?;
    let mut imported = Imported::default();
    let mut batch = Vec::new();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let length = lines.read_until(b'\n', &mut bytes)?;
        if batch.len() == BATCH || length == 0 {
            let inserted = store.import(&batch)?;
            imported.inserted.stored += inserted.stored;
            imported.inserted.duplicates += inserted.duplicates;
            batch.clear();
        }
        if length == 0 {
            break;
        }
        progress(length);
        let text = bytes.trim_ascii();
        if text.is_empty() {
            continue;
        }
        match parse_line(text) {
            Ok(observation) => batch.push(observations::cleaned(observation, &own)),
            Err(why) => imported.skipped.push(SkippedLine { line, why }),
        }
    }
    Ok(imported)
}

fn parse_line(line: &[u8]) -> Result<NewObservation, String> {
    if line.len() > MAX_LINE {
        return Err("too long".to_owned());
    }
    // Serde counts the position from the start of this one line, which means nothing to the user.
    let observation: NewObservation = serde_json::from_slice(line).map_err(|error| {
        let message = error.to_string();
        message.split(" at line ").next().unwrap_or_default().to_owned()
    })?;
    check_row(&observation)?;
    Ok(observation)
}

/// Returns what is wrong with a row from elsewhere.
pub(crate) fn check_row(observation: &NewObservation) -> Result<(), String> {
    if observation.session_id.0.is_empty() {
        return Err("`session_id` is empty".to_owned());
    }
    if !(0..=clock::timestamp().0 + MAX_SECONDS_AHEAD).contains(&observation.timestamp.0) {
        return Err(format!("`timestamp` {} is not in the past", observation.timestamp.0));
    }
    Ok(())
}
