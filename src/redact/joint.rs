//! What joins a name and its value: `=`, `: `, `=>`, a blank, a tag; and in what sort of text they are.

use super::names::Name;
use super::scan::{
    contains, is_blank, is_one_of, is_quote, line_before, run_back, run_within, skip_blanks, skip_quote,
};
use super::trigger::Family;
use super::value::Until;

/// How a name and its value are joined.
#[derive(Debug, PartialEq)]
pub(super) struct Joint {
    /// Where the value begins.
    pub(super) value: usize,
    pub(super) until: Until,
    pub(super) place: ValuePlace,
}

/// In what sort of text a value is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ValuePlace {
    /// Every word is a value: environment, options, queries.
    Literal,
    /// A word is a value unless it looks like code: `password=x` in lower case.
    Setting,
    /// The key of a YAML, JSON or INI file.
    Key,
    /// A text in quotes that begins with the name: `-H 'X-Auth-Token: x'`.
    Header,
    /// Anywhere else, code and prose above all.
    Code,
    /// The next text of a list.
    List,
    /// In the list of a whole environment.
    Variable,
    /// After a name with only a blank in between: it must have quotes or be unmistakable.
    Loose,
}

/// Returns how the name is joined to a value, if it is.
pub(super) fn joint(text: &[u8], name: &Name<'_>) -> Option<Joint> {
    let closing = skip_quote(text, name.end);
    let joint = sign(text, name, closing)?;
    // `prompt("Password: ")`: the quote after the name closes a string that began before it.
    let is_closed = closing.is_none() && closes(text, name.start, joint.value);
    // `${PASSWORD:?…}` is a variable.
    let is_variable = text[..name.start].ends_with(b"${");
    (!is_closed && !is_variable).then_some(joint)
}

/// Returns whether the quote here ends a string that began before the name.
fn closes(text: &[u8], name: usize, at: usize) -> bool {
    let Some(quote) = text.get(at).filter(|byte| is_quote(**byte)) else { return false };
    let before = line_before(text, name, MAX_LINE);
    // `password=` in a sentence: the quote was opened directly before the name.
    if before.last() == Some(quote) && text.get(at + 1).is_none_or(|byte| b" )+,;.\n".contains(byte)) {
        return true;
    }
    // A shell reads `X="…"` within quotes as a value, unless code continues after the quote.
    let continues = text.get(at + 1).is_none_or(|byte| b" )+,;\n".contains(byte));
    if before.len() == MAX_LINE || !(is_blank(text[at - 1]) || continues) {
        return false;
    }
    // An apostrophe within a word is not a quote.
    let is_letter = |index: usize| before.get(index).is_some_and(u8::is_ascii_alphabetic);
    let opens = |index: &usize| *index == 0 || !is_letter(index - 1) || !is_letter(index + 1);
    memchr::memchr_iter(*quote, before).filter(opens).count() % 2 == 1
}

/// On a longer line it is unknown where a quote was opened; then it counts as a value.
const MAX_LINE: usize = 200;

