//! The failures that the user wants no rule about: a small file that `nudge learn` writes and reads.

use std::io;

use serde::{Deserialize, Serialize};

use crate::config::paths;
use crate::files;
use crate::model::Timestamp;

/// Maximum size of the file; an entry has a few lines of text.
const MAX_BYTES: u64 = 1 << 20;
/// Maximum number of entries; the oldest are forgotten.
const MAX_ENTRIES: usize = 500;

/// A cause of failures that no rule is wanted for, by what tells it from others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DeclinedCause {
    pub(crate) program: Option<String>,
    /// The signature of its newest failure, which has no secrets in it.
    pub(crate) signature: String,
    /// When the user said no.
    pub(crate) at: Timestamp,
}

/// Returns what was declined; a file that cannot be read has nothing, and then the user is asked again.
pub(crate) fn read() -> Vec<DeclinedCause> {
    let bytes = paths::declined().and_then(|path| files::read_regular(&path, MAX_BYTES).ok());
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Adds one.
pub(crate) fn add(cause: &DeclinedCause) -> io::Result<()> {
    let path = paths::declined().ok_or_else(|| io::Error::other("there is no folder for data: set HOME"))?;
    let mut all = read();
    all.retain(|known| (&known.program, &known.signature) != (&cause.program, &cause.signature));
    all.push(cause.clone());
    let old = all.len().saturating_sub(MAX_ENTRIES);
    if let Some(folder) = path.parent() {
        files::make_private_dir(folder)?;
    }
    files::replace(&path, &[&serde_json::to_vec(&all[old..])?])
}
