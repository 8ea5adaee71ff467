//! Redacts a window of a long text before anything is derived from it.
//!
//! A piece of a secret cannot be recognised. So the text is redacted first, in a window that extends past the part that
//! is used; only then are lines chosen, words shortened and texts cut.

use std::borrow::Cow;

use super::notes::{Notes, OVERLAP};
use crate::redact::OwnPatterns;

/// A text up to this size is redacted completely; of a longer one, only the beginning and the end.
pub(super) const MAX_WHOLE: usize = 32 << 10;

/// A redacted text, without the middle if it is long.
pub(super) struct Abridged<'t> {
    pub(super) head: Cow<'t, str>,
    /// The end of a long text; `None` if `head` is the whole text.
    pub(super) tail: Option<String>,
}

/// Redacts a text, or the beginning and the end of a long one.
pub(super) fn abridge<'t>(text: &'t str, notes: &mut Notes, own: &OwnPatterns) -> Abridged<'t> {
    if text.len() <= MAX_WHOLE {
        return Abridged { head: notes.redact(text, own), tail: None };
    }
    let head = head(text, MAX_WHOLE / 2, notes, own);
    let start = text.ceil_char_boundary(text.len() - MAX_WHOLE / 2 - OVERLAP);
    let clean = notes.redact(&text[start..], own);
    let tail = &clean[clean.ceil_char_boundary(OVERLAP.min(clean.len()))..];
    // The window may begin in the middle of a line.
    let tail = tail.split_once('\n').map_or(tail, |(_, rest)| rest).to_owned();
    Abridged { head, tail: Some(tail) }
}

/// Redacts the beginning of a text and returns about this many bytes of it.
pub(super) fn head<'t>(text: &'t str, max: usize, notes: &mut Notes, own: &OwnPatterns) -> Cow<'t, str> {
    if text.len() <= max + OVERLAP {
        return notes.redact(text, own);
    }
    let clean = notes.redact(&text[..text.floor_char_boundary(max + OVERLAP)], own);
    let end = clean.floor_char_boundary(clean.len().saturating_sub(OVERLAP));
    match clean {
        Cow::Borrowed(clean) => Cow::Borrowed(&clean[..end]),
        Cow::Owned(mut clean) => {
            clean.truncate(end);
            Cow::Owned(clean)
        }
    }
}

/// Redacts a window that begins before a line and ends after its first bytes.
///
/// The line must be a part of the text.
pub(super) fn around<'t>(text: &'t str, line: &str, notes: &mut Notes, own: &OwnPatterns) -> Cow<'t, str> {
    let at = (line.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let start = text.floor_char_boundary(at.saturating_sub(OVERLAP));
    head(&text[start..], at - start + MAX_WHOLE / 8, notes, own)
}
