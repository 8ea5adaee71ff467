//! Tokens whose form is more than a prefix and a body: parts of known lengths, a mark in the middle.
//!
//! The forms come from general knowledge of the vendors' tokens and are not checked against their pages.

use std::ops::Range;

use super::placeholder::is_placeholder;
use super::scan::{SecretScan, run_back, run_within, starts_word};
use super::trigger::{Body, WINDOW};
use super::{SecretKind, entropy};

/// Records a token that was found by another part than its beginning.
fn take(scan: &mut SecretScan<'_>, kind: SecretKind, span: Range<usize>) {
    if starts_word(scan.text, span.start) && !is_placeholder(&scan.text[span.clone()]) {
        scan.push(kind, span);
    }
}

/// Mailchimp: 32 hex digits, `-us` and the number of a data centre.
pub(super) fn mailchimp(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let start = run_back(text, at, 33, |byte| byte.is_ascii_hexdigit());
    let end = run_within(text, after, 3, |byte| byte.is_ascii_alphanumeric());
    let is_number = (1..=2).contains(&(end - after)) && text[after..end].iter().all(u8::is_ascii_digit);
    if at - start == 32 && is_number {
        take(scan, SecretKind::CloudToken, start..end);
    }
}

/// Terraform: 14 characters, `.atlasv1.` and a long part.
pub(super) fn terraform(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let start = run_back(scan.text, at, 15, |byte| byte.is_ascii_alphanumeric());
    let end = run_within(scan.text, after, WINDOW, |byte| Body::Url.class()(byte) || byte == b'=');
    if at - start == 14 && end - after >= 40 {
        take(scan, SecretKind::CloudToken, start..end);
    }
}

/// Azure application secret: three characters, a digit, `Q~` and 31 or more.
pub(super) fn azure(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let class = |byte: u8| byte.is_ascii_alphanumeric() || b"_~.-".contains(&byte);
    let start = run_back(scan.text, at, 4, class);
    let end = run_within(scan.text, after, WINDOW, class);
    let end = run_back(scan.text, end, end - after, |byte| byte == b'.');
    if at - start == 3 && end - after >= 31 {
        take(scan, SecretKind::AzureKey, start..end);
    }
}

/// MaxMind: 6 characters, `_`, 29 characters, `_mmk`.
pub(super) fn maxmind(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let start = run_back(scan.text, at, 37, Body::Word.class());
    if at - start == 36 && scan.text[start + 6] == b'_' {
        take(scan, SecretKind::CloudToken, start..after);
    }
}

/// Braintree: 16 letters and digits, `$` and 32 hex digits.
pub(super) fn braintree(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let end = run_within(scan.text, after, 64, |byte| byte.is_ascii_alphanumeric() || byte == b'$');
    if end - after >= 40 {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// HubSpot: `pat`, a data centre and a UUID.
pub(super) fn hubspot(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let end = run_within(scan.text, after, 40, Body::HexDash.class());
    if at >= 3 && scan.text[..at].ends_with(b"pat") && end - after >= 36 {
        take(scan, SecretKind::CloudToken, at - 3..end);
    }
}

/// Harness: `pat.` or `sat.` and parts of 22, 24 and 20 characters.
pub(super) fn harness(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let end = run_within(scan.text, after, 80, Body::Dotted.class());
    let parts: Vec<usize> = scan.text[after..end].split(|byte| *byte == b'.').map(<[u8]>::len).collect();
    if parts.starts_with(&[22, 24, 20]) {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// JetBrains: `perm:` or `perm-`, and three parts of base64.
pub(super) fn jetbrains(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let end = run_within(scan.text, after, WINDOW, Body::Base64.class());
    let lengths: Vec<usize> = scan.text[after..end].split(|byte| *byte == b'.').map(<[u8]>::len).collect();
    if let [_, _, last, ..] = lengths[..]
        && last >= 20
    {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// Rancher: `token-`, five characters, `:` and 54.
pub(super) fn rancher(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let colon = run_within(text, after, 6, |byte| byte.is_ascii_alphanumeric());
    if colon - after != 5 || text.get(colon) != Some(&b':') {
        return;
    }
    let end = run_within(text, colon + 1, 80, |byte| byte.is_ascii_alphanumeric());
    if end - colon > 50 {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// ClickUp: `pk_`, the number of a user, `_` and 32 capitals and digits.
pub(super) fn clickup(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let number = run_within(text, after, 12, |byte| byte.is_ascii_digit());
    if number == after || text.get(number) != Some(&b'_') {
        return;
    }
    let end = run_within(text, number + 1, 40, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    if end - number == 33 {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// Salesforce: the number of an organisation, `!` and a long part.
pub(super) fn salesforce(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let mark = run_within(text, after, 16, |byte| byte.is_ascii_alphanumeric());
    if !matches!(mark - after, 12 | 15) || text.get(mark) != Some(&b'!') {
        return;
    }
    let end = run_within(text, mark + 1, WINDOW, Body::Dotted.class());
    if end - mark >= 40 {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// Infisical: `st.` and three parts, the last of them long and of hex digits.
pub(super) fn infisical(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    if !starts_word(scan.text, at) {
        return;
    }
    let end = run_within(scan.text, after, WINDOW, Body::Dotted.class());
    let parts: Vec<_> = scan.text[after..end].split(|byte| *byte == b'.').collect();
    let is_id = |part: &&[u8]| part.len() >= 10 && part.iter().any(u8::is_ascii_digit);
    let is_key = |part: &&[u8]| part.len() >= 24 && part.iter().all(u8::is_ascii_hexdigit);
    if parts.len() == 3 && parts.iter().all(is_id) && parts.last().is_some_and(is_key) {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// Old Vault tokens, before `hvs.`: `s.` and 24 letters and digits.
pub(super) fn vault(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let text = scan.text;
    let end = run_within(text, after, 25, |byte| byte.is_ascii_alphanumeric());
    if end - after == 24 && entropy::is_dense(&text[after..end]) {
        take(scan, SecretKind::VaultToken, after - 2..end);
    }
}
