//! The value of a name: where it begins, where it ends, and whether it is quoted.

use std::ops::Range;

use super::scan::{contains, is_blank, is_one_of, is_quote, run, run_back, run_within};

/// The position and the form of a value in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FoundValue {
    pub(super) span: Range<usize>,
    pub(super) form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    Quoted,
    Bare,
    /// A quoted text within an expression: `Some("x")`.
    Nested,
}

/// What ends a value without quotes, apart from whitespace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Until {
    /// Nothing else: the lines of an environment file.
    Blank,
    /// What ends a word of a shell, a query, a list.
    Mark,
    /// The tag that closes an element.
    Tag,
    /// The end of the line: a flattened record.
    Line,
}

/// Reads the value that begins here.
pub(super) fn read(text: &[u8], at: usize, until: Until) -> Option<FoundValue> {
    if until == Until::Tag {
        let length = memchr::memchr2(b'<', b'\n', &text[at..text.len().min(at + 4096)])?;
        let is_closed = text[at + length..].starts_with(b"</");
        return is_closed.then(|| FoundValue { span: at..at + length, form: Form::Quoted });
    }
    if until == Until::Line {
        let end = run_within(text, at, 4096, |byte| byte != b'\n');
        let end = at + text[at..end].trim_ascii_end().len();
        return (end > at).then_some(FoundValue { span: at..end, form: Form::Quoted });
    }
    if let Some(span) = braced(text, at) {
        return Some(FoundValue { span, form: Form::Quoted });
    }
    if let Some(span) = curly(text, at) {
        return Some(FoundValue { span, form: Form::Quoted });
    }
    if let Some(span) = quoted(text, at) {
        return Some(FoundValue { span, form: Form::Quoted });
    }
    let end = bare_end(text, at, until);
    (end > at).then_some(FoundValue { span: at..end, form: Form::Bare })
}

/// Reads a block of YAML: `|` or `>`, and the lines below that are indented further.
pub(super) fn block(text: &[u8], at: usize) -> Option<FoundValue> {
    let line = text.get(at..)?;
    if !matches!(line, [b'|' | b'>', ..]) {
        return None;
    }
    let mark = run_within(text, at, 4, |byte| b"|>-+0123456789".contains(&byte));
    let line_end = run_within(text, mark, 32, |byte| is_blank(byte) || byte == b'\r');
    let indent_at = |line: usize| run_within(text, line, 128, is_blank) - line;
    let key_line = run_back(text, at, 256, |byte| byte != b'\n');
    // The mark of an item counts as indentation.
    let key_indent = run_within(text, key_line, 128, |byte| is_blank(byte) || byte == b'-') - key_line;
    let mut span = None;
    let mut next = line_end;
    while text.get(next) == Some(&b'\n') && next - at < MAX_BLOCK {
        let indent = indent_at(next + 1);
        let start = next + 1 + indent;
        let end = run(text, start, |byte| byte != b'\n');
        let is_empty = text[start..end].trim_ascii().is_empty();
        if !is_empty {
            if indent <= key_indent {
                break;
            }
            span = Some(
                span.map_or(start, |span: Range<usize>| span.start)
                    ..start + text[start..end].trim_ascii_end().len(),
            );
        }
        next = end;
    }
    span.map(|span| FoundValue { span, form: Form::Quoted })
}

/// A longer block is data.
const MAX_BLOCK: usize = 16 << 10;

/// Returns what is between the braces of a connection string: `Uid=app;Pwd={a;b};`. Elsewhere braces are a template.
fn braced(text: &[u8], at: usize) -> Option<Range<usize>> {
    let line = text.get(at..).filter(|rest| rest.starts_with(b"{"))?;
    let before = &text[run_back(text, at, 256, |byte| byte != b'\n')..at];
    let is_connection =
        ["uid=", "user id=", "dsn=", "server=", "driver="].iter().any(|key| contains(before, key));
    let line = &line[..run_within(line, 0, 256, |byte| byte != b'\n')];
    // A brace in the value is written twice.
    let closes = |index: &usize| line[*index] == b'}' && !matches!(line.get(index + 1), Some(b'}'));
    let end = (1..line.len())
        .filter(closes)
        .find(|index| line[..*index].iter().rev().take_while(|byte| **byte == b'}').count() % 2 == 0)?;
    let is_value = line[1..end].iter().any(u8::is_ascii_digit);
    (is_connection && before.contains(&b';') && is_value).then_some(at + 1..at + end)
}

/// Returns what is between typographic quotes.
fn curly(text: &[u8], at: usize) -> Option<Range<usize>> {
    let closes: &[&str] = match text.get(at..at + 3)? {
        [0xE2, 0x80, 0x9C | 0x9E] => &["\u{201d}", "\u{201c}"],
        [0xE2, 0x80, 0x98 | 0x9A] => &["\u{2019}", "\u{2018}"],
        _ => return None,
    };
    let start = at + 3;
    let line = &text[start..run_within(text, start, 512, |byte| byte != b'\n')];
    let end = closes.iter().filter_map(|close| memchr::memmem::find(line, close.as_bytes())).min()?;
    (end > 0).then_some(start..start + end)
}

