//! The last resort: a long run that is not a word, a path or a hash, and as random as keys are.
//!
//! In a random text, every second character or so changes between lower case, upper case and digits; in words,
//! identifiers and paths the changes are rarer. That distinguishes them better than counting characters would.

use std::ops::Range;

use super::hex::follows_digest;
use super::placeholder::is_placeholder;
use super::scan::{contains, is_word, run, run_back, run_within, skip_quote};
use super::{SecretFinding, SecretKind};

/// Longer runs are data, not keys.
const MAX_LENGTH: usize = 256;

pub(super) fn judge(text: &[u8], span: &Range<usize>) -> Option<SecretFinding> {
    let word = &text[span.clone()];
    if word.len() > MAX_LENGTH || !is_dense(word) || is_placeholder(word) || is_expected(text, span) {
        return None;
    }
    let end = run_within(text, span.end, 2, |byte| byte == b'=');
    Some(SecretFinding { kind: SecretKind::Random, span: span.start..end })
}

/// Returns whether a text changes between lower case, upper case and digits as often as random ones do.
///
/// A capital before a small letter begins a word and does not count; nor do marks between words. So this misses one in
/// thirty random texts of 32 characters, one in a hundred of 40, and hardly ever matches a long name.
pub(super) fn is_dense(word: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| word.iter().filter(|byte| test(byte)).count();
    let figures = word.split(|byte| !byte.is_ascii_digit()).filter(|group| !group.is_empty()).count();
    let turns = word.windows(2).filter(|pair| match (class(pair[0]), class(pair[1])) {
        (Class::Upper, Class::Lower) | (Class::Mark, _) | (_, Class::Mark) => false,
        (before, after) => before != after,
    });
    figures >= 2
        && has(u8::is_ascii_lowercase) >= 3
        && has(u8::is_ascii_uppercase) >= 3
        && has(|byte| class(*byte) == Class::Mark) * 6 <= word.len()
        && turns.count() * 100 >= word.len() * 24
}

/// Returns whether a text mixes letters of both cases at random; long names have fewer capitals.
pub(super) fn is_mixed(word: &[u8]) -> bool {
    let count = |test: fn(&u8) -> bool| word.iter().filter(|byte| test(byte)).count();
    let (upper, lower) = (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    word.len() >= 20
        && word.iter().all(u8::is_ascii_alphanumeric)
        && upper * 10 >= word.len() * 3
        && lower * 10 >= word.len() * 3
        && changes(word) * 3 >= word.len()
}

/// Counts the places where a text changes its class.
pub(super) fn changes(word: &[u8]) -> usize {
    word.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count()
}

#[derive(PartialEq)]
enum Class {
    Lower,
    Upper,
    Figure,
    Mark,
}

fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Figure,
        _ => Class::Mark,
    }
}

/// Returns whether a random run is expected here: an address, a digest, a public key, data, or a mangled symbol.
fn is_expected(text: &[u8], span: &Range<usize>) -> bool {
    let word = &text[span.clone()];
    let start = run_back(text, span.start, 128, |byte| byte.is_ascii_graphic());
    let before = &text[start..span.start];
    let is_symbol = word.starts_with(b"_ZN") || word.starts_with(b"_R") || word.starts_with(b"__");
    is_symbol
        || word.starts_with(b"AAAA")
        || word.starts_with(b"/")
        // The id of a call that a server of Anthropic runs.
        || word.starts_with(b"srvtoolu_")
        || digest_prefix(word)
        || follows_digest(text, span.start)
        || matches!(before.last(), Some(b'/' | b'.' | b'@' | b'\\' | b'%'))
        || matches!(text.get(span.end), Some(b'/' | b'(' | b'@' | b'%'))
        // The backslash of `\"` belongs to the quote.
        || (text.get(span.end) == Some(&b'\\') && skip_quote(text, span.end).is_none())
        || (text.get(span.end) == Some(&b'.') && !ends_sentence(text, span.end))
        || contains(before, "://")
        || contains(before, "base64")
        || is_block(text, span)
}

/// Returns whether the dot here ends a sentence: nothing continues after it.
fn ends_sentence(text: &[u8], dot: usize) -> bool {
    text.get(dot + 1).is_none_or(|byte| byte.is_ascii_whitespace() || b"\"'`)\\".contains(byte))
}

/// `sha512-…`, as lock files write it.
fn digest_prefix(word: &[u8]) -> bool {
    word.iter().take(8).position(|byte| *byte == b'-').is_some_and(|dash| follows_digest(word, dash + 1))
}

/// Returns whether the run is one line of a block of such lines.
fn is_block(text: &[u8], span: &Range<usize>) -> bool {
    let is_base64 = |byte: u8| is_word(byte) || b"+/=-".contains(&byte);
    let is_line =
        |line: Range<usize>| line.len() >= 40 && run(&text[..line.end], line.start, is_base64) == line.end;
    let previous = span.start.checked_sub(1).filter(|end| text[*end] == b'\n');
    let previous = previous.is_some_and(|end| is_line(run_back(text, end, 256, |byte| byte != b'\n')..end));
    let next = run_within(text, span.end, 3, |byte| byte == b'=' || byte == b'\r');
    let next = text.get(next) == Some(&b'\n')
        && is_line(next + 1..run_within(text, next + 1, 256, |byte| byte != b'\n'));
    previous || next
}
