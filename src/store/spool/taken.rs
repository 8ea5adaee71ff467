//! One file of the spool, as a drain sees it: its lock, what is already stored, and what is left.
//!
//! The progress of a drain is in the name (`taken-4711-0@2048.jsonl`): a rename is atomic and needs no disk space.

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
    /// How many of the first bytes are already in the database.
    pub(super) stored: u64,
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
    /// New lines may still be appended, or another drain has finished it.
    NotOurs,
}

impl SpoolFile {
    /// Returns the file at a path; `None` if it is not a spool file.
    pub(super) fn at(path: PathBuf) -> Option<SpoolFile> {
        let name = path.file_name()?.to_str()?;
        if name != WAITING && !name.starts_with("taken-") {
            return None;
        }
        let stored = name.strip_suffix(".jsonl").and_then(|name| name.split_once('@'));
        let stored = stored.and_then(|(_, stored)| stored.parse().ok()).unwrap_or(0);
        let meta = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        Some(SpoolFile { modified: meta.modified().ok(), length: meta.len(), stored, file: None, path })
    }

    /// Takes the file's lock: waits for another drain as long as for the store's lock, but only briefly for writers.
    pub(super) fn lock(&mut self, drain_timeout: Duration, writer_timeout: Duration) -> SpoolLock {
        // New lines may be appended to this one until it is renamed.
        if self.path.ends_with(WAITING) {
            return SpoolLock::NotOurs;
        }
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

    /// Reads the next lines that are not stored yet; the file must be locked. While there are writers, only whole
    /// lines.
    pub(super) fn read_chunk(&mut self, lock: &SpoolLock) -> io::Result<Chunk> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(self.stored))?;
        let mut bytes = Vec::new();
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

    /// Records that more of the file is in the database.
    pub(super) fn note_stored(&mut self, bytes: u64) -> io::Result<()> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let start = name.split(['@', '.']).next().unwrap_or_default();
        let stored = self.stored + bytes;
        let path = self.path.with_file_name(format!("{start}@{stored}.jsonl"));
        fs::rename(&self.path, &path)?;
        (self.path, self.stored) = (path, stored);
        Ok(())
    }

    /// Deletes the file: all of it is in the database.
    pub(super) fn remove(&mut self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

/// Reads a regular file.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path, OpenOptions::new().read(true))?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