fn sign(text: &[u8], name: &Name<'_>, closing: Option<usize>) -> Option<Joint> {
    let after = closing.unwrap_or(name.end);
    let after = after + usize::from(text.get(after) == Some(&b']'));
    let sign = skip_blanks(text, after);
    let is_tight = sign == after;
    let rest = &text[sign.min(text.len())..];
    let found = |length: usize, place: ValuePlace, until: Until| {
        let value = sign + length;
        Some(Joint { value: skip_blanks(text, value), until, place })
    };
    match rest {
        [b'=', b'=', b'=', ..] => found(3, ValuePlace::Code, Until::Mark),
        [b'=' | b'!', b'=', ..] => found(2, ValuePlace::Code, Until::Mark),
        [b'=', b'>', ..] => found(2, key_or_code(text, name, true), Until::Mark),
        [b':' | b'?', b'=', ..] => found(2, key_or_code(text, name, false), Until::Mark),
        [b'=', next, ..] if is_tight && !is_blank(*next) => equals(text, name, sign + 1),
        [b'=', ..] if is_connection(text, name) => found(1, ValuePlace::Literal, Until::Mark),
        [b'=', ..] => found(1, key_or_code(text, name, false), Until::Mark),
        // `process.env.JWT_SECRET || 'x'`: the value where the variable is not set.
        [b'|', b'|', b' ', quote, ..] | [b'?', b'?', b' ', quote, ..] if is_quote(*quote) => {
            found(2, ValuePlace::Code, Until::Mark)
        }
        [b':', b':', ..] | [b'?', b'.', ..] => None,
        [b'?', b':', ..] => found(2, ValuePlace::Code, Until::Mark),
        [b':', ..] => colon(text, name, sign + 1, closing.is_some()),
        // The colon and the equals sign of full width.
        [0xEF, 0xBC, 0x9A, ..] => colon(text, name, sign + 3, closing.is_some()),
        [0xEF, 0xBC, 0x9D, ..] => equals(text, name, skip_blanks(text, sign + 3)),
        // The same signs in the encoding of addresses.
        [b'%', b'3', b'D' | b'd' | b'A' | b'a', rest @ ..] if is_tight => {
            let blanks = if rest.starts_with(b"%22") || rest.starts_with(b"%20") { 3 } else { 0 };
            let value = sign + 3 + blanks;
            (text.get(value) != Some(&b'%')).then_some(Joint {
                value,
                until: Until::Mark,
                place: ValuePlace::Literal,
            })
        }
        [b'>', ..] if is_tight && name.start > 0 && text[name.start - 1] == b'<' => {
            found(1, ValuePlace::Key, Until::Tag)
        }
        // `<wsse:Password Type="x">…`
        [_, ..] if !is_tight && closing.is_none() && is_element(text, name) => {
            let end = run_within(text, sign, 160, |byte| !matches!(byte, b'>' | b'<' | b'\n'));
            (text.get(end) == Some(&b'>')).then_some(Joint {
                value: end + 1,
                until: Until::Tag,
                place: ValuePlace::Key,
            })
        }
        // `<property name="password">x</property>`.
        [b'>', ..] if is_tight && closing.is_some() => found(1, ValuePlace::Key, Until::Tag),
        // `<key>password</key><string>x</string>`.
        [b'<', b'/', ..] if is_tight && name.start > 0 && text[name.start - 1] == b'>' => {
            next_element(text, sign).map(|value| Joint { value, until: Until::Tag, place: ValuePlace::Key })
        }
        [b',', ..] if closing.is_some() && name.is_flag() => {
            let value = run_within(text, sign + 1, 128, |byte| byte.is_ascii_whitespace());
            let is_text = skip_quote(text, value).is_some_and(|inside| text.get(inside) != Some(&b'-'));
            is_text.then_some(Joint { value, until: Until::Mark, place: ValuePlace::Literal })
        }
        [b'\n', ..] if name.is_flag() => next_item(text, name.start, sign),
        [b',', ..] if closing.is_some() => found(1, ValuePlace::List, Until::Mark),
        // `setPassword("x")`.
        [b'(', ..] if is_tight && name.is_setter() => found(1, ValuePlace::Code, Until::Mark),
        _ if !is_tight && closing.is_none() => blank(text, name, sign),
        _ => None,
    }
}

/// Returns whether the name is in a connection string: `User Id=bob; Password = …`.
fn is_connection(text: &[u8], name: &Name<'_>) -> bool {
    let before = line_before(text, name.start, MAX_LINE);
    name.family == Family::Password
        && before.contains(&b';')
        && ["user id=", "uid=", "user=", "userid="].iter().any(|key| contains(before, key))
}

/// Returns whether the name is that of an element of XML, with or without a namespace.
fn is_element(text: &[u8], name: &Name<'_>) -> bool {
    let prefix = run_back(text, name.start, 24, |byte| byte.is_ascii_alphanumeric() || byte == b':');
    prefix > 0 && text[prefix - 1] == b'<'
}

