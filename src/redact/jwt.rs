//! JSON web tokens. Three words with dots may be a host name, but a token's first part decodes to a header.

use super::scan::{SecretScan, run, run_within};
use super::trigger::{Case, Detector, Trigger};
use super::{SecretKind, base64};

pub(super) const TRIGGERS: &[Trigger] =
    &[Trigger { literal: "eyJ", case: Case::Exact, detector: Detector::Other(detect) }];

/// No real header is longer.
const MAX_HEADER: usize = 4096;

fn detect(scan: &mut SecretScan<'_>, at: usize, _: usize) {
    let text = scan.text;
    let before = at.checked_sub(1).map(|before| text[before]);
    if before.is_some_and(|byte| byte == b'-' || byte == b'.') || !super::scan::starts_word(text, at) {
        return;
    }
    let header = run_within(text, at, MAX_HEADER, is_digit);
    if text.get(header) == Some(&b'.') && is_header(&text[at..header]) {
        let end = run(text, header, |byte| is_digit(byte) || byte == b'.');
        // A sentence may end after a token.
        let last = text[header..end].iter().rposition(|byte| *byte != b'.');
        scan.push(SecretKind::Jwt, at..last.map_or(header, |last| header + last + 1));
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=')
}

fn is_header(text: &[u8]) -> bool {
    let Some(header) = base64::decode(text) else { return false };
    let Ok(serde_json::Value::Object(header)) = serde_json::from_slice(&header) else { return false };
    header.contains_key("alg") || header.contains_key("typ")
}
