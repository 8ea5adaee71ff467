//! What a user marked as private in a prompt.

use std::borrow::Cow;

/// Cuts `<private>…</private>` out of a prompt.
///
/// Tags are read in any case and may be nested; what was opened and never closed is private to the end.
pub(crate) fn without_private(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut depth = 0usize;
    let mut open = 0;
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        match tag(&text.as_bytes()[at..]) {
            Some(Tag::Opening(length)) => {
                if depth == 0 {
                    kept.push_str(&text[open..at]);
                }
                depth += 1;
                open = at + length;
            }
            Some(Tag::Closing(length)) if depth > 0 => {
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
enum Tag {
    Opening(usize),
    Closing(usize),
}

fn tag(text: &[u8]) -> Option<Tag> {
    let (name, tag): (_, fn(usize) -> Tag) = match text {
        [b'<', b'/', rest @ ..] => (rest, Tag::Closing),
        [_, rest @ ..] => (rest, Tag::Opening),
        [] => return None,
    };
    let (word, rest) = name.split_at_checked("private".len())?;
    let blanks = rest.iter().take(8).take_while(|byte| byte.is_ascii_whitespace()).count();
    (word.eq_ignore_ascii_case(b"private") && rest.get(blanks) == Some(&b'>'))
        .then(|| tag(text.len() - rest.len() + blanks + 1))
}
