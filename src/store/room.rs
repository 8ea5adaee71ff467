//! Disk space for SQLite's shared memory: if there is no space for a page of it, a signal kills the process.

use std::path::Path;

use super::{Result, StoreError, beside};
use crate::files::{Room, allocated_bytes, room};

/// SQLite writes one byte to every 4 KiB of the file before it uses them, so blocks of at least this size are always
/// allocated.
const SAFE_BLOCK: u64 = 4096;
/// The size of a new shared-memory file; it grows only with a log of 16 MiB, and nudge's log never gets that large.
const SHARED_BYTES: u64 = 32 << 10;
/// With less free space, other programs may fill the disk before the whole file is allocated.
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
