//! Writes a file completely or not at all, for output that a person wants in a file of their choice.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::durable::new_beside;
use super::{canonical, persist};

/// Maximum number of links that are followed one after the other, as in the system.
const MAX_LINKS: usize = 40;

/// Writes beside the file and renames it at the end; a link stays, and its target is written.
///
/// Anything but a regular file, such as a pipe or a device, is written directly: it must not be replaced.
pub(crate) fn write_whole<T, E>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> io::Result<Result<T, E>> {
    let path = match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => {
            let mut out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
            let written = write(&mut out);
            out.flush()?;
            return Ok(written);
        }
        Ok(_) => canonical(path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => follow_links(path),
        Err(error) => return Err(error),
    };
    let file = new_beside(folder(&path))?;
    let mut out = BufWriter::new(file);
    let written = match write(&mut out) {
        Ok(written) => written,
        Err(error) => return Ok(Err(error)),
    };
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    persist(file, &path)?;
    Ok(Ok(written))
}

/// Follows links whose target does not exist yet.
fn follow_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(to) = fs::read_link(&path) else { break };
        path = folder(&path).join(to);
    }
    path
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests;
