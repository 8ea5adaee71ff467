//! The folder `.nexus/` of one project, which is read without a lock.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::{NexusError, Result, contained};
use crate::files::read_regular;

/// `.nexus/` of a project, whether it exists or not.
///
/// What is in git belongs to the project's own worktree; the board, `.nexus/state`, may be that of another folder, which
/// all worktrees of a repository share.
#[derive(Debug, Clone)]
pub(crate) struct Nexus {
    project: PathBuf,
    board: PathBuf,
}

/// Our files, relative to the project's root.
pub(crate) const PLAN: &str = ".nexus/state/plan.json";
pub(crate) const TASKS: &str = ".nexus/state/tasks.json";
pub(crate) const HISTORY: &str = ".nexus/history.json";
/// What the shape of the history has no place for; in git beside it, so that clones have it too.
pub(crate) const EXTENSION: &str = ".nexus/history.extension.json";
/// A cycle that is being closed, until all its files are written.
pub(crate) const CLOSING: &str = ".nexus/state/nudge/closing.json";
pub(super) const STATE: &str = ".nexus/state";
pub(super) const IGNORE: &str = ".nexus/.gitignore";
pub(crate) const ARTIFACTS: &str = ".nexus/state/artifacts";

/// Maximum size of a file; a history of that size has tens of thousands of cycles.
const MAX_BYTES: u64 = 64 << 20;

impl Nexus {
    /// Returns the `.nexus/` of a project that shares nothing.
    pub(crate) fn of(project: &Path) -> Nexus {
        Nexus::with_board(project.to_owned(), project.to_owned())
    }

    pub(crate) fn with_board(project: PathBuf, board: PathBuf) -> Nexus {
        Nexus { project, board }
    }

    /// Returns whether the project has a `.nexus/`, or shares one.
    pub(crate) fn exists(&self) -> bool {
        let has_nexus = |folder: &Path| folder.join(".nexus").is_dir();
        has_nexus(&self.project) || (self.is_shared() && has_nexus(&self.board))
    }

    /// Returns whether this is a worktree that shares the board of another folder.
    pub(crate) fn is_shared(&self) -> bool {
        self.board != self.project
    }

    /// Returns the folder that has the board.
    pub(crate) fn board(&self) -> &Path {
        &self.board
    }

    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// Returns the path of a file, given relative to the project's root.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.base(name).join(name)
    }

    /// Returns the folder that a file must be in.
    pub(super) fn base(&self, name: &str) -> &Path {
        if Path::new(name).starts_with(STATE) || name == IGNORE { &self.board } else { &self.project }
    }

    /// Reads a file as it is now; `None` if it does not exist.
    pub(crate) fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        // Some editors start a file with a byte order mark.
        let json = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        serde_json::from_slice(json).map(Some).map_err(|error| malformed(name, error.to_string()))
    }

    /// Reads the bytes of a file; `None` if it does not exist.
    pub(crate) fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let path = self.path(name);
        let Some(parent) = path.parent().filter(|parent| parent.is_dir()) else { return Ok(None) };
        contained::require_within(parent, self.base(name), name)?;
        let failed = |source| NexusError::Io { action: "read", file: name.to_owned(), source };
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_symlink() => return Err(NexusError::Escapes { file: name.to_owned() }),
            // Reading a pipe could block forever.
            Ok(meta) if !meta.is_file() => return Err(malformed(name, "it is not a file".to_owned())),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        match read_regular(&path, MAX_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some).map_err(failed),
        }
    }
}

fn malformed(name: &str, reason: String) -> NexusError {
    NexusError::Malformed { file: name.to_owned(), reason, aside: None }
}
