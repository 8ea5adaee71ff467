//! Restores deleted notes from git, as they were.

use super::{NoteError, file_name};
use crate::nexus::Nexus;
use crate::nexus::git::Repository;
use crate::nexus::notes::MEMORY;
use crate::nexus::removal::RemovedFile;

/// Returns the notes that were deleted in this branch and do not exist now, the last deleted first.
pub(crate) fn restorable(nexus: &Nexus) -> Result<Vec<RemovedFile>, NoteError> {
    let removed = Repository::of(&nexus.path(MEMORY))?.removed()?;
    Ok(removed.into_iter().filter(|removed| removed.name.ends_with(".md")).collect())
}

/// Restores a note on disk and stages it; nothing is committed.
pub(crate) fn restore(nexus: &Nexus, name: &str) -> Result<RemovedFile, NoteError> {
    let name = file_name(name);
    if nexus.path(MEMORY).join(&name).exists() {
        return Err(NoteError::NotRemoved(name));
    }
    let removed = restorable(nexus)?.into_iter().find(|removed| removed.name == name);
    let removed = removed.ok_or(NoteError::NeverRemoved(name))?;
    Repository::of(&nexus.path(MEMORY))?.bring_back(&removed)?;
    Ok(removed)
}
