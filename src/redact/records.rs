//! Secrets that are recognised by the format around them, not by a name: `.pgpass`, Kubernetes secrets, web keys,
//! encoded keys.

use super::placeholder::{is_placeholder, is_unset};
use super::scan::{
    SecretScan, begins, contains, is_quote, run, run_back, run_within, skip_blanks, starts_word,
};
use super::trigger::{Case, Detector, Trigger};
use super::value::{self, Until};
use super::{SecretKind, base64, worth};

pub(super) const TRIGGERS: &[Trigger] = &[
    exact(":5432:", pgpass),
    exact(":5433:", pgpass),
    exact(":6432:", pgpass),
    exact(":*:*:", pgpass),
    any("ngdata", string_data),
    any("kind: secret", kind_secret),
    any("kind\": \"secret\"", kind_secret),
    any("kind\":\"secret\"", kind_secret),
    exact("LS0tLS1CRUdJTi", wrapped_pem),
    exact("ZXlK", wrapped_jwt),
    exact("\"kty", web_key),
    any("mnemonic", mnemonic),
    any("seed phrase", mnemonic),
    any("seed_phrase", mnemonic),
];

const fn exact(literal: &'static str, detect: fn(&mut SecretScan<'_>, usize, usize)) -> Trigger {
    Trigger { literal, case: Case::Exact, detector: Detector::Line(detect) }
}

const fn any(literal: &'static str, detect: fn(&mut SecretScan<'_>, usize, usize)) -> Trigger {
    Trigger { literal, case: Case::Any, detector: Detector::Line(detect) }
}

/// `host:port:database:user:password`, one per line.
fn pgpass(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let text = scan.text;
    let field = |at: usize| {
        let end = run_within(text, at, 64, |byte| byte.is_ascii_graphic() && !b":/\"'".contains(&byte));
        (end > at && text.get(end) == Some(&b':')).then_some(end + 1)
    };
    let is_wild = text[..after].ends_with(b":*:*:");
    let is_field = |field: &[u8]| field.iter().any(u8::is_ascii_alphabetic);
    let database = if is_wild { Some(after) } else { field(after) };
    let Some(password) = database.and_then(field) else { return };
    let end = run_within(text, password, 256, |byte| byte.is_ascii_graphic() && !is_quote(byte));
    let value = &text[password..end];
    let user = run_back(text, password - 1, 64, |byte| byte != b':');
    if value.len() >= 3
        && is_field(&text[user..password])
        && !value.contains(&b':')
        && !value.contains(&b'/')
        && !is_placeholder(value)
        && !is_unset(value)
    {
        scan.push(SecretKind::Password, password..end);
    }
}

/// `stringData:` of Kubernetes: every value below it is a secret.
fn string_data(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    if at >= 4 && begins(&scan.text[at - 4..], "string") {
        entries(scan, at - 4, after);
    }
}

/// `kind: Secret`: the same for `data:`, before or after it.
fn kind_secret(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let window = |at: usize| &text[at..text.len().min(at + MAX_DOCUMENT)];
    let behind = window(after);
    let behind = &behind[..memchr::memmem::find(behind, b"\n---").unwrap_or(behind.len())];
    // Most texts that speak of such a kind have no data near it.
    let has_data = |part: &[u8]| memchr::memmem::find(part, b"data").is_some();
    for mark in ["\ndata:", "\"data\":", "\"data\" :"] {
        if has_data(behind)
            && let Some(found) = memchr::memmem::find(behind, mark.as_bytes())
        {
            let end = after + found + mark.len();
            entries(scan, end - "data:".len(), end - 1);
        }
    }
    let start = at.saturating_sub(MAX_DOCUMENT);
    let before = &text[start..at];
    if !has_data(before) {
        return;
    }
    let first = memchr::memmem::rfind(before, b"\n---").map_or(0, |found| found + 1);
    for mark in ["\ndata:", "\"data\":"] {
        if let Some(found) = memchr::memmem::rfind(&before[first..], mark.as_bytes()) {
            let end = start + first + found + mark.len();
            entries(scan, end - "data:".len(), end - 1);
        }
    }
}

/// A Kubernetes document is searched this far.
const MAX_DOCUMENT: usize = 2048;

