//! What every door to disk needs: paths that mean the same to everyone, files and folders that only their owner can look
//! into, a lock that one process has at a time, files that are nothing but files, and whether a name still means the file
//! that is open. What is in them is up to others.

mod durable;
mod process;
mod regular;
mod room;
mod whole;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) use durable::{persist, sync_folder_of};
pub(crate) use process::Process;
pub(crate) use regular::{is_ours_alone, leads_inside, open_regular, read_regular, read_up_to};
pub(crate) use room::{Room, allocated_bytes, room};
pub(crate) use whole::write_whole;

/// How long a process sleeps between two looks at a lock that somebody else has.
const NAP: Duration = Duration::from_millis(1);
const LONG_NAP: Duration = Duration::from_millis(10);
/// Who has not got it by then looks less often.
const BRIEF: Duration = Duration::from_millis(30);

/// Returns a path without links and `..`, as people write it: on Windows without `\\?\`, which shells do not take.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

/// Returns a path with slashes, which is the same text on every system.
pub(crate) fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// Makes a folder of ours, and those above it, that nobody else can look into.
pub(crate) fn make_private_dir(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = private_dir();
    builder.recursive(true).create(path)
}

/// Returns the way to make a folder that nobody else can look into.
pub(crate) fn private_dir() -> fs::DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Returns the options to open a file that, if it is made, nobody else can read.
pub(crate) fn private_file() -> fs::OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Takes the lock on a file, opened with these options, which stays for ever; waits at most so long.
///
/// Closing the file gives the lock back, also where the process is killed. `WouldBlock` says that somebody else has it.
pub(crate) fn lock(path: &Path, options: &fs::OpenOptions, patience: Duration) -> io::Result<File> {
    let mut slept = Duration::ZERO;
    loop {
        let file = open_regular(path, options)?;
        match file.try_lock() {
            Ok(()) if is_still(&file, path) => return Ok(file),
            // Somebody has cleared the folder, and the lock of another file holds nobody off.
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let rest = patience.checked_sub(slept).filter(|rest| !rest.is_zero());
        // A nap takes a little longer than asked, so many short ones would add up.
        let nap = if slept < BRIEF { NAP } else { LONG_NAP }.min(rest.ok_or(io::ErrorKind::WouldBlock)?);
        std::thread::sleep(nap);
        slept += nap;
    }
}

/// What tells one file from every other, whatever their names.
pub(crate) type Identity = (u64, u64);

/// Returns the identity of the file that has this name; on Windows none is known.
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

/// Says whether the path still leads to this file.
pub(crate) fn is_still(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (Ok(open), Ok(named)) = (file.metadata(), fs::metadata(path)) else { return false };
        (open.dev(), open.ino()) == (named.dev(), named.ino())
    }
    #[cfg(not(unix))]
    {
        // A file that is open can neither be deleted nor renamed away here.
        let _ = file;
        path.exists()
    }
}
