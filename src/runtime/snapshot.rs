//! The snapshot of the session: what the next PRIMARY goes on from.

use std::fs;
use std::io;

use super::folder::{Folder, SNAPSHOT};

impl Folder {
    /// Returns the snapshot of the PRIMARY before, if there was one in this session.
    pub(crate) fn snapshot(&self) -> Option<Vec<u8>> {
        fs::read(self.file(SNAPSHOT)).ok()
    }

    pub(crate) fn write_snapshot(&self, bytes: &[u8]) -> io::Result<()> {
        self.write(SNAPSHOT, bytes)
    }

    pub(crate) fn remove_snapshot(&self) {
        self.remove(SNAPSHOT);
    }
}
