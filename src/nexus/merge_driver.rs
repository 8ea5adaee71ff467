//! How git merges the history: a driver in the repository's configuration, and the attributes that name it.
//!
//! The attributes are in `.nexus/` and in git; the driver is a command of this machine, so each clone sets it itself.
//! Where it is missing, git merges line by line, and a conflict is for `nudge doctor --fix`.

use std::fs;
use std::path::Path;

use super::folder::{EXTENSION, HISTORY, Nexus};
use super::git::{GitError, GitResult, Repository};
use super::state_file::Flush;
use super::{Locked, Result};

/// The name of the driver.
pub(crate) const DRIVER: &str = "nudge-history";
pub(crate) const ATTRIBUTES: &str = ".nexus/.gitattributes";
const LINES: [&str; 2] = ["history.json merge=nudge-history", "history.extension.json merge=nudge-history"];

/// The driver in a repository's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DriverState {
    Set,
    /// Not set, or set to another command.
    Missing,
}

impl Nexus {
    /// Returns whether the attributes name our driver.
    pub(crate) fn has_merge_attributes(&self) -> bool {
        let text = fs::read_to_string(self.path(ATTRIBUTES)).unwrap_or_default();
        LINES.iter().all(|line| text.lines().any(|have| have.trim() == *line))
    }
}

impl Locked<'_> {
    /// Adds our lines to the attributes; returns whether something was missing.
    pub(crate) fn add_merge_attributes(&self) -> Result<bool> {
        if self.nexus().has_merge_attributes() {
            return Ok(false);
        }
        let text = self.attributes()?;
        let missing = LINES.iter().filter(|line| !text.lines().any(|have| have.trim() == **line));
        let mut new = text.clone();
        if !new.is_empty() && !new.ends_with('\n') {
            new.push('\n');
        }
        missing.for_each(|line| new.push_str(&format!("{line}\n")));
        self.replace(ATTRIBUTES, new.as_bytes(), Flush::Now).map(|()| true)
    }

    /// Removes our lines from the attributes, and the file if nothing else is in it.
    pub(crate) fn remove_merge_attributes(&self) -> Result<bool> {
        let text = self.attributes()?;
        let kept: Vec<&str> =
            text.split_inclusive('\n').filter(|line| !LINES.contains(&line.trim())).collect();
        if kept.concat() == text {
            return Ok(false);
        }
        match kept.is_empty() {
            true => self.remove(ATTRIBUTES),
            false => self.replace(ATTRIBUTES, kept.concat().as_bytes(), Flush::Now).map(|()| true),
        }
    }

    fn attributes(&self) -> Result<String> {
        let bytes = self.nexus().bytes(ATTRIBUTES)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Returns the command that git runs: our program, and git's own merge where that is gone or refuses.
///
/// A driver that fails leaves the file as it was on one side, without a mark, and the other side would be forgotten.
fn command(program: &Path) -> String {
    let program = program.display().to_string().replace('\'', "'\\''");
    format!("'{program}' nexus merge-history %O %A %B 2>/dev/null || git merge-file %A %O %B")
}

/// Looks up the driver in the repository of a project; `None` outside of git.
pub(crate) fn driver_state(project: &Path) -> GitResult<Option<DriverState>> {
    let repository = match Repository::of(project) {
        Err(GitError::NoRepository(_)) => return Ok(None),
        found => found?,
    };
    let key = format!("merge.{DRIVER}.driver");
    let is_set = repository.is(&["config", "--get-regexp", &key.replace('.', "\\.")])?
        && is_working(&repository.ask(&["config", "--get", &key])?);
    Ok(Some(if is_set { DriverState::Set } else { DriverState::Missing }))
}

/// Returns whether the program that a driver's command names still exists.
fn is_working(command: &str) -> bool {
    let program = command.strip_prefix('\'').and_then(|rest| rest.split('\'').next());
    command.contains(" nexus merge-history ") && program.is_none_or(|program| Path::new(program).is_file())
}

/// Sets the driver; returns whether it was missing. Nothing happens outside of git.
pub(crate) fn set_driver(project: &Path, program: &Path) -> GitResult<bool> {
    if driver_state(project)? != Some(DriverState::Missing) {
        return Ok(false);
    }
    let repository = Repository::of(project)?;
    let set = |key: &str, value: &str| {
        repository.ask(&["config", "--local", &format!("merge.{DRIVER}.{key}"), value])
    };
    set("name", "joins the closed cycles of both sides")?;
    set("driver", &command(program))?;
    Ok(true)
}

/// Removes the driver; returns whether there was one.
pub(crate) fn remove_driver(project: &Path) -> GitResult<bool> {
    let repository = match Repository::of(project) {
        Err(GitError::NoRepository(_)) => return Ok(false),
        found => found?,
    };
    let section = format!("merge.{DRIVER}");
    let is_there = repository.is(&["config", "--local", "--get-regexp", &format!("^merge\\.{DRIVER}\\.")])?;
    if is_there {
        repository.ask(&["config", "--local", "--remove-section", &section])?;
    }
    Ok(is_there)
}

/// Returns both sides of a file that git could not merge, as the index has them; `None` if git knows no conflict.
pub(crate) fn conflict_sides(project: &Path, name: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let repository = Repository::of(project).ok()?;
    let side = |stage: u8| {
        let object = format!(":{stage}:{}", repository.path(name));
        repository.bytes(&["cat-file", "blob", &object], None, b"").ok()
    };
    Some((side(2)?, side(3)?))
}

/// Returns the files that a conflict may concern.
pub(crate) const MERGED: [&str; 2] = [HISTORY, EXTENSION];
