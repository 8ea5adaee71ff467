//! One file of the spool, as a drain sees it: its lock, what is already stored, and what is left.
//!
//! The progress of a drain is in the name (`taken-4711-0@2048.jsonl`): a rename is atomic and needs no disk space.
//! `taken-4711-0@2048+17.jsonl` means that the other lines are in the database too, which had assigned 17 ids by then,
//! but that a power cut may lose them. An older nudge ignores everything after the `@` and inserts all lines again.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::WAITING;
use crate::files::{is_still, open_regular};

/// How long a drain sleeps between two attempts to take a lock.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A drain reads at most this much into RAM; it is longer than any line.
const MAX_CHUNK: u64 = 4 << 20;

/// A file with lines.
#[derive(Debug)]
pub(super) struct SpoolFile {
    pub(super) path: PathBuf,
    pub(super) modified: Option<SystemTime>,
    pub(super) length: u64,
    /// How many of the first bytes are durably in the database.
    pub(super) stored: u64,
    /// If all other lines were inserted without a sync: the highest id that the database had assigned after that.
    pub(super) inserted_until: Option<i64>,
    /// Where the next chunk begins.
    pub(super) position: u64,
    file: Option<File>,
}

/// Some of the lines of a file.
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    /// Whether the file ends after them.
    pub(super) is_end: bool,
}

/// The outcome of locking a file.
#[derive(Debug, PartialEq)]
pub(super) enum SpoolLock {
    Alone,
    /// A process still has it open for appending, and does not finish.
    BesideWriters,
    /// Another process has the lock and keeps it.
    Refused,
    /// Another drain has deleted or renamed it.
    NotOurs,
}

impl SpoolFile {
    /// Returns the file at a path; `None` if it is not a spool file.
    pub(super) fn at(path: PathBuf) -> Option<SpoolFile> {
        let name = path.file_name()?.to_str()?;
        if name != WAITING && !name.starts_with("taken-") {
            return None;
        }
        let (stored, inserted_until) = parse_progress(name);
        let meta = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let (modified, length) = (meta.modified().ok(), meta.len());
        Some(SpoolFile { modified, length, stored, inserted_until, position: stored, file: None, path })
    }

    /// Returns whether new lines may be appended to this file, until it is renamed.
    pub(super) fn is_waiting(&self) -> bool {
        self.path.ends_with(WAITING)
    }

    /// Takes the file's lock: waits for another drain as long as for the store's lock, but only briefly for writers.
    pub(super) fn lock(&mut self, drain_timeout: Duration, writer_timeout: Duration) -> SpoolLock {
        let file = match open_regular(&self.path, OpenOptions::new().read(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return SpoolLock::NotOurs,
            Err(_) => return SpoolLock::Refused,
        };
        let mut waited = Duration::ZERO;
        let lock = loop {
            match file.try_lock() {
                Ok(()) => break SpoolLock::Alone,
                Err(TryLockError::Error(_)) => return SpoolLock::Refused,
                Err(TryLockError::WouldBlock) if waited >= writer_timeout.min(drain_timeout) => {
                    if file.try_lock_shared().is_ok() {
                        break SpoolLock::BesideWriters;
                    }
                    if waited >= drain_timeout {
                        return if is_still(&file, &self.path) {
                            SpoolLock::Refused
                        } else {
                            SpoolLock::NotOurs
                        };
                    }
                }
                Err(TryLockError::WouldBlock) => {}
            }
            std::thread::sleep(POLL_INTERVAL);
            waited += POLL_INTERVAL;
        };
        if !is_still(&file, &self.path) {
            return SpoolLock::NotOurs;
        }
        self.file = Some(file);
        lock
    }

    /// Reads the lines at `position`; the file must be locked. While there are writers, only whole
    /// lines.
    pub(super) fn read_chunk(&mut self, lock: &SpoolLock) -> io::Result<Chunk> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(self.position))?;
        // One byte more, so that one read finds the end.
        let rest = self.length.saturating_sub(self.position).min(MAX_CHUNK) + 1;
        let mut bytes = Vec::with_capacity(usize::try_from(rest).unwrap_or_default());
        file.take(MAX_CHUNK).read_to_end(&mut bytes)?;
        let is_end = (bytes.len() as u64) < MAX_CHUNK;
        if !is_end || *lock == SpoolLock::BesideWriters {
            let end = memchr::memrchr(b'\n', &bytes).map(|end| end + 1);
            match end {
                Some(end) => bytes.truncate(end),
                None if is_end => bytes.clear(),
                // Nudge writes no line that long: it is set aside piece by piece.
                None => {}
            }
        }
        Ok(Chunk { bytes, is_end })
    }

    /// Reads what is not stored yet, without a lock.
    pub(super) fn read_all(&self) -> io::Result<Vec<u8>> {
        let bytes = read(&self.path)?;
        let stored = usize::try_from(self.stored).unwrap_or(usize::MAX).min(bytes.len());
        Ok(bytes[stored..].to_vec())
    }

    /// Records that the database has everything before `position` durably.
    pub(super) fn note_stored(&mut self) -> io::Result<()> {
        self.rename(&format!("@{}", self.position))?;
        self.stored = self.position;
        Ok(())
    }

    /// Records that the whole file is in the database, which has assigned ids up to this one, but not durably.
    pub(super) fn note_inserted(&mut self, last_id: i64) -> io::Result<()> {
        self.rename(&format!("@{}+{last_id}", self.stored))
    }

    fn rename(&mut self, progress: &str) -> io::Result<()> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let start = name.split(['@', '.']).next().unwrap_or_default();
        let path = self.path.with_file_name(format!("{start}{progress}.jsonl"));
        fs::rename(&self.path, &path)?;
        self.path = path;
        Ok(())
    }

    /// Deletes the file: all of it is in the database.
    pub(super) fn remove(&mut self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

/// Parses how many bytes are stored, and the id up to which the rest is inserted, from a file's name.
fn parse_progress(name: &str) -> (u64, Option<i64>) {
    let Some((_, progress)) = name.strip_suffix(".jsonl").and_then(|name| name.split_once('@')) else {
        return (0, None);
    };
    let (stored, inserted_until) = progress.split_once('+').unwrap_or((progress, ""));
    (stored.parse().unwrap_or(0), inserted_until.parse().ok())
}

/// Reads a regular file.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path, OpenOptions::new().read(true))?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
