//! Here-documents: the delimiter on the line, and the body on the lines below.

use crate::shell::cursor::{Cursor, ends_word};

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

    /// Takes the lines up to the delimiter or the end of the text, as Bash does; `inside` a substitution, its
    /// parenthesis may directly follow the delimiter.
    pub(super) fn body<'a>(&self, cursor: &mut Cursor<'a>, inside: bool) -> &'a str {
        let first = cursor.at;
        while cursor.at < cursor.source.len() {
            let start = cursor.at;
            let line = cursor.through(b'\n');
            if self.ends_with(line) {
                return cursor.slice(first, start);
            }
            if let Some((delimiter, _)) = line.split_once(')').filter(|_| inside)
                && self.ends_with(delimiter)
            {
                cursor.at = start + delimiter.len();
                return cursor.slice(first, start);
            }
        }
        cursor.slice(first, cursor.at)
    }

    /// Returns the text that a command reads, with its expansions as written.
    pub(super) fn plain(&self, body: &str) -> String {
        let mut text = String::with_capacity(body.len());
        for line in body.split_inclusive('\n') {
            text.push_str(if self.strips_tabs { line.trim_start_matches('\t') } else { line });
        }
        text
    }

    /// Returns whether nothing in the text is expanded.
    pub(super) fn is_literal(&self, body: &str) -> bool {
        self.is_quoted || !body.contains(['$', '`', '\\'])
    }

    fn ends_with(&self, line: &str) -> bool {
        let line = if self.strips_tabs { line.trim_start_matches('\t') } else { line };
        // For Bash the carriage return is part of the line, but the author did not mean that.
        line.strip_suffix('\r').unwrap_or(line) == self.delimiter
    }
}