/// Reads the first quoted text of an expression such as `Some("x".into())` or `[b'x']`.
pub(super) fn nested(text: &[u8], at: usize) -> Option<FoundValue> {
    let opening = run_within(text, at, 64, |byte| byte.is_ascii_alphanumeric() || b"_.:&!".contains(&byte));
    matches!(text.get(opening), Some(b'(' | b'['))
        .then(|| quoted(text, opening + 1))?
        .map(|span| FoundValue { span, form: Form::Nested })
}

/// Returns what is between quotes: to the closing one, or else to the end of the line.
fn quoted(text: &[u8], at: usize) -> Option<Range<usize>> {
    // Python and Rust put a letter before some strings.
    let prefix = match text.get(at..at + 2) {
        Some([b'b' | b'r' | b'f' | b'u' | b'B' | b'R' | b'F' | b'@', quote]) if is_quote(*quote) => 1,
        _ => 0,
    };
    let opening = at + prefix;
    let quote = run_within(text, opening, 3, |byte| byte == b'\\');
    if !text.get(quote).is_some_and(|byte| is_quote(*byte)) {
        return None;
    }
    let slashes = quote - opening;
    let start = quote + 1;
    let mut end = start;
    let mut escapes = 0;
    while let Some(byte) = text.get(end) {
        match byte {
            b'\n' => break,
            b'\\' => escapes += 1,
            // A quote closes if it is escaped as the opening one was, or less.
            _ if *byte == text[quote] && escapes <= slashes => return Some(start..end - escapes),
            // `\\"` contains an escaped backslash, so the quote is not escaped.
            _ if *byte == text[quote] && slashes == 0 && escapes % 2 == 0 => return Some(start..end),
            _ => escapes = 0,
        }
        end += 1;
    }
    let end = start + text[start..end].trim_ascii_end().len();
    (end > start).then_some(start..end)
}

fn bare_end(text: &[u8], at: usize, until: Until) -> usize {
    let is_end = |index: usize, byte: u8| match byte {
        b' ' | b'\t' | b'\n' | b'\r' => true,
        b'"' | b'\'' | b'`' => true,
        b'&' => until == Until::Mark && !is_inside(text, at, index),
        // `number|letters` is one token.
        b'|' if index - at >= 10 && text[at..index].iter().all(u8::is_ascii_digit) => {
            until == Until::Mark && !text.get(index + 1).is_some_and(u8::is_ascii_alphanumeric)
        }
        b',' | b';' | b'|' | b')' | b'}' | b']' | b'<' | b'>' => until == Until::Mark,
        // Punctuation of other scripts: typographic quotes, ideographic marks, full-width forms.
        0xE2 => matches!(text.get(index + 1..index + 3), Some([0x80, 0x98..=0x9F])),
        0xE3 => text.get(index + 1) == Some(&0x80),
        0xEF => matches!(text.get(index + 1), Some(0xBC | 0xBD)),
        // A non-breaking blank.
        0xC2 => text.get(index + 1) == Some(&0xA0),
        _ => false,
    };
    let end = text[at..].iter().enumerate().position(|(index, byte)| is_end(at + index, *byte));
    let end = end.map_or(text.len(), |length| at + length);
    // What ends a sentence or a statement is not part of the value.
    let tail = text[at..end].iter().rposition(|byte| !matches!(byte, b';' | b',' | b'\\'));
    let end = tail.map_or(end, |last| at + last + 1);
    // An escaped line end ends a value, also where only its first half is there.
    if text[at..end].ends_with(b"\\r") { end - 2 } else { end }
}

/// Returns whether the `&` here is part of the value: in quotes, and not between the fields of an address or a form.
fn is_inside(text: &[u8], value: usize, at: usize) -> bool {
    let is_part = |byte: u8| byte.is_ascii_graphic() && !is_quote(byte) && byte != b';';
    let next = &text[at + 1..run_within(text, at + 1, 128, is_part)];
    let end = text.get(at + 1 + next.len());
    let is_field = next.contains(&b'=') && !next.ends_with(b"=");
    let is_entity = end == Some(&b';') && is_one_of(next, &["amp", "quot", "lt", "gt", "apos"]);
    let line = &text[run_back(text, value, 256, |byte| byte != b'\n')..value];
    let word = line.rsplit(|byte| is_blank(*byte) || is_quote(*byte)).next().unwrap_or_default();
    let is_address =
        word.contains(&b'?') || word.contains(&b'&') || word.windows(3).any(|part| part == b"://");
    let is_quoted = line.iter().any(|byte| is_quote(*byte));
    let ends_value = end.is_some_and(|byte| is_quote(*byte) || *byte == b';');
    let is_command = next.is_empty() || next.starts_with(b"&");
    !is_command && is_quoted && ends_value && !is_field && !is_entity && !is_address
}

/// Returns whether nothing but a comment or a comma follows on the line.
pub(super) fn is_last(text: &[u8], end: usize) -> bool {
    let rest = run_within(text, end, 64, |byte| is_blank(byte) || is_quote(byte) || byte == b'\r');
    match text.get(rest) {
        None | Some(b'\n') => true,
        Some(b'#' | b';') => rest > end,
        Some(b'}') => true,
        _ => false,
    }
}
