//! What a user marked as private in a prompt.

use std::borrow::Cow;

use super::scan::begins;

/// Cuts `<private>…</private>` out of a prompt.
///
/// Tags may be in any case, have attributes and be nested; after a tag that is never closed, the rest of the text is
/// private.
pub(crate) fn without_private(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut depth = 0usize;
    let mut open = 0;
    let last = last_closing(text.as_bytes());
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        // A `<` within the attributes of a tag does not begin another one.
        if at < open {
            continue;
        }
        match parse_tag(&text.as_bytes()[at..], last.is_some_and(|last| last > at)) {
            Some(PrivateTag::Opening(length)) => {
                if depth == 0 {
                    kept.push_str(&text[open..at]);
                }
                depth += 1;
                open = at + length;
            }
            Some(PrivateTag::Closing(length)) if depth > 0 => {
                depth -= 1;
                open = at + length;
            }
            _ => {}
        }
    }
    if open == 0 {
        return Cow::Borrowed(text);
    }
    if depth == 0 {
        kept.push_str(&text[open..]);
    }
    Cow::Owned(kept)
}

/// A tag and its length in bytes.
enum PrivateTag {
    Opening(usize),
    Closing(usize),
}

fn parse_tag(text: &[u8], is_closed: bool) -> Option<PrivateTag> {
    let (name, tag): (_, fn(usize) -> PrivateTag) = match text {
        [b'<', b'/', rest @ ..] => (rest, PrivateTag::Closing),
        [_, rest @ ..] => (rest, PrivateTag::Opening),
        [] => return None,
    };
    let (word, rest) = name.split_at_checked("private".len())?;
    if !word.eq_ignore_ascii_case(b"private") {
        return None;
    }
    let start = text.len() - rest.len();
    match rest {
        [b'>', ..] => Some(tag(start + 1)),
        [blank, ..] if blank.is_ascii_whitespace() => {
            let end = attributes_end(rest);
            let attributes = &rest[..end];
            // `<private key>` in a sentence is not a tag, unless a closing tag follows.
            let is_tag = attributes.trim_ascii().is_empty() || attributes.contains(&b'=') || is_closed;
            is_tag.then(|| tag((start + end + 1).min(text.len())))
        }
        _ => None,
    }
}

/// Returns where the attributes of a tag end: at the first `>` outside quotes, or at any `>`, or with the text.
fn attributes_end(text: &[u8]) -> usize {
    let mut quote = None;
    for (at, byte) in text.iter().take(MAX_ATTRIBUTES).enumerate() {
        match quote {
            Some(open) if open == *byte => quote = None,
            Some(_) => {}
            None if matches!(byte, b'"' | b'\'') => quote = Some(*byte),
            None if *byte == b'>' => return at,
            None => {}
        }
    }
    let window = &text[..text.len().min(MAX_ATTRIBUTES)];
    memchr::memchr(b'>', window).unwrap_or(text.len())
}

/// Longer attributes are text: they are private, and so is everything after them.
const MAX_ATTRIBUTES: usize = 1024;

/// Returns where the last closing tag begins.
fn last_closing(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'<', text).rfind(|at| begins(&text[*at..], "</private"))
}
