//! What is between a name and its value where no single sign joins them: a default (`${DB_PASSWORD:-…}`,
//! `env.DB_PASSWORD || "…"`), a call (`get('#password').type('…')`), the next line, the cell of a table, some words of
//! a message (`password for user elastic: …`).

use super::joint::ValuePlace;
use super::letters::{self, Doubt};
use super::names::Name;
use super::scan::{
    begins, contains, is_blank, is_one_of, is_quote, line_after, line_before, run_back, run_within,
    skip_blanks, skip_quote,
};
use super::trigger::Family;
use super::value::{self, Form, FoundValue, Until};

/// The value after a bridge, and the place, which determines how to judge it.
pub(super) struct Bridged {
    pub(super) value: FoundValue,
    pub(super) place: ValuePlace,
}

/// Returns the value that a bridge leads to.
pub(super) fn bridged(text: &[u8], name: &Name<'_>) -> Option<Bridged> {
    if matches!(name.family, Family::Key | Family::Pat) {
        return None;
    }
    default(text, name)
        .or_else(|| quoted_behind(text, name))
        .or_else(|| wrapped(text, name))
        .or_else(|| next_line(text, name))
        .or_else(|| cell(text, name))
        .or_else(|| message(text, name))
}

/// `${NAME:-value}`, `${NAME:=value}`, `${NAME-value}`, `${NAME:value}` of Spring.
fn default(text: &[u8], name: &Name<'_>) -> Option<Bridged> {
    if !text[..name.start].ends_with(b"${") {
        return None;
    }
    let sign = run_within(text, name.end, 2, |byte| b":-=+".contains(&byte));
    let is_default = sign > name.end && !text[name.end..sign].contains(&b'+');
    let is_last = is_default && !matches!(text.get(sign), Some(b'?' | b'$' | b'{' | b'}'));
    let end = run_within(text, sign, 256, |byte| byte != b'}' && byte != b'\n' && !is_blank(byte));
    let is_closed = is_last && text.get(end) == Some(&b'}') && end > sign;
    let start = skip_quote(text, sign).unwrap_or(sign);
    let end = if start > sign && end > start { end - 1 } else { end };
    is_closed.then_some(Bridged {
        value: FoundValue { span: start..end, form: Form::Quoted },
        place: ValuePlace::Key,
    })
}

/// Signs that may be between the quote, bracket or word that ends a name and the quote that opens its value.
const SIGNS: &[&str] = &[
    "||",
    "or",
    "??",
    "?:",
    "|",
    "{",
    ",",
    ",with:",
    ",with:=>",
    ".type(",
    ".fill(",
    ".sendkeys(",
    ".send_keys(",
    ".set(",
    ".clear().type(",
    ".settext(",
    ".setvalue(",
    ".typetext(",
    ".inputtext(",
    "]",
    "(some(",
    "=n",
    "=password(",
    "=crypt(",
    "=md5(",
    "=sha1(",
    "value=",
    "=some(",
    "=(",
    "=[",
];

/// `NAME") or "…"`, `'#password').type('…')`, `PASSWORD = N'…'`, `.password("…")`.
fn quoted_behind(text: &[u8], name: &Name<'_>) -> Option<Bridged> {
    let window = &text[name.end..text.len().min(name.end + MAX_SIGNS)];
    memchr::memchr3(b'"', b'\'', b'`', window)?;
    let before = text.get(name.start.wrapping_sub(1)).copied();
    let mut signs = [0; 24];
    let mut length = 0;
    let mut at = name.end;
    let limit = text.len().min(at + MAX_SIGNS);
    let is_closed = skip_quote(text, at).is_some();
    if let Some(after) = skip_quote(text, at) {
        at = after;
    }
    // What closes the selector or the call that contains the name.
    at = run_within(text, at, 6, |byte| matches!(byte, b']' | b')' | b'"' | b'\'' | b'\\'));
    while at < limit {
        let byte = text[at];
        if skip_quote(text, at).is_some() {
            break;
        }
        if !byte.is_ascii_whitespace() {
            *signs.get_mut(length)? = byte.to_ascii_lowercase();
            length += 1;
        }
        at += 1;
    }
    let signs = &signs[..length];
    let is_code = is_closed
        || matches!(before, Some(b'.' | b'_' | b'['))
        || name.is_upper()
        || name.text.contains(&b'.');
    let is_known =
        SIGNS.iter().any(|sign| sign.as_bytes() == signs) && is_bridge(text, name, signs, is_closed);
    let is_builder = signs == b"(" && text[..name.start + 1].ends_with(b".");
    let is_setter = signs == b"(" && name.text.starts_with(b".");
    if !(is_known && (is_code || signs.starts_with(b"=") || signs == b"value=")) && !is_builder && !is_setter
    {
        return None;
    }
    let value = value::read(text, at, Until::Mark).filter(|value| value.form == Form::Quoted)?;
    let has_digit = text[value.span.clone()].iter().any(u8::is_ascii_digit);
    (has_digit || name.is_upper()).then_some(Bridged { value, place: ValuePlace::Key })
}