/// Records every value of the block or object that a key opens.
fn entries(scan: &mut SecretScan<'_>, key: usize, after: usize) {
    let text = scan.text;
    let sign = run_within(text, after, 4, |byte| is_quote(byte) || byte == b' ' || byte == b'\\');
    if text.get(sign) != Some(&b':') {
        return;
    }
    let open = run_within(text, sign + 1, 16, |byte| byte == b' ');
    let (mut at, is_object, end) = match text.get(open) {
        Some(b'{') => (open + 1, true, run_within(text, open, MAX_DOCUMENT, |byte| byte != b'}')),
        Some(b'\n') => (open, false, text.len().min(open + MAX_DOCUMENT)),
        _ => return,
    };
    let indent = indent_of(text, key);
    while at < end {
        if !is_object {
            let line = at + 1;
            let first = run_within(text, line, 64, |byte| byte == b' ');
            if text.get(at) != Some(&b'\n') || first - line <= indent || first >= end {
                return;
            }
        }
        let Some(sign) = text[at + 1..end].iter().position(|byte| *byte == b':').map(|sign| at + 1 + sign)
        else {
            return;
        };
        let start = skip_blanks(text, sign + 1);
        let value = value::block(text, start).or_else(|| value::read(text, start, Until::Mark));
        let Some(value) = value else { return };
        let secret = &text[value.span.clone()];
        if secret.len() >= 3 && !is_placeholder(secret) && !is_unset(secret) && secret.first() != Some(&b'{')
        {
            scan.push(SecretKind::Secret, value.span.clone());
        }
        let rest = value.span.end.max(sign + 1);
        at = if is_object {
            run_within(text, rest, 256, |byte| byte != b',').min(end)
        } else {
            run(text, rest, |byte| byte != b'\n')
        };
    }
}

/// Returns how far the line of a key is indented.
fn indent_of(text: &[u8], key: usize) -> usize {
    let line = run_back(text, key, 128, |byte| byte != b'\n');
    run_within(text, line, 64, |byte| byte == b' ') - line
}

/// A private key that was encoded in base64 again, as in kubeconfig and CI variables.
fn wrapped_pem(scan: &mut SecretScan<'_>, at: usize, _: usize) {
    let text = scan.text;
    let class = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte);
    let head = &text[at..run_within(text, at, 64, class)];
    let head = &head[..head.len() / 4 * 4];
    if base64::decode(head).is_some_and(|label| contains(&label, "private key")) {
        scan.push(SecretKind::PrivateKey, at..run(text, at, class));
    }
}

/// A JSON web token that was encoded in base64 again.
fn wrapped_jwt(scan: &mut SecretScan<'_>, at: usize, _: usize) {
    let text = scan.text;
    let class = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte);
    let end = run_within(text, at, 8192, class);
    if !starts_word(text, at) || end - at < 60 {
        return;
    }
    let head = &text[at..at + 60];
    let is_header = base64::decode(head)
        .and_then(|inner| base64::decode(&inner[..inner.len() / 4 * 4]))
        .is_some_and(|header| contains(&header, "\"alg\"") || contains(&header, "\"typ\""));
    if is_header {
        scan.push(SecretKind::Jwt, at..run(text, at, class));
    }
}

/// A JSON web key: `d` is its private part, `k` the whole of a shared one.
fn web_key(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let start = run_back(text, at, MAX_DOCUMENT, |byte| byte != b'{');
    let end = run_within(text, after, MAX_DOCUMENT, |byte| byte != b'}');
    for key in ["\"d", "\"k", "\"p", "\"q", "\"dp", "\"dq", "\"qi"] {
        for found in memchr::memmem::find_iter(&text[start..end], key.as_bytes()) {
            let key_end = start + found + key.len();
            let value = run_within(text, key_end, 16, |byte| b" :\\\"".contains(&byte));
            let is_key = text[key_end..value].contains(&b':');
            let last = run_within(text, value, MAX_DOCUMENT, |byte| {
                byte.is_ascii_alphanumeric() || b"_-=".contains(&byte)
            });
            if is_key && last - value >= 16 {
                scan.push(SecretKind::PrivateKey, value..last);
            }
        }
    }
}

/// The 12 to 24 words that a wallet is made from.
fn mnemonic(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let text = scan.text;
    let start = run_within(text, after, 8, |byte| b" :=\\\"'".contains(&byte));
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b' ';
    let end = run_within(text, start, 240, is_word);
    let words: Vec<_> =
        text[start..end].split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
    let is_phrase = matches!(words.len(), 12 | 15 | 18 | 21 | 24)
        && words.iter().all(|word| (3..=8).contains(&word.len()));
    if start > after && is_phrase && !worth::is_strong(&text[start..end]) {
        scan.push(SecretKind::Secret, start..start + text[start..end].trim_ascii_end().len());
    }
}
