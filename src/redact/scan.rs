//! The state of one pass, and helpers with which detectors examine the bytes around them.

use std::ops::Range;

use super::variables::AskedPlace;
use super::{SecretFinding, SecretKind};

/// The encoded quotes for which a text is read a second time, in `views`; other signs are decoded along with them.
pub(super) const QUOTES: [&str; 4] = ["\\u0022", "&quot;", "&#34;", "%22"];

/// A text under examination, with what was found so far.
pub(super) struct SecretScan<'t> {
    pub(super) text: &'t [u8],
    found: Vec<SecretFinding>,
    /// Before this, a name is part of a value that was already judged.
    pub(super) names_until: usize,
    /// Before this, a token is part of one that was already taken.
    pub(super) tokens_until: usize,
    /// Before this, a header is part of one that was already taken.
    pub(super) headers_until: usize,
    /// The command whose options were read last, and how far.
    pub(super) client: &'static str,
    pub(super) client_until: usize,
    /// The text contains encoded quotes or continued lines, so `views` has to run.
    pub(super) has_views: bool,
    /// Which of the encoded quotes it contains, and last, whether it has continued lines.
    pub(super) has_quote: [bool; QUOTES.len() + 1],
    /// The parts of the text around triggers whose meaning depends on lines, in order, without overlaps.
    pub(super) line_parts: Vec<Range<usize>>,
    environment: AskedPlace,
}

/// What belongs to a trigger is not further away than this.
const MAX_DISTANCE: usize = 4 << 10;

impl<'t> SecretScan<'t> {
    pub(super) fn new(text: &'t str) -> SecretScan<'t> {
        SecretScan {
            text: text.as_bytes(),
            found: Vec::new(),
            names_until: 0,
            tokens_until: 0,
            headers_until: 0,
            client: "",
            client_until: 0,
            has_views: false,
            has_quote: [false; QUOTES.len() + 1],
            line_parts: Vec::new(),
            environment: AskedPlace::default(),
        }
    }

    /// Returns whether a whole environment is listed around a place.
    pub(super) fn is_environment(&mut self, at: usize) -> bool {
        self.environment.is_listed(self.text, at)
    }

    pub(super) fn push(&mut self, kind: SecretKind, span: Range<usize>) {
        self.found.push(SecretFinding { kind, span });
    }

    /// Records that the meaning of a trigger here depends on where lines end.
    ///
    /// The part stays within the line of the trigger: the text is searched a second time line by line.
    pub(super) fn note_line_part(&mut self, at: usize) {
        let last = self.line_parts.last().map_or(0, |last| last.end);
        let max = self.text.len().min(at + MAX_DISTANCE);
        let end = memchr::memchr(b'\n', &self.text[at..max]).map_or(max, |length| at + length);
        match self.line_parts.last_mut() {
            Some(part) if at <= last => part.end = last.max(end),
            _ => {
                let min = at.saturating_sub(MAX_DISTANCE).max(last);
                let start = memchr::memrchr(b'\n', &self.text[min..at]).map_or(min, |line| min + line + 1);
                self.line_parts.push(start..end);
            }
        }
    }

    /// Returns whether such a trigger is near this part of the text.
    pub(super) fn has_line_part(&self, part: &Range<usize>) -> bool {
        let next = self.line_parts.partition_point(|line_parts| line_parts.end <= part.start);
        self.line_parts.get(next).is_some_and(|line_parts| line_parts.start < part.end)
    }

    /// Records a header value: all bytes of the class from `at` on.
    pub(super) fn push_header(&mut self, kind: SecretKind, at: usize, class: fn(u8) -> bool) {
        self.headers_until = run(self.text, at, class);
        self.push(kind, at..self.headers_until);
    }

    /// Returns the findings in order; those that overlap become one, with the kind that is listed first.
    pub(super) fn into_found(mut self) -> Vec<SecretFinding> {
        self.found.sort_by(|a, b| a.span.start.cmp(&b.span.start).then(b.span.end.cmp(&a.span.end)));
        let mut merged: Vec<SecretFinding> = Vec::with_capacity(self.found.len());
        for next in self.found {
            match merged.last_mut() {
                Some(last) if next.span.start < last.span.end => {
                    last.span.end = last.span.end.max(next.span.end);
                    if next.kind < last.kind {
                        last.kind = next.kind;
                    }
                }
                _ => merged.push(next),
            }
        }
        merged
    }
}

/// Returns the end of the run of such bytes that begins at `at`.
pub(super) fn run(text: &[u8], at: usize, class: fn(u8) -> bool) -> usize {
    text[at..].iter().position(|byte| !class(*byte)).map_or(text.len(), |length| at + length)
}

/// Does the same within the next `max` bytes.
pub(super) fn run_within(text: &[u8], at: usize, max: usize, class: fn(u8) -> bool) -> usize {
    let end = text.len().min(at + max);
    run(&text[..end], at, class)
}

/// Returns the start of the run of such bytes that ends at `end`, going back at most `max` bytes.
pub(super) fn run_back(text: &[u8], end: usize, max: usize, class: fn(u8) -> bool) -> usize {
    let min = end.saturating_sub(max);
    text[min..end].iter().rposition(|byte| !class(*byte)).map_or(min, |last| min + last + 1)
}

/// Returns whether a word can begin here: nothing before it belongs to the same word.
///
/// The `n` of an escaped line end and the last digit of `%3D` do not belong to the word after them.
pub(super) fn starts_word(text: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|index| text[index]);
    match before(1) {
        Some(byte) if is_word(byte) => {
            (matches!(byte, b'n' | b'r' | b't') && before(2) == Some(b'\\'))
                || (before(3) == Some(b'%')
                    && byte.is_ascii_hexdigit()
                    && before(2).is_some_and(|byte| byte.is_ascii_hexdigit()))
        }
        _ => true,
    }
}