/// A list of names (`"token", "secret"`) is not a pair of a name and a value.
fn is_bridge(text: &[u8], name: &Name<'_>, signs: &[u8], is_closed: bool) -> bool {
    match signs {
        b"," => is_closed && is_call(text, name.start),
        b"|" | b"{" | b"]" => is_closed && is_call(text, name.start),
        _ => true,
    }
}

/// Calls whose second argument is the value of the first.
#[rustfmt::skip]
const CALLS: &[&str] = &[
    "get", "getenv", "fetch", "setproperty", "setitem", "fill", "type", "fill_in", "sendkeys", "put", "set", "env",
    "setenv", "define", "typetext", "getordefault", "environ", "config",
];

fn is_call(text: &[u8], name: usize) -> bool {
    let line = line_before(text, name, 96);
    let Some(open) = line.iter().rposition(|byte| *byte == b'(') else {
        return begins(line.trim_ascii_start(), "fill_in ");
    };
    let word = run_back(line, open, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_one_of(&line[word..open], CALLS)
}

/// No bridge of signs is longer than this.
const MAX_SIGNS: usize = 32;

/// `"password":` above `"…"`, `variable "db_password" {` above `default = "…"`.
fn wrapped(text: &[u8], name: &Name<'_>) -> Option<Bridged> {
    let closing = skip_quote(text, name.end)?;
    let sign = skip_blanks(text, closing);
    match text.get(sign)? {
        b':' => {
            let end = skip_blanks(text, sign + 1);
            let next = run_within(text, end, 128, |byte| byte.is_ascii_whitespace());
            let value = (next > end && text[end..next].contains(&b'\n'))
                .then(|| value::read(text, next, Until::Mark))??;
            (value.form == Form::Quoted).then_some(Bridged { value, place: ValuePlace::Key })
        }
        b'{' if contains(line_before(text, name.start, 24), "variable ") => {
            let end = run_within(text, sign, 320, |byte| byte != b'}');
            let default = memchr::memmem::find(&text[sign..end], b"default")? + sign + "default".len();
            let equals = skip_blanks(text, default);
            let start = skip_blanks(text, equals + 1);
            let value =
                (text.get(equals) == Some(&b'=')).then(|| value::read(text, start, Until::Mark))??;
            (value.form == Form::Quoted).then_some(Bridged { value, place: ValuePlace::Key })
        }
        _ => None,
    }
}

/// Commands that print the content of a variable or a file.
const PRINTS: &[&str] = &["printenv ", "echo $", "echo \"$", "echo ${", "cat "];

/// `printenv DB_PASSWORD` above its value, `PASSWORD` alone on a line above it.
fn next_line(text: &[u8], name: &Name<'_>) -> Option<Bridged> {
    let end =
        run_within(text, name.end, 8, |byte| is_quote(byte) || matches!(byte, b'}' | b':' | b' ' | b'\r'));
    if text.get(end) != Some(&b'\n') {
        return None;
    }
    let line = line_before(text, name.start, 96).trim_ascii_start();
    let line = line.strip_prefix(b"$ ").unwrap_or(line);
    let is_printed = PRINTS.iter().any(|print| begins(line, print));
    let is_alone = line.is_empty() && (name.is_upper() || text[name.end..end].contains(&b':'));
    let has_words = text[name.end..end].contains(&b':')
        && line.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b' ');
    if !is_printed && !is_alone && !has_words {
        return None;
    }
    let start = run_within(text, end, 16, |byte| byte.is_ascii_whitespace());
    random_word(text, start)
}

/// Returns the word here if it is alone on its line and as random as passwords are.
fn random_word(text: &[u8], at: usize) -> Option<Bridged> {
    let line = line_after(text, at, 256).trim_ascii_end();
    let is_word = is_made_up(line) && line.iter().all(u8::is_ascii_graphic);
    is_word.then_some(Bridged {
        value: FoundValue { span: at..at + line.len(), form: Form::Quoted },
        place: ValuePlace::Key,
    })
}

