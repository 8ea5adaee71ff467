//! Replaces or deletes a file only if it still has the text that the caller has read.
//!
//! Another program may write between a check and a rename. So the two files are exchanged in one step where the system
//! supports that, and the old file is compared. `AlreadyExists` means that it had another text and was restored.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// How often the old file is restored: each time, another program may have written again.
const MAX_ATTEMPTS: usize = 1_000;

/// Replaces a file that has this text.
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
            restore(&next, target, ours)?;
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
    // If a newer file exists already, it stays.
    match aside.persist_noclobber(target) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error),
        _ => Err(changed()),
    }
}

/// Undoes an exchange; `put` is the text that replaced the target's.
///
/// If another text comes out, another program wrote after that, and its text is the newest: it is restored in turn.
fn restore(next: &NamedTempFile, target: &Path, mut put: Vec<u8>) -> io::Result<()> {
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
    Err(io::Error::other("another program keeps writing it"))
}

fn changed() -> io::Error {
    io::ErrorKind::AlreadyExists.into()
}

/// Exchanges two files in one step.
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

/// Returns whether the file system or the system does not support an exchange.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
}
