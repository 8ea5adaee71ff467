//! The two locks: one for the PRIMARY, one for all servers.
//!
//! The PRIMARY has `server.lock`; PROXYs wait for it, and the kernel wakes one of them as soon as it is free. Every
//! server has a shared `members.lock`: a server that gets it exclusively is the first or the last one, and removes what
//! the group left. Lock files are removed too, so after taking a lock a server checks that the file still has that
//! name.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use super::folder::{Folder, MEMBERS, PRIMACY};
use crate::files::private_file;

/// The lock of the PRIMARY, until it is dropped.
#[derive(Debug)]
pub(crate) struct Primacy {
    _file: File,
}

/// The shared lock of a running server, until it is dropped.
#[derive(Debug)]
pub(crate) struct Membership {
    folder: Folder,
    file: File,
}

impl Primacy {
    /// Becomes PRIMARY, if there is none.
    pub(crate) fn try_take(folder: &Folder) -> io::Result<Option<Primacy>> {
        let file = open(&folder.file(PRIMACY))?;
        Ok(try_exclusive(&file)?.then_some(Primacy { _file: file }))
    }

    /// Returns whether there is a PRIMARY, without creating a lock file.
    pub(crate) fn is_taken(folder: &Folder) -> bool {
        let file = File::open(folder.file(PRIMACY));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Waits until there is no PRIMARY, and becomes it.
    pub(crate) fn wait(folder: &Folder) -> io::Result<Primacy> {
        let file = open(&folder.file(PRIMACY))?;
        retry_interrupted(|| file.lock())?;
        Ok(Primacy { _file: file })
    }
}

impl Membership {
    /// Joins the running servers; the first one removes what a killed group has left.
    pub(crate) fn join(folder: &Folder) -> io::Result<Membership> {
        loop {
            let first = open(&folder.file(MEMBERS))?;
            if try_exclusive_with_retries(&first)? && is_current(&first, &folder.file(MEMBERS)) {
                folder.clear();
            }
            drop(first);
            let file = open(&folder.file(MEMBERS))?;
            retry_interrupted(|| file.lock_shared())?;
            if is_current(&file, &folder.file(MEMBERS)) {
                return Ok(Membership { folder: folder.clone(), file });
            }
        }
    }

    /// Leaves the running servers, and returns whether this was the last one; then all files are removed.
    pub(crate) fn leave(self) -> bool {
        let members = self.folder.file(MEMBERS);
        let is_last = self.file.unlock().is_ok() && try_exclusive_with_retries(&self.file).unwrap_or(false);
        if !is_last || !is_current(&self.file, &members) {
            return false;
        }
        self.folder.clear();
        // Where an open file cannot be deleted, its name must stay too: else two servers would lock two different
        // files.
        if cfg!(unix) {
            self.folder.remove(PRIMACY);
            // This one last: it keeps other servers from creating the files again.
            self.folder.remove(MEMBERS);
        }
        true
    }
}

fn open(path: &Path) -> io::Result<File> {
    private_file().read(true).write(true).create(true).truncate(false).open(path)
}

fn try_exclusive(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// `has_members` takes the lock briefly, and must not be mistaken for a server.
fn try_exclusive_with_retries(file: &File) -> io::Result<bool> {
    for _ in 0..3 {
        if try_exclusive(file)? {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    try_exclusive(file)
}

fn retry_interrupted(lock: impl Fn() -> io::Result<()>) -> io::Result<()> {
    loop {
        match lock() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Returns whether an open file still has this name.
#[cfg(unix)]
fn is_current(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
    let named = std::fs::symlink_metadata(path).map(identity);
    matches!((file.metadata().map(identity), named), (Ok(a), Ok(b)) if a == b)
}

#[cfg(not(unix))]
fn is_current(_: &File, _: &Path) -> bool {
    true
}
