//! The two locks: who leads, and who is there at all.
//!
//! `server.lock` is held by the PRIMARY; PROXYs wait for it, and the kernel wakes one of them the moment it is free.
//! Every server holds a shared `members.lock`: who can have it alone is the first to come or the last to go, and removes
//! what the group left. Lock files go too, so after taking a lock one looks whether it still is the file of that name.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use super::folder::{Folder, MEMBERS, PRIMACY};
use crate::files::private_file;

/// The right to be PRIMARY, for as long as it is kept.
#[derive(Debug)]
pub(crate) struct Primacy {
    _file: File,
}

/// A place among the servers, for as long as it is kept.
#[derive(Debug)]
pub(crate) struct Membership {
    folder: Folder,
    file: File,
}

impl Primacy {
    /// Takes the lead, if it is free.
    pub(crate) fn try_take(folder: &Folder) -> io::Result<Option<Primacy>> {
        let file = open(&folder.file(PRIMACY))?;
        Ok(try_alone(&file)?.then_some(Primacy { _file: file }))
    }

    /// Says whether somebody leads, without making a file where there is none.
    pub(crate) fn is_taken(folder: &Folder) -> bool {
        let file = File::open(folder.file(PRIMACY));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Waits until the lead is free, and takes it.
    pub(crate) fn wait(folder: &Folder) -> io::Result<Primacy> {
        let file = open(&folder.file(PRIMACY))?;
        unless_interrupted(|| file.lock())?;
        Ok(Primacy { _file: file })
    }
}

impl Membership {
    /// Joins the servers; the first one removes what a group that was killed has left.
    pub(crate) fn join(folder: &Folder) -> io::Result<Membership> {
        loop {
            let first = open(&folder.file(MEMBERS))?;
            if try_alone_patiently(&first)? && is_current(&first, &folder.file(MEMBERS)) {
                folder.clear();
            }
            drop(first);
            let file = open(&folder.file(MEMBERS))?;
            unless_interrupted(|| file.lock_shared())?;
            if is_current(&file, &folder.file(MEMBERS)) {
                return Ok(Membership { folder: folder.clone(), file });
            }
        }
    }

    /// Says whether some server has joined, without making a file where there is none.
    pub(crate) fn has_members(folder: &Folder) -> bool {
        let file = File::open(folder.file(MEMBERS));
        file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// Leaves the servers, and says whether this one was the last; then nothing of them is left.
    pub(crate) fn leave(self) -> bool {
        let members = self.folder.file(MEMBERS);
        let alone = self.file.unlock().is_ok() && try_alone_patiently(&self.file).unwrap_or(false);
        if !alone || !is_current(&self.file, &members) {
            return false;
        }
        self.folder.clear();
        // Where a file that is open cannot go, its name must stay too: else two would lock two files.
        if cfg!(unix) {
            self.folder.remove(PRIMACY);
            // The last, since with it goes what keeps others from making all of them anew.
            self.folder.remove(MEMBERS);
        }
        true
    }
}

fn open(path: &Path) -> io::Result<File> {
    private_file().read(true).write(true).create(true).truncate(false).open(path)
}

fn try_alone(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// `has_members` has the lock for a moment, and must not be taken for a server.
fn try_alone_patiently(file: &File) -> io::Result<bool> {
    for _ in 0..3 {
        if try_alone(file)? {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    try_alone(file)
}

fn unless_interrupted(lock: impl Fn() -> io::Result<()>) -> io::Result<()> {
    loop {
        match lock() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Says whether an open file is the one that has this name now.
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
