//! Words inside words: the parts of `snake_case` and `camelCase`, and pairs of characters for scripts without spaces.
//!
//! The index contains the words of a text; these parts are added to it, so that each spelling finds the others. The
//! parts are stored: existing rows keep theirs when this code changes.

use std::collections::HashSet;

/// The parts of a text have at most this many bytes.
const MAX_BYTES: usize = 2_000;

/// Returns the parts of all identifiers in the texts, one after the other, each identifier once.
pub(super) fn parts<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut seen = HashSet::new();
    let mut parts = String::new();
    for word in texts.into_iter().flat_map(identifiers).filter(|word| !is_one_part(word)) {
        for part in split(word) {
            if parts.len() + part.len() >= MAX_BYTES {
                return parts;
            }
            if seen.contains(word) {
                break;
            }
            if !parts.is_empty() {
                parts.push(' ');
            }
            parts.push_str(&part);
        }
        seen.insert(word);
    }
    parts
}

/// Returns the runs of letters, digits and `_`.
pub(super) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c)).filter(|word| word.chars().any(char::is_alphanumeric))
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns whether a word of ASCII has only one part, as most words do; it need not be looked at more closely.
fn is_one_part(word: &str) -> bool {
    let cuts = |pair: &[u8]| pair[1].is_ascii_uppercase() && pair[0].is_ascii_alphabetic();
    let bytes = word.as_bytes();
    bytes.is_ascii() && !bytes.contains(&b'_') && !bytes.windows(2).any(cuts)
}

/// Returns the parts of one identifier; empty if it has only one.
pub(super) fn split(word: &str) -> Vec<String> {
    let segments = segments(word);
    if let [only] = segments.as_slice()
        && *only == word
        && !only.starts_with(is_unspaced)
    {
        return Vec::new();
    }
    let mut parts = Vec::new();
    for segment in segments {
        if segment.starts_with(is_unspaced) {
            parts.extend(pairs(segment));
        } else {
            parts.push(segment.to_lowercase());
        }
    }
    if parts.len() == 1 && parts[0] == word { Vec::new() } else { parts }
}

/// Cuts at `_`, between `a` and `B`, between `AB` and `Cd`, and where a script without spaces begins or ends.
fn segments(word: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    let mut segments = Vec::new();
    let mut start = 0;
    for (index, pair) in chars.windows(2).enumerate() {
        let ((_, one), (at, two)) = (pair[0], pair[1]);
        let hump = !one.is_uppercase() && one.is_alphabetic() && two.is_uppercase();
        let acronym_ends = one.is_uppercase()
            && two.is_uppercase()
            && chars.get(index + 2).is_some_and(|(_, three)| three.is_lowercase());
        if one == '_' || two == '_' || hump || acronym_ends || is_unspaced(one) != is_unspaced(two) {
            segments.push(&word[start..at]);
            start = at;
        }
    }
    segments.push(&word[start..]);
    segments.retain(|segment| segment.chars().any(char::is_alphanumeric));
    segments
}

/// Returns whether the character belongs to a script without spaces between words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

fn pairs(segment: &str) -> Vec<String> {
    let chars: Vec<char> = segment.chars().collect();
    match chars.len() {
        1 => vec![segment.to_owned()],
        _ => chars.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

#[cfg(test)]
mod tests;
