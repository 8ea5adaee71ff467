//! Keys that the name of a service beside them announces: `ipstackKey = '…'`, `{"finnhub": {"key": "…"}}`.
//!
//! The keys of hundreds of services are 20 to 64 letters and digits, as hashes and ids are. Scanners look for the name of
//! the service within some forty characters before such a value. That would take hashes, too, so here the word `key`
//! must come between them, or nothing but signs. Where a name ends in `key` (`acmeKey`, `acme.key`), any first word
//! counts as a service unless programs use it for keys of other kinds (`cacheKey`). Names such as `api_key` and `token`
//! need no service: `names.rs`.

use std::ops::Range;

use super::placeholder::is_placeholder;
use super::scan::{SecretScan, begins, is_quote, run_back, run_within, skip_blanks, skip_quote};
use super::services::{is_ordinary_key, is_service, is_service_word};
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
    key("Key\\"),
    key("Key>"),
    key("Key("),
    key("key="),
    key("key:"),
    key("key "),
    key("key\""),
    key("key\\"),
    key("key'"),
    key("key>"),
    key("API="),
    key("API "),
    key("API:"),
    key("API\""),
    Trigger { literal: "Client(", case: Case::Exact, detector: Detector::Other(client) },
];

const fn key(literal: &'static str) -> Trigger {
    Trigger { literal, case: Case::Exact, detector: Detector::Other(detect) }
}

fn detect(scan: &mut SecretScan<'_>, at: usize, _: usize) {
    let text = scan.text;
    let Some(value) = value_after(text, at) else { return };
    let is_announced = || match &text[at..at + WORD] {
        b"API" => text[..at].ends_with(b"_") && names_key(text, at),
        _ => names_key(text, at) || is_announced(text, at) || follows_service_word(text, at, &value),
    };
    if at >= scan.names_until && is_announced() && !is_placeholder(&text[value.clone()]) {
        scan.push(SecretKind::ApiKey, value);
    }
}

/// `acme.Client("…")`, `new AcmeClient("…")`.
fn client(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let end = at - usize::from(matches!(text[..at].last(), Some(b'.')));
    let name = &text[run_back(text, end, 32, |byte| byte.is_ascii_alphanumeric())..end];
    if let Some(start) = skip_quote(text, after)
        && let Some(value) = key_at(text, start)
        && words(name).any(|word| is_service(word) || is_service_word(word))
        && !is_placeholder(&text[value.clone()])
    {
        scan.push(SecretKind::ApiKey, value);
    }
}

/// The length of `key` and `API`.
const WORD: usize = 3;

/// Returns the value that is joined to the word `key` here, if it has the form of a key.
fn value_after(text: &[u8], at: usize) -> Option<Range<usize>> {
    let end = at + WORD;
    let name_end = skip_quote(text, end).unwrap_or(end);
    let sign = skip_blanks(text, name_end);
    let length = match &text[sign..] {
        [b'=', b'>', ..] | [b':', b'=', ..] => 2,
        [b'=' | b':', ..] => 1,
        [b'i', b's', b' ', ..] if sign > name_end => 3,
        // `<acmeKey>…`, `<add key="AcmeKey" value="…">`, `| acme key | … |`, `acme.setKey("…")`
        [b'>', ..] if sign == end => 1,
        [b'|', ..] if sign > end => 1,
        rest if name_end > end && begins(rest, "value=") => "value=".len(),
        [b'(', quote, ..] if sign == end && is_quote(*quote) && text[..at].ends_with(b"set") => 1,
        // `--ipstack-key x`
        [byte, ..] if sign > end && byte.is_ascii_alphanumeric() && is_option(text, at) => 0,
        _ => return None,
    };
    let start = skip_blanks(text, sign + length);
    key_at(text, skip_quote(text, start).unwrap_or(start))
}

