//! Passwords in addresses: `postgres://user:password@host`, `user:password@tcp(host)/db`.

use super::placeholder::{is_constant, is_placeholder};
use super::scan::{Scan, run_back, run_within};
use super::triggers::{Case, Detector, Trigger};
use super::{Kind, entropy};

pub(super) const TRIGGERS: &[Trigger] = &[
    Trigger { literal: "://", case: Case::Exact, detector: Detector::Other(url) },
    Trigger { literal: "@tcp(", case: Case::Exact, detector: Detector::Other(mysql) },
    Trigger { literal: "@unix(", case: Case::Exact, detector: Detector::Other(mysql) },
];

/// Longer passwords are none.
const WINDOW: usize = 1024;

fn url(scan: &mut Scan<'_>, at: usize, user: usize) {
    let text = scan.text;
    let has_scheme = at > 0 && text[at - 1].is_ascii_alphanumeric();
    let Some(at_sign) = user_end(text, user).filter(|_| has_scheme) else { return };
    let colon = text[user..at_sign].iter().position(|byte| *byte == b':').map(|length| user + length);
    let span = match colon {
        Some(colon) => colon + 1..at_sign,
        // A token may stand for the user, but `git@` and `deploy@` are names.
        None if at_sign - user >= 20 && entropy::is_dense(&text[user..at_sign]) => user..at_sign,
        None => return,
    };
    let password = &text[span.clone()];
    let is_template =
        password.first() == Some(&b'{') || password.contains(&b'{') && password.last() == Some(&b'}');
    if !password.is_empty()
        && !is_template
        && !is_placeholder(password)
        && (colon.is_none() || !is_unset(password))
    {
        scan.push(Kind::UrlPassword, span);
    }
}

/// `null` and `undefined` come from programs, `password` from people.
fn is_unset(password: &[u8]) -> bool {
    is_constant(password) && !matches!(password, b"password" | b"secret" | b"admin" | b"passwd" | b"default")
}

/// Returns the place of the `@` that ends the user's part.
fn user_end(text: &[u8], user: usize) -> Option<usize> {
    let is_part = |byte: u8| !byte.is_ascii_whitespace() && !b"\"'`<>\\".contains(&byte);
    let end = run_within(text, user, WINDOW, is_part);
    let part = &text[user..end];
    let host_end = part.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(part.len());
    if let Some(last) = part[..host_end].iter().rposition(|byte| *byte == b'@') {
        return Some(user + last);
    }
    // A password may hold a slash that nobody escaped; a port never does.
    let colon = part[..host_end].iter().position(|byte| *byte == b':')?;
    let is_port = part[colon + 1..host_end].iter().all(u8::is_ascii_digit);
    let is_named = part[..colon].iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte));
    let at_sign = part.iter().position(|byte| *byte == b'@')?;
    (!is_port && is_named && !part[colon..at_sign].contains(&b'(')).then_some(user + at_sign)
}

fn mysql(scan: &mut Scan<'_>, at: usize, _: usize) {
    let text = scan.text;
    let start =
        run_back(text, at, WINDOW, |byte| byte != b':' && !byte.is_ascii_whitespace() && byte != b'"');
    let password = &text[start..at];
    if start > 0 && text[start - 1] == b':' && !password.is_empty() && !is_placeholder(password) {
        scan.push(Kind::UrlPassword, start..at);
    }
}
