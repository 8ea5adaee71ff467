//! What a shell feeds to a command line by line: `passwd bob <<EOF`, `redis-cli <<EOF` with `AUTH …`, `ftp -n <<EOF` with
//! `user bob …`. Statements of SQL and calls in such a text are found by the names in them.

use std::ops::Range;

use super::pipes::{SECRET_READERS, take_certain};
use super::scan::{SecretScan, begins, contains, is_quote, line_after, line_before, run_within, skip_blanks};
use super::trigger::{Case, Detector, Trigger};

pub(super) const TRIGGERS: &[Trigger] = &[
    opening("<<E"),
    opening("<<S"),
    opening("<<P"),
    opening("<<_"),
    opening("<<-"),
    opening("<<'"),
    opening("<<\""),
    opening("<< "),
    Trigger { literal: "> AUTH ", case: Case::Exact, detector: Detector::Line(prompt) },
];

const fn opening(literal: &'static str) -> Trigger {
    Trigger { literal, case: Case::Exact, detector: Detector::Other(heredoc) }
}

/// How a command reads its lines.
#[derive(Clone, Copy)]
enum HeredocForm {
    /// Every line is the secret.
    Secret,
    /// `user:password`.
    Pairs,
    /// `AUTH password`, `AUTH user password`.
    Redis,
    /// `user name password`, `quote PASS password`.
    Ftp,
    /// `connect user/password@host`.
    Oracle,
}

/// More lines than these are data.
const MAX_LINES: usize = 16;

fn heredoc(scan: &mut SecretScan<'_>, at: usize, _: usize) {
    let text = scan.text;
    let Some(delimiter) = delimiter(text, at + 2) else { return };
    let Some(reader) = reader(line_before(text, at, 200)) else { return };
    // Shifts and streams in code are written alike, so only a text for a known reader counts.
    scan.note_line_part(at);
    let mut line = delimiter.end + line_after(text, delimiter.end, 200).len();
    for _ in 0..MAX_LINES {
        if text.get(line) != Some(&b'\n') {
            return;
        }
        let start = skip_blanks(text, line + 1);
        line = start + line_after(text, start, 512).len();
        let content = text[start..line].trim_ascii_end();
        if content == &text[delimiter.clone()] {
            return;
        }
        if let Some(span) = reader.secret(content) {
            take_certain(scan, start + span.start..start + span.end);
        }
    }
}

/// Returns the word that ends the text: in capitals, with or without quotes.
fn delimiter(text: &[u8], at: usize) -> Option<Range<usize>> {
    let start = skip_blanks(text, at + usize::from(text.get(at) == Some(&b'-')));
    let start = start + usize::from(text.get(start).is_some_and(|byte| is_quote(*byte)));
    let end = run_within(text, start, 24, |byte| byte.is_ascii_uppercase() || byte == b'_');
    (end - start >= 2).then_some(start..end)
}

fn reader(before: &[u8]) -> Option<HeredocForm> {
    let command =
        before.rsplit(|byte| b";&|\"'`(".contains(byte)).next().unwrap_or_default().trim_ascii_start();
    let command = command.strip_prefix(b"sudo ").unwrap_or(command);
    let is_one_of = |names: &[&str]| names.iter().any(|name| begins(command, name));
    let reads_secret = || SECRET_READERS.iter().any(|name| *name != "passwd" && contains(before, name));
    match () {
        () if is_one_of(&["chpasswd "]) || command == b"chpasswd" => Some(HeredocForm::Pairs),
        () if is_one_of(&["redis-cli", "valkey-cli"]) => Some(HeredocForm::Redis),
        () if is_one_of(&["ftp ", "lftp ", "ncftp "]) => Some(HeredocForm::Ftp),
        () if is_one_of(&["sqlplus "]) => Some(HeredocForm::Oracle),
        () if is_one_of(&["passwd ", "smbpasswd ", "vncpasswd "]) || reads_secret() => {
            Some(HeredocForm::Secret)
        }
        () => None,
    }
}

impl HeredocForm {
    /// Returns the secret in a line.
    fn secret(self, line: &[u8]) -> Option<Range<usize>> {
        let last = line.iter().rposition(|byte| *byte == b' ').map(|blank| blank + 1);
        let behind = |sign: u8| line.iter().position(|byte| *byte == sign).map(|at| at + 1);
        match self {
            HeredocForm::Secret => Some(0..line.len()),
            HeredocForm::Pairs => behind(b':').map(|start| start..line.len()),
            HeredocForm::Redis if begins(line, "auth ") => last.map(|start| start..line.len()),
            HeredocForm::Ftp if begins(line, "user ") => {
                let words = line.split(|byte| *byte == b' ').count();
                last.filter(|_| words == 3).map(|start| start..line.len())
            }
            HeredocForm::Ftp if begins(line, "quote pass ") || begins(line, "pass ") => {
                last.map(|start| start..line.len())
            }
            HeredocForm::Oracle if begins(line, "conn") => {
                let end = line.iter().rposition(|byte| *byte == b'@').unwrap_or(line.len());
                behind(b'/').filter(|start| *start < end).map(|start| start..end)
            }
            HeredocForm::Redis | HeredocForm::Ftp | HeredocForm::Oracle => None,
        }
    }
}

/// `127.0.0.1:6379> AUTH …`: the prompt of Redis.
fn prompt(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let line = line_after(scan.text, after, 200).trim_ascii_end();
    let words = line.split(|byte| *byte == b' ').count();
    let start = line.iter().rposition(|byte| *byte == b' ').map_or(0, |blank| blank + 1);
    // `PLAIN`, `LOGIN` and the like are mechanisms of mail and not passwords.
    let is_mechanism = line.starts_with(b"PLAIN") || line.starts_with(b"LOGIN");
    if words <= 2 && !is_mechanism {
        take_certain(scan, after + start..after + line.len());
    }
}
