//! Columns whose name announces a secret: `username,password` above `bob,…`, `INSERT INTO users (name, password) VALUES
//! …`.

use std::ops::Range;

use super::SecretKind;
use super::bridges::is_random;
use super::scan::{SecretScan, begins, contains, is_quote, line_after, line_before, run_within};
use super::trigger::{Case, Detector, Trigger};

pub(super) const TRIGGERS: &[Trigger] = &[
    Trigger { literal: ",password", case: Case::Any, detector: Detector::Line(rows) },
    Trigger { literal: "password,", case: Case::Any, detector: Detector::Line(rows) },
    Trigger { literal: ",secret", case: Case::Any, detector: Detector::Line(rows) },
    Trigger { literal: ",token", case: Case::Any, detector: Detector::Line(rows) },
    Trigger { literal: "| password", case: Case::Any, detector: Detector::Line(rows) },
    Trigger { literal: "insert into ", case: Case::Any, detector: Detector::Line(insert) },
];

/// Names of columns that contain secrets.
const NAMES: &[&str] = &["password", "passwd", "secret", "token", "api_key", "apikey"];

/// At most this many rows of a table are read.
const MAX_ROWS: usize = 256;

fn rows(scan: &mut SecretScan<'_>, at: usize, after: usize) {
    let text = scan.text;
    let sign = if text[at] == b'|' { b'|' } else { b',' };
    let before = line_before(text, at, 256);
    // A text in quotes may begin with the table.
    let quoted = before.iter().rposition(|byte| is_quote(*byte)).map_or(before, |quote| &before[quote + 1..]);
    let start = at - if quoted.iter().any(u8::is_ascii_alphabetic) { quoted.len() } else { before.len() };
    let head_end = after + line_after(text, after, 256).len();
    let head = fields(text, start..head_end, sign);
    let is_head = head.len() > 1 && head.iter().all(|field| is_column(&text[field.clone()]));
    if !is_head {
        return;
    }
    let mut next = head_end;
    for _ in 0..MAX_ROWS {
        if text.get(next) != Some(&b'\n') {
            return;
        }
        let end = next + 1 + line_after(text, next + 1, 1024).len();
        let row = fields(text, next + 1..end, sign);
        let is_rule = text[next + 1..end].iter().all(|byte| b"-+| :\r".contains(byte)) && end > next + 1;
        if row.len() != head.len() && !is_rule {
            return;
        }
        take(scan, &head, &row);
        next = end;
    }
}

/// `INSERT INTO users (name, password) VALUES ('bob', '…')`.
fn insert(scan: &mut SecretScan<'_>, _: usize, after: usize) {
    let text = scan.text;
    let open = run_within(text, after, 96, |byte| byte != b'(' && byte != b';');
    let close = run_within(text, open, 1024, |byte| byte != b')');
    if text.get(open) != Some(&b'(') || text.get(close) != Some(&b')') {
        return;
    }
    let head = fields(text, open + 1..close, b',');
    let mut at = run_within(text, close + 1, 64, |byte| byte.is_ascii_whitespace());
    if !begins(&text[at..], "values") {
        return;
    }
    at += "values".len();
    for _ in 0..MAX_ROWS {
        at = run_within(text, at, 64, |byte| byte.is_ascii_whitespace() || byte == b',');
        if text.get(at) != Some(&b'(') {
            return;
        }
        let end = run_within(text, at, 2048, |byte| byte != b')');
        take(scan, &head, &fields(text, at + 1..end, b','));
        at = end + 1;
    }
}

fn take(scan: &mut SecretScan<'_>, head: &[Range<usize>], row: &[Range<usize>]) {
    let text = scan.text;
    for (name, value) in head.iter().zip(row) {
        let name = &text[name.clone()];
        if NAMES.iter().any(|column| contains(name, column)) && is_random(&text[value.clone()]) {
            scan.push(SecretKind::Password, value.clone());
        }
    }
}

/// Returns the fields of a row, without blanks and quotes around them.
fn fields(text: &[u8], row: Range<usize>, sign: u8) -> Vec<Range<usize>> {
    let mut fields = Vec::new();
    let mut start = row.start;
    for field in text[row.clone()].split(|byte| *byte == sign) {
        let is_around = |byte: &u8| byte.is_ascii_whitespace() || is_quote(*byte);
        let first = field.iter().position(|byte| !is_around(byte)).unwrap_or(field.len());
        let last = field.iter().rposition(|byte| !is_around(byte)).map_or(first, |last| last + 1);
        fields.push(start + first..start + last);
        start += field.len() + 1;
    }
    fields
}

fn is_column(name: &[u8]) -> bool {
    name.len() <= 32 && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_ .-".contains(byte))
}
