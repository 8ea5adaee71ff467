//! Keys that the name of a service beside them announces: `ipstackKey = '…'`, `{"finnhub": {"key": "…"}}`.
//!
//! The keys of hundreds of services are 20 to 64 letters and digits, as hashes and ids are. Scanners look for the name of
//! the service within some forty characters before such a value. That would take hashes, too, so here the word `key`
//! must come between them, or nothing but signs. Names such as `api_key` and `token` need no service: `names.rs`.

use std::ops::Range;

use super::placeholder::is_placeholder;
use super::scan::{SecretScan, run_back, run_within, skip_blanks, skip_quote};
use super::services::is_service;
use super::trigger::{Case, Detector, Trigger};
use super::worth::{is_strong, is_wordy};
use super::{SecretFinding, SecretKind};

/// The word `key` with what can come between it and a value.
pub(super) const TRIGGERS: &[Trigger] = &[
    key("Key="),
    key("Key:"),
    key("Key "),
    key("Key\""),
    key("Key'"),
    key("key="),
    key("key:"),
    key("key "),
    key("key\""),
    key("key\\"),
    key("key'"),
];

const fn key(literal: &'static str) -> Trigger {
    Trigger { literal, case: Case::Exact, detector: Detector::Other(detect) }
}

fn detect(scan: &mut SecretScan<'_>, at: usize, _: usize) {
    let text = scan.text;
    let Some(value) = value_after(text, at) else { return };
    if at >= scan.names_until && is_announced(text, at) && !is_placeholder(&text[value.clone()]) {
        scan.push(SecretKind::ApiKey, value);
    }
}

/// Returns the value that is joined to the word `key` here, if it has the form of a key.
fn value_after(text: &[u8], at: usize) -> Option<Range<usize>> {
    let end = at + b"key".len();
    let name_end = skip_quote(text, end).unwrap_or(end);
    let sign = skip_blanks(text, name_end);
    let length = match &text[sign..] {
        [b'=', b'>', ..] | [b':', b'=', ..] => 2,
        [b'=' | b':', ..] => 1,
        [b'i', b's', b' ', ..] if sign > name_end => 3,
        // `--ipstack-key x`
        [byte, ..] if sign > end && byte.is_ascii_alphanumeric() && is_option(text, at) => 0,
        _ => return None,
    };
    let start = skip_blanks(text, sign + length);
    let start = skip_quote(text, start).unwrap_or(start);
    let end =
        run_within(text, start, MAX_KEY + 1, |byte| byte.is_ascii_alphanumeric() || b"_-+=".contains(&byte));
    // Code, an address or a path continues.
    let continues = matches!(text.get(end), Some(b'.' | b'(' | b'[' | b'/' | b':' | b'@' | b'$' | b'{'));
    let is_code =
        matches!(text.get(end), Some(b'.')) && text.get(end + 1).is_none_or(u8::is_ascii_whitespace);
    let is_key = (MIN_KEY..=MAX_KEY).contains(&(end - start)) && (!continues || is_code);
    (is_key && looks_random(&text[start..end])).then_some(start..end)
}

/// Shorter keys are rare, and shorter words are ids.
const MIN_KEY: usize = 16;
const MAX_KEY: usize = 128;

fn looks_random(value: &[u8]) -> bool {
    let is_hex = value.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    let count = |test: fn(&u8) -> bool| value.iter().filter(|byte| test(byte)).count();
    let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
    let is_one_part = digits + letters == value.len() && digits > 0 && !is_wordy(value);
    (is_hex && digits >= 2 && letters >= 2) || (is_one_part && letters > 0) || is_strong(value)
}

/// Returns whether the word is the end of a long option.
fn is_option(text: &[u8], at: usize) -> bool {
    let start = run_back(text, at, 48, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    text[start..at].starts_with(b"--")
}

/// Returns whether the name of a service, or the word `api`, comes before: on this line or the one above it.
fn is_announced(text: &[u8], at: usize) -> bool {
    let before = &text[at.saturating_sub(MAX_DISTANCE)..at];
    if before.ends_with(b"api ") || before.ends_with(b"API ") {
        return true;
    }
    let mut lines = before.rsplitn(3, |byte| *byte == b'\n');
    let mut near = lines.by_ref().take(2);
    near.any(|line| line.split(|byte| !byte.is_ascii_alphanumeric()).any(|word| words(word).any(is_service)))
}

/// As far as scanners look.
const MAX_DISTANCE: usize = 48;

/// Returns a word, and what begins at its capitals: `myIpstackKey`.
fn words(word: &[u8]) -> impl Iterator<Item = &[u8]> {
    let begins = |index: &usize| {
        *index == 0 || (word[*index].is_ascii_uppercase() && word[index - 1].is_ascii_lowercase())
    };
    (0..word.len()).filter(begins).map(|index| &word[index..])
}

/// Returns the key that comes directly after the name of a service: `ipstack: …`, `new Ipstack('…')`.
///
/// Hex digits may be a commit, and a UUID an id, so these stay.
pub(super) fn judge(text: &[u8], within: &Range<usize>) -> Option<SecretFinding> {
    let signs = run_back(text, within.start, 4, |byte| b" '\"=:>({[,\\".contains(&byte));
    let name = &text[run_back(text, signs, 32, |byte| byte.is_ascii_alphanumeric())..signs];
    if signs == within.start || name.len() < 4 || within.len() > MAX_KEY {
        return None;
    }
    let value = &text[within.clone()];
    let is_plain = value.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
        && matches!(value.len(), 32 | 36 | 40 | 64);
    let continues = matches!(text.get(within.end), Some(b'.' | b'(' | b'[' | b'/' | b'@' | b'$' | b'{'));
    let is_key = !is_plain && !continues && !value.contains(&b'/') && is_strong(value);
    (is_key && is_service(name) && !is_placeholder(value))
        .then(|| SecretFinding { kind: SecretKind::ApiKey, span: within.clone() })
}
