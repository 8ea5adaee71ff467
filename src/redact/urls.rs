//! Passwords in addresses: `postgres://user:password@host`, `user:password@tcp(host)/db`.

use super::bridges::is_random;
use super::kind::placeholder_end;
use super::placeholder::{is_placeholder, is_unset};
use super::scan::{SecretScan, run_back, run_within};
use super::trigger::{Case, Detector, Trigger};
use super::{SecretKind, entropy, worth};

pub(super) const TRIGGERS: &[Trigger] = &[
    Trigger { literal: "://", case: Case::Exact, detector: Detector::Other(url) },
    Trigger { literal: "&sig=", case: Case::Exact, detector: Detector::Other(signature) },
    Trigger { literal: "?sig=", case: Case::Exact, detector: Detector::Other(signature) },
    Trigger { literal: "?key=", case: Case::Exact, detector: Detector::Other(key) },
    Trigger { literal: "&key=", case: Case::Exact, detector: Detector::Other(key) },
    Trigger { literal: "?code=", case: Case::Exact, detector: Detector::Other(key) },
    Trigger { literal: "&code=", case: Case::Exact, detector: Detector::Other(key) },
    Trigger { literal: "?auth=", case: Case::Exact, detector: Detector::Other(key) },
    Trigger { literal: "&auth=", case: Case::Exact, detector: Detector::Other(key) },
    Trigger { literal: "-Signature=", case: Case::Exact, detector: Detector::Other(signature) },
    Trigger { literal: "&Signature=", case: Case::Exact, detector: Detector::Other(signature) },
    Trigger { literal: "webhook.office.com/", case: Case::Exact, detector: Detector::Other(office) },
    Trigger { literal: "outlook.office.com/webhook/", case: Case::Exact, detector: Detector::Other(office) },
    Trigger { literal: ".tines.com/webhook/", case: Case::Exact, detector: Detector::Other(office) },
    Trigger { literal: "thingsboard.cloud/api/v1/", case: Case::Exact, detector: Detector::Other(path) },
    Trigger { literal: ".alchemy.com/v2/", case: Case::Exact, detector: Detector::Other(path) },
    Trigger { literal: ".infura.io/v3/", case: Case::Exact, detector: Detector::Other(path) },
    Trigger { literal: ".quiknode.pro/", case: Case::Exact, detector: Detector::Other(path) },
    Trigger {
        literal: ".sumologic.com/receiver/v1/http/",
        case: Case::Exact,
        detector: Detector::Other(path),
    },
    Trigger { literal: "/open-apis/bot/v2/hook/", case: Case::Exact, detector: Detector::Other(path) },
    Trigger { literal: ":oracle:thin:", case: Case::Exact, detector: Detector::Other(oracle) },
    Trigger { literal: "@tcp(", case: Case::Exact, detector: Detector::Other(mysql) },
    Trigger { literal: "@unix(", case: Case::Exact, detector: Detector::Other(mysql) },
];

/// No real password is longer.
const WINDOW: usize = 1024;

fn url(scan: &mut SecretScan<'_>, at: usize, user: usize) {
    let text = scan.text;
    let has_scheme = at > 0 && text[at - 1].is_ascii_alphanumeric();
    if !has_scheme || placeholder_end(text, user).is_some() {
        return;
    }
    let Some(at_sign) = user_end(text, user) else { return };
    let colon = text[user..at_sign].iter().position(|byte| *byte == b':').map(|length| user + length);
    let span = match colon {
        Some(colon) => colon + 1..at_sign,
        // A token may take the place of the user, but `git@` and `deploy@` are names.
        None if at_sign - user >= 20 && is_key(&text[user..at_sign]) => user..at_sign,
        None => return,
    };
    let password = &text[span.clone()];
    let is_template = password.contains(&b'{') && password.last() == Some(&b'}');
    if !password.is_empty() && !is_template && !is_placeholder(password) && !is_unset(password) {
        scan.push(SecretKind::UrlPassword, span);
    }
}

/// Returns whether a user's name can only be a token.
fn is_key(user: &[u8]) -> bool {
    let is_hex = user.len() >= 32 && user.iter().all(u8::is_ascii_hexdigit);
    is_hex || entropy::is_dense(user)
}

