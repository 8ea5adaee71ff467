//! A text that may not become longer than so many bytes.

use std::io::{self, Write};

/// Collects what is written, as long as there is room.
pub(super) struct Bounded {
    bytes: Vec<u8>,
    most: usize,
}

impl Bounded {
    /// Returns what is written, if there is room for all of it.
    pub(super) fn text(most: usize, write: impl FnOnce(&mut Bounded) -> io::Result<()>) -> Option<String> {
        let mut bounded = Bounded { bytes: Vec::new(), most };
        write(&mut bounded).ok()?;
        String::from_utf8(bounded.bytes).ok()
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.most {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
