//! Deletes observations permanently, and pins others so that they are kept forever.

use std::path::PathBuf;

use super::memory::{self, MemoryError};
use super::{database, remember, salvage};
use crate::config::paths;
use crate::journal::trace;
use crate::model::{Forgotten, ObservationId, Selection};
use crate::store::{self, Reader, StoreError};

/// What to forget, as a person names it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ForgetRequest {
    /// Named exactly: ids, a search or a time.
    Selection(Selection),
    Session(String),
    Project(String),
}

/// What is selected, and what forgetting it would remove.
pub(crate) struct ForgetProposal {
    pub(crate) selection: Selection,
    pub(crate) forgotten: Forgotten,
}

/// Returns what forgetting would remove; `None` if nothing was ever remembered.
pub(crate) fn propose(wanted: ForgetRequest) -> Result<Option<ForgetProposal>, MemoryError> {
    // Rows that are still to be restored from a damaged file would otherwise come back after they were forgotten.
    if let Some(database) = paths::database() {
        salvage::finish(&database)?;
    }
    let Some(reader) = remember::reader()? else { return Ok(None) };
    let selection = select(&reader, wanted)?;
    let forgotten = reader.would_forget(&selection)?;
    Ok(Some(ForgetProposal { selection, forgotten }))
}

/// Forgets what was proposed; afterwards its text is in none of nudge's files, except damaged ones.
pub(crate) fn forget(selection: &Selection) -> Result<Forgotten, StoreError> {
    let forgotten = match remember::store()? {
        Some(mut store) => store.forget(selection)?,
        None => return Ok(Forgotten::default()),
    };
    // The trace names files and commands, and nobody can tell any more which observations they belong to.
    trace::clear()?;
    Ok(forgotten)
}

/// Returns the damaged files that are kept; they may contain any text.
pub(crate) fn damaged_files() -> Vec<PathBuf> {
    paths::database().map_or_else(Vec::new, |database| store::damaged_files(&database))
}

/// Deletes the damaged files permanently, after restoring everything that can be read from them.
pub(crate) fn delete_damaged() -> Result<usize, StoreError> {
    let Some(database) = paths::database() else { return Ok(0) };
    if !salvage::finish(&database)? {
        return Err(StoreError::Busy);
    }
    let count = store::damaged_files(&database).len();
    store::delete_damaged(&database)?;
    Ok(count)
}

/// Returns how many torn lines were set aside from the spool: they may contain a piece of any text.
pub(crate) fn torn_lines() -> usize {
    database::open_spool().map_or(0, |spool| spool.rejected_lines())
}

/// Pins or unpins observations; returns the ids that do not exist, `None` if nothing was ever remembered.
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

fn select(reader: &Reader, wanted: ForgetRequest) -> Result<Selection, MemoryError> {
    Ok(match wanted {
        ForgetRequest::Selection(selection) => selection,
        ForgetRequest::Session(id) => Selection::Session(memory::find_session(reader, &id)?),
        ForgetRequest::Project(name) => Selection::Project(memory::find_project(reader, &name)?),
    })
}
