//! Stores a finding: appended to the note on the same topic, or as a new note.

use super::{NoteError, file_name, lock, settings};
use crate::model::{Category, Note, tags};
use crate::nexus::Nexus;
use crate::notes::{self, Merged, NewText, Overlap, OverlapReason};
use crate::ops::secret_patterns;
use crate::redact;

/// A finding that somebody wants to store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct NewNote {
    /// With or without `.md`; without a name, the text's first words become one.
    pub(crate) name: Option<String>,
    pub(crate) text: String,
    pub(crate) category: Option<Category>,
    pub(crate) tags: Vec<String>,
    /// Stores a separate note, even if another one is on the same topic.
    pub(crate) insist: bool,
}

/// What happened to the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stored {
    Created {
        name: String,
        /// A note on a similar topic that has another name.
        similar: Option<Overlap>,
    },
    Merged {
        name: String,
        why: OverlapReason,
    },
    /// The note already contains all of the text.
    Unchanged {
        name: String,
        why: OverlapReason,
    },
}

/// Maximum number of bytes of a note; agents read it as a whole.
pub(crate) const MAX_BYTES: usize = 64 << 10;
/// Maximum number of bytes read of an input; a longer one is too long anyway.
pub(crate) const MAX_INPUT: u64 = 1 << 20;

/// Stores a text.
pub(crate) fn store(nexus: &Nexus, new: &NewNote) -> Result<Stored, NoteError> {
    check_text(nexus, new)?;
    let given = new.name.as_deref().map(|name| full_name(name, new.category)).transpose()?;
    if let Some(name) = given.as_deref().filter(|name| !matches!(nexus.note(name), Ok(Some(_)))) {
        // An existing note may have any name; a new one needs a valid one.
        notes::check_name(name).map_err(|fault| NoteError::Name {
            name: name.to_owned(),
            fault,
            proposal: notes::propose_name(name, &new.text),
        })?;
    }
    let is_named = given.is_some();
    let name = given.or_else(|| notes::name_from_text(&new.text, new.category));
    let locked = lock(nexus)?;
    let notes = nexus.notes()?;
    let text = NewText { name: name.as_deref(), is_named, category: new.category, text: &new.text };
    let overlap = notes::overlap(text, &notes);
    let overlap = match overlap {
        Some(overlap) if new.insist && overlap.why == OverlapReason::SameName => {
            return Err(NoteError::Exists(overlap.name));
        }
        overlap => overlap.filter(|_| !new.insist),
    };
    let Some(overlap) = overlap else {
        let similar = notes::similar(text, &notes).filter(|_| !new.insist);
        let name = name.ok_or(NoteError::NoName)?;
        if let Merged::Text(text) = notes::merge("", &new.text, &new.tags) {
            locked.write_note(&name, &check_length(text)?)?;
        }
        return Ok(Stored::Created { name, similar });
    };
    let old = notes.into_iter().find(|note| note.name == overlap.name).filter(is_whole);
    let old = old.ok_or_else(|| NoteError::NotText(overlap.name.clone()))?;
    match notes::merge(&old.text, &new.text, &new.tags) {
        Merged::Unchanged => Ok(Stored::Unchanged { name: overlap.name, why: overlap.why }),
        Merged::Text(text) => {
            locked.write_note(&overlap.name, &check_length(text)?)?;
            Ok(Stored::Merged { name: overlap.name, why: overlap.why })
        }
    }
}

/// Refuses what must not be stored; the error names only the kind of a secret.
fn check_text(nexus: &Nexus, new: &NewNote) -> Result<(), NoteError> {
    if new.text.trim().is_empty() {
        return Err(NoteError::Empty);
    }
    if new.text.len() > MAX_BYTES {
        return Err(NoteError::TooLong { bytes: new.text.len() });
    }
    check_plain(&new.text)?;
    new.tags.iter().try_for_each(|tag| check_plain(tag))?;
    if let Some(tag) = new.tags.iter().find(|tag| tag.contains([',', '\n', '\r']) || tag.contains("-->")) {
        return Err(NoteError::Tag(tag.clone()));
    }
    let name = new.name.as_deref().unwrap_or_default();
    let tags = [new.tags.clone(), tags(&new.text)].concat().join(" ");
    match secret_in(nexus, &[&new.text, name, &tags])? {
        Some(kind) => Err(NoteError::Secret(kind)),
        None => Ok(()),
    }
}

/// Refuses characters that would control the reader's terminal; Windows line ends are allowed.
pub(super) fn check_plain(text: &str) -> Result<(), NoteError> {
    let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let control = lines.flat_map(str::chars).find(|c| c.is_control() && *c != '\t');
    control.map_or(Ok(()), |control| Err(NoteError::Control(control)))
}

/// Returns the kind of the first secret in these texts.
pub(super) fn secret_in(nexus: &Nexus, texts: &[&str]) -> Result<Option<String>, NoteError> {
    let own = secret_patterns::of(&settings(nexus)).map_err(NoteError::Pattern)?;
    let found = texts.iter().find_map(|text| redact::find(text, &own).into_iter().next());
    Ok(found.map(|found| found.kind.name().to_owned()))
}

/// Returns the file name with its category as a prefix.
fn full_name(name: &str, category: Option<Category>) -> Result<String, NoteError> {
    let name = file_name(name);
    match (Category::of(&name), category) {
        (Some(named), Some(asked)) if named != asked => Err(NoteError::OtherCategory { name, named, asked }),
        (None, Some(category)) => Ok(format!("{}-{name}", category.name())),
        _ => Ok(name),
    }
}

pub(super) fn check_length(text: String) -> Result<String, NoteError> {
    if text.len() > MAX_BYTES { Err(NoteError::TooLong { bytes: text.len() }) } else { Ok(text) }
}

/// Returns whether the note was read completely.
pub(super) fn is_whole(note: &Note) -> bool {
    note.text.len() as u64 == note.bytes
}
