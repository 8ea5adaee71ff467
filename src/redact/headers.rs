//! Credentials in HTTP: `Authorization`, `Bearer`, `Basic`, cookies; in headers, in code, in `curl -H '…'`.

use super::placeholder::{is_constant, is_placeholder};
use super::scan::{
    SecretScan, begins, is_blank, is_one_of, is_quote, run, run_within, skip_blanks, skip_continued,
    skip_quote, starts_word,
};
use super::trigger::{Case, Detector, Trigger};
use super::{SecretKind, base64, worth};

pub(super) const TRIGGERS: &[Trigger] = &[
    trigger("authorization", authorization),
    trigger("bearer", bearer),
    trigger("basic", basic),
    trigger("cookie", cookie),
    trigger("auth\"", auth),
    trigger("auth\\", auth),
    trigger("_auth", auth),
    trigger("hooks.slack.com/", slack),
    trigger("/api/webhooks/", discord),
];

const fn trigger(literal: &'static str, detect: fn(&mut SecretScan<'_>, usize, usize)) -> Trigger {
    Trigger { literal, case: Case::Any, detector: Detector::Line(detect) }
}

/// This much of a value is enough to recognise it.
const WINDOW: usize = 256;

fn authorization(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let text = scan.text;
    let Some(value) = value_after(text, after).filter(|value| *value >= scan.headers_until) else { return };
    let scheme = run_within(text, value, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let credentials = skip_continued(text, scheme);
    if credentials == scheme || !is_one_of(&text[value..scheme], SCHEMES) {
        // An unknown scheme counts if what follows can only be a key.
        let start = if credentials > scheme { credentials } else { value };
        for start in [value, start] {
            let end = run_within(text, start, WINDOW, is_value);
            if worth::is_strong(&text[start..end]) && !is_placeholder(&text[start..end]) {
                scan.push_header(SecretKind::Authorization, start, is_value);
                return;
            }
        }
        return;
    }
    let has_parts = is_one_of(&text[value..scheme], LONG_SCHEMES);
    // Parts are quoted separately: `username="bob", response="…"`.
    let class =
        if has_parts { |byte: u8| !matches!(byte, b'\n' | b'\r' | b'\'') } else { class_at(text, value) };
    let window = &text[credentials..run_within(text, credentials, WINDOW, class)];
    if window.len() >= 4 && !is_placeholder(window) && !is_constant(window) {
        scan.push_header(SecretKind::Authorization, credentials, class);
        continued(scan);
    }
}

/// Records the rest of a token that a backslash continues on the next line.
fn continued(scan: &mut SecretScan<'_>) {
    let text = scan.text;
    let next = skip_continued(text, scan.headers_until);
    let end = run_within(text, next, WINDOW, is_value);
    let is_rest = text[scan.headers_until..].starts_with(b"\\") && next > scan.headers_until + 1;
    // A word that begins with a dash is the next option of the command.
    if is_rest && end - next >= 8 && text[next] != b'-' && !text[next..end].starts_with(b"http") {
        scan.push(SecretKind::Authorization, next..run(text, next, is_value));
    }
}

const SCHEMES: &[&str] = &[
    "bearer",
    "basic",
    "token",
    "apikey",
    "api-key",
    "key",
    "negotiate",
    "digest",
    "aws",
    "aws4-hmac-sha256",
    "signature",
    "oauth",
    "hawk",
    "splunk",
    "sso-key",
    "bot",
    "dpop",
    "ntlm",
    "genie-key",
    "klaviyo-api-key",
    "pat",
    "private-token",
    "sharedaccesssignature",
    "sharedkey",
    "sharedkeylite",
    "discogs",
    "zoho-oauthtoken",
    "pve",
    "pveapitoken",
    "apitoken",
    "api-token",
    "jwt",
    "ssws",
    "mac",
    "accesskey",
    "access-token",
    "bce-auth-v1",
    "scram-sha-256",
    "kerberos",
    "gnap",
    "macaroon",
    "secret",
];
const LONG_SCHEMES: &[&str] = &["digest", "aws4-hmac-sha256", "signature", "oauth", "hawk"];

/// `Bearer` without its header: long values only, because it is also an English word.
fn bearer(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let value = skip_continued(text, after + usize::from(text.get(after) == Some(&b':')));
    if value == after || value < scan.headers_until || !starts_word(text, at) {
        return;
    }
    let window = &text[value..run_within(text, value, WINDOW, is_value)];
    let is_long = window.len() >= 20 && window.iter().any(u8::is_ascii_digit) && !begins(window, "http");
    if (is_long || worth::is_strong(window)) && !is_placeholder(window) {
        scan.push_header(SecretKind::Authorization, value, class_at(text, at));
        continued(scan);
    }
}

/// `Basic` counts only before something that decodes to a user and a password.
fn basic(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let value = skip_blanks(text, after);
    let end = run_within(text, value, 1024, is_value);
    if value > after && starts_word(text, at) && end - value >= 6 && base64::is_credentials(&text[value..end])
    {
        scan.push(SecretKind::BasicAuth, value..end);
    }
}

/// `"auth": "…"` of Docker and `_auth=…` of npm contain the same as `Basic`, or a key.
fn auth(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let text = scan.text;
    let after = after - usize::from(is_quote(text[after - 1]) || text[after - 1] == b'\\');
    let Some(value) = value_after(text, after) else { return };
    let end = run_within(text, value, 1024, is_value);
    let credentials = &text[value..end];
    let is_key = || {
        credentials.len() >= 16
            && !credentials.contains(&b'(')
            && worth::is_strong(credentials)
            && !is_placeholder(credentials)
    };
    if end - value >= 6 && (base64::is_credentials(credentials) || is_key()) {
        scan.push(SecretKind::BasicAuth, value..end);
    }
}

/// `Cookie: a=b; c=d` to its end, `Set-Cookie: a=b; Path=/` without the attributes.
fn cookie(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let Some(start) = value_after(text, after).filter(|start| *start >= scan.headers_until) else { return };
    let name = run_within(text, start, 64, |byte| byte.is_ascii_alphanumeric() || b"_.-%".contains(&byte));
    let is_pair = name > start && text.get(name) == Some(&b'=');
    let sign = skip_quote(text, after).unwrap_or(after);
    if !is_pair || !matches!(text.get(sign), Some(b':' | b',')) {
        return;
    }
    let is_set = at >= 4 && begins(&text[at - 4..], "set-");
    let value = name + 1;
    let first = &text[value..run_within(text, value, WINDOW, |byte| is_value(byte) || byte == b'%')];
    if first.len() < 6 || is_placeholder(first) || is_constant(first) {
        return;
    }
    let class: fn(u8) -> bool = if is_set {
        |byte| !is_quote(byte) && !matches!(byte, b';' | b'\\' | b'\n' | b'\r')
    } else {
        |byte| !is_quote(byte) && !matches!(byte, b'\\' | b'\n' | b'\r')
    };
    scan.push_header(SecretKind::Cookie, value, class);
}

/// The path of a Slack webhook is enough to post.
fn slack(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let text = scan.text;
    let rest = &text[after..];
    let Some(kind) =
        ["services/", "workflows/", "triggers/"].iter().find(|kind| rest.starts_with(kind.as_bytes()))
    else {
        return;
    };
    path_secret(scan, SecretKind::SlackWebhook, after + kind.len());
}

/// `discord.com/api/webhooks/<number>/<token>`.
fn discord(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let number = run_within(scan.text, after, 24, |byte| byte.is_ascii_digit());
    if number > after && scan.text.get(number) == Some(&b'/') {
        path_secret(scan, SecretKind::DiscordToken, number + 1);
    }
}

fn path_secret(scan: &mut SecretScan<'_>, kind: SecretKind, start: usize) {
    if start < scan.headers_until {
        return;
    }
    let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-".contains(&byte);
    let window = &scan.text[start..run_within(scan.text, start, WINDOW, is_path)];
    if window.len() >= 16 && window.iter().any(u8::is_ascii_digit) && !is_placeholder(window) {
        scan.push_header(kind, start, is_path);
    }
}

/// Returns where the value of a header begins: after `:`, `=`, `=>` or `,`, and a quote if there is one.
fn value_after(text: &[u8], after: usize) -> Option<usize> {
    let closing = skip_quote(text, after);
    let sign = closing.unwrap_or(after);
    let sign = skip_blanks(text, sign + usize::from(text.get(sign) == Some(&b']')));
    let value = match text.get(sign..)? {
        [b'=', b'>', ..] => sign + 2,
        [b':' | b'=', ..] => sign + 1,
        [b',', ..] if closing.is_some() => sign + 1,
        _ => return None,
    };
    let value = skip_blanks(text, value);
    // Code may format the value: `f"Bearer …"`, `` `Bearer …` ``.
    let value = value
        + usize::from(
            text.get(value).is_some_and(u8::is_ascii_lowercase)
                && text.get(value + 1).is_some_and(|byte| is_quote(*byte)),
        );
    Some(skip_quote(text, value).unwrap_or(value))
}

fn is_value(byte: u8) -> bool {
    byte.is_ascii_graphic() && !is_blank(byte) && !b"\"'`,;<>\\|)}&".contains(&byte)
}

/// Returns which bytes belong to the token of the scheme that begins here: `&` ends it in an address only.
fn class_at(text: &[u8], scheme: usize) -> fn(u8) -> bool {
    let before = scheme.checked_sub(1).map(|before| text[before]);
    let is_apart = before.is_some_and(|byte| is_quote(byte) || is_blank(byte));
    if is_apart { |byte| is_value(byte) || byte == b'&' } else { is_value }
}