/// Returns the word that begins here, if it has the form of a key.
fn key_at(text: &[u8], start: usize) -> Option<Range<usize>> {
    let end =
        run_within(text, start, MAX_KEY + 1, |byte| byte.is_ascii_alphanumeric() || b"_-+=".contains(&byte));
    // Code, an address or a path continues.
    let continues = matches!(text.get(end), Some(b'.' | b'(' | b'[' | b'/' | b':' | b'@' | b'$' | b'{'));
    let is_code =
        matches!(text.get(end), Some(b'.')) && text.get(end + 1).is_none_or(u8::is_ascii_whitespace);
    let is_key = (MIN_KEY..=MAX_KEY).contains(&(end - start)) && (!continues || is_code);
    (is_key && looks_random(&text[start..end])).then_some(start..end)
}

/// Returns whether the name that ends in `key` or `API` begins with a word that is not a kind of ordinary key.
///
/// `key` must be a word of its own in the name: `acmeKey`, `acme_key`, `acme.key`, but not `monkey`.
fn names_key(text: &[u8], at: usize) -> bool {
    let is_capital = text[at].is_ascii_uppercase();
    let word_end = match text[..at].last() {
        Some(b'_' | b'-' | b'.') => at - 1,
        Some(byte) if is_capital && byte.is_ascii_alphanumeric() => at,
        _ => return false,
    };
    let start = run_back(text, word_end, 48, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    let qualifiers = || text[start..word_end].split(|byte| b"_-.".contains(byte)).flat_map(camel_words);
    // The first letters of a hash or a variable of the shell are no name.
    let is_name = text[start..word_end].iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= 3
        && !matches!(start.checked_sub(1).map(|before| text[before]), Some(b'/' | b'$' | b'@' | b'\\'));
    is_name && !qualifiers().any(|word| is_ordinary_key(word) && word != b"set")
}

/// Returns the words of a name in camel case.
fn camel_words(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    name.chunk_by(|before, after| !(before.is_ascii_lowercase() && after.is_ascii_uppercase()))
}

/// Shorter keys are rare, and shorter words are ids.
const MIN_KEY: usize = 16;
const MAX_KEY: usize = 128;

fn looks_random(value: &[u8]) -> bool {
    let is_hex = is_hash(value);
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

/// Returns whether the name of a service, or a word such as `api`, comes before: on this line or the one above it.
fn is_announced(text: &[u8], at: usize) -> bool {
    let before = &text[at.saturating_sub(MAX_DISTANCE)..at];
    if ["api ", "API ", "using ", "Using "].iter().any(|word| before.ends_with(word.as_bytes())) {
        return true;
    }
    let mut lines = before.rsplitn(3, |byte| *byte == b'\n');
    let mut near = lines.by_ref().take(2);
    near.any(|line| line.split(|byte| !byte.is_ascii_alphanumeric()).any(|word| words(word).any(is_service)))
}

/// Returns whether the word before is a service whose name is an ordinary word: `the square key`, `square: {key: …}`.
///
/// A value that cannot be a hash or an id needs no service that we know.
fn follows_service_word(text: &[u8], at: usize, value: &Range<usize>) -> bool {
    let is_between =
        |byte: u8| byte.is_ascii_whitespace() || is_quote(byte) || b":=>{[(.-|\\".contains(&byte);
    let end = run_back(text, at, 24, is_between);
    let word = &text[run_back(text, end, 32, |byte| byte.is_ascii_alphanumeric())..end];
    let is_unknown = || word.len() >= MIN_WORD && !is_ordinary_key(word) && !is_hash(&text[value.clone()]);
    end < at && (is_service_word(word) || is_unknown())
}

/// `a key`, `my key`: shorter words name no service.
const MIN_WORD: usize = 4;

/// Returns whether a value looks like a hash or a UUID.
fn is_hash(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
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
    let is_plain = is_hash(value) && matches!(value.len(), 32 | 36 | 40 | 64);
    let continues = matches!(text.get(within.end), Some(b'.' | b'(' | b'[' | b'/' | b'@' | b'$' | b'{'));
    let is_key = !is_plain && !continues && !value.contains(&b'/') && is_strong(value);
    (is_key && is_service(name) && !is_placeholder(value))
        .then(|| SecretFinding { kind: SecretKind::ApiKey, span: within.clone() })
}
