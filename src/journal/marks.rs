//! Marks of a session: what was said once and must not be said again.
//!
//! One small file for each session; it is deleted when the session ends, or after a week.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::paths;
use crate::files;
use crate::model::SessionId;
use crate::system::clock;

/// How long a hook waits for another one that sets marks at the same time.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(100);
/// Maximum size of a session's file: fifty thousand marks.
const MAX_BYTES: u64 = 1 << 20;
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Sets the marks and returns, for each, whether it is new. Without a session, or if nothing can be stored, all are
/// new.
pub(crate) fn set(session: Option<&SessionId>, marks: &[String], timeout: Duration) -> Vec<bool> {
    let Some(path) = session.and_then(path) else { return vec![true; marks.len()] };
    let names = || marks.iter().map(|mark| set_name(&path, &hash(mark))).collect();
    set_in(&path, marks, timeout).unwrap_or_else(|_| names())
}

/// Returns whether a mark is set, without setting it.
pub(crate) fn is_set(session: &SessionId, mark: &str) -> bool {
    let Some(path) = path(session) else { return false };
    let mark = hash(mark);
    let text = files::read_regular(&path, MAX_BYTES).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().any(|line| line == mark) || path.with_extension(mark).exists()
}

/// Returns the name under which a session keeps marks that end before it does.
pub(crate) fn of_part(session: &SessionId, part: SessionPart) -> SessionId {
    SessionId(format!("{} {}", session.0, part.name()))
}

/// A part of a session that has marks of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SessionPart {
    /// What the agent has in its context: until it compacts or clears it.
    Context,
    /// Until the agent stops without a hook that keeps it going.
    Turn,
}

impl SessionPart {
    fn name(self) -> &'static str {
        match self {
            SessionPart::Context => "context",
            SessionPart::Turn => "turn",
        }
    }
}

/// Deletes the marks of a part of a session, because the next such part begins.
pub(crate) fn begin_part(session: &SessionId, part: SessionPart) {
    if let Some(path) = path(&of_part(session, part)) {
        drop(fs::remove_file(path));
    }
}

/// Deletes the marks of a session.
pub(crate) fn forget(session: &SessionId) {
    for part in [SessionPart::Context, SessionPart::Turn] {
        begin_part(session, part);
    }
    let Some(path) = path(session) else { return };
    drop(fs::remove_file(&path));
    let Some(entries) = path.parent().and_then(|folder| fs::read_dir(folder).ok()) else { return };
    for entry in entries.flatten().filter(|entry| entry.path().with_extension("") == path) {
        drop(fs::remove_file(entry.path()));
    }
}

/// Deletes the marks of sessions that ended without an event.
pub(crate) fn sweep() {
    let Some(folder) = folder() else { return };
    // A full disk has no room for a folder, and takes the name of an empty file in one that is there.
    drop(files::make_private_dir(&folder));
    let Ok(entries) = fs::read_dir(folder) else { return };
    let modified = |entry: fs::DirEntry| Some((entry.path(), entry.metadata().ok()?.modified().ok()?));
    let files: Vec<_> = entries.flatten().filter_map(modified).collect();
    // Their age is counted from the newest one: a wrong clock today must not delete today's sessions.
    let now = clock::now();
    let Some(newest) = files.iter().map(|(_, at)| *at).filter(|at| *at <= now).max() else { return };
    for (path, at) in files {
        if newest.duration_since(at).is_ok_and(|age| age > MAX_AGE) {
            drop(fs::remove_file(path));
        }
    }
}

/// Sets a mark as the name of an empty file, without writing a byte: that works on a full disk.
fn set_name(path: &Path, mark: &str) -> bool {
    let made = files::private_file().write(true).create_new(true).open(path.with_extension(mark));
    !made.is_err_and(|error| error.kind() == std::io::ErrorKind::AlreadyExists)
}

/// Reads and writes under a lock: hooks of parallel tool calls run at once, and only one of them may speak.
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

/// A session's name comes from outside, so it is hashed and not used in a path.
pub(super) fn path(session: &SessionId) -> Option<PathBuf> {
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