/// Returns the position of the `@` that ends the user's part.
fn user_end(text: &[u8], user: usize) -> Option<usize> {
    let is_part =
        |byte: u8| !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\');
    let host_end = run_within(text, user, WINDOW, |byte| {
        !byte.is_ascii_whitespace()
            && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'/' | b'?' | b'#')
    });
    let host = &text[user..host_end];
    if let Some(last) = host.iter().rposition(|byte| *byte == b'@') {
        return Some(user + last);
    }
    // A password may contain an unescaped slash; a port never does.
    let colon = host.iter().position(|byte| *byte == b':')?;
    let is_port = host[colon + 1..].iter().all(u8::is_ascii_digit);
    let is_user = host[..colon].iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte));
    if is_port || !is_user || text[host_end..].starts_with(b"//") {
        return None;
    }
    let end = run_within(text, host_end, 128, is_part);
    text[host_end..end].iter().position(|byte| *byte == b'@').map(|length| host_end + length)
}

fn mysql(scan: &mut SecretScan<'_>, at: usize, _: usize) {
    let text = scan.text;
    let start = run_back(text, at, WINDOW, |byte| !byte.is_ascii_whitespace() && !b":\"](".contains(&byte));
    let password = &text[start..at];
    if start > 0 && text[start - 1] == b':' && !password.is_empty() && !is_placeholder(password) {
        scan.push(SecretKind::UrlPassword, start..at);
    }
}

/// The signature in a shared Azure address gives access to what it points to.
fn signature(scan: &mut SecretScan<'_>, _: usize, start: usize) {
    let text = scan.text;
    let end =
        run_within(text, start, WINDOW, |byte| byte.is_ascii_alphanumeric() || b"%+/=_-".contains(&byte));
    if end - start >= 16 && !is_placeholder(&text[start..end]) {
        scan.push(SecretKind::AzureKey, start..end);
    }
}

/// The key of a service in an address: `?key=…`. A word or a number is a key of something else.
fn key(scan: &mut SecretScan<'_>, _: usize, start: usize) {
    let text = scan.text;
    let end =
        run_within(text, start, WINDOW, |byte| byte.is_ascii_alphanumeric() || b"%+/=_-.".contains(&byte));
    let key = &text[start..end];
    let is_key = key.len() >= 16 && worth::is_strong(key) || is_random(key);
    if is_key && !is_placeholder(key) {
        scan.push(SecretKind::ApiKey, start..end);
    }
}

/// The path of a webhook of Microsoft Teams or Tines is enough to post.
fn office(scan: &mut SecretScan<'_>, _: usize, start: usize) {
    let text = scan.text;
    let end = run_within(text, start, WINDOW, |byte| byte.is_ascii_alphanumeric() || b"/@-".contains(&byte));
    if end - start >= 40 && text[start..end].iter().any(u8::is_ascii_digit) {
        scan.push(SecretKind::CloudToken, start..end);
    }
}

/// The path of an address is enough to call the service: Alchemy, Infura, QuickNode, Sumo Logic, Feishu.
fn path(scan: &mut SecretScan<'_>, _: usize, start: usize) {
    let text = scan.text;
    let end = run_within(text, start, WINDOW, |byte| byte.is_ascii_alphanumeric() || b"_-=".contains(&byte));
    let key = &text[start..end];
    if key.len() >= 20 && key.iter().any(u8::is_ascii_digit) && !is_placeholder(key) {
        scan.push(SecretKind::CloudToken, start..end);
    }
}

/// `jdbc:oracle:thin:user/password@host`.
fn oracle(scan: &mut SecretScan<'_>, _: usize, start: usize) {
    let text = scan.text;
    let slash = run_within(text, start, 64, |byte| byte.is_ascii_alphanumeric() || b"_-$#".contains(&byte));
    let end = run_within(text, slash, WINDOW, |byte| byte.is_ascii_graphic() && !b"@\"'`".contains(&byte));
    let is_pair = slash > start && text.get(slash) == Some(&b'/') && text.get(end) == Some(&b'@');
    if is_pair && end > slash + 1 && !is_placeholder(&text[slash + 1..end]) {
        scan.push(SecretKind::UrlPassword, slash + 1..end);
    }
}
