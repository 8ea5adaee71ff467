//! Which project a folder belongs to: the repository, the same in all its worktrees, found without starting git.

use std::fs;
use std::path::{Path, PathBuf};

use super::{git_config, paths};
use crate::files;
use crate::model::Project;

/// The worktree that a folder is in. Who wants to know several things of it finds it once.
pub(crate) struct Worktree<'f> {
    pub(crate) root: &'f Path,
    /// The folder with its own state: `.git` itself, or what the file of that name says.
    git_dir: Option<PathBuf>,
}

impl<'f> Worktree<'f> {
    /// Finds it at or above a folder.
    pub(crate) fn find(cwd: &'f Path) -> Option<Worktree<'f>> {
        cwd.ancestors().find_map(|root| {
            let git = root.join(".git");
            let is_dir = fs::metadata(&git).ok()?.is_dir();
            Some(Worktree { root, git_dir: if is_dir { Some(git) } else { linked(root, &git) } })
        })
    }

    /// Returns the branch that is checked out; a detached head is none.
    pub(crate) fn branch(&self) -> Option<String> {
        self.head()?.strip_prefix("ref: refs/heads/").map(str::to_owned)
    }

    fn head(&self) -> Option<String> {
        let head = text(&self.git_dir.as_ref()?.join("HEAD"))?;
        Some(head.trim().to_owned())
    }

    /// Returns the folder with what all worktrees share, if there are several.
    fn shared_dir(&self) -> Option<PathBuf> {
        let git_dir = self.git_dir.as_ref()?;
        let common = text(&git_dir.join("commondir"))?;
        Some(normalise(&git_dir.join(common.trim_end())))
    }

    /// Returns the root of the repository itself, whichever worktree this is.
    fn common_root(&self) -> Option<PathBuf> {
        let git_dir = self.git_dir.as_ref()?;
        let common = match self.shared_dir() {
            Some(common) => common,
            // A submodule's folder names its own repository, and has no common one.
            None if git_dir.starts_with(self.root) => git_dir.clone(),
            None => return Some(self.root.to_owned()),
        };
        // `repository.git` is a bare one, `.git` is inside its worktree.
        if common.file_name().is_some_and(|name| name == ".git") {
            common.parent().map(Path::to_owned)
        } else {
            Some(common)
        }
    }
}

/// Returns the project of a folder; the home folder and the root of the disk are none.
pub(crate) fn project(cwd: &Path, named: Option<&str>) -> Option<Project> {
    project_of(Worktree::find(cwd).as_ref(), cwd, named)
}

/// The same, where the folder's worktree is known.
pub(crate) fn project_of(
    worktree: Option<&Worktree<'_>>,
    cwd: &Path,
    named: Option<&str>,
) -> Option<Project> {
    let root = worktree.and_then(Worktree::common_root);
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

/// Returns the branch that is checked out in a folder; a detached head is none.
pub(crate) fn branch(cwd: &Path) -> Option<String> {
    Worktree::find(cwd)?.branch()
}

/// Names what is checked out, whatever it is: the branch, the commit of a detached head, or `unknown`.
pub(crate) fn branch_or_commit(cwd: &Path) -> String {
    let worktree = Worktree::find(cwd);
    let branch = worktree.as_ref().and_then(Worktree::branch).filter(|branch| !branch.is_empty());
    let commit = || {
        let head = worktree.as_ref()?.head()?;
        head.get(..7).filter(|id| id.bytes().all(|c| c.is_ascii_hexdigit())).map(str::to_owned)
    };
    branch.or_else(commit).unwrap_or_else(|| "unknown".to_owned())
}

/// Returns the name of the repository that a folder belongs to: the address that it was cloned from, without any
/// credentials; else the place of the repository, or of the folder itself, as `file://`.
pub(crate) fn remote(cwd: &Path) -> String {
    let worktree = Worktree::find(cwd);
    let common = worktree.as_ref().and_then(|tree| tree.shared_dir().or_else(|| tree.git_dir.clone()));
    let url = common.and_then(|git| files::read_regular(&git.join("config"), MAX_CONFIG).ok());
    let url = url.and_then(|config| git_config::origin(&String::from_utf8_lossy(&config)));
    let root = || worktree.as_ref().and_then(Worktree::common_root).unwrap_or_else(|| cwd.to_owned());
    url.unwrap_or_else(|| format!("file://{}", root().display()))
}

/// Returns the folder that a worktree's `.git` names, if it is a file.
fn linked(root: &Path, git: &Path) -> Option<PathBuf> {
    let text = text(git)?;
    Some(normalise(&root.join(text.trim_end().strip_prefix("gitdir: ")?)))
}

/// The files of git that hold one line, and its settings.
const MAX_LINE: u64 = 64 << 10;
const MAX_CONFIG: u64 = 1 << 20;

/// Reads a file of git that holds one line.
fn text(path: &Path) -> Option<String> {
    String::from_utf8(files::read_regular(path, MAX_LINE).ok()?).ok()
}

/// Resolves links and `..`, so that two ways to one folder are one.
fn normalise(path: &Path) -> PathBuf {
    files::canonical(path).unwrap_or_else(|_| path.to_owned())
}
