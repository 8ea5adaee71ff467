//! Values that a shell passes on without a name: `echo … | docker login --password-stdin`, `kinit bob <<< '…'`,
//! `echo … > /run/secrets/db_password`, `sed 's/__DB_PASSWORD__/…/'`.

use std::ops::Range;

use super::SecretKind;
use super::bridges::is_random;
use super::placeholder::{is_constant, is_placeholder, is_unset};
use super::scan::{
    SecretScan, contains, is_quote, line_after, line_before, run_back, run_within, skip_blanks, skip_quote,
    starts_word,
};
use super::trigger::{Case, Detector, Trigger};
use super::worth::is_wordy;
use crate::model::Literals;

pub(super) const TRIGGERS: &[Trigger] = &[
    Trigger { literal: "echo ", case: Case::Exact, detector: Detector::Line(printed) },
    Trigger { literal: "printf ", case: Case::Exact, detector: Detector::Line(printed) },
    Trigger { literal: "<<<", case: Case::Exact, detector: Detector::Line(here) },
    Trigger { literal: "AUTH PLAIN ", case: Case::Exact, detector: Detector::Line(protocol) },
    Trigger { literal: "PASS ", case: Case::Exact, detector: Detector::Line(protocol) },
    Trigger { literal: "LOGIN ", case: Case::Exact, detector: Detector::Line(login) },
    Trigger { literal: "send ", case: Case::Exact, detector: Detector::Line(typed) },
    Trigger { literal: "send -- ", case: Case::Exact, detector: Detector::Line(typed) },
    Trigger { literal: "sed -", case: Case::Exact, detector: Detector::Line(replaced) },
];

/// Commands that read a secret from their input. The list comes from general knowledge.
#[rustfmt::skip]
static READER: Literals<28> = Literals::any_case([
    "-stdin", "--with-token", "sudo -s", "kinit", "gcloud secrets", "wrangler secret", "gh secret", "gh auth",
    "vercel env add", "p4 login", "pass insert", "cryptsetup", "op signin", "lpass login", "bw login", "bw unlock",
    "openconnect", "smbpasswd", "vncpasswd", "keepassxc-cli", "secret-tool", "su -c", "docker login", "chpasswd",
    "ansible-vault", "fly secrets", "read -s", "secret create",
]);

/// Commands that read nothing but a secret: all their input is one.
#[rustfmt::skip]
pub(super) const SECRET_READERS: [&str; 11] = [
    "password-stdin", "--with-token", "sudo -s", "kinit", "docker login", "passwd", "pass insert", "gh secret set",
    "wrangler secret put", "bw unlock", "secret-tool store",
];

static SECRET_READER: Literals<{ SECRET_READERS.len() }> = Literals::any_case(SECRET_READERS);

/// Parts of the names of files that contain a secret.
static FILE: Literals<7> =
    Literals::any_case(["secret", "password", "passwd", "token", "api_key", "apikey", "credential"]);

fn printed(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    if !starts_word(text, at) {
        return;
    }
    let line_end = after + line_after(text, after, 400).len();
    let mut start = skip_blanks(text, after);
    while text[start..].starts_with(b"-n ") || text[start..].starts_with(b"-e ") {
        start = skip_blanks(text, start + 3);
    }
    let line = &text[start.min(line_end)..line_end];
    let Some(sign) = line.iter().position(|byte| matches!(byte, b'|' | b'>')) else { return };
    let (is_read, is_certain) = match &line[sign..] {
        [b'|', reader @ ..] if SECRET_READER.are_in(reader) => (true, true),
        [b'|', reader @ ..] => (READER.are_in(reader), false),
        [b'>', b'>', file @ ..] | [b'>', file @ ..] => (is_file(file), false),
        _ => (false, false),
    };
    let sign = start + sign;
    // `printf` has a format before its values.
    for _ in 0..4 {
        if !is_read || start >= sign {
            return;
        }
        let word = word_at(text, start);
        start = skip_blanks(text, after_word(text, &word)).max(start + 1);
        if word.end <= sign && is_certain {
            take_certain(scan, word);
        } else if word.end <= sign {
            take(scan, word);
        }
    }
}

fn is_file(rest: &[u8]) -> bool {
    let file = rest.trim_ascii_start().split(u8::is_ascii_whitespace).next().unwrap_or_default();
    FILE.are_in(file)
}

fn here(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let before = line_before(text, at, 200);
    if SECRET_READER.are_in(before) {
        return take_certain(scan, word_at(text, skip_blanks(text, after)));
    }
    let is_file = contains(before, "tee ") && FILE.are_in(before);
    if is_file || READER.are_in(before) {
        take(scan, word_at(text, skip_blanks(text, after)));
    }
}

