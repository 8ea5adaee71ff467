//! A file that is there as a whole or not at all, for what people ask to be written to a place of their choice.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{canonical, persist};

/// So many links lead from one to the next at most, as systems have it.
const MOST_LINKS: usize = 40;

/// Writes beside the file and puts it in its place at the end; a link stays, and what it leads to is written.
///
/// What is no regular file, as a pipe or a device, is written straight into: nothing may take its place.
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
        Err(error) if error.kind() == io::ErrorKind::NotFound => followed(path),
        Err(error) => return Err(error),
    };
    // The error names a file that nobody has asked for.
    let file =
        tempfile::NamedTempFile::new_in(folder(&path)).map_err(|error| io::Error::from(error.kind()))?;
    let mut out = BufWriter::new(file);
    let written = match write(&mut out) {
        Ok(written) => written,
        Err(error) => return Ok(Err(error)),
    };
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    persist(file, &path)?;
    Ok(Ok(written))
}

/// Returns where links lead whose end is not there yet.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
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
