//! Which project a folder belongs to: the repository, the same in all its worktrees, found without starting git.

use std::fs;
use std::path::{Path, PathBuf};

use super::{git_config, paths};
use crate::files;
use crate::model::Project;

/// Returns the project of a folder; the home folder and the root of the disk are none.
pub(crate) fn project(cwd: &Path, named: Option<&str>) -> Option<Project> {
    let root = common_root(cwd);
    let folder = root.as_deref().unwrap_or(cwd);
    let name = match named {
        Some(name) => name.to_owned(),
        None => {
            let at_home = paths::home_dir().is_some_and(|home| home == folder);
            folder.file_name().filter(|_| !at_home)?.to_string_lossy().into_owned()
        }
    };
    Some(Project { name, root: Some(folder.display().to_string()) })
}

/// Returns the folder of the worktree that `cwd` is in.
pub(crate) fn worktree(cwd: &Path) -> Option<&Path> {
    cwd.ancestors().find(|folder| folder.join(".git").exists())
}

/// Returns the branch that is checked out; a detached head is none.
pub(crate) fn branch(cwd: &Path) -> Option<String> {
    head(cwd)?.strip_prefix("ref: refs/heads/").map(str::to_owned)
}

/// Names what is checked out, whatever it is: the branch, the commit of a detached head, or `unknown`.
pub(crate) fn branch_or_commit(cwd: &Path) -> String {
    let commit =
        || head(cwd)?.get(..7).filter(|id| id.bytes().all(|c| c.is_ascii_hexdigit())).map(str::to_owned);
    let branch = branch(cwd).filter(|branch| !branch.is_empty());
    branch.or_else(commit).unwrap_or_else(|| "unknown".to_owned())
}

fn head(cwd: &Path) -> Option<String> {
    let head = fs::read_to_string(git_dir(worktree(cwd)?)?.join("HEAD")).ok()?;
    Some(head.trim().to_owned())
}

/// Returns the name of the repository that a folder belongs to: the address that it was cloned from, without any
/// credentials; else the place of the repository, or of the folder itself, as `file://`.
pub(crate) fn remote(cwd: &Path) -> String {
    let url = common_dir(cwd).and_then(|git| fs::read(git.join("config")).ok());
    let url = url.and_then(|config| git_config::origin(&String::from_utf8_lossy(&config)));
    let root = || common_root(cwd).unwrap_or_else(|| cwd.to_owned());
    url.unwrap_or_else(|| format!("file://{}", root().display()))
}

/// Returns the folder with what all worktrees share.
fn common_dir(cwd: &Path) -> Option<PathBuf> {
    let git_dir = git_dir(worktree(cwd)?)?;
    Some(match fs::read_to_string(git_dir.join("commondir")) {
        Ok(common) => normalise(&git_dir.join(common.trim_end())),
        Err(_) => git_dir,
    })
}

/// Returns the root of the repository itself, whichever worktree the folder is in.
fn common_root(cwd: &Path) -> Option<PathBuf> {
    let worktree = worktree(cwd)?;
    let git_dir = git_dir(worktree)?;
    let common = match fs::read_to_string(git_dir.join("commondir")) {
        Ok(common) => normalise(&git_dir.join(common.trim_end())),
        // A submodule's folder names its own repository, and has no common one.
        Err(_) if git_dir.starts_with(worktree) => git_dir,
        Err(_) => return Some(worktree.to_owned()),
    };
    // `repository.git` is a bare one, `.git` is inside its worktree.
    if common.file_name().is_some_and(|name| name == ".git") {
        common.parent().map(Path::to_owned)
    } else {
        Some(common)
    }
}

/// Returns the folder with a worktree's own state: `.git` itself, or what the file of that name says.
fn git_dir(worktree: &Path) -> Option<PathBuf> {
    let git = worktree.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(&git).ok()?;
    Some(normalise(&worktree.join(text.trim_end().strip_prefix("gitdir: ")?)))
}

/// Resolves links and `..`, so that two ways to one folder are one.
fn normalise(path: &Path) -> PathBuf {
    files::canonical(path).unwrap_or_else(|_| path.to_owned())
}
