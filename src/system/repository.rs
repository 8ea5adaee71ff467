//! Which project a folder belongs to: its repository, the same for all worktrees, found without starting git.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::git_config;
use crate::config::paths;
use crate::files;
use crate::model::{Project, RepositoryId, repo};

/// What marks the root of a worktree: a folder, or a file in a linked one.
const GIT: &str = ".git";

/// What a folder's `.git` is, before a link is followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum GitEntry {
    Folder,
    File,
    Link,
}

impl GitEntry {
    pub(super) fn of(folder: &Path) -> Option<GitEntry> {
        let kind = folder.join(GIT).symlink_metadata().ok()?.file_type();
        let link_or_file = if kind.is_symlink() { GitEntry::Link } else { GitEntry::File };
        Some(if kind.is_dir() { GitEntry::Folder } else { link_or_file })
    }

    /// Returns whether this is a folder; `None` for a link that leads nowhere.
    pub(super) fn is_dir(self, folder: &Path) -> Option<bool> {
        match self {
            GitEntry::Folder => Some(true),
            GitEntry::File => Some(false),
            GitEntry::Link => fs::metadata(folder.join(GIT)).ok().map(|target| target.is_dir()),
        }
    }
}

/// The worktree that a folder is in. Callers that need several facts about it find it once.
pub(crate) struct Worktree {
    pub(crate) root: PathBuf,
    /// The folder with its own state: `.git` itself, or the one that the file `.git` names.
    git_dir: Option<PathBuf>,
}

impl Worktree {
    /// Finds the worktree at or above a folder.
    fn find(cwd: &Path) -> Option<Worktree> {
        cwd.ancestors().find_map(|root| Some(Worktree::at(root, fs::metadata(root.join(GIT)).ok()?.is_dir())))
    }

    /// Makes the worktree of a folder that has a `.git`.
    pub(super) fn at(root: &Path, git_is_dir: bool) -> Worktree {
        let git = root.join(GIT);
        let git_dir = if git_is_dir { Some(git) } else { linked_git_dir(root, &git) };
        Worktree { root: root.to_owned(), git_dir }
    }

    /// Returns the current branch; `None` for a detached head.
    pub(crate) fn branch(&self) -> Option<String> {
        self.head()?.strip_prefix("ref: refs/heads/").map(str::to_owned)
    }

    fn head(&self) -> Option<String> {
        let head = read_line(&self.git_dir.as_ref()?.join("HEAD"))?;
        Some(head.trim().to_owned())
    }

    /// Returns the folder that all worktrees share, if there are several.
    fn shared_dir(&self) -> Option<PathBuf> {
        let git_dir = self.git_dir.as_ref()?;
        let common = read_line(&git_dir.join("commondir"))?;
        Some(normalise(&git_dir.join(common.trim_end())))
    }

    /// Returns the folder with the repository itself: its config, and the log of its main worktree.
    fn common_dir(&self) -> Option<PathBuf> {
        self.shared_dir().or_else(|| self.git_dir.clone())
    }

    /// Returns what identifies the repository, wherever its folder is.
    pub(crate) fn repository_id(&self) -> RepositoryId {
        let Some(common) = self.common_dir() else { return RepositoryId::default() };
        RepositoryId {
            origin: origin(&common).and_then(|url| repo::canonical(&url)),
            birth: read_beginning(&common.join("logs/HEAD")).and_then(|log| parse_birth(&log)),
            is_private: false,
        }
    }

    /// Returns the folder that has the board of all worktrees, if this is a linked one that its repository knows.
    ///
    /// It is the main worktree; a bare repository has none, so there the board is in git's own folder.
    pub(super) fn shared_root(&self) -> Option<PathBuf> {
        let (git_dir, common) = (self.git_dir.as_ref()?, self.shared_dir()?);
        let is_worktree = git_dir.parent() == Some(common.join("worktrees").as_path());
        if !is_worktree || !self.is_known_to(git_dir) {
            return None;
        }
        if common.file_name().is_some_and(|name| name == GIT) {
            return common.parent().map(Path::to_owned);
        }
        let config = files::read_regular(&common.join("config"), MAX_CONFIG_BYTES).unwrap_or_default();
        match git_config::parse_worktree(&String::from_utf8_lossy(&config)) {
            Some(main) => Some(normalise(&common.join(main))).filter(|main| main.is_dir()),
            None => Some(common.join("nudge")),
        }
    }

