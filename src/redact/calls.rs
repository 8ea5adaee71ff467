//! Calls and pairs whose second text is a password: `auth=("bob", "…")`, `SetBasicAuth("bob", "…")`.
//!
//! The names come from general knowledge of the libraries; one line for each.

use super::SecretKind;
use super::letters::{Doubt, is_random};
use super::placeholder::{is_constant, is_placeholder};
use super::scan::{SecretScan, is_quote, line_after, run_within, skip_quote, starts_word};
use super::trigger::{Case, Detector, Trigger};
use super::value::{self, Form, Until};
use super::worth::is_wordy;

const fn second(literal: &'static str) -> Trigger {
    Trigger { literal, case: Case::Any, detector: Detector::Line(second_text) }
}

const fn first(literal: &'static str) -> Trigger {
    Trigger { literal, case: Case::Any, detector: Detector::Line(first_text) }
}

#[rustfmt::skip]
pub(super) const TRIGGERS: &[Trigger] = &[
    second("auth=("),
    second("auth = ("),
    second("credentials = ("),
    second("credentials=("),
    second("basicauth("),
    second("basic_auth("),
    second("digestauth("),
    second("withcredentials("),
    second("networkcredential("),
    second("usernamepasswordcredentials("),
    second(".login("),
    second("login("),
    second(".auth("),
    second("jwt.sign("),
    second("jwt.encode("),
    second("jwt.decode("),
    second("jwt.verify("),
    second("createhmac("),
    second("pgp_sym_encrypt("),
    second("wifi.begin("),
    second("passwordauthentication("),
    third("directoryentry("),
    third("pymysql.connect("),
    third("mysqli_connect("),
    third("getconnection("),
    third("new pdo("),
    third("create_superuser("),
    statement("identified with "),
    statement("set password for "),
    first("convertto-securestring "),
    first("hmac.new("),
    first("aes.new("),
    first("new stripe("),
    first(" crypt("),
    first("pragma key"),
    first("client.login("),
    first("bot.run("),
];

const fn third(literal: &'static str) -> Trigger {
    Trigger { literal, case: Case::Any, detector: Detector::Line(third_text) }
}

const fn statement(literal: &'static str) -> Trigger {
    Trigger { literal, case: Case::Any, detector: Detector::Line(statement_text) }
}

/// `IDENTIFIED WITH plugin BY '…'`, `SET PASSWORD FOR user = PASSWORD('…')`.
fn statement_text(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let text = scan.text;
    let line = line_after(text, after, 200);
    let sign =
        line.windows(4).position(|part| part.eq_ignore_ascii_case(b" by ") || part.starts_with(b" = "));
    let Some(sign) = sign else { return };
    let start = after + sign + 3;
    let quote = run_within(text, start, 24, |byte| !is_quote(byte) && byte != b'\n');
    if text.get(quote).is_some_and(|byte| is_quote(*byte)) {
        nth_text(scan, quote - usize::from(text[quote - 1] == b'\\'), 0);
    }
}

fn first_text(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    nth_text(scan, after, 0);
}

fn second_text(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    if scan.text[at] != b'l' || starts_word(scan.text, at) {
        nth_text(scan, after, 1);
    }
}

fn third_text(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    nth_text(scan, after, 2);
}

/// Records the argument with this index if it is a quoted text and not a plain word.
fn nth_text(scan: &mut SecretScan<'_>, after: usize, index: usize) {
    let text = scan.text;
    let mut at = run_within(text, after, 32, |byte| byte.is_ascii_whitespace() || byte == b'=');
    for _ in 0..index {
        let end = match skip_quote(text, at).and_then(|_| value::read(text, at, Until::Mark)) {
            Some(first) => first.span.end + 1,
            None => run_within(text, at, 64, |byte| !matches!(byte, b',' | b'\n' | b')')),
        };
        let comma = run_within(text, end, 4, |byte| matches!(byte, b' ' | b'\\' | b'"' | b'\''));
        if text.get(comma) != Some(&b',') {
            return;
        }
        at = run_within(text, comma + 1, 64, |byte| byte.is_ascii_whitespace());
    }
    for wrapper in ["Some(", "-String ", "b"] {
        let is_before = text[at..].starts_with(wrapper.as_bytes());
        if is_before && (wrapper != "b" || skip_quote(text, at + 1).is_some()) {
            at += wrapper.len();
        }
    }
    if skip_quote(text, at).is_none() {
        return;
    }
    let Some(value) = value::read(text, at, Until::Mark).filter(|value| value.form == Form::Quoted) else {
        return;
    };
    let secret = &text[value.span.clone()];
    let has_digit = secret.iter().any(u8::is_ascii_digit);
    let is_word =
        (is_wordy(secret) || secret.contains(&b' ') || !has_digit) && !is_random(secret, Doubt::Quoted);
    if secret.len() >= 6
        && !is_word
        && !is_placeholder(secret)
        && !is_constant(secret)
        && !secret.contains(&b'/')
    {
        scan.push(SecretKind::Password, value.span);
    }
}
