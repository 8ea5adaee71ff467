//! Reads the output of a failure: an excerpt, and a signature that is the same whenever the same failure happens.
//!
//! Both are derived from redacted text.

use std::borrow::Cow;
use std::collections::HashSet;

use super::echo::Echoes;
use super::lines::{self, Worth};
use super::notes::Notes;
use super::signature::{Varying, masked, signature, worth};
use super::window::{self, Abridged};
use crate::model::{beginning, printed_output};
use crate::redact::OwnPatterns;

/// The number of lines that are kept from the beginning and from the end; errors are usually at the end.
const FIRST_LINES: usize = 4;
const LAST_LINES: usize = 12;
/// Maximum length of a line, in characters.
const MAX_LINE: usize = 240;
/// At most this many suspicious lines of a long output are judged.
const MAX_SCANNED: usize = 2_000;

/// At most this many lines that name a cause are kept from between them.
const CAUSE_LINES: usize = 4;

/// What is kept of a failure's output.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FailureOutput {
    /// The first and the last lines, and those between them that name a cause, without what agents and terminals add.
    pub(super) excerpt: String,
    /// The line that says what went wrong, without everything that differs between runs.
    pub(super) signature: Option<String>,
}

/// Parses the output of a failure.
pub(super) fn parse_failure(
    output: &str,
    varying: Varying<'_>,
    notes: &mut Notes,
    own: &OwnPatterns,
) -> FailureOutput {
    let plain = without_colour(output);
    let body = body(&plain);
    let abridged = window::abridge(body, notes, own);
    let tail = abridged.tail.as_deref().unwrap_or_default();
    let near = signature(abridged.head.lines().chain(tail.lines()), varying);
    let least = near.as_ref().map(|(worth, _)| *worth);
    let echoes = Echoes::of(varying.command);
    let distant = abridged.tail.is_some().then(|| distant_line(body, least, &echoes, notes, own)).flatten();
    let excerpt = excerpt(&abridged, body, distant.as_deref());
    let signature = match distant {
        // A line in the middle of a long output says more.
        Some(line) => signature([line.as_str()].into_iter(), varying),
        None => near,
    };
    let signature = signature.map(|(_, signature)| signature);
    FailureOutput { excerpt, signature }
}

/// Returns the signature that results from the redacted text of a stored failure.
///
/// Older versions derived it from the raw output, so it may contain part of a secret, and from other lines.
pub(super) fn signature_again(content: &str, command: Option<&str>, varying: Varying<'_>) -> Option<String> {
    let output = printed_output(content, command);
    signature(output.lines(), varying).map(|(_, signature)| signature)
}

/// Returns the signature of an error that somebody pasted into a prompt; `None` if no line of it names a cause.
pub(crate) fn pasted_signature(prompt: &str, own: &OwnPatterns) -> Option<String> {
    let plain = without_colour(prompt);
    let abridged = window::abridge(&plain, &mut Notes::default(), own);
    let tail = abridged.tail.as_deref().unwrap_or_default();
    let found = signature(abridged.head.lines().chain(tail.lines()), Varying::default());
    found.filter(|(worth, _)| *worth == Worth::Cause).map(|(_, signature)| signature)
}

fn excerpt(abridged: &Abridged<'_>, body: &str, distant: Option<&str>) -> String {
    let shorten = |line: &&str| beginning(line, MAX_LINE).to_owned();
    let head: Vec<&str> = lines(&abridged.head).collect();
    let (first, middle, last, omitted) = match &abridged.tail {
        None if head.len() <= FIRST_LINES + LAST_LINES => (head, Vec::new(), Vec::new(), 0),
        None => {
            let between = &head[FIRST_LINES..head.len() - LAST_LINES];
            let last = head[head.len() - LAST_LINES..].to_vec();
            (head[..FIRST_LINES].to_vec(), causes(between.iter().copied()), last, between.len())
        }
        Some(tail) => {
            let first: Vec<&str> = head.into_iter().take(FIRST_LINES).collect();
            let mut last: Vec<&str> = lines(tail).rev().take(LAST_LINES).collect();
            last.reverse();
            let omitted = count_lines(body).saturating_sub(first.len() + last.len());
            let kept = |line: &&str| !first.contains(line) && !last.contains(line);
            let between = lines(&abridged.head).chain(distant).chain(lines(tail)).filter(kept);
            (first.clone(), causes(between), last.clone(), omitted)
        }
    };
    let omitted = omitted.saturating_sub(middle.len());
    let gap = (omitted > 0).then(|| format!("… {omitted} lines …"));
    let after = middle.iter().chain(&last).map(shorten);
    first.iter().map(shorten).chain(gap).chain(after).collect::<Vec<_>>().join("\n")
}

/// Returns the lines that name a cause, each message once: the error of a test run comes after the name of the test
/// and before a long trace.
fn causes<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut seen = HashSet::new();
    let is_new = |line: &&str| seen.insert(masked(line, Varying::default()));
    let causes = lines.take(MAX_SCANNED).filter(|line| worth(line) == Worth::Cause);
    causes.filter(is_new).take(CAUSE_LINES).collect()
}

/// Returns the first line of a long output that says more than its beginning and its end, redacted.
fn distant_line(
    body: &str,
    known: Option<Worth>,
    echoes: &Echoes<'_>,
    notes: &mut Notes,
    own: &OwnPatterns,
) -> Option<String> {
    let known = known.unwrap_or(Worth::Plain);
    let says_more = |line: &&str| {
        let worth = worth(line);
        worth > known && echoes.worth_besides(line, worth) > known
    };
    let line = lines::suspects(body).take(MAX_SCANNED).find(says_more)?;
    let clean = window::around(body, line, notes, own);
    clean.lines().find(says_more).map(str::to_owned)
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

/// Removes the escape sequences that colour terminal output.
pub(super) fn without_colour(text: &str) -> Cow<'_, str> {
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
