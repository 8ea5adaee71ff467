//! Lines of any length, however a file arrives.

use std::io::{self, Read};

use super::{BUFFER, Lines, MAX_LINE};

/// A file that returns at most this many bytes at once.
struct Slow {
    bytes: Vec<u8>,
    at: usize,
    step: usize,
}

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.step.min(buffer.len()).min(self.bytes.len() - self.at);
        buffer[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Returns the length, the place and the end of each line, and the number of those that are too long.
fn read(bytes: &[u8], step: usize) -> (Vec<(usize, u64, u64, bool)>, usize) {
    let mut lines = Lines::of(Box::new(Slow { bytes: bytes.to_vec(), at: 0, step }), 0);
    let mut all = Vec::new();
    while let Some(line) = lines.next().unwrap() {
        let (start, end) = (usize::try_from(line.start).unwrap(), usize::try_from(line.end).unwrap());
        assert!(line.bytes == &bytes[start..end], "the bytes of {start}..{end}");
        all.push((line.bytes.len(), line.start, line.end, line.is_complete));
    }
    (all, lines.too_long)
}

#[test]
fn lines_are_the_same_however_they_arrive() {
    for step in [1, 3, 1 << 20] {
        let (lines, too_long) = read(b"one\n\nthree\nfo", step);
        assert_eq!(lines, [(4, 0, 4, true), (1, 4, 5, true), (6, 5, 11, true), (2, 11, 13, false)]);
        assert_eq!(too_long, 0);
        assert_eq!(read(b"", step), (Vec::new(), 0));
        assert_eq!(read(b"\n", step).0, [(1, 0, 1, true)]);
    }
}

#[test]
fn a_line_may_be_longer_than_the_buffer() {
    for length in [BUFFER - 1, BUFFER, BUFFER + 1, 9 * BUFFER] {
        let mut bytes = vec![b'x'; length];
        bytes.extend_from_slice(b"\nshort\n");
        let end = length as u64 + 1;
        let (lines, _) = read(&bytes, 100_000);
        assert_eq!(lines, [(length + 1, 0, end, true), (6, end, end + 6, true)], "{length}");
    }
}

#[test]
fn a_line_that_is_too_long_costs_only_itself() {
    for (surplus, expected) in [(0, 0), (1, 1), (BUFFER, 1)] {
        let mut bytes = b"first\n".to_vec();
        bytes.extend(vec![b'x'; MAX_LINE - 1 + surplus]);
        bytes.extend_from_slice(b"\nlast\n");
        let (lines, too_long) = read(&bytes, usize::MAX);
        assert_eq!(too_long, expected, "{surplus}");
        assert_eq!(lines.len(), 3 - expected);
        assert_eq!(lines.last().map(|line| line.0), Some(5));
    }
    let unfinished = vec![b'x'; MAX_LINE + 1];
    assert_eq!(read(&unfinished, usize::MAX), (Vec::new(), 1));
}
