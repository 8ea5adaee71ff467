//! Files that several processes change: under the project's lock, and each replaced atomically.
//!
//! A new version is written beside the old one and renamed over it, so that a reader sees one or the other, and a
//! process that is killed halfway leaves the old one. A malformed file is moved aside before it is replaced; only a
//! malformed history stays until somebody fixes it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::crash::step;
use super::folder::{EXTENSION, HISTORY, IGNORE, Nexus, STATE};
use super::{NexusError, Result, contained, holder};
use crate::files::{self, private_dir};
use crate::model::OWN_BOARD;

const LOCK: &str = ".nexus/state/.lock";
/// Folders that people and agents write by hand, and that are in git.
const VERSIONED: [&str; 3] = [".nexus/memory", ".nexus/context", ".nexus/rules"];
/// State belongs to this machine and session; everything else in the folder is shared.
const IGNORED: &str = "state/\n";

/// The project's lock, until it is dropped.
pub(crate) struct Locked<'a> {
    nexus: &'a Nexus,
    /// Closing the file releases the lock, also when the process is killed.
    _lock: File,
}

/// When a write must be on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    /// When the write returns.
    Now,
    /// Later: every process sees it, but a power loss within seconds may undo it.
    Later,
}

/// Takes the lock on a file within `timeout`. The file is created if necessary and never deleted.
fn take(path: &Path, name: &str, timeout: Duration) -> Result<File> {
    // Not every system can lock a file that is open only for appending.
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    files::lock(path, &options, timeout).map_err(|source| match source.kind() {
        io::ErrorKind::WouldBlock => NexusError::Busy { holder: holder::of(path) },
        _ => NexusError::Io { action: "lock", file: name.to_owned(), source },
    })
}

impl Nexus {
    /// Creates all folders and files; returns the names of those created, and of those that existed.
    pub(crate) fn make(&self, timeout: Duration) -> Result<(Vec<&'static str>, Vec<&'static str>)> {
        let all = [".nexus", STATE, IGNORE].into_iter().chain(VERSIONED);
        let (found, made) = all.partition(|name| self.path(name).exists());
        let _locked = self.lock(timeout)?;
        make_folders(self.project(), &[".nexus"])?;
        make_folders(self.project(), &VERSIONED)?;
        Ok((made, found))
    }

    /// Creates the folder with `state/` and `.gitignore` if necessary, and locks it against other writers.
    pub(crate) fn lock(&self, timeout: Duration) -> Result<Locked<'_>> {
        self.make_board()?;
        contained::refuse_link(&self.path(LOCK), LOCK)?;
        let lock = take(&self.path(LOCK), LOCK, timeout)?;
        let locked = Locked { nexus: self, _lock: lock };
        if !self.path(IGNORE).exists() {
            locked.replace(IGNORE, IGNORED.as_bytes(), Flush::Now)?;
        }
        Ok(locked)
    }

    /// Creates the folders of the board; that of a bare repository is in a folder of its own.
    fn make_board(&self) -> Result<()> {
        if self.is_shared() && !self.board().is_dir() {
            let failed = |source| NexusError::Io { action: "make", file: STATE.to_owned(), source };
            fs::create_dir_all(self.board()).map_err(failed)?;
        }
        make_folders(self.board(), &[".nexus", STATE])
    }

    /// Checks whether an existing lock can be taken; creates nothing.
    pub(crate) fn look_at_lock(&self, timeout: Duration) -> Result<()> {
        let path = self.lock_path();
        if path.is_file() { take(&path, LOCK, timeout).map(drop) } else { Ok(()) }
    }

    pub(crate) fn lock_path(&self) -> PathBuf {
        self.path(LOCK)
    }
}

/// What a person reads who finds the file.
const OWN_BOARD_TEXT: &str =
    "This worktree has a plan and tasks of its own. Delete this file to share those of the main one.\n";

