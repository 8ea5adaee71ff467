//! Files that are replaced atomically, most of them so that they survive a power loss.
//!
//! A rename is only in RAM until its folder is on disk. Writing the folder costs time, so hooks, which run for every
//! event, leave it to the system; rarely written files use this module.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Replaces a file atomically with these bytes; the system decides when they are on disk.
pub(crate) fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = new_beside(folder)?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    file.persist(path)?;
    Ok(())
}

/// Makes a temporary file; the error is the system's own, without the name of a file that the user does not know.
pub(super) fn new_beside(folder: &Path) -> io::Result<NamedTempFile> {
    NamedTempFile::new_in(folder).map_err(|error| {
        let words = error.to_string();
        io::Error::new(error.kind(), words.split(" at path ").next().unwrap_or_default().to_owned())
    })
}

/// Replaces the text of an existing file at once, so that nobody reads half of it. Its permissions stay, and a link stays
/// a link.
pub(crate) fn rewrite(path: &Path, text: &str) -> io::Result<()> {
    let path = super::canonical(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    replace(&path, &[text.as_bytes()])?;
    fs::set_permissions(&path, permissions)
}

/// Moves a finished file to its place: first its content is written to disk, then its name.
pub(crate) fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder_of(path);
    Ok(())
}

/// Writes the entries of a file's folder to disk.
///
/// A failure is ignored: the file is in its place, and some file systems do not support this.
pub(crate) fn sync_folder_of(path: &Path) {
    if cfg!(unix)
        && let Some(folder) = path.parent()
        && let Ok(folder) = File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
    {
        drop(folder.sync_all());
    }
}
