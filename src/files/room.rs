//! How much room there is on a disk. Only Unix says so.

use std::path::Path;

/// The room on the disk of a folder.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(unix), expect(dead_code, reason = "only Unix has it"))]
pub(crate) struct Room {
    /// The bytes that a program without privileges can still write.
    pub(crate) free: u64,
    /// The bytes that are allocated at once.
    pub(crate) block: u64,
}

/// Returns the room on the disk of a folder; `None` if it is not known.
#[cfg(unix)]
pub(crate) fn room(folder: &Path) -> Option<Room> {
    let known = rustix::fs::statvfs(folder).ok()?;
    Some(Room { free: known.f_bavail.saturating_mul(known.f_frsize), block: known.f_frsize })
}

#[cfg(not(unix))]
pub(crate) fn room(_: &Path) -> Option<Room> {
    None
}
