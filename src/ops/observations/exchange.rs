//! Hands observations out as JSON Lines, and takes them in again.

use std::io::BufRead;

use super::browse::{self, Refused, Scope};
use super::{clean_up, remember};
use crate::config::{env, paths, settings};
use crate::model::{Filter, Inserted, NewObservation, Timestamp};
use crate::observations;
use crate::ops::observations::careful_reader::CarefulReader;
use crate::ops::secret_patterns;
use crate::store::{Extent, Store, StoreError};
use crate::system::project;

/// So many lines go in at once: few enough that others need not wait, enough that it is fast.
const BATCH: usize = 500;

/// An observation is never this long; such a line is none of ours.
const MAX_LINE: usize = 1 << 20;

/// A clock may be wrong, but not by more than this.
const MOST_AHEAD: i64 = 2 * 86_400;

/// What there is to hand out.
pub(crate) struct Export {
    reader: CarefulReader,
    filter: Filter,
    pub(crate) count: usize,
}

/// What became of the lines of an import.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Imported {
    pub(crate) inserted: Inserted,
    pub(crate) skipped: Vec<Skipped>,
}

/// A line that was not taken in.
#[derive(Debug, PartialEq)]
pub(crate) struct Skipped {
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
    #[error("there is no place for a database: no home folder")]
    Homeless,
}

/// Prepares an export; `None` if nothing was ever remembered.
pub(crate) fn export(scope: &Scope, since: Option<Timestamp>) -> Result<Option<Export>, Refused> {
    // A damaged memory has to be repaired before its old rows can be cleaned, and a question notices the damage.
    let Some(memory) = browse::open()? else { return Ok(None) };
    memory.into_reader().ask(|reader| reader.count_filtered(&Filter::default()))?;
    clean_up::all()?;
    let Some(memory) = browse::open()? else { return Ok(None) };
    let filter = Filter { project: memory.project(scope)?, since, ..Filter::default() };
    let reader = memory.into_reader();
    let count = reader.ask(|reader| reader.count_filtered(&filter))?;
    Ok(Some(Export { reader, filter, count }))
}

impl Export {
    /// Gives each observation as a line, until somebody has enough.
    pub(crate) fn each<E>(
        &self,
        mut line: impl FnMut(String) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        // After a repair the rows have the numbers that they had, so those that were given out are known.
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

/// Takes lines in; each is checked and redacted again, for nobody knows where it has been.
pub(crate) fn import(
    mut lines: impl BufRead,
    mut progress: impl FnMut(usize),
) -> Result<Imported, ImportError> {
    let (settings, _) = settings::load(&project::root(None, &env::current_dir()));
    let own = secret_patterns::of(&settings).map_err(ImportError::Pattern)?;
    let path = paths::database().ok_or(ImportError::Homeless)?;
    remember::drain(remember::PATIENCE, Extent::All)?;
    let mut store = Store::open(&path, remember::PATIENCE)?;
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
        match read(text) {
            Ok(observation) => batch.push(observations::cleaned(observation, &own)),
            Err(why) => imported.skipped.push(Skipped { line, why }),
        }
    }
    Ok(imported)
}

fn read(line: &[u8]) -> Result<NewObservation, String> {
    if line.len() > MAX_LINE {
        return Err("too long".to_owned());
    }
    // What serde says of the place counts from the start of this one line, and means nothing to a reader.
    let observation: NewObservation = serde_json::from_slice(line).map_err(|error| {
        let words = error.to_string();
        words.split(" at line ").next().unwrap_or_default().to_owned()
    })?;
    if observation.session_id.0.is_empty() {
        return Err("`session_id` is empty".to_owned());
    }
    if !(0..=remember::now().0 + MOST_AHEAD).contains(&observation.timestamp.0) {
        return Err(format!("`timestamp` {} is not in the past", observation.timestamp.0));
    }
    Ok(observation)
}
