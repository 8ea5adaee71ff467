//! Here-documents: the delimiter on the line, and the body on the lines below.

use super::cursor::{Cursor, ends_word};
use super::escape::unescape_document;

/// A here-document whose body is still to come.
#[derive(Debug)]
pub(super) struct Document {
    delimiter: String,
    is_quoted: bool,
    strips_tabs: bool,
}

impl Document {
    /// Parses what follows `<<`. Nothing expands in a delimiter, so only quotes matter.
    pub(super) fn open(cursor: &mut Cursor<'_>) -> Document {
        let strips_tabs = cursor.peek(0) == Some(b'-');
        cursor.advance(usize::from(strips_tabs));
        cursor.skip_blanks();
        let mut document = Document { delimiter: String::new(), is_quoted: false, strips_tabs };
        while let Some(byte) = cursor.peek(0)
            && !ends_word(byte)
        {
            let is_quote = matches!(byte, b'\'' | b'"' | b'\\');
            document.is_quoted |= is_quote;
            cursor.advance(usize::from(is_quote));
            document.delimiter.push_str(match byte {
                b'\'' | b'"' => cursor.through(byte),
                _ => cursor.run(|byte| ends_word(byte) || matches!(byte, b'\'' | b'"' | b'\\')),
            });
        }
        document
    }

    /// Takes the lines up to the delimiter or the end, and returns what the command will read.
    pub(super) fn read(&self, cursor: &mut Cursor<'_>) -> String {
        let start = cursor.at;
        let mut end = start;
        while cursor.at < cursor.source.len() && !self.ends_with(cursor.through(b'\n')) {
            end = cursor.at;
        }
        self.text(cursor.slice(start, end))
    }

    /// Moves past the body inside a command substitution, where `)` may directly follow the delimiter.
    pub(super) fn skip(&self, cursor: &mut Cursor<'_>) {
        while cursor.at < cursor.source.len() {
            let start = cursor.at;
            let line = cursor.through(b'\n');
            if self.ends_with(line) {
                return;
            }
            if let Some((delimiter, _)) = line.split_once(')')
                && self.ends_with(delimiter)
            {
                cursor.at = start + delimiter.len();
                return;
            }
        }
    }

    fn ends_with(&self, line: &str) -> bool {
        let line = if self.strips_tabs { line.trim_start_matches('\t') } else { line };
        // For Bash the carriage return is part of the line, but the author did not mean that.
        line.strip_suffix('\r').unwrap_or(line) == self.delimiter
    }

    fn text(&self, body: &str) -> String {
        let mut text = String::with_capacity(body.len());
        for line in body.split_inclusive('\n') {
            text.push_str(if self.strips_tabs { line.trim_start_matches('\t') } else { line });
        }
        if self.is_quoted { text } else { unescape_document(&text) }
    }
}
