//! Tokens that consist of parts with known lengths. Their sources are those of `published.rs`.

use std::ops::Range;

use super::placeholder::is_placeholder;
use super::scan::{SecretScan, line_before, run_back, run_within, starts_word};
use super::tokens::is_mixed;
use super::trigger::{Body, WINDOW};
use super::worth::is_strong;
use super::{SecretKind, entropy};

/// Records a token.
fn take(scan: &mut SecretScan<'_>, kind: SecretKind, span: Range<usize>) {
    if starts_word(scan.text, span.start) && !is_placeholder(&scan.text[span.clone()]) {
        scan.tokens_until = scan.tokens_until.max(span.end);
        scan.push(kind, span);
    }
}

/// Returns the end of the run of such bytes from `at` on if it has exactly this length.
fn exactly(text: &[u8], at: usize, length: usize, class: fn(u8) -> bool) -> Option<usize> {
    let end = run_within(text, at, length + 1, class);
    (end - at == length).then_some(end)
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn is_letter_or_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// Returns where the text continues after a dot.
fn dot(text: &[u8], at: usize) -> Option<usize> {
    (text.get(at) == Some(&b'.')).then_some(at + 1)
}

/// Authress: the name of a client, the id of a key, `.acc_`, the id of an account and a long part.
pub(super) fn authress(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let start = run_back(text, at, 48, Body::Dotted.class());
    let account = run_within(text, after, 33, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let Some(key) = dot(text, account) else { return };
    let end = run_within(text, key, 160, |byte| byte.is_ascii_alphanumeric() || b"+/_=-".contains(&byte));
    if account - after >= 10 && end - key >= 30 && text[start..at].contains(&b'.') {
        take(scan, SecretKind::CloudToken, start..end);
    }
}

/// DataStax Astra: `AstraCS:`, an id, `:` and a key.
pub(super) fn astra(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let end = run_within(scan.text, after, WINDOW, |byte| byte.is_ascii_alphanumeric() || byte == b':');
    if end - after >= 20 && scan.text[after..end].iter().any(u8::is_ascii_digit) {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// Resend: `re_`, 8 characters, `_` and 24.
pub(super) fn resend(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let Some(mark) = exactly(text, after, 8, is_letter_or_digit) else { return };
    if text.get(mark) != Some(&b'_') {
        return;
    }
    let end = exactly(text, mark + 1, 24, Body::Word.class());
    if let Some(end) = end.filter(|end| is_mixed(&text[after..*end])) {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// Zoho: `1000.` and two groups of 32 hex digits.
pub(super) fn zoho(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let second = exactly(text, after, 32, is_hex).and_then(|end| dot(text, end));
    if let Some(end) = second.and_then(|second| exactly(text, second, 32, is_hex)) {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// Zhipu and Ollama: 32 hex digits, which this run is, a dot and 16 or 24 characters.
pub(super) fn zhipu(text: &[u8], long: &Range<usize>) -> Option<Range<usize>> {
    // A patch puts `+` before a new line.
    let from = if long.len() == 33 && text[long.start] == b'+' { long.start + 1 } else { long.start };
    let is_key = long.end - from == 32 && text[from..long.end].iter().copied().all(is_hex);
    let start = dot(text, long.end).filter(|_| is_key)?;
    let end = run_within(text, start, 25, Body::Url.class());
    let is_random = |part: &[u8]| is_mixed(part) || is_strong(part);
    (matches!(end - start, 16 | 24) && is_random(&text[start..end]) && text.get(end) != Some(&b'.'))
        .then_some(from..end)
}

/// ngrok: 27 characters, `_` and 21; TrueNAS: a number, `-` and 64 characters. Both are recognised anywhere.
pub(super) fn shaped(text: &[u8], long: &Range<usize>) -> Option<Range<usize>> {
    let start = long.start + usize::from(text[long.start] == b'+');
    let word = &text[start..long.end];
    let is_part = |part: &[u8]| part.iter().all(u8::is_ascii_alphanumeric) && is_mixed(part);
    let is_ngrok = word.len() == 49 && word[27] == b'_' && is_part(&word[..27]) && is_part(&word[28..]);
    let number = word.iter().take(5).position(|byte| !byte.is_ascii_digit());
    let is_nas = number.is_some_and(|end| {
        end > 0 && word.len() == end + 65 && word[end] == b'-' && is_part(&word[end + 1..])
    });
    (is_ngrok || is_nas).then_some(start..long.end)
}

/// A ticket of Kerberos as tools write it down to try passwords on it: `$krb5asrep$23$`, a user, and hex digits.
pub(super) fn kerberos(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let end =
        run_within(text, after, 8 * WINDOW, |byte| byte.is_ascii_graphic() && !b"\"'`\\".contains(&byte));
    let digits = end - run_back(text, end, end - after, is_hex);
    if digits >= 32 {
        scan.push(SecretKind::Password, at..end);
    }
}

/// The address under which GitLab takes issues by mail: `incoming+`, a project, a token and `-issue@`.
pub(super) fn incoming(scan: &mut SecretScan<'_>, at: usize, _: usize) {
    let start = run_back(scan.text, at, 32, is_letter_or_digit);
    let is_address = line_before(scan.text, start, 128).windows(9).any(|part| part == b"incoming+");
    if is_address && at - start >= 10 {
        scan.push(SecretKind::GitlabToken, start..at);
    }
}

/// Shutterstock: `v2/` and 388 characters.
pub(super) fn shutterstock(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    if let Some(end) = exactly(scan.text, after, 388, is_letter_or_digit) {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// A bootstrap token of Kubernetes, as `kubeadm token create` prints it: 6 characters, a dot and 16.
///
/// Only a text that consists of nothing else counts: the names of hashed files look the same.
pub(super) fn bootstrap(text: &[u8]) -> Option<Range<usize>> {
    let token = text.trim_ascii();
    let is_token = token.len() == 23 && token[6] == b'.' && text.len() <= 32;
    let is_plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part = |part: &[u8]| part.iter().all(is_plain) && part.iter().any(u8::is_ascii_digit);
    let start = text.len() - text.trim_ascii_start().len();
    (is_token && token[..6].iter().all(is_plain) && is_part(&token[7..]))
        .then_some(start..start + token.len())
}

/// StackHawk: `hawk.` and two parts of 20 characters.
pub(super) fn stackhawk(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let second = exactly(text, after, 20, Body::Url.class()).and_then(|end| dot(text, end));
    if let Some(end) = second.and_then(|second| exactly(text, second, 20, Body::Url.class())) {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// Azure Container Registry: 42 characters of base64, `+ACR` and 6 characters.
pub(super) fn registry(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    let start = run_back(text, at, 42, is_base64);
    if let Some(end) = exactly(text, after, 6, is_letter_or_digit).filter(|_| at - start == 42) {
        take(scan, SecretKind::AzureKey, start..end);
    }
}

/// Azure DevOps: 76 characters, `AZDO` and 4 or 5.
pub(super) fn devops(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let start = run_back(text, at, 76, is_letter_or_digit);
    let end = run_within(text, after, 6, is_letter_or_digit);
    if at - start == 76 && matches!(end - after, 4 | 5) {
        take(scan, SecretKind::AzureKey, start..end);
    }
}

/// The hash of a password as systems store it: `$6$`, a salt, `$` and the hash. It can be tried out at leisure.
pub(super) fn crypt(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let end = run_within(text, after, WINDOW, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'$' | b'=' | b',')
    });
    let hash = text[after..end].iter().rposition(|byte| *byte == b'$').map(|mark| after + mark + 1);
    let length = end - hash.unwrap_or(end);
    let is_known = match &text[at..after] {
        b"$1$" | b"$apr1$" => length == 22,
        b"$5$" | b"$8$" | b"$9$" | b"$y$" => length == 43,
        b"$6$" => length == 86,
        _ => length == 53,
    };
    if is_known && text[after..end].iter().any(u8::is_ascii_alphabetic) {
        scan.push(SecretKind::Password, at..end);
    }
}

/// Voiceflow: `VF.`, perhaps `DM.` or `WS.`, 24 hex digits, a dot and 16 characters.
pub(super) fn voiceflow(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let sort = if matches!(&text[after..], [b'D' | b'W', b'M' | b'S', b'.', ..]) { 3 } else { 0 };
    let second = exactly(text, after + sort, 24, is_hex).and_then(|end| dot(text, end));
    if let Some(end) = second.and_then(|second| exactly(text, second, 16, is_letter_or_digit)) {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// Portainer: `ptr_` and 32 bytes in base64; many names in code begin like this.
pub(super) fn portainer(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    let end = exactly(scan.text, after, 44, is_base64);
    if let Some(end) = end.filter(|end| entropy::changes(&scan.text[after..*end]) * 3 >= 44) {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// Recharge: `sk_`, two numbers such as `5x3`, `_` and 64 hex digits.
pub(super) fn recharge(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let mark = run_within(text, after, 5, |byte| byte.is_ascii_digit() || byte == b'x');
    if text.get(mark) != Some(&b'_') || mark - after < 3 {
        return;
    }
    if let Some(end) = exactly(text, mark + 1, 64, is_hex) {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// Close: `api_` and two parts of 22 characters.
pub(super) fn close(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let second = exactly(text, after, 22, is_letter_or_digit).and_then(|end| dot(text, end));
    if let Some(end) = second.and_then(|second| exactly(text, second, 22, is_letter_or_digit)) {
        take(scan, SecretKind::CloudToken, at..end);
    }
}

/// A refresh token of Microsoft Entra: `0.A`, a long part, `.Ag` and a longer one.
pub(super) fn entra(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let first = run_within(text, after, WINDOW, Body::Url.class());
    if first - after < 50 || !text[first..].starts_with(b".Ag") {
        return;
    }
    let end = run_within(text, first + 1, 8 * WINDOW, Body::Dotted.class());
    if end - first >= 100 {
        take(scan, SecretKind::AzureKey, at..end);
    }
}
