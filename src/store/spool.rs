//! The spool in front of the database: a hook only appends a line, and every reader first stores the waiting lines.
//!
//! Nothing is lost, whichever process is killed or stopped when. A writer holds a shared lock on the file it appends
//! to; a drain renames the file away, waits for those writers, stores the lines durably and only then deletes the file.
//! A writer that opened the file just before it was renamed finds it locked or gone, and starts over with the new one.
//! Each line has a checksum, so that a torn line is recognized; it is set aside, not thrown away.

mod append;
mod rejected;
mod reserve;
mod taken;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use taken::{SpoolFile, SpoolLock};

use super::{Result, Store};
use crate::files::{open_regular, private_file};
use crate::model::{Inserted, NewObservation};

/// The folder of spool files.
#[derive(Debug, Clone)]
pub(crate) struct Spool {
    folder: PathBuf,
}

/// The result of a drain.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Drained {
    pub(crate) inserted: Inserted,
    /// Lines that were torn or not written by nudge; they are kept in `rejected.jsonl`.
    pub(crate) rejected: usize,
    /// Files that another process keeps locked; their lines wait.
    pub(crate) skipped: usize,
}

/// How much of the spool a drain stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What a hook has time for; the next drain continues where it stopped.
    Batch,
    All,
}

const WAITING: &str = "waiting.jsonl";
const REJECTED: &str = "rejected.jsonl";
/// The lines of one transaction: a turn has fewer, and storing this many takes no noticeable time.
const MAX_BATCH: usize = 1_000;
/// How long a drain waits for writers. An append takes microseconds, so a writer that is not done by then is stopped.
const WRITER_TIMEOUT: Duration = Duration::from_millis(50);

impl Spool {
    pub(crate) fn new(folder: PathBuf) -> Spool {
        Spool { folder }
    }

    /// Returns how many bytes are waiting.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        let lengths = self.files().into_iter().map(|taken| taken.length.saturating_sub(taken.stored));
        lengths.sum()
    }

    /// Counts the events that are waiting.
    pub(crate) fn waiting_events(&self) -> usize {
        let count = |taken: SpoolFile| taken.read_all().map_or(0, |bytes| parse_lines(&bytes).0.len());
        self.files().into_iter().map(count).sum()
    }

    /// Returns how many lines could not be read; they are kept for inspection.
    pub(crate) fn rejected_lines(&self) -> usize {
        let read = taken::read(&self.folder.join(REJECTED));
        read.map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
    }

    /// Stores the waiting lines durably.
    pub(crate) fn drain_into(&self, store: &mut Store, extent: Extent) -> Result<Drained> {
        let mut drained = Drained::default();
        let mut room = if extent == Extent::All { usize::MAX } else { MAX_BATCH };
        self.take_waiting()?;
        for mut taken in self.files() {
            if room == 0 {
                break;
            }
            // Another process may be draining this file: a reader must see what that process stores.
            let lock = taken.lock(store.lock_timeout, WRITER_TIMEOUT);
            match lock {
                SpoolLock::Alone | SpoolLock::BesideWriters => {
                    self.store_lines(&mut taken, &lock, store, &mut room, &mut drained)?;
                }
                SpoolLock::Refused => drained.skipped += 1,
                SpoolLock::NotOurs => {}
            }
        }
        self.keep_reserve();
        Ok(drained)
    }

    /// Stores the lines of a file, batch by batch; deletes the file when everything is stored and nobody can append to
    /// it.
    fn store_lines(
        &self,
        taken: &mut SpoolFile,
        lock: &SpoolLock,
        store: &mut Store,
        room: &mut usize,
        drained: &mut Drained,
    ) -> Result<()> {
        loop {
            let chunk = taken.read_chunk(lock)?;
            if chunk.bytes.is_empty() {
                break;
            }
            let mut rest = chunk.bytes.as_slice();
            while !rest.is_empty() {
                if *room == 0 {
                    return Ok(());
                }
                let (batch, behind) = split_batch(rest, MAX_BATCH.min(*room));
                let (observations, torn) = parse_lines(batch);
                *room = room.saturating_sub(observations.len().max(1));
                drained.add(store.insert_durably(&observations)?);
                if !torn.is_empty() {
                    self.set_aside(&torn)?;
                    drained.rejected += torn.len();
                }
                rest = behind;
                let is_last = rest.is_empty() && chunk.is_end && *lock == SpoolLock::Alone;
                if is_last {
                    return Ok(taken.remove()?);
                }
                taken.note_stored(batch.len() as u64)?;
            }
        }
        if *lock == SpoolLock::Alone { Ok(taken.remove()?) } else { Ok(()) }
    }

    fn set_aside(&self, lines: &[&[u8]]) -> io::Result<()> {
        let path = self.folder.join(REJECTED);
        let mut file = open_regular(&path, private_file().append(true).create(true))?;
        for line in lines {
            file.write_all(line)?;
            file.write_all(b"\n")?;
        }
        // The only other copy of these lines is about to be deleted.
        file.sync_data()
    }

    /// Renames the waiting file, so that new lines go to another.
    fn take_waiting(&self) -> io::Result<()> {
        match fs::rename(self.folder.join(WAITING), self.new_name()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            renamed => renamed,
        }
    }

    /// Returns a path for a file with lines that nobody appends to.
    fn new_name(&self) -> PathBuf {
        loop {
            let path = self.folder.join(format!("taken-{}-{}.jsonl", std::process::id(), unique()));
            // An earlier process with the same id may have left one behind.
            if !path.exists() {
                return path;
            }
        }
    }

    /// Returns the files with lines, oldest first; anything that is not a regular file is ignored.
    fn files(&self) -> Vec<SpoolFile> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut files: Vec<SpoolFile> =
            entries.flatten().filter_map(|entry| SpoolFile::at(entry.path())).collect();
        files.sort_unstable_by(|one, other| (one.modified, &one.path).cmp(&(other.modified, &other.path)));
        files
    }
}

impl Drained {
    fn add(&mut self, inserted: Inserted) {
        self.inserted.stored += inserted.stored;
        self.inserted.duplicates += inserted.duplicates;
    }
}

/// Splits the bytes after the first `max_lines` lines.
fn split_batch(bytes: &[u8], max_lines: usize) -> (&[u8], &[u8]) {
    // An append ends in a line break and begins with one, so every other line is empty.
    let end = memchr::memchr_iter(b'\n', bytes).nth(2 * max_lines - 1);
    bytes.split_at(end.map_or(bytes.len(), |end| end + 1))
}

/// Parses the lines of a spool file into observations and unreadable lines.
fn parse_lines(bytes: &[u8]) -> (Vec<NewObservation>, Vec<&[u8]>) {
    let (mut observations, mut torn) = (Vec::new(), Vec::new());
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match parse_line(line) {
            Some(observation) => observations.push(observation),
            None => torn.push(line),
        }
    }
    (observations, torn)
}

fn parse_line(line: &[u8]) -> Option<NewObservation> {
    let (sum, json) = line.split_at_checked(9)?;
    let sum = std::str::from_utf8(sum.strip_suffix(b" ")?).ok()?;
    (u32::from_str_radix(sum, 16).ok()? == checksum(json)).then(|| serde_json::from_slice(json).ok())?
}

/// 32-bit FNV-1a.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum: u32, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// Returns a number that no other drain of this process has used.
fn unique() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests;
