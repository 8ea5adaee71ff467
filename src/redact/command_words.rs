//! The words of a command in a text, as a shell splits them.

use std::ops::Range;

use super::scan::is_quote;

/// A command is not read further than this.
pub(super) const WINDOW: usize = 2048;

/// The words of one command, without their quotes.
pub(super) struct CommandWords<'t> {
    pub(super) text: &'t [u8],
    pub(super) at: usize,
    pub(super) end: usize,
}

impl Iterator for CommandWords<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let text = &self.text[..self.end];
        loop {
            match text.get(self.at..)? {
                [b' ' | b'\t', ..] => self.at += 1,
                // A backslash at its end continues a line.
                [b'\\', b'\n', ..] => self.at += 2,
                [] | [b'\n' | b'\r' | b'|' | b';' | b'&' | b'(' | b')' | b'`', ..] => return None,
                _ => break,
            }
        }
        let start = self.at;
        let mut quote = None;
        while let Some(byte) = text.get(self.at) {
            match quote {
                Some(open) if open == *byte => quote = None,
                Some(_) => {}
                None if matches!(byte, b'"' | b'\'') => quote = Some(*byte),
                None if byte.is_ascii_whitespace() || matches!(byte, b'|' | b';' | b'&' | b')' | b'`') => {
                    break;
                }
                None => {}
            }
            self.at += 1;
        }
        Some(inside(self.text, start..self.at))
    }
}

/// Removes the quotes around a word.
pub(super) fn inside(text: &[u8], word: Range<usize>) -> Range<usize> {
    let is_wrapped = word.len() >= 2 && is_quote(text[word.start]) && text[word.start] == text[word.end - 1];
    if is_wrapped { word.start + 1..word.end - 1 } else { word }
}
