//! Marks of a session: what has been said once and is not to be said again.
//!
//! One small file for each session; it goes when the session ends, or after a week.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{clock, paths};
use crate::files;
use crate::model::SessionId;

/// How long a hook waits for another one that sets marks at the same time.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(100);
/// The largest file of a session: fifty thousand marks.
const MAX_BYTES: u64 = 1 << 20;
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Sets the marks and returns, for each, whether it is new. Without a session, or if nothing can be kept, all are new.
pub(crate) fn set(session: Option<&SessionId>, marks: &[String], timeout: Duration) -> Vec<bool> {
    let Some(path) = session.and_then(path) else { return vec![true; marks.len()] };
    set_in(&path, marks, timeout).unwrap_or_else(|_| vec![true; marks.len()])
}

/// Forgets a session.
pub(crate) fn forget(session: &SessionId) {
    if let Some(path) = path(session) {
        drop(fs::remove_file(path));
    }
}

/// Forgets the sessions that ended without saying so.
pub(crate) fn sweep() {
    let Some(entries) = folder().and_then(|folder| fs::read_dir(folder).ok()) else { return };
    for entry in entries.flatten() {
        let age = entry
            .metadata()
            .and_then(|meta| meta.modified())
            .ok()
            .and_then(|at| clock::now().duration_since(at).ok());
        if age.is_some_and(|age| age > KEPT) {
            drop(fs::remove_file(entry.path()));
        }
    }
}

/// Read and written under a lock: hooks of parallel tool calls run at once, and only one of them may speak.
fn set_in(path: &Path, marks: &[String], timeout: Duration) -> std::io::Result<Vec<bool>> {
    files::make_private_dir(path.parent().unwrap_or(path))?;
    let mut file = files::lock(path, files::private_file().read(true).append(true).create(true), timeout)?;
    let text = files::read_up_to(&file, MAX_BYTES)?;
    let text = String::from_utf8_lossy(&text);
    let mut fresh = Vec::new();
    let mut added = String::new();
    for mark in marks.iter().map(|mark| hash(mark)) {
        let new = !text.lines().chain(added.lines()).any(|line| line == mark);
        if new {
            added.push_str(&mark);
            added.push('\n');
        }
        fresh.push(new);
    }
    if !added.is_empty() {
        file.write_all(added.as_bytes())?;
    }
    Ok(fresh)
}

/// A session's name comes from outside, so it is no part of a path.
fn path(session: &SessionId) -> Option<PathBuf> {
    Some(folder()?.join(hash(&session.0)))
}

fn folder() -> Option<PathBuf> {
    Some(paths::data_dir()?.join("sessions"))
}

fn hash(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
