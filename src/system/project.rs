//! Finds the root of a project from the event, not from the folder of the process.

use std::path::{Path, PathBuf};

use crate::config::paths;

/// Files and folders that mark the root of a project.
const MARKS: [&str; 4] = [".nudge.yaml", ".nudge.yml", ".nudge", GIT];

/// What marks the root of a git worktree: a folder, or a file in a linked one.
const GIT: &str = ".git";

/// Returns the nearest marked folder at or above the one that the agent names, or else its `cwd`; else that folder itself.
///
/// A link counts as it is, and is not followed: what it leads to is not ours to touch yet.
/// The agent names the folder it was started in, which may be any folder of the project.
pub(crate) fn root(named: Option<&Path>, cwd: &Path) -> PathBuf {
    let start = named.filter(|path| path.is_dir()).unwrap_or(cwd);
    start.ancestors().find(is_marked).unwrap_or(start).to_owned()
}

/// Returns the folder that the user's own rules see a project from: the root of the git worktree.
///
/// A repository cannot contain a `.git`, but it can contain a `.nudge.yaml` in any folder, and with it move the root of its
/// own rules. It must not move the root of the user's. Without git, the outermost marked folder counts; the home folder
/// is not a project just because something in it has our name.
pub(crate) fn root_for_user_rules(root: &Path) -> &Path {
    let worktree = root.ancestors().find(|folder| exists(folder, GIT));
    let outermost = || {
        let home = paths::home_dir();
        let in_home = root.ancestors().take_while(|folder| home.as_deref() != Some(*folder));
        in_home.filter(is_marked).last()
    };
    worktree.or_else(outermost).unwrap_or(root)
}

fn is_marked(folder: &&Path) -> bool {
    MARKS.iter().any(|mark| exists(folder, mark))
}

fn exists(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}
