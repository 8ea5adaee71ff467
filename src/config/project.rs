//! Finds the root of a project from the event, not from the folder of the process.

use std::path::{Path, PathBuf};

/// Files and folders that mark the root of a project.
const MARKS: [&str; 4] = [".nudge.yaml", ".nudge.yml", ".nudge", ".git"];

/// Returns the nearest marked folder at or above the one that the agent names, or else its `cwd`; else that folder itself.
///
/// A link counts as it is, and is not followed: what it leads to is not ours to touch yet.
/// The agent names the folder it was started in, which may be any folder of the project.
pub(crate) fn root(named: Option<&Path>, cwd: &Path) -> PathBuf {
    let start = named.filter(|path| path.is_dir()).unwrap_or(cwd);
    let marked = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).symlink_metadata().is_ok());
    start.ancestors().find(marked).unwrap_or(start).to_owned()
}
