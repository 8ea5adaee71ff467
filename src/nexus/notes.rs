//! The notes of the project's memory, `.nexus/memory/*.md`: plain files, in git like everything that people review.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::state_file::{Flush, Locked};
use super::{Nexus, NexusError, Result, contained};
use crate::files::{canonical, open_regular};
use crate::model::Note;

/// The folder of notes, from the project's root.
pub(crate) const MEMORY: &str = ".nexus/memory";

/// So much of a note is read; a longer one is no note for an agent.
const MOST_BYTES: u64 = 256 << 10;
/// More files than this are not looked at.
const MOST_NOTES: usize = 2_000;

/// Returns the name of a note's file from the project's root.
pub(crate) fn file(name: &str) -> String {
    format!("{MEMORY}/{name}")
}

impl Nexus {
    /// Returns all notes, by name.
    pub(crate) fn notes(&self) -> Result<Vec<Note>> {
        self.pages(MEMORY)
    }

    /// Returns all pages of a folder of the project, by name.
    pub(super) fn pages(&self, name: &str) -> Result<Vec<Note>> {
        let folder = self.path(name);
        let failed = |source| NexusError::Io { deed: "read", file: name.to_owned(), source };
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        contained::hold(&folder, self.project(), name)?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> =
            names.filter(|name| name.ends_with(".md") && !name.starts_with('.')).collect();
        names.sort();
        names.truncate(MOST_NOTES);
        // A file that went, or that cannot be read, costs only itself.
        Ok(names.into_iter().filter_map(|name| read(&folder, name).ok().flatten()).collect())
    }

    /// Returns a note by its name; `None` if it is not there, or is no file.
    pub(crate) fn note(&self, name: &str) -> Result<Option<Note>> {
        if contained::why_bad(name).is_some() || name.contains('/') || !self.path(MEMORY).is_dir() {
            return Ok(None);
        }
        contained::hold(&self.path(MEMORY), self.project(), MEMORY)?;
        read(&self.path(MEMORY), name.to_owned()).map_err(|source| NexusError::Io {
            deed: "read",
            file: file(name),
            source,
        })
    }

    /// Returns where a note really is, for a path that an agent has read; `None` where that is no note of the project.
    pub(crate) fn note_at(&self, path: &Path) -> Option<PathBuf> {
        let path = self.project().join(path);
        if self.is_plainly_elsewhere(&path) {
            return None;
        }
        let path = canonical(&path).ok()?;
        let memory = canonical(&self.path(MEMORY)).ok()?;
        let project = canonical(self.project()).ok()?;
        (memory.starts_with(project) && path.starts_with(memory) && path.is_file()).then_some(path)
    }

    /// Says whether a path leads to another place of the project by its mere name: most files that agents read do, and
    /// to resolve three paths for each takes longer than the rest.
    fn is_plainly_elsewhere(&self, path: &Path) -> bool {
        let Ok(way) = path.strip_prefix(self.project()) else { return false };
        // Not every disk tells capitals from small letters.
        let is_ours = way.iter().next().is_none_or(|top| top.eq_ignore_ascii_case(".nexus"));
        let is_file = || fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file());
        !is_ours
            && path.parent().is_some_and(|folder| contained::is_plain(folder, self.project()))
            && contained::is_plain(&self.path(MEMORY), self.project())
            && is_file()
    }
}

impl Locked<'_> {
    /// Writes a note, in place of one of the same name.
    pub(crate) fn write_note(&self, name: &str, text: &str) -> Result<()> {
        self.replace(&file(name), text.as_bytes(), Flush::Now)
    }
}

/// Links are passed over: what they lead to has its own name.
fn read(folder: &Path, name: String) -> io::Result<Option<Note>> {
    let path = folder.join(&name);
    let bytes = match fs::symlink_metadata(&path) {
        Ok(meta) if meta.is_file() => meta.len(),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => return Ok(None),
    };
    let mut text = Vec::new();
    open_regular(&path, File::options().read(true))?.take(MOST_BYTES).read_to_end(&mut text)?;
    Ok(Some(Note { name, text: String::from_utf8_lossy(&text).into_owned(), bytes }))
}

#[cfg(test)]
mod tests;
