//! The project's notes, `.nexus/memory/*.md`: plain files, in git like everything that people review.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::state_file::{Flush, Locked};
use super::{Nexus, NexusError, Result, contained};
use crate::files::{canonical, open_regular};
use crate::model::Note;

/// The notes folder, relative to the project's root.
pub(crate) const MEMORY: &str = ".nexus/memory";

/// How much of a note is read; a longer one is of no use to an agent.
const MAX_BYTES: u64 = 256 << 10;
/// Maximum number of notes that are read.
const MAX_NOTES: usize = 2_000;

/// Returns the path of a note's file, relative to the project's root.
pub(crate) fn file(name: &str) -> String {
    format!("{MEMORY}/{name}")
}

impl Nexus {
    /// Returns all notes, sorted by name.
    pub(crate) fn notes(&self) -> Result<Vec<Note>> {
        self.pages(MEMORY)
    }

    /// Returns all Markdown files of a folder of the project, sorted by name.
    pub(super) fn pages(&self, name: &str) -> Result<Vec<Note>> {
        let folder = self.path(name);
        let failed = |source| NexusError::Io { action: "read", file: name.to_owned(), source };
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        contained::require_within(&folder, self.project(), name)?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> =
            names.filter(|name| name.ends_with(".md") && !name.starts_with('.')).collect();
        names.sort();
        names.truncate(MAX_NOTES);
        // A file that was deleted or cannot be read does not affect the others.
        Ok(names.into_iter().filter_map(|name| read(&folder, name).ok().flatten()).collect())
    }

    /// Returns a note by its name; `None` if it does not exist, or is not a file.
    pub(crate) fn note(&self, name: &str) -> Result<Option<Note>> {
        // Any file of the folder can be shown, whatever its name: the list names it too.
        let is_name = Path::new(name).file_name().is_some_and(|last| last == name) && !name.contains('\0');
        if !is_name || !self.path(MEMORY).is_dir() {
            return Ok(None);
        }
        contained::require_within(&self.path(MEMORY), self.project(), MEMORY)?;
        read(&self.path(MEMORY), name.to_owned()).map_err(|source| NexusError::Io {
            action: "read",
            file: file(name),
            source,
        })
    }

    /// Returns the real path of a note, for a path that an agent has read; `None` if that is not a note of the project.
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

    /// Returns whether the name of a path alone shows that it is elsewhere in the project. Most files that agents read
    /// are, and resolving three paths for each takes longer than the rest.
    fn is_plainly_elsewhere(&self, path: &Path) -> bool {
        let Ok(relative) = path.strip_prefix(self.project()) else { return false };
        // Not every file system is case-sensitive.
        let is_ours = relative.iter().next().is_none_or(|top| top.eq_ignore_ascii_case(".nexus"));
        let is_file = || fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file());
        !is_ours
            && path.parent().is_some_and(|folder| contained::is_plain(folder, self.project()))
            && contained::is_plain(&self.path(MEMORY), self.project())
            && is_file()
    }
}

impl Locked<'_> {
    /// Writes a note, replacing one of the same name.
    pub(crate) fn write_note(&self, name: &str, text: &str) -> Result<()> {
        self.replace(&file(name), text.as_bytes(), Flush::Now)
    }
}

/// Links are skipped: their targets have their own names.
fn read(folder: &Path, name: String) -> io::Result<Option<Note>> {
    let path = folder.join(&name);
    let bytes = match fs::symlink_metadata(&path) {
        Ok(meta) if meta.is_file() => meta.len(),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => return Ok(None),
    };
    let mut text = Vec::new();
    open_regular(&path, File::options().read(true))?.take(MAX_BYTES).read_to_end(&mut text)?;
    Ok(Some(Note { name, text: String::from_utf8_lossy(&text).into_owned(), bytes }))
}

#[cfg(test)]
mod tests;
