//! Artifacts: texts that an agent leaves for others in the project, each a file with the name that the agent chose.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::folder::{ARTIFACTS, Nexus};
use super::state_file::{Flush, Locked};
use super::{NexusError, Result, contained};
use crate::files::read_regular;

/// More than any text that agents hand over.
const MAX_BYTES: u64 = 64 << 20;

/// Checks the name of an artifact.
pub(crate) fn check_name(name: &str) -> Result<()> {
    match contained::why_bad(name) {
        Some(reason) => Err(NexusError::BadName { name: name.escape_debug().to_string(), reason }),
        None => Ok(()),
    }
}

impl Locked<'_> {
    /// Writes an artifact, replacing one of the same name; returns its path.
    pub(crate) fn write_artifact(&self, name: &str, content: &str) -> Result<PathBuf> {
        check_name(name)?;
        let name = name.trim_start_matches("./");
        let file = format!("{ARTIFACTS}/{name}");
        // The artifacts folder must be in the project, and the artifact in that folder.
        self.make_folder(Path::new(ARTIFACTS), ARTIFACTS)?;
        let folders = Path::new(name).parent().unwrap_or(Path::new(""));
        contained::make_folders(&self.nexus().path(ARTIFACTS), folders, &file)?;
        self.replace(&file, content.as_bytes(), Flush::Now)?;
        Ok(self.nexus().path(&file))
    }
}

impl Nexus {
    /// Returns the names of all artifacts, in order.
    pub(crate) fn artifacts(&self) -> Result<Vec<String>> {
        let folder = self.path(ARTIFACTS);
        let mut names = Vec::new();
        if folder.is_dir() {
            contained::require_within(&folder, self.base(ARTIFACTS), ARTIFACTS)?;
            let failed = |source| NexusError::Io { action: "list", file: ARTIFACTS.to_owned(), source };
            collect(&folder, &folder, &mut names).map_err(failed)?;
        }
        names.sort_unstable();
        Ok(names)
    }
}

impl Nexus {
    /// Returns the bytes of an artifact; `None` if there is none of this name.
    pub(crate) fn artifact(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let name = name.trim_start_matches("./");
        if !self.artifacts()?.iter().any(|known| known == name) {
            return Ok(None);
        }
        let file = format!("{ARTIFACTS}/{name}");
        let failed = |source| NexusError::Io { action: "read", file: file.clone(), source };
        read_regular(&self.path(&file), MAX_BYTES).map(Some).map_err(failed)
    }
}

/// Links are skipped: their targets are not artifacts.
fn collect(base: &Path, folder: &Path, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = path.strip_prefix(base).unwrap_or(&path).display().to_string().replace('\\', "/");
        // A name such as `.x.new` is an unfinished write.
        let is_unfinished = entry
            .file_name()
            .to_string_lossy()
            .strip_suffix(".new")
            .is_some_and(|name| name.starts_with('.'));
        if kind.is_dir() {
            collect(base, &path, names)?;
        } else if kind.is_file() && !is_unfinished {
            names.push(name);
        }
    }
    Ok(())
}