    /// Returns whether the repository names this folder as its worktree; git does not mind one that was moved by hand.
    ///
    /// A folder that merely claims to be a worktree, such as a copy or an unpacked archive, gets no access to the board.
    fn is_known_to(&self, git_dir: &Path) -> bool {
        let Some(named) = read_line(&git_dir.join("gitdir")) else { return false };
        match files::canonical(&git_dir.join(named.trim_end())) {
            Ok(named) => named == normalise(&self.root.join(GIT)),
            Err(_) => true,
        }
    }

    /// Returns whether this is a submodule: its repository is among the modules of the other one.
    pub(super) fn is_submodule_of(&self, outer: &Worktree) -> bool {
        let (Some(own), Some(outer)) = (&self.git_dir, &outer.git_dir) else { return false };
        own.starts_with(normalise(&outer.join("modules")))
    }

    /// Returns the name of this folder if it is a linked worktree, and not the repository's own folder.
    pub(crate) fn linked_name(&self) -> Option<String> {
        // Only a linked worktree has its state elsewhere; a submodule has that too, but shares no folder.
        let is_own = self.git_dir.as_ref().is_none_or(|git_dir| *git_dir == self.root.join(GIT));
        if is_own || self.shared_dir().is_none() {
            return None;
        }
        self.root.file_name()?.to_str().map(str::to_owned)
    }

    /// Returns the root of the repository itself, whichever worktree this is.
    fn common_root(&self) -> Option<PathBuf> {
        let git_dir = self.git_dir.as_ref()?;
        let common = match self.shared_dir() {
            Some(common) => common,
            // A submodule's git folder has its own repository, and no shared one.
            None if git_dir.starts_with(&self.root) => git_dir.clone(),
            None => return Some(self.root.clone()),
        };
        // `repository.git` is bare; `.git` is inside its worktree.
        if common.file_name().is_some_and(|name| name == GIT) {
            common.parent().map(Path::to_owned)
        } else {
            Some(common)
        }
    }
}

/// Returns the project of a folder in this worktree; the home folder and the root of the disk are not projects.
pub(crate) fn project_of(worktree: Option<&Worktree>, cwd: &Path, named: Option<&str>) -> Option<Project> {
    let root = worktree.and_then(Worktree::common_root);
    let folder = root.as_deref().unwrap_or(cwd);
    let name = match named {
        Some(name) => name.to_owned(),
        None => {
            let at_home = paths::home_dir().is_some_and(|home| home == folder);
            name_of(folder).filter(|_| !at_home)?
        }
    };
    Some(Project { name, root: Some(folder.display().to_string()), repository: None })
}

/// Returns what people call a project in a folder: a bare repository is `shop.git`, or `.bare` in the folder that has the
/// name.
fn name_of(folder: &Path) -> Option<String> {
    let name = folder.file_name()?.to_string_lossy().into_owned();
    let short = name.strip_suffix(GIT).filter(|short| !short.is_empty()).unwrap_or(&name);
    if short == name && !name.starts_with('.') || folder.join(GIT).exists() || !folder.join("HEAD").is_file()
    {
        return Some(name);
    }
    let outer = || Some(folder.parent()?.file_name()?.to_string_lossy().into_owned());
    if short.starts_with('.') { outer().or(Some(name)) } else { Some(short.to_owned()) }
}

/// Returns the current branch of a folder; `None` for a detached head.
pub(crate) fn branch(cwd: &Path) -> Option<String> {
    Worktree::find(cwd)?.branch()
}

/// Returns what is checked out: the branch, the commit of a detached head, or `unknown`.
pub(crate) fn branch_or_commit(cwd: &Path) -> String {
    let worktree = Worktree::find(cwd);
    let branch = worktree.as_ref().and_then(Worktree::branch).filter(|branch| !branch.is_empty());
    let commit = || {
        let head = worktree.as_ref()?.head()?;
        head.get(..7).filter(|id| id.bytes().all(|c| c.is_ascii_hexdigit())).map(str::to_owned)
    };
    branch.or_else(commit).unwrap_or_else(|| "unknown".to_owned())
}

/// Returns the URL that a folder's repository was cloned from, without credentials; else the path of the repository or
/// the folder, as `file://`.
pub(crate) fn remote(cwd: &Path) -> String {
    remote_of(Worktree::find(cwd).as_ref(), cwd)
}

