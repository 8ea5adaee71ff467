//! A whole environment that a program printed, in the notation of its language: there every name in capitals is a
//! variable and what follows it is its value, so that a weak value is removed as it is after `export`.

use super::joint::{Joint, ValuePlace};
use super::names::Name;
use super::scan::{run_within, skip_blanks, skip_quote};
use super::value::Until;

/// Returns where the value of a variable begins that only a list of variables has there: `[NAME, x]`, `│ NAME │ 'x' │`,
/// the columns of PowerShell, `["NAME"]=>` above `string(5) "x"`.
pub(super) fn joint(text: &[u8], name: &Name<'_>) -> Option<Joint> {
    let closed = skip_quote(text, name.end).unwrap_or(name.end);
    let sign = skip_blanks(text, closed);
    let until_line = |value: usize| Some(Joint { value, until: Until::Mark, place: ValuePlace::Variable });
    match text.get(sign..)? {
        [b',', ..] => until_line(run_within(text, sign + 1, 64, |byte| byte.is_ascii_whitespace())),
        [0xE2, 0x94, 0x82, ..] => until_line(skip_blanks(text, sign + 3)),
        [b'|', ..] => until_line(skip_blanks(text, sign + 1)),
        [b']', b'=', b'>', b'\n', ..] => dumped(text, sign + 4).and_then(until_line),
        [first, ..] if is_column(&text[closed..sign]) && first.is_ascii_graphic() => until_line(sign),
        _ => None,
    }
}

/// What is between two columns: several blanks, or a tab.
fn is_column(between: &[u8]) -> bool {
    between.len() > 1 || between.first() == Some(&b'\t')
}

/// `string(5) "x"` of PHP.
fn dumped(text: &[u8], at: usize) -> Option<usize> {
    let start = skip_blanks(text, at);
    let digits = text.get(start..)?.starts_with(b"string(").then_some(start + 7)?;
    let close = run_within(text, digits, 12, |byte| byte.is_ascii_digit());
    (text.get(close) == Some(&b')')).then(|| skip_blanks(text, close + 1))
}