impl Locked<'_> {
    /// Writes the file that gives a worktree its own board.
    pub(crate) fn set_own_board(&self) -> Result<()> {
        self.replace(OWN_BOARD, OWN_BOARD_TEXT.as_bytes(), Flush::Now)
    }

    pub(crate) fn nexus(&self) -> &Nexus {
        self.nexus
    }

    /// Reads a file that is about to change; a malformed one is set aside, with the time `at` in its name.
    ///
    /// The history is never set aside: it is in git, and starting another one would lose all cycles.
    pub(crate) fn read<T: DeserializeOwned>(&self, name: &str, at: &str) -> Result<Option<T>> {
        match self.nexus.read(name) {
            Err(NexusError::Malformed { file, reason, .. }) if ![HISTORY, EXTENSION].contains(&name) => {
                let aside = Some(self.set_aside(name, at)?);
                Err(NexusError::Malformed { file, reason, aside })
            }
            read => read,
        }
    }

    /// Writes a value for people and machines: indented by two spaces, with a newline at the end.
    pub(crate) fn write(&self, name: &str, value: &impl Serialize) -> Result<()> {
        let failed =
            |error| NexusError::Io { action: "write", file: name.to_owned(), source: io::Error::from(error) };
        let mut bytes = serde_json::to_vec_pretty(value).map_err(failed)?;
        bytes.push(b'\n');
        self.replace(name, &bytes, Flush::Now)
    }

    /// Reads, changes and writes a file, without another process in between.
    ///
    /// Returns what `change` returns beside the new value; an error leaves the file as it was.
    pub(crate) fn read_modify_write<T, R, E>(
        &self,
        name: &str,
        at: &str,
        change: impl FnOnce(Option<T>) -> std::result::Result<(T, R), E>,
    ) -> std::result::Result<R, E>
    where
        T: Serialize + DeserializeOwned,
        E: From<NexusError>,
    {
        let (new, result) = change(self.read(name, at)?)?;
        self.write(name, &new)?;
        Ok(result)
    }

    /// Replaces or creates a file with these bytes.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8], flush: Flush) -> Result<()> {
        let path = self.contained(name)?;
        let failed = |source| NexusError::Io { action: "write", file: name.to_owned(), source };
        if path.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        replace(&path, bytes, flush).map_err(failed)
    }

    /// Deletes a file; returns whether it existed.
    pub(crate) fn remove(&self, name: &str) -> Result<bool> {
        let removed = fs::remove_file(self.contained(name)?);
        step("removed");
        match removed {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(NexusError::Io { action: "delete", file: name.to_owned(), source }),
        }
    }

    /// Creates the folder of a file, and checks that neither is outside the project.
    fn contained(&self, name: &str) -> Result<PathBuf> {
        let path = self.nexus.path(name);
        self.make_folder(Path::new(name).parent().unwrap_or(Path::new("")), name)?;
        contained::refuse_link(&path, name)?;
        Ok(path)
    }

    /// Creates a folder of the project, and those above it, for a file.
    pub(super) fn make_folder(&self, folder: &Path, name: &str) -> Result<()> {
        contained::make_folders(self.nexus.base(name), folder, name)
    }

    /// Moves a file out of the way, to a name with the time.
    pub(super) fn set_aside(&self, name: &str, at: &str) -> Result<String> {
        let stamp: String = at.chars().filter(char::is_ascii_alphanumeric).collect();
        let names = (0..).map(|number| match number {
            0 => format!("{name}.broken-{stamp}"),
            number => format!("{name}.broken-{stamp}-{number}"),
        });
        let aside = names.into_iter().find(|aside| !self.nexus.path(aside).exists()).unwrap_or_default();
        fs::rename(self.nexus.path(name), self.nexus.path(&aside)).map_err(|source| NexusError::Io {
            action: "set aside",
            file: name.to_owned(),
            source,
        })?;
        step("set aside");
        Ok(aside)
    }
}

/// Creates folders, given relative to a base, and none outside of it.
fn make_folders(base: &Path, names: &[&str]) -> Result<()> {
    for name in names {
        let path = base.join(name);
        if contained::is_plain(&path, base) {
            continue;
        }
        let builder = if *name == STATE { private_dir() } else { fs::DirBuilder::new() };
        match builder.create(&path) {
            Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                return Err(NexusError::Io { action: "make", file: (*name).to_owned(), source });
            }
            _ => {}
        }
        contained::require_within(&path, base, name)?;
    }
    Ok(())
}

/// Writes beside the file and renames over it.
fn replace(path: &Path, bytes: &[u8], flush: Flush) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.new"));
    // A killed process may have left one; nobody else is writing while we have the lock.
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let written = write_new(&beside, bytes, flush).and_then(|()| fs::rename(&beside, path));
    if written.is_ok() && flush == Flush::Now {
        files::sync_folder_of(path);
    }
    if written.is_err() {
        drop(fs::remove_file(&beside));
    }
    step("renamed");
    written
}

fn write_new(path: &Path, bytes: &[u8], flush: Flush) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    step("created");
    let (first, second) = bytes.split_at(bytes.len() / 2);
    file.write_all(first)?;
    step("half written");
    file.write_all(second)?;
    step("written");
    if flush == Flush::Now {
        file.sync_all()?;
        step("flushed");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
