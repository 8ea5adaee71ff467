//! The spool in front of the database: a hook only appends a line, and every reader first stores the waiting lines.
//!
//! Nothing is lost, whichever process is killed or stopped when. A writer holds a shared lock on the file it appends
//! to; a drain renames the file away, waits for those writers, stores the lines durably and only then deletes the file.
//! A writer that opened the file just before it was renamed finds it locked or gone, and starts over with the new one.
//! Each line has a checksum, so that a torn line is recognized; it is set aside, not thrown away.

mod append;
mod drain;
mod rejected;
mod reserve;
mod taken;

use std::fs;
use std::path::PathBuf;

use taken::SpoolFile;

use crate::model::{Inserted, NewObservation, Told};

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
    /// A batch, without waiting for the disk: readers see its rows, and its files stay until a durable drain.
    Unsynced,
    /// What a hook has time for; the next drain continues where it stopped.
    Batch,
    All,
}

const WAITING: &str = "waiting.jsonl";
const REJECTED: &str = "rejected.jsonl";
/// The lines of one transaction: a turn has fewer, and storing this many takes no noticeable time.
const MAX_BATCH: usize = 1_000;

impl Spool {
    pub(crate) fn new(folder: PathBuf) -> Spool {
        Spool { folder }
    }

    /// Returns whether a durable drain has anything to do.
    pub(crate) fn has_lines(&self) -> bool {
        self.files().iter().any(|file| file.length > file.stored)
    }

    /// Returns whether the next line is the first of a file.
    pub(crate) fn is_at_beginning(&self) -> bool {
        fs::metadata(self.folder.join(WAITING)).map_or(true, |file| file.len() == 0)
    }

    /// Returns how many bytes are waiting.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        self.waiting_files().map(|file| file.length.saturating_sub(file.stored)).sum()
    }

    /// Counts the events that are waiting.
    pub(crate) fn waiting_events(&self) -> usize {
        let count =
            |file: SpoolFile| file.read_all().map_or(0, |bytes| parse_lines(&bytes).observations.len());
        self.waiting_files().map(count).sum()
    }

    /// Returns the files with lines that are not in the database.
    fn waiting_files(&self) -> impl Iterator<Item = SpoolFile> {
        self.files().into_iter().filter(|file| file.inserted_until.is_none())
    }

    /// Returns how many lines could not be read; they are kept for inspection.
    pub(crate) fn rejected_lines(&self) -> usize {
        let read = taken::read(&self.folder.join(REJECTED));
        read.map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
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

/// The lines of a spool file.
#[derive(Default)]
struct ParsedLines<'b> {
    observations: Vec<NewObservation>,
    told: Vec<Told>,
    /// Lines that cannot be read.
    torn: Vec<&'b [u8]>,
}

fn parse_lines(bytes: &[u8]) -> ParsedLines<'_> {
    let mut lines = ParsedLines::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match parse_line(line) {
            Some(Line::Observation(observation)) => lines.observations.push(*observation),
            Some(Line::Told(told)) => lines.told.push(told),
            None => lines.torn.push(line),
        }
    }
    lines
}

enum Line {
    Observation(Box<NewObservation>),
    Told(Told),
}

fn parse_line(line: &[u8]) -> Option<Line> {
    let json = checked(line)?;
    if json.starts_with(b"{\"told\":") {
        return serde_json::from_slice::<ReadToldLine>(json).ok().map(|line| Line::Told(line.told));
    }
    serde_json::from_slice(json).ok().map(|observation| Line::Observation(Box::new(observation)))
}

/// Returns the JSON of a line that is whole.
fn checked(line: &[u8]) -> Option<&[u8]> {
    let (sum, json) = line.split_at_checked(9)?;
    let sum = std::str::from_utf8(sum.strip_suffix(b" ")?).ok()?;
    (u32::from_str_radix(sum, 16).ok()? == checksum(json)).then_some(json)
}

/// A line that says what an agent was told; all others are observations.
#[derive(serde::Serialize)]
struct ToldLine<'t> {
    told: &'t Told,
}

#[derive(serde::Deserialize)]
struct ReadToldLine {
    told: Told,
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
