//! A text with a maximum length.

use std::io::{self, Write};

/// Collects what is written, up to a limit.
pub(super) struct Bounded {
    bytes: Vec<u8>,
    max: usize,
}

impl Bounded {
    /// Returns what is written, if it fits.
    pub(super) fn text(max: usize, write: impl FnOnce(&mut Bounded) -> io::Result<()>) -> Option<String> {
        let mut bounded = Bounded { bytes: Vec::new(), max };
        write(&mut bounded).ok()?;
        String::from_utf8(bounded.bytes).ok()
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.max {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
