//! The snapshot of the session's hints, from which the next PRIMARY continues.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};

use super::folder::{Folder, SNAPSHOT};

impl Folder {
    /// Returns the previous PRIMARY's snapshot, if there was one in this session.
    pub(crate) fn snapshot(&self) -> Option<impl Read + use<>> {
        File::open(self.file(SNAPSHOT)).ok().map(BufReader::new)
    }

    /// Streams a snapshot to the file: a full one is too large to build in RAM.
    pub(crate) fn write_snapshot(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        self.write_with(SNAPSHOT, write)
    }

    /// Removes the session's hints: the snapshot, and the changes since.
    pub(crate) fn remove_snapshot(&self) {
        self.remove_changes();
        self.remove(SNAPSHOT);
    }
}
