//! What a project's commands and edits are warned of: a small file that is made at a session's start and read before each
//! of them.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::paths;
use crate::files;
use crate::model::{ObservationId, Project, Trap};

/// Maximum size of the file; a project has a handful of warnings.
const MAX_BYTES: u64 = 64 << 10;

/// What to say before an act that went wrong here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Warning {
    pub(crate) before: Act,
    pub(crate) text: String,
    /// The rows that the text is made from.
    pub(crate) rows: Vec<ObservationId>,
}

/// The act that a warning is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Act {
    /// A command that looks like this.
    Command(Trap),
    /// A change of this file, relative to the project's root.
    Edit(String),
}

/// Keeps the warnings of a project; without a folder for caches nothing is kept, and nothing is lost.
pub(crate) fn keep(project: &Project, warnings: &[Warning]) {
    let Some(path) = path(project) else { return };
    if warnings.is_empty() {
        drop(fs::remove_file(path));
        return;
    }
    let Ok(text) = serde_json::to_vec(warnings) else { return };
    if fs::read(&path).is_ok_and(|known| known == text) {
        return;
    }
    let Some(folder) = path.parent() else { return };
    drop(files::make_private_dir(folder));
    if let Ok(file) = tempfile::NamedTempFile::new_in(folder)
        && fs::write(file.path(), &text).is_ok()
    {
        drop(file.persist(path));
    }
}

/// Returns the warnings of a project.
pub(crate) fn of(project: &Project) -> Vec<Warning> {
    let bytes = path(project).and_then(|path| files::read_regular(&path, MAX_BYTES).ok());
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn path(project: &Project) -> Option<PathBuf> {
    let mut hasher = DefaultHasher::new();
    (&project.name, &project.root).hash(&mut hasher);
    Some(paths::cache_dir()?.join("warnings").join(format!("{:016x}.json", hasher.finish())))
}
