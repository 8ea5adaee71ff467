//! Reads the lines of a transcript that may be huge and may still grow, with bounded memory.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

use ruzstd::decoding::StreamingDecoder;

/// A longer line is skipped: it contains a picture, or a whole copy of the conversation.
const MAX_LINE: usize = 32 << 20;
const BUFFER: usize = 256 << 10;
/// A compressed file becomes at most this many times as large, and at most this large.
const MAX_GROWTH: u64 = 100;
const MAX_DECOMPRESSED: u64 = 4 << 30;
/// The most memory that decompressing needs, besides what is read.
const MAX_WINDOW: u64 = 16 << 20;

thread_local! {
    /// The buffer of the last file: a thread reads thousands of them, most of which are smaller than it.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The lines of a file, from an offset on.
pub(super) struct Lines {
    file: Box<dyn Read>,
    buffer: Vec<u8>,
    /// What is in the buffer and was not passed on yet, and where in the file it begins.
    unread: Range<usize>,
    offset: u64,
    is_at_end: bool,
    pub(super) too_long: usize,
}

/// One line of a file.
pub(super) struct FileLine<'l> {
    /// With the line break.
    pub(super) bytes: &'l [u8],
    pub(super) start: u64,
    pub(super) end: u64,
    /// Whether the line break is there; if not, the agent may still be writing it.
    pub(super) is_complete: bool,
}

impl Lines {
    pub(super) fn from(mut file: File, offset: u64) -> io::Result<Lines> {
        if offset > 0 {
            file.seek(SeekFrom::Start(offset))?;
        }
        Ok(Lines::of(Box::new(file), offset))
    }

    /// The lines of a file that was compressed.
    pub(super) fn compressed(file: File) -> io::Result<Lines> {
        Ok(Lines::of(Box::new(decompress(file)?), 0))
    }

    fn of(file: Box<dyn Read>, offset: u64) -> Lines {
        let mut buffer = SPARE.take();
        buffer.resize(BUFFER, 0);
        Lines { file, buffer, unread: 0..0, offset, is_at_end: false, too_long: 0 }
    }

    /// Returns the next line that is not too long.
    pub(super) fn next(&mut self) -> io::Result<Option<FileLine<'_>>> {
        let (mut searched, mut is_skipped) = (0, false);
        let (length, is_complete) = loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.unread.start + searched..self.unread.end]);
            let length = found.map_or(self.unread.len(), |at| searched + at + 1);
            if found.is_none() && !self.is_at_end {
                // The beginning of a line that is too long is not kept.
                is_skipped |= length >= MAX_LINE;
                searched = length;
                if is_skipped {
                    self.pass(length);
                    searched = 0;
                }
                self.fill()?;
            } else if is_skipped {
                self.too_long += 1;
                self.pass(length);
                (searched, is_skipped) = (0, false);
            } else if length == 0 {
                return Ok(None);
            } else {
                break (length, found.is_some());
            }
        };
        let (from, start) = (self.unread.start, self.offset);
        self.pass(length);
        let bytes = &self.buffer[from..from + length];
        Ok(Some(FileLine { bytes, start, end: self.offset, is_complete }))
    }

    /// Takes bytes out of what is unread.
    fn pass(&mut self, length: usize) {
        self.unread.start += length;
        self.offset += length as u64;
    }

    /// Reads more of the file, behind what is unread.
    fn fill(&mut self) -> io::Result<()> {
        let kept = self.unread.len();
        if kept <= BUFFER / 2 && self.buffer.len() > 4 * BUFFER {
            // A long line must not keep its memory for the rest of the file.
            let mut small = self.buffer[self.unread.clone()].to_vec();
            small.resize(BUFFER, 0);
            self.buffer = small;
        } else {
            self.buffer.copy_within(self.unread.clone(), 0);
        }
        self.unread = 0..kept;
        if kept == self.buffer.len() {
            self.buffer.resize((2 * kept).min(MAX_LINE), 0);
        }
        let read = loop {
            match self.file.read(&mut self.buffer[kept..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.unread.end += read;
        self.is_at_end = read == 0;
        Ok(())
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        if self.buffer.len() == BUFFER {
            SPARE.set(std::mem::take(&mut self.buffer));
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
    Ok(hash_of(&bytes))
}

/// Returns a hash of a piece of a file. It is stored, so a version that computes it in another way reads each file that
/// has grown once from its beginning.
pub(super) fn hash_of(bytes: &[u8]) -> i64 {
    // FNV-1a, eight bytes at a time.
    let add = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| add(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| add(hash, u64::from(*byte))).cast_signed()
}

#[cfg(test)]
mod tests;
