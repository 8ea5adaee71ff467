//! Deletions that can be undone: each is one commit of exactly one path, and its message has the command that restores
//! the file.
//!
//! The commit is built with a separate index from the last commit alone, so nothing else that is staged gets into it.
//! The file is deleted from disk only after the commit: a process that is killed in between leaves it where it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::git::{GitError, GitResult, Repository};

/// A deletion that was committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Removal {
    pub(crate) commit: String,
    /// The command that restores the file, for the repository's root.
    pub(crate) recovery: String,
    /// The file was in no commit before, so it was committed first.
    pub(crate) kept_first: bool,
}

/// Why a file is not deleted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RemovalError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("it has changes that are not committed")]
    Changed,
    #[error("it has staged changes that are not committed")]
    Staged,
    #[error("git ignores it, so it could not be restored")]
    Ignored,
    #[error("git would restore it with other bytes (line endings, or a filter)")]
    Filtered,
    #[error("it cannot be read: {0}")]
    Unreadable(std::io::ErrorKind),
}

/// A deletion that was found in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RemovedFile {
    pub(crate) name: String,
    pub(crate) commit: String,
    /// Seconds since 1970.
    pub(crate) at: i64,
}

const INDEX_ATTEMPTS: usize = 20;
const INDEX_RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// How many commits of the history are searched.
const MAX_COMMITS: &str = "1000";

impl Repository {
    /// Commits the deletion of a file of the folder, and then deletes it.
    pub(crate) fn remove(&self, name: &str, why: &str) -> Result<Removal, RemovalError> {
        self.hold_quiet()?;
        let path = self.path(name);
        let file = self.top().join(&path);
        let bytes = fs::read(&file).map_err(|error| RemovalError::Unreadable(error.kind()))?;
        // Every step starts from this commit; if the branch moves meanwhile, nothing is deleted.
        let mut head = self.head()?;
        self.require_unfiltered(&path)?;
        let (blob, kept_first) = self.safe_blob(head.as_deref(), &path)?;
        let restored = self.bytes(&["cat-file", "--filters", &format!("--path={path}"), &blob], None, b"")?;
        if restored != bytes {
            let clean = self.ask(&["hash-object", "--", &path])? == blob;
            return Err(if clean { RemovalError::Filtered } else { RemovalError::Changed });
        }
        if kept_first {
            let entry = format!("100644,{blob},{path}");
            let add = ["update-index", "--add", "--cacheinfo", &entry];
            let message =
                format!("memory: keep {name}\n\nIt is removed next; it can be restored from here.\n");
            head = Some(self.commit(head.as_deref(), &add, &message)?);
        }
        let before = head.ok_or(GitError::Moved)?;
        let recovery = recovery_command(&before, &path);
        let message = format!(
            "memory: remove {name}\n\nWhy: {why}\n\nTo restore it, in the root of this repository:\n\n    {recovery}\n"
        );
        let commit =
            self.commit(Some(&before), &["update-index", "--force-remove", "--", &path], &message)?;
        // If another process has just written to it, it is a new file and stays.
        if fs::read(&file).is_ok_and(|now| now == bytes) {
            fs::remove_file(&file).map_err(|error| RemovalError::Unreadable(error.kind()))?;
        }
        Ok(Removal { commit, recovery, kept_first })
    }

    /// Returns whether commits here belong to no branch.
    pub(crate) fn is_detached(&self) -> GitResult<bool> {
        Ok(!self.is(&["symbolic-ref", "-q", "HEAD"])?)
    }

    /// Returns the deleted files of the folder that do not exist now, the last deleted first.
    pub(crate) fn removed(&self) -> GitResult<Vec<RemovedFile>> {
        if self.head()?.is_none() {
            return Ok(Vec::new());
        }
        let folder = if self.prefix().is_empty() { "." } else { self.prefix() };
        let log = self.ask(&[
            "log",
            "-n",
            MAX_COMMITS,
            "--no-renames",
            "--diff-filter=D",
            "--name-only",
            "--format=%x01%H %ct",
            "HEAD",
            "--",
            folder,
        ])?;
        let mut removed: Vec<RemovedFile> = Vec::new();
        for commit in log.split('\u{1}').skip(1) {
            let mut lines = commit.lines().filter(|line| !line.is_empty());
            let Some((hash, at)) = lines.next().and_then(|line| line.split_once(' ')) else { continue };
            for name in lines.filter_map(|line| line.strip_prefix(self.prefix())) {
                let known = removed.iter().any(|other| other.name == name);
                if !known && !name.contains('/') && !self.top().join(self.path(name)).exists() {
                    let at = at.parse().unwrap_or_default();
                    removed.push(RemovedFile { name: name.to_owned(), commit: hash.to_owned(), at });
                }
            }
        }
        Ok(removed)
    }

