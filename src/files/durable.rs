//! Files that are replaced as a whole, and are still there after a power cut.
//!
//! A rename is only in memory until its folder is on the disk. That costs a write of its own, so hooks, which run for
//! every event, leave it to the system; whatever is written rarely goes through here.

use std::fs::File;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// Puts a finished file in its place: its content first, then its name.
pub(crate) fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder_of(path);
    Ok(())
}

/// Writes the names in a file's folder to the disk.
///
/// What fails here is not said: the file is in its place, and some file systems know no such thing.
pub(crate) fn sync_folder_of(path: &Path) {
    if cfg!(unix)
        && let Some(folder) = path.parent()
        && let Ok(folder) = File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
    {
        drop(folder.sync_all());
    }
}
