//! Opens regular files only, without blocking: a pipe, a device or a folder with the name of a file is refused. Also
//! checks whether a path stays inside a folder after links are followed.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use super::canonical;

/// Opens a file with these options; anything but a regular file is refused without blocking.
pub(crate) fn open_regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    // Opening a device can already have an effect, so it is not even opened.
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(not_regular());
    }
    open_if_regular(path, options)
}

/// Opens a file that was a regular one just now.
pub(crate) fn open_if_regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let file = without_blocking(options).open(path)?;
    // A pipe may have replaced the file since.
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

/// Reads a regular file of up to `max_bytes` bytes; a larger one is an error of the kind `FileTooLarge`.
pub(crate) fn read_regular(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    // Most files that hooks look for do not exist: then there is nothing to open.
    if !fs::metadata(path)?.is_file() {
        return Err(not_regular());
    }
    let file = open_if_regular(path, File::options().read(true))?;
    read_up_to(&file, max_bytes)
}

/// Reads an open file of up to `max_bytes` bytes; it may have grown since it was measured.
pub(crate) fn read_up_to(file: &File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let too_large =
        || io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {} KB", max_bytes >> 10));
    let size = file.metadata()?.len();
    if size > max_bytes {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
    file.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes { Err(too_large()) } else { Ok(bytes) }
}

/// Returns whether a path is inside a folder, with all links followed.
///
/// A path without links needs one system call for each part of it; hooks check this for every file of a project.
pub(crate) fn leads_inside(path: &Path, folder: &Path) -> io::Result<bool> {
    let Ok(relative) = path.strip_prefix(folder) else { return Ok(false) };
    let mut reached = folder.to_owned();
    for part in relative.components() {
        reached.push(part);
        if fs::symlink_metadata(&reached)?.is_symlink() {
            return Ok(canonical(path)?.starts_with(canonical(folder)?));
        }
    }
    Ok(true)
}

/// Returns whether a file or folder belongs to this user, and no other user can write to it.
#[cfg(unix)]
pub(crate) fn is_ours_alone(meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    meta.uid() == rustix::process::geteuid().as_raw() && meta.mode() & 0o022 == 0
}

/// On other systems a user's folders belong to that user.
#[cfg(not(unix))]
pub(crate) fn is_ours_alone(_: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn without_blocking(options: &OpenOptions) -> OpenOptions {
    let mut options = options.clone();
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    options
}

#[cfg(not(unix))]
fn without_blocking(options: &OpenOptions) -> OpenOptions {
    options.clone()
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file; move it away")
}

#[cfg(all(test, unix))]
mod tests;
