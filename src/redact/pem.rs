//! Private keys in PEM, whole or cut, with real line ends or with `\n` as JSON and environment files write them.

use memchr::memmem;

use super::SecretKind;
use super::scan::{SecretScan, contains, run, run_back, run_within};
use super::trigger::{Case, Detector, Trigger};

pub(super) const TRIGGERS: &[Trigger] = &[
    Trigger { literal: "-----BEGIN ", case: Case::Exact, detector: Detector::Other(begin) },
    Trigger { literal: "-----END ", case: Case::Exact, detector: Detector::Other(end) },
    Trigger { literal: "---- BEGIN SSH2 ", case: Case::Exact, detector: Detector::Other(ssh2) },
    Trigger { literal: "Private-Lines:", case: Case::Exact, detector: Detector::Other(putty) },
];

/// Up to this size, a body is removed whatever it looks like, if an end line follows.
const MAX_BODY: usize = 64 << 10;
const DASHES: &str = "-----";

fn begin(scan: &mut SecretScan<'_>, at: usize, label: usize) {
    let text = scan.text;
    let Some(body) = label_end(text, label) else { return };
    let window = &text[body..text.len().min(body + MAX_BODY)];
    let next = memmem::find(window, DASHES.as_bytes()).map(|next| body + next);
    if let Some(next) = next
        && text[next..].starts_with(b"-----END ")
        && text[body..next].split(|byte| !is_digit(*byte)).any(|line| line.len() >= MIN_BODY)
    {
        let end = label_end(text, next + "-----END ".len()).unwrap_or(next + DASHES.len());
        scan.push(SecretKind::PrivateKey, at..end);
        return;
    }
    let end = lines_end(text, body);
    if end > body {
        scan.push(SecretKind::PrivateKey, at..end);
    }
}

/// `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----`: four dashes and blanks.
fn ssh2(scan: &mut SecretScan<'_>, at: usize, label: usize) {
    let text = scan.text;
    let line = run_within(text, label, 64, |byte| byte != b'\n');
    let body = &text[line..text.len().min(line + MAX_BODY)];
    let next = memmem::find(body, b"---- ").map(|next| line + next);
    if !contains(&text[label..line], "private key") {
        return;
    }
    let end =
        next.filter(|next| text[*next..].starts_with(b"---- END ")).unwrap_or_else(|| lines_end(text, line));
    if end > line {
        scan.push(SecretKind::PrivateKey, at..end);
    }
}

/// The tail of a key whose beginning was cut off.
fn end(scan: &mut SecretScan<'_>, at: usize, label: usize) {
    let text = scan.text;
    if label_end(text, label).is_none() {
        return;
    }
    let mut start = at;
    loop {
        let gap = gap_back(text, start);
        let mut digits = run_back(text, gap, MAX_BODY, is_digit);
        // The letter of an escaped line end is not part of the key.
        digits += usize::from(digits < gap && digits > 0 && text[digits - 1] == b'\\');
        // Only the last line of a key may be short.
        if gap == digits || (gap - digits < MIN_LINE && start != at) || at - digits > MAX_BODY {
            break;
        }
        start = digits;
    }
    if at - start >= MIN_BODY {
        scan.push(SecretKind::PrivateKey, start..gap_back(text, at));
    }
}

/// PuTTY's format: the number of lines, then the private part.
fn putty(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let text = scan.text;
    let count = run_within(text, after, 8, |byte| byte.is_ascii_digit() || byte == b' ');
    let end = lines_end(text, count);
    if end > count {
        scan.push(SecretKind::PrivateKey, count..end);
    }
}

const MIN_BODY: usize = 16;
/// Lines of a key are 64 or 70 long; words of a sentence are shorter than this.
const MIN_LINE: usize = 24;

/// Returns the end of `… PRIVATE KEY-----`, if that is what follows.
fn label_end(text: &[u8], label: usize) -> Option<usize> {
    let end = run_within(text, label, 48, |byte| byte.is_ascii_alphanumeric() || byte == b' ');
    let is_private = contains(&text[label..end], "private key");
    (is_private && text[end..].starts_with(DASHES.as_bytes())).then_some(end + DASHES.len())
}

/// Returns the end of the lines that look like base64; headers such as `Proc-Type: …` may come first.
fn lines_end(text: &[u8], body: usize) -> usize {
    let mut end = body;
    let mut at = gap(text, body);
    let mut taken = false;
    while at < text.len() {
        let digits = run(text, at, is_digit);
        let is_last = digits == text.len();
        if digits - at >= MIN_LINE
            || (is_last && digits > at)
            || (taken && digits > at && text[digits - 1] == b'=')
        {
            taken = true;
            end = digits;
            at = gap(text, digits);
        } else if let Some(header) = header_end(text, at).filter(|_| !taken) {
            at = gap(text, header);
        } else {
            break;
        }
    }
    end
}

/// Returns the end of a header line: a name with dashes or capitals, a colon, and the rest of the line.
fn header_end(text: &[u8], at: usize) -> Option<usize> {
    let name = run_within(text, at, 32, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_name = name > at && text[at].is_ascii_uppercase() && text[name..].starts_with(b": ");
    is_name.then(|| run_within(text, name, 256, |byte| !matches!(byte, b'\n' | b'\r' | b'\\')))
}

/// Returns where the text continues after whitespace, real or escaped, and the marks of quotes and diffs.
fn gap(text: &[u8], mut at: usize) -> usize {
    loop {
        match &text[at..] {
            [b'\\', b'\\', b'n' | b'r', ..] => at += 3,
            [b'\\', b'n' | b'r', ..] => at += 2,
            [b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'|' | b'"' | b'\'' | b',', ..] => at += 1,
            _ => return at,
        }
    }
}

/// Returns where the text ends before whitespace, real or escaped.
fn gap_back(text: &[u8], mut end: usize) -> usize {
    loop {
        match &text[..end] {
            [.., b'\\', b'n' | b'r'] => end -= 2,
            [.., b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'|' | b'"' | b'\'' | b'\\'] => end -= 1,
            _ => return end,
        }
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
