//! The spool in front of the database: a hook appends a line and is done, and whoever reads brings the lines in first.
//!
//! Nothing is lost, whoever is killed when. A writer holds a shared lock on the file it appends to; who drains renames
//! the file away, waits for those writers, stores everything in one transaction and only then deletes it. A writer that
//! opened the file just before it was renamed finds it locked or gone, and starts over with the new one.
//! Each line carries a checksum, so that a torn one is told from a whole one; it is set aside, not thrown away.

mod rejected;

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use super::{Result, Store};
use crate::files::{is_still, make_private_dir, private_file};
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
}

const WAITING: &str = "waiting.jsonl";
const REJECTED: &str = "rejected.jsonl";
/// A writer that finds the file taken away so often gives up; that would take a drain between every two of its steps.
const ATTEMPTS: usize = 100;
/// How long who drains sleeps between two looks at a file that somebody else is draining.
const NAP: Duration = Duration::from_millis(1);

impl Spool {
    pub(crate) fn new(folder: PathBuf) -> Spool {
        Spool { folder }
    }

    /// Appends observations in one write; when this returns, they are safe.
    pub(crate) fn append(&self, observations: &[NewObservation]) -> io::Result<()> {
        if observations.is_empty() {
            return Ok(());
        }
        let mut lines = Vec::new();
        for observation in observations {
            let json = serde_json::to_vec(observation)?;
            lines.extend_from_slice(format!("{:08x} ", checksum(&json)).as_bytes());
            lines.extend_from_slice(&json);
            lines.push(b'\n');
        }
        for _ in 0..ATTEMPTS {
            if let Some(mut file) = self.open_waiting()? {
                return append_whole(&mut file, &lines);
            }
        }
        Err(io::Error::other("the spool was taken away again and again"))
    }

    /// Returns how many bytes wait.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        self.files().iter().filter_map(|path| fs::metadata(path).ok()).map(|meta| meta.len()).sum()
    }

    /// Returns how many lines could not be read, and are kept for a look.
    pub(crate) fn rejected_lines(&self) -> usize {
        fs::read(self.folder.join(REJECTED))
            .map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
    }

    /// Brings everything that waits into the store.
    pub(crate) fn drain_into(&self, store: &mut Store) -> Result<Drained> {
        let mut drained = Drained::default();
        self.take_waiting()?;
        for path in self.files().iter().filter(|path| path.file_name().is_some_and(|name| name != WAITING)) {
            // Somebody else may be at it: what they bring in is there when they let go, and a reader must see it.
            let Ok(mut file) = File::open(path) else { continue };
            if !locks_within(&file, store.patience) || !is_still(&file, path) {
                continue;
            }
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            let (observations, torn) = parse(&bytes);
            let inserted = store.insert_batch(&observations)?;
            drained.inserted.stored += inserted.stored;
            drained.inserted.duplicates += inserted.duplicates;
            if !torn.is_empty() {
                self.set_aside(&torn)?;
                drained.rejected += torn.len();
            }
            fs::remove_file(path)?;
        }
        Ok(drained)
    }

    /// Opens the file that waits and locks it against being drained; `None` if it was taken away in between.
    fn open_waiting(&self) -> io::Result<Option<File>> {
        let path = self.folder.join(WAITING);
        let file = match private_file().append(true).read(true).create(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_private_dir(&self.folder)?;
                private_file().append(true).read(true).create(true).open(&path)?
            }
            opened => opened?,
        };
        match file.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Where the file system knows no locks, there is no better than to go on.
            Err(TryLockError::Error(_)) => return Ok(Some(file)),
        }
        Ok(is_still(&file, &path).then_some(file))
    }

    /// Renames the file that waits, so that new lines go to another, and waits for those who are writing to it.
    fn take_waiting(&self) -> io::Result<()> {
        let path = self.folder.join(WAITING);
        let name = || self.folder.join(format!("taken-{}-{}.jsonl", std::process::id(), unique()));
        // A process of the same number may have left one behind.
        let Some(taken) = std::iter::repeat_with(name).find(|taken| !taken.exists()) else { return Ok(()) };
        match fs::rename(&path, &taken) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            renamed => renamed?,
        }
        // An append takes microseconds; the lock is free again before the next statement.
        match File::open(&taken).and_then(|file| file.lock()) {
            // Another drain has been faster, and has stored and deleted it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            locked => locked,
        }
    }

    fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let names = entries.flatten().map(|entry| entry.path());
        let ours = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name == WAITING || name.starts_with("taken-")
        };
        let mut files: Vec<PathBuf> = names.filter(ours).collect();
        files.sort_unstable();
        files
    }

    fn set_aside(&self, lines: &[&[u8]]) -> io::Result<()> {
        let mut file = private_file().append(true).create(true).open(self.folder.join(REJECTED))?;
        for line in lines {
            file.write_all(line)?;
            file.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// Takes the lock on a file, and waits for it at most so long.
fn locks_within(file: &File, patience: Duration) -> bool {
    let mut naps = patience.as_millis() / NAP.as_millis();
    loop {
        match file.try_lock() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) if naps > 0 => {
                naps -= 1;
                std::thread::sleep(NAP);
            }
            Err(_) => return false,
        }
    }
}

/// Writes all or nothing: what a full disk cut short is taken back.
fn append_whole(file: &mut File, lines: &[u8]) -> io::Result<()> {
    let written = file.write(lines)?;
    if written == lines.len() {
        return Ok(());
    }
    // The start of a line without its end must not run into the next one.
    let finished = file.write_all(&lines[written..]);
    if finished.is_err() {
        drop(file.write_all(b"\n"));
    }
    finished
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
