//! Changes that wait for the lock: `.nexus/state/{harness}/waiting.jsonl`, one line for each change that a hook could
//! not make.
//!
//! An agent waits for its hooks, so a hook that cannot get the lock quickly leaves its change here and continues. The
//! next lock holder makes it, before its own changes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::crash::step;
use super::state_file::{Flush, Locked};
use super::{Nexus, NexusError, Result, contained};
use crate::files::{is_still, open_regular, read_regular};

/// Maximum size of the file: a process that keeps the lock for that long will not release it.
const MAX_BYTES: u64 = 1 << 20;
/// A file with more lines, or with twice the bytes, was not written by nudge.
const MAX_LINES: usize = 10_000;
/// Maximum number and total size of the changes that are made at once: an agent waits for them.
const MAX_LOT: usize = 100;
const MAX_LOT_BYTES: usize = 64 << 10;
/// How often a file is opened again that another process has just moved away.
const MAX_TRIES: usize = 5;

impl Nexus {
    /// Leaves a change for the next lock holder.
    pub(crate) fn defer(&self, harness: &str, change: &impl Serialize) -> Result<()> {
        let name = file(harness);
        let failed = |source| NexusError::Io { action: "write", file: name.clone(), source };
        let mut line = serde_json::to_vec(change).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let path = self.path(&name);
        contained::make_folders(self.base(&name), Path::new(&name).parent().unwrap_or(Path::new("")), &name)?;
        contained::refuse_link(&path, &name)?;
        for _ in 0..MAX_TRIES {
            let mut file = open_regular(&path, File::options().append(true).create(true)).map_err(failed)?;
            // A process that moves the file away waits for this lock, so no line is lost.
            if file.try_lock_shared().is_ok() && is_still(&file, &path) {
                if file.metadata().map_err(failed)?.len() > MAX_BYTES {
                    return Err(failed(io::ErrorKind::FileTooLarge.into()));
                }
                return file.write_all(&line).map_err(failed);
            }
        }
        Err(failed(io::ErrorKind::WouldBlock.into()))
    }

    /// Returns whether changes are waiting.
    pub(crate) fn has_waiting(&self, harness: &str) -> bool {
        [file(harness), taken(harness)].iter().any(|name| fs::symlink_metadata(self.path(name)).is_ok())
    }

    /// Returns the waiting changes without removing them; a line that cannot be parsed is skipped.
    pub(crate) fn waiting<T: DeserializeOwned>(&self, harness: &str) -> Vec<T> {
        let files = [taken(harness), file(harness)];
        let sound = files.iter().filter(|name| why_bad(&self.path(name)).is_none());
        sound.flat_map(|name| parse_changes(&self.bytes(name).ok().flatten().unwrap_or_default())).collect()
    }
}

/// Whether changes are still waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    None,
    Some,
}

impl Locked<'_> {
    /// Makes the waiting changes in order, as many as one hook has time for. It does not wait for a process that is
    /// still writing one.
    ///
    /// The changes of one lot are removed from the file before the next lot: a process that is killed halfway causes at
    /// most one lot to be repeated. A file that nudge did not write is set aside and reported.
    pub(crate) fn make_waiting<T: DeserializeOwned>(
        &self,
        harness: &str,
        at: &str,
        mut make: impl FnMut(&[T]) -> Result<()>,
    ) -> (Rest, Result<()>) {
        let mut made = Ok(());
        let away = taken(harness);
        // The first file was taken by a process that was killed before it was done.
        for name in [taken(harness), file(harness)] {
            let taken = self.take(&name, &away, at);
            let lot = taken.and_then(|aside| Ok((aside, self.make_lot(&away, &mut make)?)));
            match lot {
                Ok((aside, (rest, lot))) => {
                    made = made.and(aside.map_or(Ok(()), Err)).and(lot);
                    if rest == Rest::Some {
                        return (rest, made);
                    }
                }
                Err(error) => return (Rest::None, made.and(Err(error))),
            }
        }
        (Rest::None, made)
    }

    /// Renames a file to mark its changes as being made; returns the reason if it was set aside instead.
    fn take(&self, name: &str, away: &str, at: &str) -> Result<Option<NexusError>> {
        let path = self.nexus().path(name);
        let Some(folder) = path.parent().filter(|folder| folder.is_dir()) else { return Ok(None) };
        contained::require_within(folder, self.nexus().base(name), name)?;
        if let Some(reason) = why_bad(&path) {
            let aside = Some(self.set_aside(name, at)?);
            return Ok(Some(NexusError::Malformed { file: name.to_owned(), reason, aside }));
        }
        if name != away && path.exists() {
            let failed = |source| NexusError::Io { action: "take", file: name.to_owned(), source };
            fs::rename(&path, self.nexus().path(away)).map_err(failed)?;
        }
        Ok(None)
    }

    /// Makes the first changes of a file, and leaves the others in it.
    fn make_lot<T: DeserializeOwned>(
        &self,
        name: &str,
        make: &mut impl FnMut(&[T]) -> Result<()>,
    ) -> Result<(Rest, Result<()>)> {
        let path = self.nexus().path(name);
        let failed = |source| NexusError::Io { action: "take", file: name.to_owned(), source };
        let Some(bytes) = self.nexus().bytes(name)? else { return Ok((Rest::None, Ok(()))) };
        let file = open_regular(&path, File::options().write(true)).map_err(failed)?;
        if file.try_lock().is_err() {
            return Ok((Rest::Some, Ok(())));
        }
        // Read after taking the lock: now no process writes to it.
        let bytes = self.nexus().bytes(name)?.unwrap_or(bytes);
        let (lot, rest) = first_lot(&bytes);
        let made = make(&lot);
        step("made a lot");
        if rest.is_empty() {
            fs::remove_file(&path).map_err(failed)?;
            return Ok((Rest::None, made));
        }
        self.replace(name, rest, Flush::Later)?;
        Ok((Rest::Some, made))
    }
}

/// Returns why nudge cannot have written this file; `None` if it does not exist.
fn why_bad(path: &Path) -> Option<String> {
    let meta = fs::symlink_metadata(path).ok()?;
    if !meta.is_file() {
        return Some("it is not a regular file".to_owned());
    }
    let too_long = || Some("it is too long".to_owned());
    if meta.len() > 2 * MAX_BYTES {
        return too_long();
    }
    let lines = read_regular(path, 2 * MAX_BYTES)
        .map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count());
    if lines > MAX_LINES { too_long() } else { None }
}

/// Separates the changes of the next lot from the remaining lines; a line that cannot be parsed is skipped.
fn first_lot<T: DeserializeOwned>(bytes: &[u8]) -> (Vec<T>, &[u8]) {
    let (mut lot, mut rest, mut size) = (Vec::new(), bytes, 0);
    while !rest.is_empty() && lot.len() < MAX_LOT && size < MAX_LOT_BYTES {
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        let (line, others) = rest.split_at(end);
        rest = others;
        if let Ok(change) = serde_json::from_slice(line) {
            lot.push(change);
            size += line.len();
        }
    }
    (lot, rest)
}

fn parse_changes<T: DeserializeOwned>(bytes: &[u8]) -> Vec<T> {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

fn file(harness: &str) -> String {
    format!(".nexus/state/{harness}/waiting.jsonl")
}

/// The file whose changes the lock holder is making.
fn taken(harness: &str) -> String {
    format!(".nexus/state/{harness}/waiting.taken.jsonl")
}

#[cfg(test)]
mod tests;
