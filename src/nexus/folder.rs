//! The folder `.nexus/` of one project, which is read without a lock.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::{NexusError, Result, contained};
use crate::files::read_regular;

/// `.nexus/` of a project, whether it exists or not.
#[derive(Debug, Clone)]
pub(crate) struct Nexus {
    project: PathBuf,
    folder: PathBuf,
}

/// Our files, relative to the project's root.
pub(crate) const PLAN: &str = ".nexus/state/plan.json";
pub(crate) const TASKS: &str = ".nexus/state/tasks.json";
pub(crate) const HISTORY: &str = ".nexus/history.json";
pub(crate) const ARTIFACTS: &str = ".nexus/state/artifacts";

/// Maximum size of a file; a history of that size has tens of thousands of cycles.
const MAX_BYTES: u64 = 64 << 20;

impl Nexus {
    pub(crate) fn of(project: &Path) -> Nexus {
        Nexus { project: project.to_owned(), folder: project.join(".nexus") }
    }

    /// Returns whether the project has a `.nexus/`.
    pub(crate) fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// Returns the path of a file, given relative to the project's root.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.project.join(name)
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
        contained::require_within(parent, &self.project, name)?;
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
