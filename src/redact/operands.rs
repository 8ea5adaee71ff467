//! Commands that take a password as one of their words, without an option: `vault login …`, `net user bob …`.

use std::ops::Range;

use super::SecretKind;
use super::command_words::{CommandWords, WINDOW};
use super::commands::Carries;
use super::letters::{Doubt, is_random};
use super::placeholder::{is_constant, is_placeholder, is_unset};
use super::scan::{SecretScan, is_quote};
use super::worth::is_wordy;

pub(super) fn read(scan: &mut SecretScan<'_>, carries: Carries, after: usize) {
    let text = scan.text;
    let words = CommandWords { text, at: after, end: text.len().min(after + WINDOW) };
    let mut plain = words.filter(|word| !matches!(text.get(word.start), None | Some(b'-')));
    let word = match carries {
        Carries::Operand(index) => plain.nth(index),
        Carries::Slash | Carries::First | Carries::Secret => plain.next(),
        _ => plain.last(),
    };
    let Some(word) = word else { return };
    let behind =
        |sign: u8| text[word.clone()].iter().position(|byte| *byte == sign).map(|at| word.start + at + 1);
    let span = match carries {
        Carries::Slash => {
            let Some(start) = behind(b'/') else { return };
            let end = behind(b'@').map_or(word.end, |end| end - 1);
            start..end.max(start)
        }
        Carries::Config | Carries::First => behind(b':').unwrap_or(word.start)..word.end,
        _ => word,
    };
    let span = trimmed(text, span);
    // Quotes say that a text is meant; without them, prose about the command may continue here.
    let is_quoted = span.start > 0 && matches!(text[span.start - 1], b'"' | b'\'');
    let value = &text[span.clone()];
    let is_given = value.len() >= 3 && !is_placeholder(value) && !is_unset(value);
    let is_secret = carries == Carries::Secret && is_given && (is_quoted || is_random(value, Doubt::Bare));
    if is_secret || is_value(value) {
        scan.push(SecretKind::Password, span);
    }
}

/// Cuts a word where a quote around the whole command closes.
pub(super) fn trimmed(text: &[u8], word: Range<usize>) -> Range<usize> {
    let end = text[word.clone()].iter().position(|byte| is_quote(*byte) || *byte == b'\\');
    word.start..end.map_or(word.end, |length| word.start + length)
}

/// Returns whether a word is a value and not a word of prose, a path or the placeholder of a manual.
pub(super) fn is_value(word: &[u8]) -> bool {
    let is_number = word.iter().all(u8::is_ascii_digit);
    word.len() >= 6
        && word.iter().any(u8::is_ascii_digit)
        && (!is_number || word.len() >= 12)
        && !is_wordy(word)
        && !word.iter().any(|byte| b"/(){}[]<>,".contains(byte))
        && !is_placeholder(word)
        && !is_constant(word)
}