/// `NAME=value`, without a blank.
fn equals(text: &[u8], name: &Name<'_>, value: usize) -> Option<Joint> {
    let before = name.start.checked_sub(1).map(|before| text[before]);
    let (place, until) = match before {
        None | Some(b'\n') if name.is_upper() => (ValuePlace::Literal, Until::Blank),
        _ if name.is_upper() && is_exported(text, name.start) => (ValuePlace::Literal, Until::Blank),
        Some(b'?' | b'&' | b';') => (ValuePlace::Literal, Until::Mark),
        _ if name.is_upper() || name.is_flag() => (ValuePlace::Literal, Until::Mark),
        // The options of a mount are in no brackets.
        Some(b',') if !line_before(text, name.start, 64).contains(&b'(') => {
            (ValuePlace::Setting, Until::Mark)
        }
        Some(b'(' | b',') => (ValuePlace::Code, Until::Mark),
        _ => (ValuePlace::Setting, Until::Mark),
    };
    Some(Joint { value, until, place })
}

/// `name: value`; in code a type may follow, and the value comes after it.
fn colon(text: &[u8], name: &Name<'_>, after: usize, is_quoted: bool) -> Option<Joint> {
    // `https://token:…` is an address, not a setting, and so is the name of a cloud resource: `arn:…:secret:…`.
    let before = &text[..name.start];
    let is_open = |byte: u8| is_blank(byte) || !byte.is_ascii();
    let is_wide = text[..after].ends_with(b"\xEF\xBC\x9A");
    let is_part = before.ends_with(b":") && !is_wide && text.get(after).is_some_and(|byte| !is_open(*byte));
    if before.ends_with(b"//") || is_part {
        return None;
    }
    let value = skip_blanks(text, after);
    // "All tests pass: `cargo test`" names a command.
    if name.family == Family::Pass && text.get(value) == Some(&b'`') {
        return None;
    }
    let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b"_&<>[]:.|' ?".contains(&byte);
    let type_end = run_within(text, value, 48, is_type);
    if text.get(type_end) == Some(&b'=') && text.get(type_end + 1) == Some(&b' ') {
        return Some(Joint {
            value: skip_blanks(text, type_end + 1),
            until: Until::Mark,
            place: ValuePlace::Code,
        });
    }
    let is_header = !is_quoted && before.last().is_some_and(|byte| is_quote(*byte));
    let place = if is_header { ValuePlace::Header } else { key_or_code(text, name, is_quoted) };
    Some(Joint { value, until: Until::Mark, place })
}

/// `--password x`, `PASSWORD 'x'`, `machine … login … password x`, `password is x`.
fn blank(text: &[u8], name: &Name<'_>, value: usize) -> Option<Joint> {
    let joint = |value, place| Some(Joint { value, until: Until::Mark, place });
    if name.is_flag() {
        // A sign after an option begins the next one.
        let is_next = matches!(text.get(value), None | Some(b'-' | b'|' | b'>' | b'<' | b'&' | b'=' | b'\n'));
        return if is_next { None } else { joint(value, ValuePlace::Literal) };
    }
    if is_directive(text, name) {
        return Some(Joint { value, until: Until::Blank, place: ValuePlace::Literal });
    }
    if is_one_of(name.text, &["password", "passwd"]) && follows_login(text, name.start) {
        return Some(Joint { value, until: Until::Blank, place: ValuePlace::Literal });
    }
    if text[value..].starts_with(b"is ") && name.family == Family::Password {
        return joint(skip_blanks(text, value + 3), ValuePlace::Loose);
    }
    // In prose, `pass` or a name before a backtick is an ordinary word.
    let is_prose = name.family == Family::Pass || text.get(value) == Some(&b'`');
    if is_prose { None } else { joint(value, ValuePlace::Loose) }
}

/// `requirepass x` in the file of a server, `setenv DB_PASSWORD x`, `set -x DB_PASSWORD x`.
fn is_directive(text: &[u8], name: &Name<'_>) -> bool {
    let before = line_before(text, name.start, 64);
    let is_first = before.trim_ascii().is_empty();
    let is_set = || {
        let word = before.trim_ascii_end().rsplit(|byte| is_blank(*byte)).next().unwrap_or_default();
        before.ends_with(b" ") && is_one_of(word, &["setenv", "-x", "-gx", "-ux"])
    };
    (is_first && is_one_of(name.text, &["requirepass", "masterauth", "bindpw", "rootpw"]))
        || (name.is_upper() && is_set())
}

