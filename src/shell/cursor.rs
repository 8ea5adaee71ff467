//! A position in a command line, and the small steps from it.
//!
//! Everything with a meaning in shell syntax is ASCII, so the steps are in bytes and always stop between characters.

#[derive(Debug)]
pub(super) struct Cursor<'a> {
    pub(super) source: &'a str,
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn rest(&self) -> &'a str {
        self.slice(self.at, self.source.len())
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.source.get(start..end).unwrap_or_default()
    }

    pub(super) fn advance(&mut self, length: usize) {
        self.at = self.source.len().min(self.at + length);
    }

    pub(super) fn take(&mut self, length: usize) -> &'a str {
        let start = self.at;
        self.advance(length);
        self.slice(start, self.at)
    }

    /// Returns the number of bytes before the first one that ends the run.
    pub(super) fn until(&self, ends: impl Fn(u8) -> bool) -> usize {
        let rest = self.source.as_bytes().get(self.at..).unwrap_or_default();
        rest.iter().position(|&byte| ends(byte)).unwrap_or(rest.len())
    }

    /// Takes one byte, whatever it is, and all bytes before the next one that ends the run.
    pub(super) fn run(&mut self, ends: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        self.advance(1);
        self.advance(self.until(ends));
        self.slice(start, self.at)
    }

    /// Takes everything before the end mark, and moves past the mark.
    pub(super) fn through(&mut self, end: u8) -> &'a str {
        let text = self.take(self.until(|byte| byte == end));
        self.advance(1);
        text
    }

    /// Takes everything before the first unescaped end mark, and moves past the mark.
    pub(super) fn through_unescaped(&mut self, end: u8) -> &'a str {
        let start = self.at;
        self.advance(self.until(|byte| byte == end || byte == b'\\'));
        while self.peek(0) == Some(b'\\') {
            self.advance(2);
            self.advance(self.until(|byte| byte == end || byte == b'\\'));
        }
        let text = self.slice(start, self.at);
        self.advance(1);
        text
    }

    pub(super) fn skip_line(&mut self) {
        self.advance(self.until(|byte| byte == b'\n'));
    }

    pub(super) fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                (b' ' | b'\t' | b'\r', _) => self.advance(1),
                (b'\\', Some(b'\n')) => self.advance(2),
                _ => return,
            }
        }
    }
}

/// Returns whether an unquoted byte ends a word.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}
