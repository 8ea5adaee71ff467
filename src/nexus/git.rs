//! The only place that runs git: the user's own program, started with arguments and never through a shell.
//!
//! These calls must not depend on the folder or environment that nudge was started with, must not wait for an editor, a
//! password or a key, and must not run programs that a repository brings along. Hooks may stash, format and add other
//! work, which we promise to leave alone; filters, signature checks and fetches may run any program that `.git/config`
//! names. The author is the user. Commits are not signed: a key may need a passphrase, and there may be nobody to enter
//! it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The repository that contains a folder.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    /// The root of the worktree.
    top: PathBuf,
    /// The folder relative to it, with a `/` at the end.
    prefix: String,
}

/// Why a git command failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GitError {
    #[error("git is not installed, or cannot be started: {0}")]
    NotInstalled(String),
    #[error("`{0}` is not in a git repository, so a deleted file could not be restored")]
    NoRepository(String),
    #[error("git does not work here: {0}")]
    Unusable(String),
    #[error("{0} is in progress in this repository")]
    InProgress(&'static str),
    #[error("another git process is running in this repository")]
    Locked,
    #[error("git does not know who you are, so it cannot commit")]
    NoIdentity,
    #[error("the branch has changed meanwhile")]
    Moved,
    #[error("`{0}` is not a commit of this repository")]
    NoCommit(String),
    #[error("this branch and `{0}` have no commit in common")]
    NoCommonCommit(String),
    #[error("a filter of this repository (`{0}`) would run")]
    Filter(String),
    #[error("git {0} failed: {1}")]
    Failed(String, String),
}

pub(crate) type GitResult<T> = Result<T, GitError>;

impl GitError {
    /// Returns what to do about it, if something can be done.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            GitError::NotInstalled(_) => Some("install git, and try again"),
            GitError::NoRepository(_) => Some("run `git init`, or remove the file yourself"),
            GitError::InProgress(_) => Some("finish or abort it, and try again"),
            GitError::Locked | GitError::Moved => Some("try again in a moment"),
            GitError::Filter(_) => {
                Some("if you trust the filter, run the command from the deletion's commit yourself")
            }
            GitError::NoCommit(_) => {
                Some("name a branch, tag or commit; a clone for CI may have to fetch it first")
            }
            GitError::NoCommonCommit(_) => {
                Some("fetch more of the history first: a clone for CI often has only the last commit")
            }
            GitError::NoIdentity => Some("set `git config user.name` and `user.email`"),
            GitError::Unusable(_) | GitError::Failed(..) => None,
        }
    }
}

/// Git sets these for its hooks. With them, git would use another repository than the folder's.
const MISLEADING_VARIABLES: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
];

/// Files in the git folder that exist while an operation is in progress.
const IN_PROGRESS: [(&str, &str); 8] = [
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
    /// Finds the repository that contains a folder; the folder need not exist.
    pub(crate) fn of(folder: &Path) -> GitResult<Repository> {
        let existing = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(folder);
        let output = run(git(existing).args(["rev-parse", "--show-toplevel", "--show-prefix"]), b"")?;
        if !output.status.success() {
            let error = error_text(&output);
            return Err(if error.contains("not a git repository") {
                GitError::NoRepository(folder.display().to_string())
            } else {
                GitError::Unusable(error)
            });
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (top, prefix) = text.split_once('\n').unwrap_or((&text, ""));
        let mut prefix = prefix.trim_end_matches('\n').to_owned();
        for part in folder.strip_prefix(existing).unwrap_or(folder).components() {
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

    /// Checks that no operation is in progress that a commit would interfere with.
    pub(crate) fn hold_quiet(&self) -> GitResult<()> {
        let mut arguments = vec!["rev-parse"];
        IN_PROGRESS.iter().for_each(|(file, _)| arguments.extend(["--git-path", file]));
        let paths = self.ask(&arguments)?;
        for (path, (_, what)) in paths.lines().zip(IN_PROGRESS) {
            if self.top.join(path).exists() {
                return Err(if what.is_empty() { GitError::Locked } else { GitError::InProgress(what) });
            }
        }
        Ok(())
    }

    /// Checks that git converts a path without running a program: a filter in `.git/config` could be any program.
    pub(super) fn require_unfiltered(&self, path: &str) -> GitResult<()> {
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

    /// Runs git and returns its output; anything but success is an error.
    pub(super) fn ask(&self, arguments: &[&str]) -> GitResult<String> {
        self.ask_with(arguments, None, b"")
    }

    /// Does the same with another index and an input.
    pub(super) fn ask_with(
        &self,
        arguments: &[&str],
        index: Option<&Path>,
        input: &[u8],
    ) -> GitResult<String> {
        let bytes = self.bytes(arguments, index, input)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned())
    }

    pub(super) fn bytes(&self, arguments: &[&str], index: Option<&Path>, input: &[u8]) -> GitResult<Vec<u8>> {
        let mut command = git(&self.top);
        if let Some(index) = index {
            command.env("GIT_INDEX_FILE", index);
        }
        let output = run(command.args(arguments), input)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let error = error_text(&output);
        Err(if error.contains("user.email") || error.contains("ident name") {
            GitError::NoIdentity
        } else if error.contains("index.lock") {
            GitError::Locked
        } else {
            GitError::Failed(arguments.first().copied().unwrap_or_default().to_owned(), error)
        })
    }

    /// Returns whether git answers yes (0) or no (1), for commands that answer with their exit code.
    pub(super) fn is(&self, arguments: &[&str]) -> GitResult<bool> {
        let output = run(git(&self.top).args(arguments), b"")?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(GitError::Unusable(error_text(&output))),
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
        // Missing blobs of a partial clone are not fetched: that would run `core.sshCommand`.
        "protocol.allow=never",
    ] {
        command.args(["-c", setting]);
    }
    MISLEADING_VARIABLES.iter().for_each(|name| {
        command.env_remove(name);
    });
    // Its messages are parsed and shown in one language.
    command.env("GIT_NO_LAZY_FETCH", "1");
    command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_EDITOR", "true");
    command
}

fn run(command: &mut Command, input: &[u8]) -> GitResult<Output> {
    let failed = |error: std::io::Error| GitError::NotInstalled(error.kind().to_string());
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // If git exits without reading, it reports the reason itself.
        drop(stdin.write_all(input));
    }
    child.wait_with_output().map_err(failed)
}

/// Returns the first lines of git's error message.
fn error_text(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(4).collect::<Vec<_>>().join("; ")
}
