//! What `echo` and `printf` print, as far as their arguments show it.

use super::resolve::ShellWord;
use crate::shell::escape::unescape;

/// Returns what `echo` prints.
pub(super) fn echo(arguments: &[ShellWord]) -> String {
    let is_option = |word: &&ShellWord| {
        word.text.strip_prefix('-').is_some_and(|letters| {
            !letters.is_empty() && letters.bytes().all(|letter| matches!(letter, b'n' | b'e' | b'E'))
        })
    };
    let options = arguments.iter().take_while(is_option).count();
    let (options, words) = arguments.split_at(options);
    let has = |letter| options.iter().any(|option| option.text.contains(letter));
    let mut text = String::new();
    for (index, word) in words.iter().enumerate() {
        text.push_str(if index > 0 { " " } else { "" });
        text.push_str(&word.text);
    }
    if has('e') {
        text = unescape(&text);
    }
    if !has('n') {
        text.push('\n');
    }
    text
}

/// Returns what `printf` prints, or `None` if that is far more than its arguments.
pub(super) fn printf(arguments: &[ShellWord]) -> Option<String> {
    let arguments = match arguments {
        [option, ..] if option.text == "-v" => return Some(String::new()),
        [option, rest @ ..] if option.text == "--" => rest,
        _ => arguments,
    };
    let (format, values) = arguments.split_first()?;
    let mut values = values.iter().map(|word| word.text.as_str());
    // The format is repeated while there are values, so a long format and many values would multiply.
    let given: usize = arguments.iter().map(|word| word.text.len() + 1).sum();
    let rounds = (16 * given + 8192) / format.text.len().max(1) + 1;
    let mut text = String::new();
    for _ in 0..rounds {
        let before = values.len();
        print_once(&format.text, &mut values, &mut text);
        if values.len() == 0 || values.len() == before {
            return Some(text);
        }
    }
    None
}

fn print_once<'a>(format: &str, values: &mut impl Iterator<Item = &'a str>, text: &mut String) {
    let is_flag = |letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '+' | ' ' | '#' | '.');
    let mut pieces = format.split('%');
    text.push_str(&unescape(pieces.next().unwrap_or_default()));
    while let Some(piece) = pieces.next() {
        let directive = piece.trim_start_matches(is_flag);
        let rest = directive.get(1..).unwrap_or_default();
        match directive.bytes().next() {
            Some(b'b') => text.push_str(&unescape(values.next().unwrap_or_default())),
            Some(letter) if letter.is_ascii_alphabetic() => text.push_str(values.next().unwrap_or_default()),
            // There is an empty piece between the two signs of `%%`.
            None if piece.is_empty() => {
                text.push('%');
                text.push_str(&unescape(pieces.next().unwrap_or_default()));
            }
            _ => text.push_str(&unescape(piece)),
        }
        text.push_str(&unescape(rest));
    }
}

/// Returns what AWK prints at the beginning, if that is all it does: `awk 'BEGIN { print "text" }'`.
pub(super) fn awk(arguments: &[ShellWord]) -> Option<String> {
    let [program] = arguments else { return None };
    let body = program.text.trim().strip_prefix("BEGIN")?.trim().strip_prefix('{')?.strip_suffix('}')?;
    let mut text = String::new();
    for statement in body.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        let printed = statement.strip_prefix("print")?.trim().strip_prefix('"')?.strip_suffix('"')?;
        text.push_str(printed);
        text.push('\n');
    }
    Some(text)
}
