//! The spool in front of the database: a hook appends a line and is done, and whoever reads brings the lines in first.
//!
//! Nothing is lost, whichever process is killed or stopped when. A writer holds a shared lock on the file it appends to;
//! a drain renames the file away, waits for those writers, stores the lines durably and only then deletes the file. A
//! writer that opened the file just before it was renamed finds it locked or gone, and starts over with the new one.
//! Each line carries a checksum, so that a torn one is told from a whole one; it is set aside, not thrown away.

mod append;
mod rejected;
mod reserve;
mod taken;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use taken::{Lock, Taken};

use super::{Result, Store};
use crate::files::{open_regular, private_file};
use crate::model::{Inserted, NewObservation};

/// The folder of spool files.
#[derive(Debug, Clone)]
pub(crate) struct Spool {
    folder: PathBuf,
}

/// What draining brought in.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Drained {
    pub(crate) inserted: Inserted,
    /// Lines that were torn or not ours; they are kept in `rejected`.
    pub(crate) rejected: usize,
    /// Files that another process keeps locked; their lines wait.
    pub(crate) skipped: usize,
}

/// How much of the spool a drain brings in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What a hook has time for; the next drain continues where it stopped.
    Batch,
    All,
}

const WAITING: &str = "waiting.jsonl";
const REJECTED: &str = "rejected.jsonl";
/// The lines of one transaction: a turn has fewer, and this many are stored before anybody notices.
const MAX_BATCH: usize = 1_000;
/// How long a drain waits for writers. An append takes microseconds, so a writer that is not done by then is stopped.
const WRITER_TIMEOUT: Duration = Duration::from_millis(50);

impl Spool {
    pub(crate) fn new(folder: PathBuf) -> Spool {
        Spool { folder }
    }

    /// Returns how many bytes wait.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        let lengths = self.files().into_iter().map(|taken| taken.length.saturating_sub(taken.stored));
        lengths.sum()
    }

    /// Counts the events that wait.
    pub(crate) fn waiting_events(&self) -> usize {
        let count = |taken: Taken| taken.read_all().map_or(0, |bytes| parse(&bytes).0.len());
        self.files().into_iter().map(count).sum()
    }

    /// Returns how many lines could not be read, and are kept for a look.
    pub(crate) fn rejected_lines(&self) -> usize {
        let read = taken::read(&self.folder.join(REJECTED));
        read.map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
    }

    /// Brings what waits into the store, durably.
    pub(crate) fn drain_into(&self, store: &mut Store, extent: Extent) -> Result<Drained> {
        let mut drained = Drained::default();
        let mut room = if extent == Extent::All { usize::MAX } else { MAX_BATCH };
        self.take_waiting()?;
        for mut taken in self.files() {
            if room == 0 {
                break;
            }
            // Another process may be draining this file: a reader must see what that process brings in.
            let lock = taken.lock(store.patience, WRITER_TIMEOUT);
            match lock {
                Lock::Alone | Lock::BesideWriters => {
                    self.store_lines(&mut taken, &lock, store, &mut room, &mut drained)?;
                }
                Lock::Refused => drained.skipped += 1,
                Lock::NotOurs => {}
            }
        }
        self.keep_reserve();
        Ok(drained)
    }

    /// Stores the lines of a file, batch by batch; it is deleted if nothing is left of it and nobody can add to it.
    fn store_lines(
        &self,
        taken: &mut Taken,
        lock: &Lock,
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
                let (observations, torn) = parse(batch);
                *room = room.saturating_sub(observations.len().max(1));
                drained.add(store.insert_durably(&observations)?);
                if !torn.is_empty() {
                    self.set_aside(&torn)?;
                    drained.rejected += torn.len();
                }
                rest = behind;
                let is_last = rest.is_empty() && chunk.is_end && *lock == Lock::Alone;
                if is_last {
                    return Ok(taken.remove()?);
                }
                taken.note_stored(batch.len() as u64)?;
            }
        }
        if *lock == Lock::Alone { Ok(taken.remove()?) } else { Ok(()) }
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

    /// Renames the file that waits, so that new lines go to another.
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
            // A process of the same number may have left one behind.
            if !path.exists() {
                return path;
            }
        }
    }

    /// Returns the files with lines, the oldest first; what is not a regular file is not one of ours.
    fn files(&self) -> Vec<Taken> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut files: Vec<Taken> = entries.flatten().filter_map(|entry| Taken::at(entry.path())).collect();
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

/// Splits the lines behind the first few of them.
fn split_batch(bytes: &[u8], most: usize) -> (&[u8], &[u8]) {
    // An append ends in a line break and begins with one, so every other line is empty.
    let end = memchr::memchr_iter(b'\n', bytes).nth(2 * most - 1);
    bytes.split_at(end.map_or(bytes.len(), |end| end + 1))
}

/// Reads the lines of a spool file: the observations, and the lines that are none.
fn parse(bytes: &[u8]) -> (Vec<NewObservation>, Vec<&[u8]>) {
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

/// FNV-1a of 32 bits.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum: u32, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// A name that no other drain of this process has used.
fn unique() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests;