/// `| DB_PASSWORD | value |`.
fn cell(text: &[u8], name: &Name<'_>) -> Option<Bridged> {
    let end = run_within(text, name.end, 64, |byte| is_blank(byte) || byte == b'`');
    let opens = run_back(text, name.start, 8, |byte| is_blank(byte) || byte == b'`');
    if text.get(end) != Some(&b'|') || opens == 0 || text[opens - 1] != b'|' {
        return None;
    }
    let start = run_within(text, end + 1, 64, |byte| is_blank(byte) || byte == b'`');
    let last = run_within(text, start, 128, |byte| byte.is_ascii_graphic() && !matches!(byte, b'|' | b'`'));
    let value = &text[start..last];
    is_made_up(value).then_some(Bridged {
        value: FoundValue { span: start..last, form: Form::Quoted },
        place: ValuePlace::Key,
    })
}

/// `password for user elastic: …`, `password is generated for root@localhost: …`, `PASSWORD elastic = …`.
///
/// Some words may come in between, then a sign or `is`, then the value.
fn message(text: &[u8], name: &Name<'_>) -> Option<Bridged> {
    // After the name of a path or a call comes another sign; a message has words.
    if !matches!(text.get(name.end)?, b' ' | b'\t' | b':' | b'=' | b'(' | b'\'' | b'-') {
        return None;
    }
    let line = line_after(text, name.end, MAX_MESSAGE);
    let mut start = name.end;
    let mut is_joined = false;
    for word in line.split(|byte| is_blank(*byte)).take(MAX_WORDS) {
        if is_joined && !word.is_empty() {
            let first = start + usize::from(is_quote(word[0]));
            let end =
                run_within(text, first, 128, |byte| byte.is_ascii_graphic() && !b"\"'`\\,)".contains(&byte));
            if is_made_up(&text[first..end]) {
                let value = FoundValue { span: first..end, form: Form::Quoted };
                return Some(Bridged { value, place: ValuePlace::Key });
            }
            // `password is generated for root@localhost: …`: a later sign may come before the value.
            is_joined = false;
        }
        let is_plain = word.iter().all(|byte| byte.is_ascii_alphanumeric() || b":=@'/._->()".contains(byte));
        if !is_plain || word.ends_with(b"==") {
            return None;
        }
        is_joined |= matches!(word.last(), Some(b':' | b'='))
            || word.ends_with(b"->")
            || is_one_of(word, &["is", "was"]);
        start += word.len() + 1;
    }
    None
}

/// A sentence with more words in between is about something else.
const MAX_WORDS: usize = 10;

const MAX_MESSAGE: usize = 200;

/// Returns whether the word can only be a password: it is random, with or without digits.
fn is_made_up(word: &[u8]) -> bool {
    !begins(word, "0x") && (is_random(word) || letters::is_random(word, Doubt::Bare))
}

/// Returns whether a word is as random as a generated password: not a word, number, path, version or call.
pub(super) fn is_random(word: &[u8]) -> bool {
    let count = |test: fn(&u8) -> bool| word.iter().filter(|byte| test(byte)).count();
    let is_plain = !word.iter().any(|byte| b"()<>{}[]/\\,;:=\"'`|".contains(byte));
    let (upper, lower, digits) =
        (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase), count(u8::is_ascii_digit));
    let marks = word.len() - upper - lower - digits;
    let turns = word.windows(2).filter(|pair| {
        let class = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase(), byte.is_ascii_lowercase());
        class(pair[0]) != class(pair[1]) && !(pair[0].is_ascii_uppercase() && pair[1].is_ascii_lowercase())
    });
    let turns = turns.count();
    let is_hex =
        word.len() >= 16 && digits >= 4 && word.iter().all(u8::is_ascii_hexdigit) && lower + upper > 0;
    // Marks that join the parts of a name do not count.
    let signs = marks - count(|byte| b"_-.".contains(byte));
    let has_three = [upper, lower, digits, signs].iter().filter(|count| **count > 0).count() >= 3;
    is_plain
        && !matches!(word.first(), Some(b'&' | b'*'))
        && (8..=256).contains(&word.len())
        && word.is_ascii()
        && (is_hex
            || (digits > 0 && lower > 0 && has_three && marks * 3 <= word.len() && turns * 4 >= word.len()))
}
