//! Reads the lines of a transcript that may be huge and may still grow, with bounded memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use ruzstd::decoding::StreamingDecoder;

/// A longer line is skipped: it contains a picture, or a whole copy of the conversation.
const MAX_LINE: usize = 32 << 20;
const BUFFER: usize = 256 << 10;
/// A compressed file becomes at most this many times as large, and at most this large.
const MAX_GROWTH: u64 = 100;
const MAX_DECOMPRESSED: u64 = 4 << 30;
/// The most memory that decompressing needs, besides what is read.
const MAX_WINDOW: u64 = 16 << 20;

/// The lines of a file, from an offset on.
pub(super) struct Lines {
    file: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
    offset: u64,
    pub(super) too_long: usize,
}

/// One line of a file.
pub(super) struct FileLine<'l> {
    pub(super) bytes: &'l [u8],
    pub(super) start: u64,
    pub(super) end: u64,
    /// Whether the line break is there; if not, the agent may still be writing it.
    pub(super) is_complete: bool,
}

impl Lines {
    pub(super) fn from(mut file: File, offset: u64) -> io::Result<Lines> {
        file.seek(SeekFrom::Start(offset))?;
        Ok(Lines::of(Box::new(file), offset))
    }

    /// The lines of a file that was compressed.
    pub(super) fn compressed(file: File) -> io::Result<Lines> {
        Ok(Lines::of(Box::new(decompress(file)?), 0))
    }

    fn of(file: Box<dyn Read>, offset: u64) -> Lines {
        Lines { file: BufReader::with_capacity(BUFFER, file), line: Vec::new(), offset, too_long: 0 }
    }

    /// Returns the next line that is not too long.
    pub(super) fn next(&mut self) -> io::Result<Option<FileLine<'_>>> {
        loop {
            let start = self.offset;
            // A long line must not keep its memory for the rest of the file.
            if self.line.capacity() > 4 * BUFFER {
                self.line = Vec::new();
            }
            self.line.clear();
            let (mut is_complete, mut is_kept) = (false, true);
            while !is_complete {
                let bytes = self.file.fill_buf()?;
                if bytes.is_empty() {
                    break;
                }
                let found = memchr::memchr(b'\n', bytes);
                let length = found.map_or(bytes.len(), |at| at + 1);
                is_complete = found.is_some();
                if self.line.len() + length > MAX_LINE {
                    is_kept = false;
                    self.line.clear();
                }
                if is_kept {
                    self.line.extend_from_slice(&bytes[..length]);
                }
                self.offset += length as u64;
                self.file.consume(length);
            }
            if self.offset == start {
                return Ok(None);
            }
            if is_kept {
                return Ok(Some(FileLine { bytes: &self.line, start, end: self.offset, is_complete }));
            }
            self.too_long += 1;
        }
    }
}

/// Decompresses a file, which may be made to fill the memory or to never end.
pub(super) fn decompress(file: File) -> io::Result<impl Read> {
    let limit = file.metadata()?.len().saturating_mul(MAX_GROWTH).min(MAX_DECOMPRESSED);
    let decoder = StreamingDecoder::new_with_max_window_size(BufReader::new(file), MAX_WINDOW);
    Ok(decoder.map_err(|error| io::Error::other(error.to_string()))?.take(limit))
}

/// Returns a hash of this many bytes before an offset.
pub(super) fn hash_before(file: &mut File, offset: u64, length: u64) -> io::Result<i64> {
    let start = offset.saturating_sub(length);
    file.seek(SeekFrom::Start(start))?;
    // With room for all of it, it is read at once.
    let mut bytes = Vec::with_capacity(usize::try_from(offset - start).unwrap_or_default() + 32);
    file.take(offset - start).read_to_end(&mut bytes)?;
    // FNV-1a: it is stored, so it must be the same in every version of the program.
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Ok(hash.cast_signed())
}