/// `C: PASS …`, `AUTH PLAIN …`: what a mail or FTP client sends to its server.
fn protocol(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let before = line_before(text, at, 64).trim_ascii();
    let begins_line = before.is_empty() || before.ends_with(b":") || before.ends_with(b">");
    let word = word_at(text, after);
    let is_last = line_after(text, word.end, 64).trim_ascii().is_empty();
    if begins_line && is_last && is_random(text[word.clone()].trim_ascii_end()) {
        take(scan, word);
    }
}

/// `a1 LOGIN user …`: the same in IMAP, with a tag before it.
fn login(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let tag_end = at.saturating_sub(1);
    let tag = &text[run_back(text, tag_end, 9, |byte| byte.is_ascii_alphanumeric())..tag_end];
    let is_tag = text[..at].ends_with(b" ") && tag.len() <= 8 && tag.iter().any(u8::is_ascii_digit);
    let user = word_at(text, after);
    let word = word_at(text, skip_blanks(text, after_word(text, &user)));
    if is_tag && !user.is_empty() && word.start > user.end {
        take_certain(scan, word);
    }
}

/// `expect "assword:"` and `send "…\r"`: what a script types when it is asked for a password.
fn typed(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let Some(start) = skip_quote(text, after) else { return };
    let is_typed = |byte: u8| byte.is_ascii_graphic() && !is_quote(byte) && byte != b'\\';
    let end = run_within(text, start, 128, is_typed);
    let key = run_within(text, end, 4, |byte| byte == b'\\');
    let is_entered = key > end && matches!(text.get(key), Some(b'r' | b'n'));
    let before = &text[at.saturating_sub(200)..at];
    if is_entered && starts_word(text, at) && contains(before, "expect") && contains(before, "assword") {
        take_certain(scan, start..end);
    }
}

/// `s/__DB_PASSWORD__/…/`: the pattern names a secret, so the replacement is one.
fn replaced(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let text = scan.text;
    let line = line_after(text, after, 200);
    let Some(start) = line
        .windows(3)
        .position(|part| matches!(part, [b' ' | b'"' | b'\'', b's', b'/' | b'|' | b'#' | b'@']))
    else {
        return;
    };
    let sign = line[start + 2];
    let mut parts = line[start + 3..].split(|byte| *byte == sign);
    let (Some(pattern), Some(value)) = (parts.next(), parts.next()) else { return };
    if parts.next().is_some() && FILE.are_in(pattern) {
        let begin = after + start + 3 + pattern.len() + 1;
        let key = value
            .iter()
            .rposition(|byte| matches!(byte, b'=' | b':' | b' ' | b'"'))
            .map_or(0, |sign| sign + 1);
        take(scan, begin + key..begin + value.len());
    }
}

/// Returns the word here, without its quotes.
fn word_at(text: &[u8], at: usize) -> Range<usize> {
    let escape = run_within(text, at, 2, |byte| byte == b'\\');
    match text.get(escape) {
        Some(quote) if is_quote(*quote) => {
            let end =
                run_within(text, escape + 1, 256, |byte| !is_quote(byte) && byte != b'\n' && byte != b'\\');
            escape + 1..end.max(escape + 1)
        }
        _ => {
            at.min(text.len())..run_within(text, at.min(text.len()), 256, |byte| {
                byte.is_ascii_graphic() && !is_quote(byte) && !b"|<>;\\".contains(&byte)
            })
        }
    }
}

fn after_word(text: &[u8], word: &Range<usize>) -> usize {
    run_within(text, word.end, 3, |byte| is_quote(byte) || byte == b'\\')
}

/// Longer words are found by other detectors.
const MAX_WORD: usize = 48;

fn take(scan: &mut SecretScan<'_>, word: Range<usize>) {
    let value = &scan.text[word.clone()];
    let is_plain =
        (6..=MAX_WORD).contains(&value.len()) && value.iter().any(u8::is_ascii_digit) && !is_wordy(value);
    let is_given =
        !is_placeholder(value) && !is_constant(value) && !value.iter().any(|byte| b" %/()".contains(byte));
    // Another detector recognises this form and has a more specific kind for it.
    let is_formed = value.len() == 34 && value[2..].iter().all(u8::is_ascii_hexdigit);
    if is_plain && is_given && !is_formed && value[0] != b'$' {
        scan.push(SecretKind::Password, word);
    }
}

/// Records a word that can only be a secret, whatever it looks like.
pub(super) fn take_certain(scan: &mut SecretScan<'_>, word: Range<usize>) {
    let value = &scan.text[word.clone()];
    let is_value = (3..=256).contains(&value.len())
        && !value.iter().any(|byte| b" %/():".contains(byte))
        && !matches!(value[0], b'$' | b'-' | b'<');
    if is_value && !is_placeholder(value) && !is_unset(value) {
        scan.push(SecretKind::Password, word);
    }
}
