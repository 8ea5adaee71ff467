//! Forgets observations for good, and keeps others for ever.

use std::path::PathBuf;

use super::browse::{self, Refused};
use super::{remember, salvage};
use crate::config::paths;
use crate::journal::trace;
use crate::model::{Forgotten, ObservationId, Selection};
use crate::store::{self, Reader, StoreError};

/// What is to be forgotten, as a person names it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wanted {
    /// Named exactly: numbers, a question or a moment.
    Selection(Selection),
    Session(String),
    Project(String),
}

/// What is meant, and what forgetting it would remove.
pub(crate) struct Proposal {
    pub(crate) selection: Selection,
    pub(crate) forgotten: Forgotten,
}

/// Looks what forgetting would remove; `None` if nothing was ever remembered.
pub(crate) fn propose(wanted: Wanted) -> Result<Option<Proposal>, Refused> {
    // What is still to come back from a damaged file would come back after it was forgotten.
    if let Some(database) = paths::database() {
        salvage::finish(&database)?;
    }
    let Some(reader) = remember::reader()? else { return Ok(None) };
    let selection = select(&reader, wanted)?;
    let forgotten = reader.would_forget(&selection)?;
    Ok(Some(Proposal { selection, forgotten }))
}

/// Forgets what was proposed; its text is in no file of ours afterwards, except in damaged ones.
pub(crate) fn forget(selection: &Selection) -> Result<Forgotten, StoreError> {
    let forgotten = match remember::store()? {
        Some(mut store) => store.forget(selection)?,
        None => return Ok(Forgotten::default()),
    };
    // It names files and commands, and nobody can tell whose any more.
    trace::clear()?;
    Ok(forgotten)
}

/// Returns the damaged files that are kept, and may have the text of anything.
pub(crate) fn damaged_files() -> Vec<PathBuf> {
    paths::database().map_or_else(Vec::new, |database| store::damaged_files(&database))
}

/// Deletes the damaged files for good, after all that can be read of them was brought back.
pub(crate) fn delete_damaged() -> Result<usize, StoreError> {
    let Some(database) = paths::database() else { return Ok(0) };
    if !salvage::finish(&database)? {
        return Err(StoreError::Busy);
    }
    let count = store::damaged_files(&database).len();
    store::delete_damaged(&database)?;
    Ok(count)
}

/// Says how many torn lines lie beside the spool: they may hold a piece of anything.
pub(crate) fn torn_lines() -> usize {
    remember::open_spool().map_or(0, |spool| spool.rejected_lines())
}

/// Pins observations or unpins them; returns those that are not there, `None` if nothing was ever remembered.
pub(crate) fn set_pinned(
    ids: &[ObservationId],
    pinned: bool,
) -> Result<Option<Vec<ObservationId>>, StoreError> {
    let Some(mut store) = remember::store()? else { return Ok(None) };
    let mut missing = Vec::new();
    for id in ids {
        if !store.set_pinned(*id, pinned)? {
            missing.push(*id);
        }
    }
    Ok(Some(missing))
}

fn select(reader: &Reader, wanted: Wanted) -> Result<Selection, Refused> {
    Ok(match wanted {
        Wanted::Selection(selection) => selection,
        Wanted::Session(id) => Selection::Session(browse::session(reader, &id)?),
        Wanted::Project(name) => Selection::Project(browse::named(reader, &name)?),
    })
}
