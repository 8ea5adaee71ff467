//! The one door to git: the user's own program, started with arguments and never through a shell.
//!
//! What is done here must not depend on where we were started from, must not wait for an editor, a password or a key,
//! and must not run what a repository brings along. Hooks may stash, format and add other work, which is what we promise
//! to leave alone; filters, signature checks and fetches may run any program that `.git/config` names. Name and address of the author are the user's. Commits are not signed: a key may ask for a passphrase, and
//! there may be nobody to answer.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The repository that holds a folder.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    /// The root of the worktree.
    top: PathBuf,
    /// The folder from there, with a `/` at its end.
    prefix: String,
}

/// Why git did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GitError {
    #[error("git is not installed, or cannot be started: {0}")]
    NotInstalled(String),
    #[error("`{0}` is in no git repository, so what is deleted could not be brought back")]
    NoRepository(String),
    #[error("git does not work here: {0}")]
    Unusable(String),
    #[error("{0} is under way in this repository")]
    UnderWay(&'static str),
    #[error("another git process is at work in this repository")]
    Locked,
    #[error("git does not know who you are, so it cannot commit")]
    NoIdentity,
    #[error("the branch has moved meanwhile")]
    Moved,
    #[error("a filter of this repository (`{0}`) would run")]
    Filter(String),
    #[error("git {0} failed: {1}")]
    Failed(String, String),
}

pub(crate) type Result<T> = std::result::Result<T, GitError>;

impl GitError {
    /// Returns what to do about it, where something can be done.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            GitError::NotInstalled(_) => Some("install git, and try again"),
            GitError::NoRepository(_) => Some("run `git init`, or remove the file yourself"),
            GitError::UnderWay(_) => Some("finish or abort it, and try again"),
            GitError::Locked | GitError::Moved => Some("try again in a moment"),
            GitError::Filter(_) => Some("run the command of the deletion's commit yourself, if you trust it"),
            GitError::NoIdentity => Some("set `git config user.name` and `user.email`"),
            GitError::Unusable(_) | GitError::Failed(..) => None,
        }
    }
}

/// Set by git for its hooks, these would lead us to another repository than that of the folder.
const LEADING_ASTRAY: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
];

/// Files of the git folder that are there while something is under way.
const UNDER_WAY: [(&str, &str); 8] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisect"),
    ("sequencer", "a cherry-pick or revert"),
    ("index.lock", ""),
];

impl Repository {
    /// Finds the repository that holds a folder, or would hold it if it were there.
    pub(crate) fn of(folder: &Path) -> Result<Repository> {
        let there = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(folder);
        let output = run(git(there).args(["rev-parse", "--show-toplevel", "--show-prefix"]), b"")?;
        if !output.status.success() {
            let words = words(&output);
            return Err(if words.contains("not a git repository") {
                GitError::NoRepository(folder.display().to_string())
            } else {
                GitError::Unusable(words)
            });
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (top, prefix) = text.split_once('\n').unwrap_or((&text, ""));
        let mut prefix = prefix.trim_end_matches('\n').to_owned();
        for part in folder.strip_prefix(there).unwrap_or(folder).components() {
            prefix.push_str(&format!("{}/", part.as_os_str().to_string_lossy()));
        }
        Ok(Repository { top: PathBuf::from(top), prefix })
    }

    pub(crate) fn top(&self) -> &Path {
        &self.top
    }

    /// Returns the path of a file in the folder, from the repository's root.
    pub(crate) fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Returns the folder from the repository's root.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Holds that nothing is under way that a commit would get into.
    pub(crate) fn hold_quiet(&self) -> Result<()> {
        let mut arguments = vec!["rev-parse"];
        UNDER_WAY.iter().for_each(|(file, _)| arguments.extend(["--git-path", file]));
        let paths = self.ask(&arguments)?;
        for (path, (_, what)) in paths.lines().zip(UNDER_WAY) {
            if self.top.join(path).exists() {
                return Err(if what.is_empty() { GitError::Locked } else { GitError::UnderWay(what) });
            }
        }
        Ok(())
    }

    /// Holds that git converts a path without a program: a filter of `.git/config` could be any.
    pub(super) fn hold_unfiltered(&self, path: &str) -> Result<()> {
        let answer = self.ask(&["check-attr", "-z", "filter", "--", path])?;
        let filter = answer.split('\0').nth(2).unwrap_or("unspecified");
        if matches!(filter, "unspecified" | "unset" | "set") {
            return Ok(());
        }
        let drivers = ["config", "-z", "--name-only", "--get-regexp", r"^filter\."];
        let start = format!("filter.{filter}.");
        let is_there =
            self.is(&drivers)? && self.ask(&drivers)?.split('\0').any(|name| name.starts_with(&start));
        if is_there { Err(GitError::Filter(filter.to_owned())) } else { Ok(()) }
    }

    /// Asks git, and returns what it prints; anything but success is an error.
    pub(super) fn ask(&self, arguments: &[&str]) -> Result<String> {
        self.tell(arguments, None, b"")
    }

    /// Does the same with another index and an input.
    pub(super) fn tell(&self, arguments: &[&str], index: Option<&Path>, input: &[u8]) -> Result<String> {
        let bytes = self.bytes(arguments, index, input)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned())
    }

    pub(super) fn bytes(&self, arguments: &[&str], index: Option<&Path>, input: &[u8]) -> Result<Vec<u8>> {
        let mut command = git(&self.top);
        if let Some(index) = index {
            command.env("GIT_INDEX_FILE", index);
        }
        let output = run(command.args(arguments), input)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let words = words(&output);
        Err(if words.contains("user.email") || words.contains("ident name") {
            GitError::NoIdentity
        } else if words.contains("index.lock") {
            GitError::Locked
        } else {
            GitError::Failed(arguments.first().copied().unwrap_or_default().to_owned(), words)
        })
    }

    /// Says whether git answers yes (0) or no (1); some questions have no other answer than their exit code.
    pub(super) fn is(&self, arguments: &[&str]) -> Result<bool> {
        let output = run(git(&self.top).args(arguments), b"")?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(GitError::Unusable(words(&output))),
        }
    }
}

fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).arg("--literal-pathspecs");
    for setting in [
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.quotePath=false",
        "log.showSignature=false",
        // Blobs that a partial clone lacks are not fetched: `core.sshCommand` would be run.
        "protocol.allow=never",
    ] {
        command.args(["-c", setting]);
    }
    LEADING_ASTRAY.iter().for_each(|name| {
        command.env_remove(name);
    });
    // Its words are read, and shown, in one language.
    command.env("GIT_NO_LAZY_FETCH", "1");
    command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_EDITOR", "true");
    command
}

fn run(command: &mut Command, input: &[u8]) -> Result<Output> {
    let failed = |error: std::io::Error| GitError::NotInstalled(error.kind().to_string());
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A git that ends without reading says why on its own.
        drop(stdin.write_all(input));
    }
    child.wait_with_output().map_err(failed)
}

/// Returns the first lines of what git complains about.
fn words(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(4).collect::<Vec<_>>().join("; ")
}
