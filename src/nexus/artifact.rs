//! Artifacts: texts that an agent leaves for others in the project, each a file of the name that it chose.

use std::path::{Path, PathBuf};

use super::folder::ARTIFACTS;
use super::state_file::{Flush, Locked};
use super::{NexusError, Result, contained};

/// Returns why a name cannot be that of an artifact.
pub(crate) fn check_name(name: &str) -> Result<()> {
    match contained::why_bad(name) {
        Some(reason) => Err(NexusError::BadName { name: name.escape_debug().to_string(), reason }),
        None => Ok(()),
    }
}

impl Locked<'_> {
    /// Writes an artifact, in place of one of the same name; returns where it is.
    pub(crate) fn write_artifact(&self, name: &str, content: &str) -> Result<PathBuf> {
        check_name(name)?;
        let file = format!("{ARTIFACTS}/{name}");
        // The folder of artifacts lies in the project, and the artifact must lie in that folder.
        self.make_folder(Path::new(ARTIFACTS), ARTIFACTS)?;
        let folders = Path::new(name).parent().unwrap_or(Path::new(""));
        contained::make_folders(&self.nexus().path(ARTIFACTS), folders, &file)?;
        self.replace(&file, content.as_bytes(), Flush::Now)?;
        Ok(self.nexus().path(&file))
    }
}
