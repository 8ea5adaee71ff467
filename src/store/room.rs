//! Room for SQLite's shared memory: where a page of it finds no room on the disk, the process is killed by a signal.

use std::path::Path;

use super::{Result, StoreError, beside};
use crate::files::{Room, allocated_bytes, room};

/// SQLite writes one byte to every 4 KiB of the file before it uses them, so larger blocks always have a place.
const SAFE_BLOCK: u64 = 4096;
/// The file as SQLite makes it; it grows with a log of 16 MiB, which ours never becomes.
const SHARED_BYTES: u64 = 32 << 10;
/// Less than this may be used up by others before all of the file is.
const MIN_FREE: u64 = 2 * SHARED_BYTES;

/// Refuses to open a database whose shared memory may not fit on the disk.
pub(super) fn check(database: &Path) -> Result<()> {
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
    match room(folder.unwrap_or(Path::new("."))) {
        Some(Room { free, block }) if block < SAFE_BLOCK && free < MIN_FREE => {}
        _ => return Ok(()),
    }
    if allocated_bytes(&beside(database, "-shm")) >= SHARED_BYTES {
        return Ok(());
    }
    Err(StoreError::Full("the disk is full".to_owned()))
}
