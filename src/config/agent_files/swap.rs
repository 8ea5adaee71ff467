//! Replaces or deletes a file only if it still is what the caller has read.
//!
//! Between a look and a rename another program may write. So the two files change places in one step where the system
//! can do that, and what came out is compared. `AlreadyExists` says that it was something else, which is back in place.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// So often a file that was taken out is put back: each time, another program may have written once more.
const MAX_ATTEMPTS: usize = 1_000;

/// Puts a finished file in the place of another one, which has this text.
pub(super) fn replace(next: NamedTempFile, target: &Path, before: &str) -> io::Result<()> {
    if fs::read(target)? != before.as_bytes() {
        return Err(changed());
    }
    let ours = fs::read(next.path())?;
    match exchange(next.path(), target) {
        Err(error) if is_unsupported(&error) => next.persist(target).map(drop).map_err(|error| error.error),
        Err(error) => Err(error),
        Ok(()) if fs::read(next.path())? == before.as_bytes() => Ok(()),
        Ok(()) => {
            put_back(&next, target, ours)?;
            Err(changed())
        }
    }
}

/// Deletes a file that has this text.
pub(super) fn remove(aside: NamedTempFile, target: &Path, before: &str) -> io::Result<()> {
    if fs::read(target)? != before.as_bytes() {
        return Err(changed());
    }
    fs::rename(target, aside.path())?;
    if fs::read(aside.path())? == before.as_bytes() {
        return Ok(());
    }
    // If there is a newer one already, that one stays.
    match aside.persist_noclobber(target) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error),
        _ => Err(changed()),
    }
}

/// Undoes an exchange; `put` is what was put in the place of the target.
///
/// If something else comes out, another program wrote after that, and its text is the newest: it goes back in turn.
fn put_back(next: &NamedTempFile, target: &Path, mut put: Vec<u8>) -> io::Result<()> {
    for _ in 0..MAX_ATTEMPTS {
        let newest = fs::read(next.path())?;
        match exchange(next.path(), target) {
            // Deleted meanwhile: that is the newest state.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            exchanged => exchanged?,
        }
        if fs::read(next.path())? == put {
            return Ok(());
        }
        put = newest;
    }
    Err(io::Error::other("another program does not stop writing it"))
}

fn changed() -> io::Error {
    io::ErrorKind::AlreadyExists.into()
}

/// Lets two files change places in one step.
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    {
        let _ = (one, other);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Says whether the file system, or the system, knows no exchange.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
}
