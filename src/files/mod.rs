//! Helpers for all modules that access the disk: paths that are the same for everyone, private files and folders, a
//! lock that one process has at a time, and regular files only. The modules decide what is in the files.

mod durable;
mod process;
mod regular;
mod room;
mod whole;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) use durable::{persist, replace, rewrite, sync_folder_of};
pub(crate) use process::Process;
pub(crate) use regular::{
    is_ours_alone, leads_inside, open_if_regular, open_regular, read_regular, read_up_to,
};
pub(crate) use room::{Room, room};
pub(crate) use whole::write_whole;

/// How long a process sleeps between two attempts to take a lock.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
const LONG_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// After this time it tries less often.
const SHORT_WAIT: Duration = Duration::from_millis(30);

/// Returns a path without links and `..`, as people write it: on Windows without `\\?\`, which shells do not accept.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

/// Returns a path with slashes, which is the same text on every system.
pub(crate) fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// Creates a folder, and those above it, that no other user can read.
pub(crate) fn make_private_dir(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = private_dir();
    builder.recursive(true).create(path)
}

/// Returns a builder for folders that no other user can read.
pub(crate) fn private_dir() -> fs::DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Returns the options to open a file; if it is created, no other user can read it.
pub(crate) fn private_file() -> fs::OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Takes the lock on a file, opened with these options, within `timeout`. The file is never deleted.
///
/// Closing the file releases the lock, also when the process is killed. `WouldBlock` means that another process has it.
pub(crate) fn lock(path: &Path, options: &fs::OpenOptions, timeout: Duration) -> io::Result<File> {
    let mut slept = Duration::ZERO;
    loop {
        let file = open_regular(path, options)?;
        match file.try_lock() {
            Ok(()) if is_still(&file, path) => return Ok(file),
            // The folder was cleared meanwhile, and a lock on a deleted file protects nothing.
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let rest = timeout.checked_sub(slept).filter(|rest| !rest.is_zero());
        // A sleep takes a little longer than requested, and many short ones would add up.
        let pause = if slept < SHORT_WAIT { POLL_INTERVAL } else { LONG_POLL_INTERVAL }
            .min(rest.ok_or(io::ErrorKind::WouldBlock)?);
        std::thread::sleep(pause);
        slept += pause;
    }
}

/// Identifies a file, whatever its names are.
pub(crate) type Identity = (u64, u64);

/// Returns the identity of the file with this name; `None` on Windows.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Returns whether the path still is this file.
pub(crate) fn is_still(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (Ok(open), Ok(named)) = (file.metadata(), fs::metadata(path)) else { return false };
        (open.dev(), open.ino()) == (named.dev(), named.ino())
    }
    #[cfg(not(unix))]
    {
        // An open file cannot be deleted or renamed on this system.
        let _ = file;
        path.exists()
    }
}
