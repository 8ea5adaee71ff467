//! A failure's output: its telling part, and what it has in common with the same failure at another time.
//!
//! Both are derived from redacted text.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::finish::Notes;
use super::window::{self, Abridged};
use crate::redact::OwnPatterns;

/// So many lines of the beginning and of the end are kept; errors stand at the end.
const FIRST_LINES: usize = 4;
const LAST_LINES: usize = 12;
/// The longest line that is kept whole.
const MAX_LINE: usize = 240;
/// The longest signature.
const MAX_SIGNATURE: usize = 160;

/// Words that make a line the one to look at.
const TELLING: [&str; 14] = [
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
static TELLING_WORDS: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(TELLING).ok());

/// What is kept of a failure's output.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Failure {
    /// The first and the last lines, without what agents and terminals put around them.
    pub(super) excerpt: String,
    /// The line that says what went wrong, without everything that differs from one time to the next.
    pub(super) signature: Option<String>,
}

/// Reads the output of a failure.
pub(super) fn read(output: &str, notes: &mut Notes, own: &OwnPatterns) -> Failure {
    let plain = without_colour(output);
    let body = body(&plain);
    let abridged = window::abridge(body, notes, own);
    let signature = match &abridged.tail {
        None => telling_line(&abridged.head).or_else(|| last_line(&abridged.head)).and_then(signature_of),
        Some(tail) => distant_signature(body, notes, own).or_else(|| last_line(tail).and_then(signature_of)),
    };
    Failure { excerpt: excerpt(&abridged, body), signature }
}

/// Returns the signature that the redacted text of a stored failure gives.
///
/// A signature that no line of the text gives may be a piece of a secret: older versions made it of the raw output.
pub(super) fn confirmed(signature: &str, content: &str, command: Option<&str>) -> Option<String> {
    let is_confirmed = content.lines().any(|line| signature_of(line).as_deref() == Some(signature));
    if is_confirmed {
        return Some(signature.to_owned());
    }
    let output = command.and_then(|command| content.strip_prefix(command));
    let output = output.or_else(|| content.split_once('\n').map(|(_, output)| output)).unwrap_or_default();
    telling_line(output).or_else(|| last_line(output)).and_then(signature_of)
}

fn excerpt(abridged: &Abridged<'_>, body: &str) -> String {
    let shorten = |line: &&str| super::gist::short(line, MAX_LINE).to_owned();
    let head: Vec<&str> = lines(&abridged.head).collect();
    let (first, last, left_out) = match &abridged.tail {
        None if head.len() <= FIRST_LINES + LAST_LINES => (head, Vec::new(), 0),
        None => {
            let left_out = head.len() - FIRST_LINES - LAST_LINES;
            let last = head[head.len() - LAST_LINES..].to_vec();
            (head[..FIRST_LINES].to_vec(), last, left_out)
        }
        Some(tail) => {
            let first: Vec<&str> = head.into_iter().take(FIRST_LINES).collect();
            let mut last: Vec<&str> = lines(tail).rev().take(LAST_LINES).collect();
            last.reverse();
            let left_out = count_lines(body).saturating_sub(first.len() + last.len());
            (first, last, left_out)
        }
    };
    let gap = (left_out > 0).then(|| format!("… {left_out} lines …"));
    first.iter().map(shorten).chain(gap).chain(last.iter().map(shorten)).collect::<Vec<_>>().join("\n")
}

/// Returns the signature of a long output, in which the telling line may be anywhere.
fn distant_signature(body: &str, notes: &mut Notes, own: &OwnPatterns) -> Option<String> {
    let line = telling_line(body)?;
    let clean = window::around(body, line, notes, own);
    // Nothing in front of the line is telling, so it is the first one in its window, too.
    let first = telling_line(&clean).and_then(signature_of);
    // The telling word may be far behind the beginning of its line.
    first.or_else(|| signature_of(lines(&window::head(line, MAX_LINE * 4, notes, own)).next()?))
}

/// Returns the first line with a telling word.
fn telling_line(text: &str) -> Option<&str> {
    let at = TELLING_WORDS.as_ref()?.find(text)?.start();
    let start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |end| end + 1);
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
    Some(text[start..end].trim_end())
}

fn last_line(text: &str) -> Option<&str> {
    lines(text).next_back()
}

/// Takes everything out of a redacted line that differs from one time to the next.
fn signature_of(line: &str) -> Option<String> {
    let mut text = String::new();
    for word in line.split_whitespace() {
        // What follows is cut off anyway; a character has up to four bytes.
        if text.len() > MAX_SIGNATURE * 4 {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&normalise(word));
    }
    Some(super::gist::short(&text, MAX_SIGNATURE).to_owned()).filter(|text| !text.is_empty())
}

/// Returns the output without the agent's own first line.
fn body(output: &str) -> &str {
    let is_ours =
        |line: &str| line.starts_with("Exit code ") || line.starts_with("Process exited with code ");
    let mut rest = output;
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.trim().is_empty() && !is_ours(line) {
            return rest;
        }
        rest = after;
    }
    if is_ours(rest) { "" } else { rest }
}

/// Returns the lines that have any text.
fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty())
}

/// Counts the lines that have any text.
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

/// A path becomes its last part, a number and a hash become `#`.
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

/// Takes out the escape sequences with which terminals are coloured.
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