/// Returns the part of the line before `at`, at most `max` bytes.
pub(super) fn line_before(text: &[u8], at: usize, max: usize) -> &[u8] {
    let start = run_back(text, at, max, |byte| byte != b'\n');
    &text[start..at]
}

/// Returns the part of the line from `at` on, at most `max` bytes.
pub(super) fn line_after(text: &[u8], at: usize, max: usize) -> &[u8] {
    &text[at..run_within(text, at, max, |byte| byte != b'\n')]
}

/// Returns where the text continues after blanks; a line end is not a blank.
pub(super) fn skip_blanks(text: &[u8], at: usize) -> usize {
    let mut at = run_within(text, at.min(text.len()), 64, is_blank);
    // Typeset texts have non-breaking blanks and wide ones.
    while let [0xC2, 0xA0, rest @ ..] | [0xE3, 0x80, 0x80, rest @ ..] = &text[at..] {
        at = run_within(text, text.len() - rest.len(), 64, is_blank);
    }
    at
}

/// Does the same, but also skips line ends that a backslash continues.
pub(super) fn skip_continued(text: &[u8], at: usize) -> usize {
    let mut at = skip_blanks(text, at);
    while let [b'\\', b'\n', ..] | [b'\\', b'\r', b'\n', ..] = &text[at..] {
        at = run_within(text, at + 1, 128, |byte| byte.is_ascii_whitespace());
    }
    at
}

/// Returns where the text continues after a quote, escaped (`\"`) or not, if there is one here.
pub(super) fn skip_quote(text: &[u8], at: usize) -> Option<usize> {
    if let Some([0xE2, 0x80, 0x98..=0x9E]) = text.get(at..at + 3) {
        return Some(at + 3);
    }
    let quote = run_within(text, at, 3, |byte| byte == b'\\');
    text.get(quote).is_some_and(|byte| is_quote(*byte)).then_some(quote + 1)
}

/// Returns whether the text contains the word, ignoring case; `word` is lower case.
pub(super) fn contains(text: &[u8], word: &str) -> bool {
    let word = word.as_bytes();
    let Some(last) = text.len().checked_sub(word.len()) else { return false };
    let Some(first) = word.first() else { return true };
    memchr::memchr2_iter(*first, first.to_ascii_uppercase(), &text[..=last])
        .any(|at| text[at..at + word.len()].eq_ignore_ascii_case(word))
}

/// Returns whether the text begins with the word, ignoring case.
pub(super) fn begins(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
}

/// Returns whether the text is one of these words, ignoring case.
pub(super) fn is_one_of(text: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}
