//! Reserved disk space: a file of zeros beside the spool that is shortened when the disk is full, so that events still
//! fit.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::Spool;
use crate::files::{open_regular, private_file, room};

/// Space for about a hundred events, which is the work of some minutes.
const RESERVE_BYTES: u64 = 256 << 10;
/// The reserve is created only if the disk has many times as much free space: the disk is for the user's files.
const MIN_FREE: u64 = 16 * RESERVE_BYTES;
/// The reserve is used in steps, so that another program that fills the disk does not take all of it at once.
const STEP: u64 = 16 << 10;

impl Spool {
    /// Creates the reserve, or fills it up again, if there is plenty of space.
    ///
    /// If this fails, the next drain tries again.
    pub(super) fn keep_reserve(&self) {
        let path = self.reserve();
        let length = std::fs::metadata(&path).map_or(0, |meta| meta.len());
        let has_room = || room(&self.folder).is_some_and(|room| room.free >= MIN_FREE);
        if length >= RESERVE_BYTES || !has_room() {
            return;
        }
        let Ok(mut file) = open_regular(&path, private_file().write(true).create(true)) else { return };
        if fill(&mut file, length).is_err() {
            drop(file.set_len(length));
        }
    }

    /// Frees space for this many bytes; returns whether any was in reserve.
    pub(super) fn use_reserve(&self, bytes: u64) -> bool {
        let shorten = || -> io::Result<bool> {
            let file = open_regular(&self.reserve(), private_file().write(true))?;
            let length = file.metadata()?.len();
            file.set_len(length.saturating_sub(bytes.next_multiple_of(STEP)))?;
            Ok(length > 0)
        };
        shorten().unwrap_or(false)
    }

    fn reserve(&self) -> PathBuf {
        self.folder.with_extension("reserve")
    }
}

fn fill(file: &mut File, from: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(from))?;
    let missing = usize::try_from(RESERVE_BYTES.saturating_sub(from)).unwrap_or_default();
    file.write_all(&vec![0; missing])
}
