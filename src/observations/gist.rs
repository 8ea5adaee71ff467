//! Short summaries of long texts.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::meaning::{self, LanguageFamily, Meaning};
use super::notes::Notes;
use super::{runners, window};
use crate::model::{Replacement, beginning, fnv1a};
use crate::redact::OwnPatterns;
use crate::shell;

/// The part of an output that is worth keeping, with the facts in it.
pub(super) struct OutputSummary {
    pub(super) text: String,
    pub(super) metadata: Vec<(&'static str, Value)>,
}

/// Maximum length of a quoted piece of an edit, in characters.
const MAX_QUOTE: usize = 100;
/// At most this many definitions of an edit are quoted, and this many changed lines are looked at.
const MAX_TELLING: usize = 3;
const MAX_CHANGED: usize = 2_000;
/// At most this many names are kept of a file that is written, from this many of its first bytes.
const MAX_NAMES: usize = 8;
const MAX_NAMED_IN: usize = 4 << 10;
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

/// Describes a content by its size and by the names it defines; the content itself is not stored.
pub(super) fn of_content(path: &str, content: &str, notes: &mut Notes, own: &OwnPatterns) -> String {
    let lines = content.lines().count();
    let size = format!("{lines} line{}", if lines == 1 { "" } else { "s" });
    let family = meaning::family(path);
    let raw = &content[..content.floor_char_boundary(MAX_NAMED_IN)];
    if meaning::defined_names(raw.lines(), family, 1).is_empty() {
        return size;
    }
    let clean = window::head(content, MAX_NAMED_IN, notes, own);
    let names = meaning::defined_names(clean.lines(), family, MAX_NAMES);
    if names.is_empty() { size } else { format!("{size}: {}", names.join(", ")) }
}

/// Describes edits, each by the lines that carry its meaning.
pub(super) fn of_edits(
    path: &str,
    replacements: &[Replacement],
    notes: &mut Notes,
    own: &OwnPatterns,
) -> String {
    let family = meaning::family(path);
    let gists = replacements.iter().take(3).map(|edit| of_edit(edit, family, notes, own));
    let mut gists: Vec<String> = gists.collect();
    if replacements.len() > 3 {
        gists.push(format!("and {} more edits", replacements.len() - 3));
    }
    gists.join("; ")
}

fn of_edit(edit: &Replacement, family: LanguageFamily, notes: &mut Notes, own: &OwnPatterns) -> String {
    let (new, old) = (changed_lines(&edit.new, &edit.old), changed_lines(&edit.old, &edit.new));
    let new_lines = meaning::telling(&new, family, MAX_TELLING);
    let replaced = new_lines.first().and_then(|line| meaning::counterpart(line, &old));
    let old_line = replaced.or_else(|| meaning::telling(&old, family, 1).first().copied());
    // What only a comment or an import stood for is not what the new lines replace.
    let is_worth = |line: &&str| {
        replaced.is_some() || new_lines.is_empty() || meaning::meaning(line, family) > Meaning::Import
    };
    let old_line = old_line.filter(is_worth);
    let mut show = |line: &str, text: &str, other: &str| clean_line(line, text, other, notes, own);
    let old_line = old_line.map(|line| show(line, &edit.old, &edit.new));
    let new_lines: Vec<String> = new_lines.iter().map(|line| show(line, &edit.new, &edit.old)).collect();
    match (old_line, new_lines.join("; ")) {
        (Some(old), new) if !new.is_empty() => format!("{old} → {new}"),
        (None, new) if !new.is_empty() => format!("+ {new}"),
        (Some(old), _) => format!("- {old}"),
        (None, _) => "only whitespace or order".to_owned(),
    }
}

/// Returns the lines of a text that the other one does not have.
fn changed_lines<'t>(text: &'t str, other: &str) -> Vec<&'t str> {
    let others: HashSet<&str> = other.lines().map(str::trim).collect();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !others.contains(line));
    lines.take(MAX_CHANGED).collect()
}

/// Returns a line of a text without secrets, shortened.
fn clean_line(line: &str, text: &str, other: &str, notes: &mut Notes, own: &OwnPatterns) -> String {
    let clean = window::around(text, line, notes, own);
    if clean.lines().any(|known| known.trim() == line) {
        return beginning(line, MAX_QUOTE).to_owned();
    }
    // The line has lost a secret. Earlier lines from which one was removed also differ from their raw form, and are not
    // what changed.
    let clean_other = window::head(other, window::MAX_WHOLE, &mut Notes::default(), own);
    let others: HashSet<&str> = clean_other.lines().chain(other.lines()).map(str::trim).collect();
    let raw: HashSet<&str> = text.lines().map(str::trim).collect();
    let lines = || clean.lines().map(str::trim).filter(|line| !line.is_empty());
    // If only the secret has changed, the redacted lines are equal.
    let found = lines().find(|line| !others.contains(line) && !raw.contains(line));
    let found = found.or_else(|| lines().find(|line| !raw.contains(line)));
    beginning(found.unwrap_or_default(), MAX_QUOTE).to_owned()
}

/// Finds what is worth keeping of a successful output: the commit that was made, the summary of tests.
pub(super) fn summarize_output(
    command: &str,
    output: &str,
    notes: &mut Notes,
    own: &OwnPatterns,
) -> Option<OutputSummary> {
    // Most outputs have nothing worth keeping; then redaction is not needed.
    summarize_lines(command, output.lines(), 1)?;
    let abridged = window::abridge(output, notes, own);
    let lines = abridged.head.lines().chain(abridged.tail.iter().flat_map(|tail| tail.lines()));
    summarize_lines(command, lines, MAX_SUMMARY_LINES)
}

fn summarize_lines<'t>(
    command: &str,
    lines: impl DoubleEndedIterator<Item = &'t str> + Clone,
    max_lines: usize,
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
    if let Some(url) = makes_requests(command).then(|| lines.clone().find_map(request_url)).flatten() {
        let metadata = vec![("kind", json!("pull_request")), ("url", json!(url))];
        return Some(OutputSummary { text: url.to_owned(), metadata });
    }
    let summary: Vec<&str> = lines.rev().filter(|line| runners::is_summary(line)).take(max_lines).collect();
    if summary.is_empty() {
        return None;
    }
    let lines: Vec<&str> = summary.into_iter().rev().map(|line| beginning(line.trim(), 200)).collect();
    Some(OutputSummary { text: lines.join("\n"), metadata: vec![("kind", json!("tests"))] })
}

/// Describes a commit that prints nothing, because it is quiet or runs in the background, by the message it is given.
///
/// What still runs may fail, so it has a subject and does not count as a commit.
pub(super) fn quiet_commit(
    command: &str,
    unfinished: bool,
    notes: &mut Notes,
    own: &OwnPatterns,
) -> Option<OutputSummary> {
    let message = shell::commit_message(command)?;
    let subject = first_line(&message, notes, own);
    if subject.is_empty() {
        return None;
    }
    let kind = (!unfinished).then(|| ("kind", json!("git_commit")));
    let metadata = kind.into_iter().chain([("subject", json!(subject))]).collect();
    // The command has the message already.
    Some(OutputSummary { text: String::new(), metadata })
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
