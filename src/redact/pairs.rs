//! A name and its value under separate keys: `{"name": "DB_PASSWORD", "value": "…"}`, `- name: …` above `value: …`,
//! `{"element": "Password input", "text": "…"}`, `<add key="Password" value="…"/>`, `{"secret": {"value": "…"}}`.

use std::ops::Range;

use super::names::Name;
use super::scan::{is_blank, is_one_of, is_quote, run_back, run_within, skip_blanks, skip_quote};
use super::value::{self, FoundValue, Until};

/// Keys whose value is the name of something.
#[rustfmt::skip]
const LABELS: &[&str] = &[
    "name", "key", "variable", "var", "varname", "id", "field", "label", "element", "selector", "ref", "env",
    "header", "param", "parameter", "parametername", "parameterkey", "option", "setting", "property", "attr",
    "title", "placeholder", "locator", "target", "secretname", "n", "k",
];

/// Keys whose value is the value of that name.
#[rustfmt::skip]
const VALUES: &[&str] = &[
    "value", "val", "content", "contents", "text", "data", "secret", "string", "stringvalue", "string_value",
    "parametervalue", "secretstring", "plaintext", "plain", "raw", "input", "fill", "keys", "characters", "v",
    "default", "defaultvalue",
];

/// A record is searched up to this many bytes.
const WINDOW: usize = 320;

/// Returns the value that belongs to a name, where the name is itself the value of a label.
pub(super) fn apart(text: &[u8], name: &Name<'_>) -> Option<FoundValue> {
    let label = label_before(text, name.start)?;
    after(text, name.end).or_else(|| before(text, label))
}

/// Returns the value in the object that belongs to a name: `"secret": {"value": "…"}`.
pub(super) fn inside(text: &[u8], at: usize) -> Option<FoundValue> {
    let brace = run_within(text, at, 64, |byte| byte.is_ascii_whitespace());
    if text.get(brace) != Some(&b'{') {
        return None;
    }
    search(text, brace + 1..text.len().min(brace + 1 + WINDOW))
}

/// Returns where the label begins whose value is the name.
///
/// The value may be longer than the name: `Password input`, `#password`, `input[name='password']`.
fn label_before(text: &[u8], name: usize) -> Option<usize> {
    let start = run_back(text, name, 80, |byte| !matches!(byte, b'\n' | b'{' | b'}' | b',' | b'<'));
    let signs = (start..name).rev().filter(|at| matches!(text[*at], b':' | b'='));
    signs.take(4).find_map(|sign| {
        let key = key_before(text, sign)?;
        is_one_of(&text[key.clone()], LABELS).then_some(key.start)
    })
}

/// Returns the key that ends before a sign.
fn key_before(text: &[u8], sign: usize) -> Option<Range<usize>> {
    let end = run_back(text, sign, 8, |byte| is_blank(byte) || is_quote(byte) || byte == b'\\');
    let start = run_back(text, end, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_word = start < end && (start == 0 || !matches!(text[start - 1], b'-' | b'.' | b'$'));
    is_word.then_some(start..end)
}

fn after(text: &[u8], at: usize) -> Option<FoundValue> {
    search(text, at..record_end(text, at))
}

/// Looks for the value before the label: `{"value": "…", "name": "DB_PASSWORD"}`.
fn before(text: &[u8], label: usize) -> Option<FoundValue> {
    let start = run_back(text, label, WINDOW, |byte| !matches!(byte, b'{' | b'}' | b'<'));
    let opens = start > 0 && matches!(text[start - 1], b'{' | b'<');
    let lines = if opens { start } else { lines_before(text, label) };
    search(text, lines..label)
}

/// Returns where a record of lines begins: after an empty line or at the mark of an item.
fn lines_before(text: &[u8], label: usize) -> usize {
    let line = |end: usize| run_back(text, end, WINDOW, |byte| byte != b'\n');
    let mut start = line(label);
    for _ in 0..3 {
        let is_item = text[start..].trim_ascii_start().starts_with(b"- ");
        if start == 0 || is_item || label - start > WINDOW {
            break;
        }
        let above = line(start - 1);
        if text[above..start].trim_ascii().is_empty() {
            break;
        }
        start = above;
    }
    start
}

/// Returns where a record ends: at its brace, at the next item, at an empty line.
fn record_end(text: &[u8], at: usize) -> usize {
    let end = text.len().min(at + WINDOW);
    let mut index = at;
    while index < end {
        match &text[index..end] {
            [b'}', ..] | [b'\n', b'\n', ..] | [b'/', b'>', ..] => return index,
            [b'\n', rest @ ..] if rest.trim_ascii_start().starts_with(b"- ") => return index,
            _ => index += 1,
        }
    }
    end
}

/// Returns the value of the first key in a range that announces one.
fn search(text: &[u8], within: Range<usize>) -> Option<FoundValue> {
    let mut at = within.start;
    while at < within.end {
        let sign = at + text[at..within.end].iter().position(|byte| matches!(byte, b':' | b'='))?;
        at = sign + 1;
        let Some(key) = key_before(text, sign).filter(|key| key.start >= within.start) else { continue };
        if !is_one_of(&text[key], VALUES) {
            continue;
        }
        let start = skip_blanks(text, sign + 1);
        // A flattened record has a line for every value, and no quotes.
        let until =
            if text[sign] == b'=' && skip_quote(text, start).is_none() { Until::Line } else { Until::Mark };
        return value::block(text, start).or_else(|| value::read(text, start, until));
    }
    None
}
