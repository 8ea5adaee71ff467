//! The snapshot of the session: what the next PRIMARY goes on from.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};

use super::folder::{Folder, SNAPSHOT};

impl Folder {
    /// Returns the snapshot of the PRIMARY before, if there was one in this session.
    pub(crate) fn snapshot(&self) -> Option<impl Read + use<>> {
        File::open(self.file(SNAPSHOT)).ok().map(BufReader::new)
    }

    /// Writes a snapshot as it comes: a full one is too large to be put together first.
    pub(crate) fn write_snapshot(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        self.write_with(SNAPSHOT, write)
    }

    pub(crate) fn remove_snapshot(&self) {
        self.remove(SNAPSHOT);
    }
}
