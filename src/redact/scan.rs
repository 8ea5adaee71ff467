//! The state of one pass, and the small questions every detector asks of the bytes around it.

use std::ops::Range;

use super::{Found, Kind};

/// A text under examination, with what was found so far.
pub(super) struct Scan<'t> {
    pub(super) text: &'t [u8],
    found: Vec<Found>,
    /// Before this, a name is part of a value that was already judged.
    pub(super) names_until: usize,
    /// Before this, a token is part of one that was already taken.
    pub(super) tokens_until: usize,
    /// Before this, a header is part of one that was already taken.
    pub(super) headers_until: usize,
    /// The command whose options were read last, and how far.
    pub(super) client: &'static str,
    pub(super) client_until: usize,
    /// The text writes quotes or line ends in another way, so `views` has to look.
    pub(super) has_views: bool,
    /// The parts of the text that have something in them whose meaning depends on lines, in order, without overlaps.
    pub(super) met: Vec<Range<usize>>,
}

/// What belongs to a word is not further away than this.
const REACH: usize = 4 << 10;

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str) -> Scan<'t> {
        Scan {
            text: text.as_bytes(),
            found: Vec::new(),
            names_until: 0,
            tokens_until: 0,
            headers_until: 0,
            client: "",
            client_until: 0,
            has_views: false,
            met: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, kind: Kind, span: Range<usize>) {
        self.found.push(Found { kind, span });
    }

    /// Notes that something is here whose meaning depends on where lines end.
    pub(super) fn meet(&mut self, at: usize) {
        let end = self.text.len().min(at + REACH);
        match self.met.last_mut() {
            Some(last) if at.saturating_sub(REACH) <= last.end => last.end = last.end.max(end),
            _ => self.met.push(at.saturating_sub(REACH)..end),
        }
    }

    /// Says whether such a thing is near this part of the text.
    pub(super) fn has_met(&self, part: &Range<usize>) -> bool {
        let next = self.met.partition_point(|met| met.end <= part.start);
        self.met.get(next).is_some_and(|met| met.start < part.end)
    }

    /// Takes all such bytes from `at` on.
    pub(super) fn push_header(&mut self, kind: Kind, at: usize, class: fn(u8) -> bool) {
        self.headers_until = run(self.text, at, class);
        self.push(kind, at..self.headers_until);
    }

    /// Returns what was found in order; findings that overlap become one, named after the first in rank.
    pub(super) fn into_found(mut self) -> Vec<Found> {
        self.found.sort_by(|a, b| a.span.start.cmp(&b.span.start).then(b.span.end.cmp(&a.span.end)));
        let mut merged: Vec<Found> = Vec::with_capacity(self.found.len());
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

/// Returns the same, but looks no further than `most` bytes.
pub(super) fn run_within(text: &[u8], at: usize, most: usize, class: fn(u8) -> bool) -> usize {
    let end = text.len().min(at + most);
    run(&text[..end], at, class)
}

/// Returns the start of the run of such bytes that ends at `end`, looking back no further than `most`.
pub(super) fn run_back(text: &[u8], end: usize, most: usize, class: fn(u8) -> bool) -> usize {
    let least = end.saturating_sub(most);
    text[least..end].iter().rposition(|byte| !class(*byte)).map_or(least, |last| least + last + 1)
}

/// Says whether a word can begin here: nothing before it belongs to the same word.
///
/// The `n` of an escaped line end and the last digit of `%3D` are no letters of the word behind them.
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

/// Returns the part of the line before `at`, no more than `most` bytes of it.
pub(super) fn line_before(text: &[u8], at: usize, most: usize) -> &[u8] {
    let start = run_back(text, at, most, |byte| byte != b'\n');
    &text[start..at]
}

/// Returns the part of the line from `at` on, no more than `most` bytes of it.
pub(super) fn line_after(text: &[u8], at: usize, most: usize) -> &[u8] {
    &text[at..run_within(text, at, most, |byte| byte != b'\n')]
}

/// Returns where the text goes on after blanks; a line end is none.
pub(super) fn skip_blanks(text: &[u8], at: usize) -> usize {
    let mut at = run_within(text, at.min(text.len()), 64, is_blank);
    // Texts that were typeset have blanks that do not break, and wide ones.
    while let [0xC2, 0xA0, rest @ ..] | [0xE3, 0x80, 0x80, rest @ ..] = &text[at..] {
        at = run_within(text, text.len() - rest.len(), 64, is_blank);
    }
    at
}

/// Returns the same; a line that a backslash carries on is one line.
pub(super) fn skip_continued(text: &[u8], at: usize) -> usize {
    let mut at = skip_blanks(text, at);
    while let [b'\\', b'\n', ..] | [b'\\', b'\r', b'\n', ..] = &text[at..] {
        at = run_within(text, at + 1, 128, |byte| byte.is_ascii_whitespace());
    }
    at
}

/// Returns where the text goes on after a quote, escaped (`\"`) or not, if one is here.
pub(super) fn skip_quote(text: &[u8], at: usize) -> Option<usize> {
    if let Some([0xE2, 0x80, 0x98..=0x9E]) = text.get(at..at + 3) {
        return Some(at + 3);
    }
    let quote = run_within(text, at, 3, |byte| byte == b'\\');
    text.get(quote).is_some_and(|byte| is_quote(*byte)).then_some(quote + 1)
}

/// Says whether the text holds the word, whatever its case; `word` is lower case.
pub(super) fn contains(text: &[u8], word: &str) -> bool {
    let word = word.as_bytes();
    let Some(last) = text.len().checked_sub(word.len()) else { return false };
    let Some(first) = word.first() else { return true };
    memchr::memchr2_iter(*first, first.to_ascii_uppercase(), &text[..=last])
        .any(|at| text[at..at + word.len()].eq_ignore_ascii_case(word))
}

/// Says whether the text begins with the word, whatever its case.
pub(super) fn begins(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
}

/// Says whether the text is one of these words, whatever its case.
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
