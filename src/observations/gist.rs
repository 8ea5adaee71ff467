//! Gists: long things in one line.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::finish::Notes;
use super::window;
use crate::model::Replacement;
use crate::redact::OwnPatterns;

/// The part of an output that is worth keeping, with the facts in it.
pub(super) struct Told {
    pub(super) text: String,
    pub(super) metadata: Vec<(&'static str, Value)>,
}

/// The longest piece of an edit that is quoted.
const MAX_QUOTE: usize = 100;
/// The longest first line that is quoted.
const MAX_FIRST_LINE: usize = 200;
/// So many lines of a test summary are kept.
const SUMMARY_LINES: usize = 3;

/// Cuts a text to so many characters.
pub(super) fn short(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// Returns the first line that has any text, without secrets.
pub(super) fn first_line(text: &str, notes: &mut Notes, own: &OwnPatterns) -> String {
    let clean = window::head(text.trim_start(), MAX_FIRST_LINE * 4, notes, own);
    short(clean.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim(), MAX_FIRST_LINE)
        .to_owned()
}

/// Cuts a text to so many characters, without secrets.
pub(super) fn clean_short(text: &str, most: usize, notes: &mut Notes, own: &OwnPatterns) -> String {
    short(&window::head(text, most * 4, notes, own), most).to_owned()
}

/// Says how large a content is; contents themselves are not kept.
pub(super) fn of_content(content: &str) -> String {
    let lines = content.lines().count();
    format!("{lines} line{}", if lines == 1 { "" } else { "s" })
}

/// Says what edits changed, by the first line in which each differs.
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
        (None, None) => "only spaces or order".to_owned(),
    }
}

/// Returns the first line of a text that the other one does not have, without secrets.
fn differing(text: &str, other: &str, notes: &mut Notes, own: &OwnPatterns) -> Option<String> {
    let others: HashSet<&str> = other.lines().map(str::trim).collect();
    let differs = |line: &&str| !line.is_empty() && !others.contains(line);
    let line = text.lines().map(str::trim).find(differs)?;
    let clean = window::around(text, line, notes, own);
    // Lines in front of it that have lost a secret differ from their raw twins, too, and say nothing.
    let clean_other = window::head(other, window::MAX_WHOLE, &mut Notes::default(), own);
    let clean_others: HashSet<&str> = clean_other.lines().map(str::trim).collect();
    let found = clean.lines().map(str::trim).find(|line| differs(line) && !clean_others.contains(line));
    // Where only the secret has changed, the lines differ no longer.
    let found = found.or_else(|| clean.lines().map(str::trim).find(differs))?;
    Some(short(found, MAX_QUOTE).to_owned())
}

/// Finds what is worth keeping of a success: the commit that was made, the summary of tests.
pub(super) fn telling_output(
    command: &str,
    output: &str,
    notes: &mut Notes,
    own: &OwnPatterns,
) -> Option<Told> {
    // Most outputs say nothing, and need not be redacted to know that.
    told(command, output.lines())?;
    let abridged = window::abridge(output, notes, own);
    told(command, abridged.head.lines().chain(abridged.tail.iter().flat_map(|tail| tail.lines())))
}

fn told<'t>(command: &str, lines: impl DoubleEndedIterator<Item = &'t str> + Clone) -> Option<Told> {
    if command.contains("git commit") || command.contains("git merge") {
        let line = lines.clone().find(|line| line.starts_with('[') && line.contains("] "));
        if let Some((head, subject)) = line.and_then(|line| line.split_once("] ")) {
            let hash = head.rsplit(' ').next().unwrap_or_default();
            let metadata = vec![
                ("kind", json!("git_commit")),
                ("commit", json!(hash)),
                ("subject", json!(short(subject, 200))),
            ];
            return Some(Told { text: format!("{hash} {}", short(subject, 200)), metadata });
        }
    }
    let summary: Vec<&str> = lines.rev().filter(|line| is_summary(line)).take(SUMMARY_LINES).collect();
    if summary.is_empty() {
        return None;
    }
    let lines: Vec<&str> = summary.into_iter().rev().map(|line| short(line.trim(), 200)).collect();
    Some(Told { text: lines.join("\n"), metadata: vec![("kind", json!("tests"))] })
}

/// Recognises the closing lines of the usual test runners.
fn is_summary(line: &str) -> bool {
    let counts = |word: &str| {
        line.match_indices(word).any(|(at, _)| line[..at].trim_end().ends_with(|c: char| c.is_ascii_digit()))
    };
    line.starts_with("test result:")
        || line.starts_with("Tests:")
        || counts("passed")
        || counts("passing")
        || counts("tests run")
}

/// A content's fingerprint: FNV-1a, the same in every version.
pub(super) fn hash(content: &str) -> String {
    let hash = content.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}
