//! Short summaries of long texts.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::notes::Notes;
use super::{runners, window};
use crate::model::{Replacement, beginning, fnv1a};
use crate::redact::OwnPatterns;

/// The part of an output that is worth keeping, with the facts in it.
pub(super) struct OutputSummary {
    pub(super) text: String,
    pub(super) metadata: Vec<(&'static str, Value)>,
}

/// Maximum length of a quoted piece of an edit, in characters.
const MAX_QUOTE: usize = 100;
/// Maximum length of a quoted first line, in characters.
const MAX_FIRST_LINE: usize = 200;
/// Maximum number of lines of a test summary.
const MAX_SUMMARY_LINES: usize = 3;

/// Returns the first non-empty line, redacted.
pub(super) fn first_line(text: &str, notes: &mut Notes, own: &OwnPatterns) -> String {
    let clean = window::head(text.trim_start(), MAX_FIRST_LINE * 4, notes, own);
    beginning(clean.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim(), MAX_FIRST_LINE)
        .to_owned()
}

/// Redacts a text and cuts it to `max` characters.
pub(super) fn clean_short(text: &str, max: usize, notes: &mut Notes, own: &OwnPatterns) -> String {
    beginning(&window::head(text, max * 4, notes, own), max).to_owned()
}

/// Returns the size of a content; the content itself is not stored.
pub(super) fn of_content(content: &str) -> String {
    let lines = content.lines().count();
    format!("{lines} line{}", if lines == 1 { "" } else { "s" })
}

/// Describes edits, each by the first line that differs.
pub(super) fn of_edits(replacements: &[Replacement], notes: &mut Notes, own: &OwnPatterns) -> String {
    let mut gists: Vec<String> = replacements.iter().take(3).map(|edit| of_edit(edit, notes, own)).collect();
    if replacements.len() > 3 {
        gists.push(format!("and {} more edits", replacements.len() - 3));
    }
    gists.join("; ")
}

fn of_edit(edit: &Replacement, notes: &mut Notes, own: &OwnPatterns) -> String {
    let old = differing(&edit.old, &edit.new, notes, own);
    let new = differing(&edit.new, &edit.old, notes, own);
    match (old, new) {
        (Some(old), Some(new)) => format!("{old} → {new}"),
        (None, Some(new)) => format!("+ {new}"),
        (Some(old), None) => format!("- {old}"),
        (None, None) => "only whitespace or order".to_owned(),
    }
}

/// Returns the first line of a text that the other one does not have, redacted.
fn differing(text: &str, other: &str, notes: &mut Notes, own: &OwnPatterns) -> Option<String> {
    let others: HashSet<&str> = other.lines().map(str::trim).collect();
    let differs = |line: &&str| !line.is_empty() && !others.contains(line);
    let line = text.lines().map(str::trim).find(differs)?;
    let clean = window::around(text, line, notes, own);
    // Earlier lines from which a secret was removed also differ from their raw form, and are not what changed.
    let clean_other = window::head(other, window::MAX_WHOLE, &mut Notes::default(), own);
    let clean_others: HashSet<&str> = clean_other.lines().map(str::trim).collect();
    let found = clean.lines().map(str::trim).find(|line| differs(line) && !clean_others.contains(line));
    // If only the secret has changed, the redacted lines are equal.
    let found = found.or_else(|| clean.lines().map(str::trim).find(differs))?;
    Some(beginning(found, MAX_QUOTE).to_owned())
}

/// Finds what is worth keeping of a successful output: the commit that was made, the summary of tests.
pub(super) fn summarize_output(
    command: &str,
    output: &str,
    notes: &mut Notes,
    own: &OwnPatterns,
) -> Option<OutputSummary> {
    // Most outputs have nothing worth keeping; then redaction is not needed.
    summarize_lines(command, output.lines())?;
    let abridged = window::abridge(output, notes, own);
    summarize_lines(command, abridged.head.lines().chain(abridged.tail.iter().flat_map(|tail| tail.lines())))
}

fn summarize_lines<'t>(
    command: &str,
    lines: impl DoubleEndedIterator<Item = &'t str> + Clone,
) -> Option<OutputSummary> {
    if command.contains("git commit") || command.contains("git merge") {
        let commit = lines.clone().find_map(commit_line);
        if let Some((hash, subject)) = commit {
            let metadata = vec![
                ("kind", json!("git_commit")),
                ("commit", json!(hash)),
                ("subject", json!(beginning(subject, 200))),
            ];
            return Some(OutputSummary { text: format!("{hash} {}", beginning(subject, 200)), metadata });
        }
    }
    if let Some(url) = lines.clone().find_map(request_url).filter(|_| makes_requests(command)) {
        let metadata = vec![("kind", json!("pull_request")), ("url", json!(url))];
        return Some(OutputSummary { text: url.to_owned(), metadata });
    }
    let summary: Vec<&str> =
        lines.rev().filter(|line| runners::is_summary(line)).take(MAX_SUMMARY_LINES).collect();
    if summary.is_empty() {
        return None;
    }
    let lines: Vec<&str> = summary.into_iter().rev().map(|line| beginning(line.trim(), 200)).collect();
    Some(OutputSummary { text: lines.join("\n"), metadata: vec![("kind", json!("tests"))] })
}

/// Reads what git prints for a commit: `[branch 1a2b3c4] subject`, or `[branch (root-commit) 1a2b3c4] subject`.
fn commit_line(line: &str) -> Option<(&str, &str)> {
    let (head, subject) = line.strip_prefix('[')?.split_once("] ")?;
    let (_, hash) = head.rsplit_once(' ')?;
    let is_hash = hash.len() >= 7 && hash.chars().all(|c| c.is_ascii_hexdigit());
    is_hash.then_some((hash, subject))
}

/// Returns whether a command makes or changes pull requests, merge requests or issues.
fn makes_requests(command: &str) -> bool {
    ["gh pr ", "gh issue ", "glab mr ", "glab issue ", "hub pull-request", "git push", "az repos pr "]
        .iter()
        .any(|start| command.contains(start))
}

/// Returns the address of a pull request, a merge request or an issue in a line.
fn request_url(line: &str) -> Option<&str> {
    let at = line.find("https://")?;
    let url =
        line[at..].split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | '>' | ',')).next()?;
    let number = ["/pull/", "/issues/", "/merge_requests/", "/pullrequest/"]
        .iter()
        .find_map(|middle| url.split_once(middle).map(|(_, number)| number))?;
    number.starts_with(|c: char| c.is_ascii_digit()).then(|| url.split('#').next().unwrap_or(url))
}

/// Returns the fingerprint of a content.
pub(super) fn hash(content: &str) -> String {
    format!("{:016x}", fnv1a(content.bytes()))
}
