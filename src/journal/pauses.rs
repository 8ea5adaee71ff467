//! The pauses that the user asked for: a small file that exists only while there are some.

use std::fs;
use std::io;

use crate::config::paths;
use crate::files;
use crate::model::Pause;

/// Maximum size of the file: hundreds of paused projects.
const MAX_BYTES: u64 = 64 << 10;

/// Returns the pauses that are written down, ended ones as well. A file that cannot be read has none: then rules are
/// enforced.
pub(crate) fn read() -> Vec<Pause> {
    let bytes = paths::pauses().and_then(|path| files::read_regular(&path, MAX_BYTES).ok());
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Writes down these pauses, in place of those before.
pub(crate) fn write(pauses: &[Pause]) -> io::Result<()> {
    let path = paths::pauses().ok_or_else(|| io::Error::other("there is no folder for data: set HOME"))?;
    if pauses.is_empty() {
        return match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    if let Some(folder) = path.parent() {
        files::make_private_dir(folder)?;
    }
    files::replace(&path, &[&serde_json::to_vec(pauses)?])
}