/// Returns whether `login` and a name come before, as in `.netrc`.
fn follows_login(text: &[u8], at: usize) -> bool {
    let not_space = |byte: u8| !byte.is_ascii_whitespace();
    let user_end = run_back(text, at, 64, |byte| byte.is_ascii_whitespace());
    let user = run_back(text, user_end, 128, not_space);
    let login_end = run_back(text, user, 64, |byte| byte.is_ascii_whitespace());
    let login = run_back(text, login_end, 16, not_space);
    user < user_end && text[user_end - 1] != b',' && is_one_of(&text[login..login_end], &["login", "account"])
}

/// Returns where the text of the next element begins: `</key>`, perhaps blanks, `<string>`.
fn next_element(text: &[u8], closing: usize) -> Option<usize> {
    let tag_end = |at: usize| {
        let end = run_within(text, at, 64, |byte| !matches!(byte, b'>' | b'\n'));
        (text.get(end) == Some(&b'>')).then_some(end + 1)
    };
    let next = run_within(text, tag_end(closing)?, 64, |byte| byte.is_ascii_whitespace());
    if text.get(next) != Some(&b'<') || text.get(next + 1) == Some(&b'/') {
        return None;
    }
    tag_end(next)
}

/// `args=--token` above `args=x`, `- --token` above `- x`: the same item again, on the next line.
fn next_item(text: &[u8], flag: usize, line_end: usize) -> Option<Joint> {
    let line = line_before(text, flag, 64);
    let key = run_back(line, line.len().saturating_sub(1), 48, |byte| {
        byte.is_ascii_alphanumeric() || b"_.-[]".contains(&byte)
    });
    let item = if line.ends_with(b"=") { &line[key..] } else { line };
    let is_item =
        item.ends_with(b"=") || item.ends_with(b"- ") || matches!(item, [.., b'-', b' ', b'"' | b'\'']);
    let value = line_end + 1 + item.len();
    let is_repeated = is_item && text.get(line_end + 1..value) == Some(item);
    let is_value = is_repeated && !matches!(text.get(value), None | Some(b'-' | b'\n'));
    let until = if item.ends_with(b"=") { Until::Line } else { Until::Blank };
    is_value.then_some(Joint { value, until, place: ValuePlace::Literal })
}

fn key_or_code(text: &[u8], name: &Name<'_>, is_key: bool) -> ValuePlace {
    if is_key || begins_line(text, name.start) { ValuePlace::Key } else { ValuePlace::Code }
}

fn is_exported(text: &[u8], at: usize) -> bool {
    let before = line_before(text, at, 64).trim_ascii_end();
    let word = before.iter().rposition(u8::is_ascii_whitespace).map_or(before, |last| &before[last + 1..]);
    before.is_empty() || is_one_of(word, &["export", "env", "arg", "set", "-"])
}

/// Returns whether a name is in the place of a key: first on its line or in its braces, after what a tool may print.
fn begins_line(text: &[u8], at: usize) -> bool {
    let mut before = line_before(text, at, 120);
    while let [rest @ .., last] = before {
        if !(is_blank(*last) || is_quote(*last) || *last == b'\\') {
            break;
        }
        before = rest;
    }
    // Line numbers, list marks, diff marks.
    let is_bare = !before.iter().any(u8::is_ascii_alphabetic) && !before.contains(&b'=');
    // `config.yml:12:` of a search.
    let is_hit = matches!(before, [.., digit, b':' | b'-'] if digit.is_ascii_digit());
    is_bare
        || is_hit
        || is_message(before)
        || is_argument(line_before(text, at, 120))
        || matches!(before.last(), Some(b'{' | b';'))
        || is_exported(text, at)
}

/// `error: password: x`: what a program prints before its message.
fn is_message(before: &[u8]) -> bool {
    let Some(before) = before.strip_suffix(b":") else { return false };
    let word = run_back(before, before.len(), 16, |byte| byte.is_ascii_alphanumeric());
    is_one_of(&before[word..], &["error", "warning", "warn", "info", "debug", "fatal", "failed", "note"])
}

/// `text=password: x`: an argument of a tool, one per line.
fn is_argument(before: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-[]".contains(byte);
    matches!(before, [name @ .., b'='] if !name.is_empty() && name.iter().all(is_name))
}
