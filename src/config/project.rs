//! Where a project is: its root, found from the event and not from the folder of the process.

use std::path::{Path, PathBuf};

/// What marks a folder as the root of a project.
const MARKS: [&str; 4] = [".nudge.yaml", ".nudge.yml", ".nudge", ".git"];

/// Returns the folder that the agent names if there is one, else the nearest marked folder above, else `cwd` itself.
pub(crate) fn root(named: Option<&Path>, cwd: &Path) -> PathBuf {
    if let Some(named) = named.filter(|path| path.is_dir()) {
        return named.to_owned();
    }
    let marked = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    cwd.ancestors().find(marked).unwrap_or(cwd).to_owned()
}