    /// Returns when each file of the folder was last changed by a commit, in seconds since 1970.
    pub(crate) fn changed(&self) -> GitResult<BTreeMap<String, i64>> {
        let mut changed = BTreeMap::new();
        if self.head()?.is_none() {
            return Ok(changed);
        }
        let folder = if self.prefix().is_empty() { "." } else { self.prefix() };
        let format = ["log", "-n", MAX_COMMITS, "--no-renames", "--name-only", "--format=%x01%ct"];
        let log = self.ask(&[&format[..], &["HEAD", "--", folder]].concat())?;
        for commit in log.split('\u{1}').skip(1) {
            let mut lines = commit.lines().filter(|line| !line.is_empty());
            let Some(at) = lines.next().and_then(|line| line.parse().ok()) else { continue };
            for name in lines.filter_map(|line| line.strip_prefix(self.prefix())) {
                // The last commit comes first.
                changed.entry(name.to_owned()).or_insert(at);
            }
        }
        Ok(changed)
    }

    /// Restores a deleted file on disk and in the index.
    pub(crate) fn bring_back(&self, removed: &RemovedFile) -> GitResult<()> {
        let path = self.path(&removed.name);
        self.require_unfiltered(&path)?;
        self.ask(&["checkout", "-q", &format!("{}^", removed.commit), "--", &path]).map(drop)
    }

    /// Returns the blob that the file would be restored from, and whether it is in no commit yet.
    fn safe_blob(&self, head: Option<&str>, path: &str) -> Result<(String, bool), RemovalError> {
        let committed = match head {
            Some(head) => parse_blob(&self.ask(&["ls-tree", "--full-tree", head, "--", path])?, 2),
            None => None,
        };
        let staged = parse_blob(&self.ask(&["ls-files", "--stage", "--", path])?, 1);
        match (committed, staged) {
            (Some(committed), Some(staged)) if committed == staged => Ok((committed, false)),
            (Some(_), _) => Err(RemovalError::Staged),
            (None, staged) => {
                let ignored = ["ls-files", "--others", "--ignored", "--exclude-standard", "--", path];
                if staged.is_none() && !self.ask(&ignored)?.is_empty() {
                    return Err(RemovalError::Ignored);
                }
                let written = self.ask(&["hash-object", "-w", "--", path])?;
                if staged.is_some_and(|staged| staged != written) {
                    return Err(RemovalError::Staged);
                }
                Ok((written, true))
            }
        }
    }

    fn head(&self) -> GitResult<Option<String>> {
        if !self.is(&["rev-parse", "-q", "--verify", "HEAD^{commit}"])? {
            return Ok(None);
        }
        self.ask(&["rev-parse", "HEAD^{commit}"]).map(Some)
    }

    /// Applies one change to a commit's files, commits it on top, and then applies it to the user's index too.
    fn commit(&self, head: Option<&str>, change: &[&str], message: &str) -> GitResult<String> {
        let failed =
            |error: std::io::Error| GitError::Unusable(format!("cannot create a temporary index: {error}"));
        let folder = tempfile::tempdir().map_err(failed)?;
        let index: &Path = &folder.path().join("index");
        match head {
            Some(head) => self.ask_with(&["read-tree", head], Some(index), b"")?,
            None => self.ask_with(&["read-tree", "--empty"], Some(index), b"")?,
        };
        self.ask_with(change, Some(index), b"")?;
        // In a partial clone, the blobs of other files would be fetched only to check that they exist.
        let tree = self.ask_with(&["write-tree", "--missing-ok"], Some(index), b"")?;
        let mut arguments = vec!["commit-tree", &tree];
        if let Some(head) = head {
            arguments.extend(["-p", head]);
        }
        let commit = self.ask_with(&arguments, None, message.as_bytes())?;
        let subject = message.lines().next().unwrap_or_default();
        let old = head.unwrap_or_default();
        self.ask(&["update-ref", "-m", subject, "HEAD", &commit, old]).map_err(|error| match error {
            GitError::Failed(..) => GitError::Moved,
            other => other,
        })?;
        self.update_user_index(change)?;
        Ok(commit)
    }

    /// Applies a change to the user's index; an editor or a prompt that reads the status may lock it briefly.
    fn update_user_index(&self, change: &[&str]) -> GitResult<()> {
        for _ in 0..INDEX_ATTEMPTS {
            match self.ask(change) {
                Err(GitError::Locked) => std::thread::sleep(INDEX_RETRY_INTERVAL),
                other => return other.map(drop),
            }
        }
        self.ask(change).map(drop)
    }
}

/// Parses the blob of one line. Several lines are the sides of a conflict, which equal no blob.
fn parse_blob(lines: &str, column: usize) -> Option<String> {
    let mut lines = lines.lines();
    let word = lines.next()?.split(['\t', ' ']).nth(column)?;
    Some(if lines.next().is_none() { word } else { "conflict" }.to_owned())
}

/// Returns the shell command that restores a path.
fn recovery_command(before: &str, path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+@%,".contains(c);
    let quoted =
        if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) };
    // A folder such as `[slug]` would be a pattern.
    let literal = if path.contains(['*', '?', '[', '\\']) || path.starts_with(':') {
        " --literal-pathspecs"
    } else {
        ""
    };
    format!("git{literal} checkout {before} -- {quoted}")
}

#[cfg(test)]
mod tests;