/// Does the same for a folder in a known worktree.
pub(super) fn remote_of(worktree: Option<&Worktree>, cwd: &Path) -> String {
    let url = worktree.and_then(Worktree::common_dir).and_then(|common| origin(&common));
    let root = || worktree.and_then(Worktree::common_root).unwrap_or_else(|| cwd.to_owned());
    url.unwrap_or_else(|| format!("file://{}", root().display()))
}

/// Returns the names under which a team may know the repository of a folder, the likeliest first. One that is only on this
/// machine has none.
pub(crate) fn remote_keys(root: &Path) -> Vec<String> {
    let Some(common) = Worktree::find(root).and_then(|worktree| worktree.common_dir()) else {
        return Vec::new();
    };
    let Ok(config) = files::read_regular(&common.join("config"), MAX_CONFIG_BYTES) else { return Vec::new() };
    let urls = git_config::parse_remotes(&String::from_utf8_lossy(&config));
    let mut keys: Vec<String> = urls.iter().filter_map(|url| repo::canonical(url)).collect();
    keys.retain(|key| !key.starts_with("file:"));
    keys.dedup();
    keys
}

/// Returns the URL of `origin` in a repository's config, without credentials.
fn origin(common: &Path) -> Option<String> {
    let config = files::read_regular(&common.join("config"), MAX_CONFIG_BYTES).ok()?;
    git_config::parse_origin(&String::from_utf8_lossy(&config))
}

/// Reads how a repository began from the first line of git's log of what was checked out. git deletes old lines, so a
/// line that does not begin with nothing says nothing.
fn parse_birth(log: &str) -> Option<String> {
    let (entry, message) = log.lines().next()?.split_once('\t')?;
    let mut words = entry.split(' ');
    let (before, commit) = (words.next()?, words.next()?);
    let is_hash = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash || !before.bytes().all(|byte| byte == b'0') {
        return None;
    }
    if message.starts_with("commit (initial)") {
        return Some(format!("initial {commit}"));
    }
    // The last two words are the time and its zone.
    let time = entry.rsplit(' ').nth(1).filter(|time| time.bytes().all(|byte| byte.is_ascii_digit()))?;
    message.starts_with("clone: ").then(|| format!("clone {commit} {time}"))
}

/// Returns the folder that a worktree's `.git` names, if it is a file.
fn linked_git_dir(root: &Path, git: &Path) -> Option<PathBuf> {
    let text = read_line(git)?;
    Some(normalise(&root.join(text.trim_end().strip_prefix("gitdir: ")?)))
}

/// Maximum sizes of git's one-line files and of its config.
const MAX_LINE_BYTES: u64 = 64 << 10;
const MAX_CONFIG_BYTES: u64 = 1 << 20;
/// The first line of git's log is shorter than this, unless somebody's name is a novel.
const MAX_BEGINNING_BYTES: u64 = 2 << 10;

/// Reads one of git's one-line files.
fn read_line(path: &Path) -> Option<String> {
    String::from_utf8(files::read_regular(path, MAX_LINE_BYTES).ok()?).ok()
}

/// Reads the beginning of a file of any size.
fn read_beginning(path: &Path) -> Option<String> {
    let file = files::open_regular(path, fs::File::options().read(true)).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_BEGINNING_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Resolves links and `..`, so that a folder has only one path.
fn normalise(path: &Path) -> PathBuf {
    files::canonical(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::parse_birth;

    #[test]
    fn the_first_line_of_the_log_shows_how_a_repository_began() {
        let (none, hash) = ("0".repeat(40), "a1".repeat(20));
        let line = |before: &str, message: &str| {
            format!("{before} {hash} A. Name <a@example.org> 1700000000 +0100\t{message}\nmore\n")
        };
        for (log, expected) in [
            (line(&none, "commit (initial): first"), Some(format!("initial {hash}"))),
            (line(&none, "clone: from https://user:secret@host/x"), Some(format!("clone {hash} 1700000000"))),
            (line(&none, "branch: Created from x"), None),
            (line(&hash, "commit: second"), None),
            (line(&hash, "commit (initial): not the first"), None),
            (String::new(), None),
            ("\t".to_owned(), None),
            (format!("{none} x A <a> 1 +0\tcommit (initial): x"), None),
        ] {
            assert_eq!(parse_birth(&log), expected, "{log}");
        }
    }
}
