//! Disk space for SQLite's shared memory: if there is no space for a page of it, a signal kills the process.

use std::path::Path;

use super::{Result, StoreError};
use crate::files::{Room, room};

/// SQLite writes one byte to every 4 KiB of the file before it uses them, so blocks of at least this size are always
/// allocated.
const SAFE_BLOCK: u64 = 4096;
/// With less free space, other programs may fill the disk before the whole file is allocated.
///
/// The file has only 32 KiB, but the size it had before says nothing: the first process that opens the database cuts it
/// to three bytes, and the next writer gets those blocks.
const MIN_FREE: u64 = 1 << 20;

/// Refuses to open a database whose shared memory may not fit on the disk.
pub(super) fn check(database: &Path) -> Result<()> {
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
    match room(folder.unwrap_or(Path::new("."))) {
        Some(Room { free, block }) if block < SAFE_BLOCK && free < MIN_FREE => {
            Err(StoreError::Full("the disk is full".to_owned()))
        }
        _ => Ok(()),
    }
}
