//! Merges notes: the text of each is added to another note, and then its file is deleted as gc does it.
//!
//! The other note is written first, so a process that is killed in between leaves the text in both. Nothing but the
//! deletions is committed: the other note may have changes that its author has not committed yet.

use super::gc::Cleared;
use super::store::{check_length, is_whole};
use super::{NoteError, lock};
use crate::model::Note;
use crate::nexus::git::Repository;
use crate::nexus::notes::{MEMORY, file};
use crate::nexus::{Locked, Nexus};
use crate::notes::{self, Merged};
use crate::ops::nexus::own_harnesses;

/// Merges notes into one, all of them or none; a note whose file cannot be deleted stays as it is, with the reason.
pub(crate) fn join(nexus: &Nexus, names: &[String], into: &str) -> Result<Cleared, NoteError> {
    let mut cleared = Cleared { merged_into: Some(into.to_owned()), ..Cleared::default() };
    if let Some(name) = names.iter().find(|name| *name == into) {
        return Err(NoteError::Itself(name.clone()));
    }
    for name in names {
        whole(nexus, name)?;
    }
    let repository = Repository::of(&nexus.path(MEMORY))?;
    repository.hold_quiet()?;
    cleared.detached = repository.is_detached()?;
    for name in names {
        let locked = lock(nexus)?;
        let before = add(&locked, nexus, name, into)?;
        match repository.remove(name, &format!("all of it is in `{}`", file(into))) {
            Ok(removal) => cleared.removed.push((name.clone(), removal)),
            Err(error) => {
                if let Some(before) = before {
                    locked.write_note(into, &before)?;
                }
                cleared.refused.push((name.clone(), error));
            }
        }
    }
    cleared.pruned = lock(nexus)?.prune_accesses(&own_harnesses())?;
    Ok(cleared)
}

/// Adds the text of a note to another one; returns the text that it had before, if it changed.
fn add(locked: &Locked<'_>, nexus: &Nexus, name: &str, into: &str) -> Result<Option<String>, NoteError> {
    let (from, to) = (whole(nexus, name)?, whole(nexus, into)?);
    match notes::merge(&to.text, &from.text, &[]) {
        Merged::Unchanged => Ok(None),
        Merged::Text(text) => {
            locked.write_note(into, &check_length(text)?)?;
            Ok(Some(to.text))
        }
    }
}

/// Reads a note that has to be there, and to be plain text.
fn whole(nexus: &Nexus, name: &str) -> Result<Note, NoteError> {
    let note = nexus.note(name)?.ok_or_else(|| NoteError::NotFound(name.to_owned()))?;
    if is_whole(&note) { Ok(note) } else { Err(NoteError::NotText(name.to_owned())) }
}
