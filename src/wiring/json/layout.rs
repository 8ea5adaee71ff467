//! Detects the layout of a text, and inserts new parts in the same style.

use jsonc_parser::ast::{Array, Object};
use jsonc_parser::common::{Range, Ranged};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::wiring::line_end;

pub(super) struct Layout<'t> {
    text: &'t str,
    line_end: &'static str,
    /// One level of indentation.
    unit: &'t str,
}

impl<'t> Layout<'t> {
    pub(super) fn of(text: &'t str) -> Layout<'t> {
        let indent = |line: &'t str| {
            let rest = line.trim_start_matches([' ', '\t']);
            // The indentation of a comment may contain characters that are not whitespace in JSON.
            rest.starts_with(['"', '{', '[']).then(|| &line[..line.len() - rest.len()])
        };
        let mut indents = text.lines().skip(1).filter_map(indent);
        let unit = indents.find(|indent| !indent.is_empty()).unwrap_or("  ");
        Layout { text, line_end: line_end(text), unit }
    }

    pub(super) fn insert_property(&self, object: &Object<'_>, key: &str, value: &Value) -> String {
        let parts: Vec<Range> = object.properties.iter().map(Ranged::range).collect();
        let colon = if self.is_dense() { ":" } else { ": " };
        self.insert(object.range(), &parts, &format!("{}{colon}", Value::from(key)), value)
    }

    pub(super) fn insert_item(&self, array: &Array<'_>, value: &Value) -> String {
        let parts: Vec<Range> = array.elements.iter().map(Ranged::range).collect();
        self.insert(array.range(), &parts, "", value)
    }

    /// Inserts a new part after the last one.
    fn insert(&self, whole: Range, parts: &[Range], name: &str, value: &Value) -> String {
        let text = self.text;
        let own_indent = self.indent_at(whole.start);
        let in_lines =
            text[whole.start..whole.end].contains('\n') || (parts.is_empty() && !self.is_one_line());
        let indent = match parts.last() {
            Some(last) if self.begins_line(last.start) => self.indent_at(last.start).to_owned(),
            _ => format!("{own_indent}{}", self.unit),
        };
        let rendered = format!("{name}{}", self.render(value, &indent, in_lines));
        let before = if in_lines { format!("{}{indent}", self.line_end) } else { String::new() };
        let Some(last) = parts.last() else {
            let at = end_of_comments(text, whole.start + 1, whole.end - 1);
            let closed = !in_lines || text[at..whole.end].contains('\n');
            let after = if closed { String::new() } else { format!("{}{own_indent}", self.line_end) };
            return splice(text, at, &format!("{before}{rendered}{after}"));
        };
        let comma = skip_blank(text, last.end);
        let before = if before.is_empty() && !self.is_dense() { " ".to_owned() } else { before };
        if text[comma..].starts_with(',') {
            // If the last part had a trailing comma, the new one gets one too.
            let at = end_of_line_comments(text, comma + 1);
            return splice(text, at, &format!("{before}{rendered},"));
        }
        let at = end_of_line_comments(text, last.end);
        format!("{},{}{before}{rendered}{}", &text[..last.end], &text[last.end..at], &text[at..])
    }

    fn render(&self, value: &Value, indent: &str, in_lines: bool) -> String {
        if !in_lines {
            return value.to_string();
        }
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(self.unit.as_bytes());
        let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
        assert!(written.is_ok(), "a value can be written to memory");
        String::from_utf8_lossy(&bytes).replace('\n', &format!("{}{indent}", self.line_end))
    }

    /// Returns whether the text has no line breaks inside; then it stays one line.
    fn is_one_line(&self) -> bool {
        !self.text.trim().contains('\n') && self.text.trim() != "{}"
    }

    fn is_dense(&self) -> bool {
        self.is_one_line() && !self.text.contains(": ") && self.text.contains(':')
    }

    /// Returns the indentation of the line at this position.
    fn indent_at(&self, at: usize) -> &'t str {
        let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line = &self.text[start..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    fn begins_line(&self, at: usize) -> bool {
        self.text[..at].trim_end_matches([' ', '\t']).ends_with('\n')
    }
}

fn splice(text: &str, at: usize, new: &str) -> String {
    format!("{}{new}{}", &text[..at], &text[at..])
}

/// Returns the first position after whitespace and comments.
pub(super) fn skip_blank(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        at = text.len() - text[at..].trim_start().len();
        match comment_end(text, at) {
            Some(end) => at = end,
            None => return at,
        }
    }
}

/// Returns the end of the comment that starts here, without its line break.
pub(super) fn comment_end(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    if rest.starts_with("//") {
        let end = rest.find('\n').unwrap_or(rest.len());
        return Some(at + rest[..end].trim_end_matches('\r').len());
    }
    rest.starts_with("/*").then(|| rest[2..].find("*/").map_or(text.len(), |end| at + 2 + end + 2))
}

/// Returns the end of the last comment in this range, or `from` if there is none.
fn end_of_comments(text: &str, from: usize, to: usize) -> usize {
    let mut end = from;
    loop {
        let start = to - text[end..to].trim_start().len();
        match comment_end(text, start).filter(|_| start < to) {
            Some(next) => end = next,
            None => return end,
        }
    }
}

/// Returns the end of the comments in the same line, which belong to what is before them.
fn end_of_line_comments(text: &str, from: usize) -> usize {
    let mut end = from;
    loop {
        let start = text.len() - text[end..].trim_start_matches([' ', '\t']).len();
        match comment_end(text, start) {
            Some(next) if !text[start..next].contains('\n') => end = next,
            _ => return end,
        }
    }
}
