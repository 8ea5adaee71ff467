//! Lines that could not be read: removes from them what older versions derived from raw text.

use std::io;
use std::str;

use super::{REJECTED, Spool};
use crate::files;

/// No file of torn lines is larger, unless something is badly wrong.
const MAX_BYTES: u64 = 64 << 20;

/// The fields that older versions derived from raw text.
const DERIVED: [&str; 2] = ["\"signature\":\"", "\"program\":\""];

impl Spool {
    /// Empties the derived fields of the lines that were set aside.
    pub(crate) fn clean_rejected(&self) -> io::Result<()> {
        let path = self.folder.join(REJECTED);
        let bytes = match files::read_regular(&path, MAX_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            // A pipe, a device or a folder has no spooled lines.
            Err(_) if !path.is_file() => return Ok(()),
            read => read?,
        };
        let clean =
            bytes.split_inclusive(|byte| *byte == b'\n').map(without_derived).collect::<Vec<_>>().concat();
        if clean != bytes {
            files::replace(&path, &[&clean])?;
        }
        Ok(())
    }
}

fn without_derived(line: &[u8]) -> Vec<u8> {
    // A torn line may be cut within a character; only the part before it is text.
    let end = str::from_utf8(line).map_or_else(|error| error.valid_up_to(), str::len);
    let mut text = String::from_utf8_lossy(&line[..end]).into_owned();
    for field in DERIVED {
        let Some(at) = text.find(field) else { continue };
        let start = at + field.len();
        let end = end_of_string(&text[start..]).map_or(text.trim_end().len(), |end| start + end);
        text.replace_range(start..end, "");
    }
    let mut clean = text.into_bytes();
    clean.extend_from_slice(&line[end..]);
    clean
}

/// Returns the position of a JSON string's closing quote.
fn end_of_string(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}
