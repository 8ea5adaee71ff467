//! One file of the spool, as a drain sees it: its lock, what of it is stored already, and what is left.
//!
//! How far a drain has come is in the name (`taken-4711-0@2048.jsonl`): a rename is atomic and needs no room on the disk.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::WAITING;
use crate::files::{is_still, open_regular};

/// How long a drain sleeps between two looks at a lock that another process has.
const NAP_INTERVAL: Duration = Duration::from_millis(1);

/// A drain has no more than this in RAM; it is longer than any line.
const MAX_CHUNK: u64 = 4 << 20;

/// A file with lines.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) path: PathBuf,
    pub(super) modified: Option<SystemTime>,
    pub(super) length: u64,
    /// The first bytes, which are in the database.
    pub(super) stored: u64,
    file: Option<File>,
}

/// Some of the lines of a file.
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    /// Whether the file ends behind them.
    pub(super) is_end: bool,
}

/// How a drain got hold of a file.
#[derive(Debug, PartialEq)]
pub(super) enum Lock {
    Alone,
    /// A process still has it open to append to, and does not finish.
    BesideWriters,
    /// Another process has the lock and keeps it.
    Refused,
    /// New lines may come to it, or another drain is done with it.
    NotOurs,
}

impl Taken {
    /// Looks at a path; `None` if it is not a file of the spool.
    pub(super) fn at(path: PathBuf) -> Option<Taken> {
        let name = path.file_name()?.to_str()?;
        if name != WAITING && !name.starts_with("taken-") {
            return None;
        }
        let stored = name.strip_suffix(".jsonl").and_then(|name| name.split_once('@'));
        let stored = stored.and_then(|(_, stored)| stored.parse().ok()).unwrap_or(0);
        let meta = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        Some(Taken { modified: meta.modified().ok(), length: meta.len(), stored, file: None, path })
    }

    /// Takes the file's lock: waits for another drain as long as the store's lock may take, for writers only briefly.
    pub(super) fn lock(&mut self, drain_timeout: Duration, writer_timeout: Duration) -> Lock {
        // New lines may come to this one until it is taken away.
        if self.path.ends_with(WAITING) {
            return Lock::NotOurs;
        }
        let file = match open_regular(&self.path, OpenOptions::new().read(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Lock::NotOurs,
            Err(_) => return Lock::Refused,
        };
        let mut waited = Duration::ZERO;
        let lock = loop {
            match file.try_lock() {
                Ok(()) => break Lock::Alone,
                Err(TryLockError::Error(_)) => return Lock::Refused,
                Err(TryLockError::WouldBlock) if waited >= writer_timeout.min(drain_timeout) => {
                    if file.try_lock_shared().is_ok() {
                        break Lock::BesideWriters;
                    }
                    if waited >= drain_timeout {
                        return if is_still(&file, &self.path) { Lock::Refused } else { Lock::NotOurs };
                    }
                }
                Err(TryLockError::WouldBlock) => {}
            }
            std::thread::sleep(NAP_INTERVAL);
            waited += NAP_INTERVAL;
        };
        if !is_still(&file, &self.path) {
            return Lock::NotOurs;
        }
        self.file = Some(file);
        lock
    }

    /// Reads the next lines that are not stored yet, of a file whose lock we have; only whole ones while there are writers.
    pub(super) fn read_chunk(&mut self, lock: &Lock) -> io::Result<Chunk> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(self.stored))?;
        let mut bytes = Vec::new();
        file.take(MAX_CHUNK).read_to_end(&mut bytes)?;
        let is_end = (bytes.len() as u64) < MAX_CHUNK;
        if !is_end || *lock == Lock::BesideWriters {
            let end = memchr::memrchr(b'\n', &bytes).map(|end| end + 1);
            match end {
                Some(end) => bytes.truncate(end),
                None if is_end => bytes.clear(),
                // No line of ours is that long: what is there is set aside piece by piece.
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

    /// Notes that more of the file is in the database.
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
