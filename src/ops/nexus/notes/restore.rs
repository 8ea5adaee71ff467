//! Brings deleted notes back from git, as they were.

use super::{Refused, file_name};
use crate::nexus::Nexus;
use crate::nexus::git::Repository;
use crate::nexus::notes::MEMORY;
use crate::nexus::removal::Removed;

/// Returns the notes that were deleted in this branch and are not there, the last deleted first.
pub(crate) fn restorable(nexus: &Nexus) -> Result<Vec<Removed>, Refused> {
    let removed = Repository::of(&nexus.path(MEMORY))?.removed()?;
    Ok(removed.into_iter().filter(|removed| removed.name.ends_with(".md")).collect())
}

/// Brings a note back, on the disk and staged; nothing is committed.
pub(crate) fn restore(nexus: &Nexus, name: &str) -> Result<Removed, Refused> {
    let name = file_name(name);
    if nexus.path(MEMORY).join(&name).exists() {
        return Err(Refused::NotRemoved(name));
    }
    let removed = restorable(nexus)?.into_iter().find(|removed| removed.name == name);
    let removed = removed.ok_or(Refused::NeverRemoved(name))?;
    Repository::of(&nexus.path(MEMORY))?.bring_back(&removed)?;
    Ok(removed)
}
