//! Texts with encoded quotes and signs, or continued lines: `&quot;password&quot;`, `%22password%22`,
//! `\u0022password\u0022`, a command that continues after a backslash.
//!
//! The decoded text is searched again in a view of the same length, so findings keep their positions.

use std::ops::Range;

use super::scan::{QUOTES, SecretScan};
use super::trigger::{Case, Detector, Trigger};

/// Encodings of quotes and signs, and what they encode.
const ENCODINGS: [(&str, u8); 9] = [
    ("\\u0022", b'"'),
    ("\\u0027", b'\''),
    ("&quot;", b'"'),
    ("&#34;", b'"'),
    ("&#39;", b'\''),
    ("&#61;", b'='),
    ("%22", b'"'),
    ("%3A", b':'),
    ("%3a", b':'),
];

/// What makes the first pass request views.
pub(super) const TRIGGERS: &[Trigger] =
    &[trigger("\\u0022"), trigger("&quot;"), trigger("&#34;"), trigger("%22"), trigger(" \\\n")];

const fn trigger(literal: &'static str) -> Trigger {
    Trigger { literal, case: Case::Exact, detector: Detector::Other(note) }
}

fn note(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    scan.has_views = true;
    let quote = QUOTES.iter().position(|quote| quote.as_bytes() == &scan.text[at..after]);
    scan.has_quote[quote.unwrap_or(QUOTES.len())] = true;
}

/// A line longer than this is data.
const MAX_LINE: usize = 64 << 10;

/// Returns the views of a text with their positions. A line without a trigger has none.
pub(super) fn views(text: &str, scan: &SecretScan<'_>) -> Vec<(usize, String)> {
    let mut views = Vec::new();
    let has_quote = |index: &usize| scan.has_quote[*index];
    for quote in (0..QUOTES.len()).filter(has_quote).map(|index| QUOTES[index]) {
        let mut done = 0;
        for at in memchr::memmem::find_iter(text.as_bytes(), quote) {
            if at < done {
                continue;
            }
            let line = line_around(text, at);
            done = line.end;
            if line.len() <= MAX_LINE && scan.has_line_part(&line) {
                views.push((line.start, with_signs(&text[line])));
            }
        }
    }
    let mut done = 0;
    for at in memchr::memmem::find_iter(text.as_bytes(), b"\\\n") {
        if at < done {
            continue;
        }
        let start = line_around(text, at).start;
        let mut end = line_around(text, at).end;
        while text[..end].ends_with('\\') && end < text.len() && end - start < MAX_LINE {
            end = line_around(text, end + 1).end;
        }
        done = end;
        if scan.has_line_part(&(start..end)) {
            views.push((start, text[start..end].replace("\\\n", "  ")));
        }
    }
    views
}

fn line_around(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
    start..memchr::memchr(b'\n', &bytes[at..]).map_or(text.len(), |length| at + length)
}

/// Decodes the signs. Blanks fill the rest: before an opening quote and after a closing one, so that nothing is between
/// a quote and its content.
fn with_signs(line: &str) -> String {
    let mut view = String::with_capacity(line.len());
    let mut is_open = false;
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        let encoded = match next {
            '\\' | '&' | '%' => ENCODINGS.iter().find(|(encoded, _)| rest.starts_with(encoded)),
            _ => None,
        };
        let Some((encoded, sign)) = encoded else {
            view.push(next);
            rest = &rest[next.len_utf8()..];
            continue;
        };
        let is_quote = matches!(sign, b'"' | b'\'');
        let fill = std::iter::repeat_n(' ', encoded.len() - 1);
        if is_quote && !is_open {
            view.extend(fill);
            view.push(char::from(*sign));
        } else {
            view.push(char::from(*sign));
            view.extend(fill);
        }
        is_open ^= is_quote;
        rest = &rest[encoded.len()..];
    }
    view
}
