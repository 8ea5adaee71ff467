//! Reads the output of a failure: an excerpt, and a signature that is the same whenever the same failure happens.
//!
//! Both are derived from redacted text.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::notes::Notes;
use super::window::{self, Abridged};
use crate::model::beginning;
use crate::redact::OwnPatterns;

/// The number of lines that are kept from the beginning and from the end; errors are usually at the end.
const FIRST_LINES: usize = 4;
const LAST_LINES: usize = 12;
/// Maximum length of a line, in characters.
const MAX_LINE: usize = 240;
/// Maximum length of a signature, in characters.
const MAX_SIGNATURE: usize = 160;

/// Words that mark the line that says what went wrong.
const ERROR_WORDS: [&str; 14] = [
    "error",
    "failed",
    "failure",
    "panicked",
    "exception",
    "not found",
    "no such",
    "cannot",
    "can't",
    "denied",
    "undefined",
    "unexpected",
    "fatal",
    "refused",
];

/// Finds any of these words in one pass, however long the text is.
static ERROR_FINDER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(ERROR_WORDS).ok());

/// What is kept of a failure's output.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FailureOutput {
    /// The first and the last lines, without what agents and terminals add.
    pub(super) excerpt: String,
    /// The line that says what went wrong, without everything that differs between runs.
    pub(super) signature: Option<String>,
}

/// Parses the output of a failure.
pub(super) fn parse_failure(output: &str, notes: &mut Notes, own: &OwnPatterns) -> FailureOutput {
    let plain = without_colour(output);
    let body = body(&plain);
    let abridged = window::abridge(body, notes, own);
    let signature = match &abridged.tail {
        None => error_line(&abridged.head).or_else(|| last_line(&abridged.head)).and_then(signature_of),
        Some(tail) => distant_signature(body, notes, own).or_else(|| last_line(tail).and_then(signature_of)),
    };
    FailureOutput { excerpt: excerpt(&abridged, body), signature }
}

/// Returns the signature that results from the redacted text of a stored failure.
///
/// A signature that does not result from any line may contain part of a secret: older versions derived it from the raw
/// output.
pub(super) fn confirmed_signature(signature: &str, content: &str, command: Option<&str>) -> Option<String> {
    let is_confirmed = content.lines().any(|line| signature_of(line).as_deref() == Some(signature));
    if is_confirmed {
        return Some(signature.to_owned());
    }
    let output = command.and_then(|command| content.strip_prefix(command));
    let output = output.or_else(|| content.split_once('\n').map(|(_, output)| output)).unwrap_or_default();
    error_line(output).or_else(|| last_line(output)).and_then(signature_of)
}

fn excerpt(abridged: &Abridged<'_>, body: &str) -> String {
    let shorten = |line: &&str| beginning(line, MAX_LINE).to_owned();
    let head: Vec<&str> = lines(&abridged.head).collect();
    let (first, last, omitted) = match &abridged.tail {
        None if head.len() <= FIRST_LINES + LAST_LINES => (head, Vec::new(), 0),
        None => {
            let omitted = head.len() - FIRST_LINES - LAST_LINES;
            let last = head[head.len() - LAST_LINES..].to_vec();
            (head[..FIRST_LINES].to_vec(), last, omitted)
        }
        Some(tail) => {
            let first: Vec<&str> = head.into_iter().take(FIRST_LINES).collect();
            let mut last: Vec<&str> = lines(tail).rev().take(LAST_LINES).collect();
            last.reverse();
            let omitted = count_lines(body).saturating_sub(first.len() + last.len());
            (first, last, omitted)
        }
    };
    let gap = (omitted > 0).then(|| format!("… {omitted} lines …"));
    first.iter().map(shorten).chain(gap).chain(last.iter().map(shorten)).collect::<Vec<_>>().join("\n")
}

/// Returns the signature of a long output, in which the error line may be anywhere.
fn distant_signature(body: &str, notes: &mut Notes, own: &OwnPatterns) -> Option<String> {
    let line = error_line(body)?;
    let clean = window::around(body, line, notes, own);
    // There is no error word before the line, so it is also the first one in its window.
    let first = error_line(&clean).and_then(signature_of);
    // The error word may be far from the beginning of its line.
    first.or_else(|| signature_of(lines(&window::head(line, MAX_LINE * 4, notes, own)).next()?))
}

/// Returns the first line with an error word.
fn error_line(text: &str) -> Option<&str> {
    let at = ERROR_FINDER.as_ref()?.find(text)?.start();
    let start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |end| end + 1);
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
    Some(text[start..end].trim_end())
}

fn last_line(text: &str) -> Option<&str> {
    lines(text).next_back()
}

/// Removes everything from a redacted line that differs between runs.
fn signature_of(line: &str) -> Option<String> {
    let mut text = String::new();
    for word in line.split_whitespace() {
        // The rest is cut anyway; a character has up to four bytes.
        if text.len() > MAX_SIGNATURE * 4 {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&normalise(word));
    }
    Some(beginning(&text, MAX_SIGNATURE).to_owned()).filter(|text| !text.is_empty())
}

/// Returns the output without the lines that the agent adds at the beginning.
fn body(output: &str) -> &str {
    let is_added =
        |line: &str| line.starts_with("Exit code ") || line.starts_with("Process exited with code ");
    let mut rest = output;
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.trim().is_empty() && !is_added(line) {
            return rest;
        }
        rest = after;
    }
    if is_added(rest) { "" } else { rest }
}

/// Returns the non-empty lines.
fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty())
}

/// Counts the non-empty lines.
fn count_lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]);
    let mut start = 0;
    let mut count = 0;
    for end in ends {
        count += usize::from(!bytes[start..end].trim_ascii_start().is_empty());
        start = (end + 1).min(bytes.len());
    }
    count
}

/// Replaces a path by its last part, and numbers and hashes by `#`.
fn normalise(word: &str) -> String {
    let word = if word.contains('/') { word.rsplit('/').next().unwrap_or(word) } else { word };
    let hash_like = |text: &str| {
        text.len() >= 7
            && text.chars().all(|c| c.is_ascii_hexdigit())
            && text.contains(|c: char| c.is_ascii_digit())
    };
    let mut result = String::with_capacity(word.len());
    for piece in word.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let (text, end) = match piece.char_indices().last() {
            Some((at, c)) if !c.is_ascii_alphanumeric() => piece.split_at(at),
            _ => (piece, ""),
        };
        if hash_like(text) || (!text.is_empty() && text.chars().all(|c| c.is_ascii_digit())) {
            result.push('#');
        } else {
            result.push_str(text);
        }
        result.push_str(end);
    }
    result
}

/// Removes the escape sequences that colour terminal output.
fn without_colour(text: &str) -> Cow<'_, str> {
    if memchr::memchr(0x1b, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('[') {
            let end = after.find(|c: char| c.is_ascii_alphabetic()).map_or(after.len(), |end| end + 1);
            rest = &after[end..];
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}
