//! Gists: long things in one line.

use serde_json::{Value, json};

use crate::model::Replacement;

/// The part of an output that is worth keeping, with the facts in it.
pub(super) struct Told {
    pub(super) text: String,
    pub(super) metadata: Vec<(&'static str, Value)>,
}

/// The longest piece of an edit that is quoted.
const MAX_QUOTE: usize = 100;
/// So many lines of a test summary are kept.
const SUMMARY_LINES: usize = 3;

/// Cuts a text to so many characters.
pub(super) fn short(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

pub(super) fn first_line(text: &str) -> &str {
    short(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim(), 200)
}

/// Says how large a content is; contents themselves are not kept.
pub(super) fn of_content(content: &str) -> String {
    let lines = content.lines().count();
    format!("{lines} line{}", if lines == 1 { "" } else { "s" })
}

/// Says what edits changed, by the first line in which each differs.
pub(super) fn of_edits(replacements: &[Replacement]) -> String {
    let mut gists: Vec<String> = replacements.iter().take(3).map(of_edit).collect();
    if replacements.len() > 3 {
        gists.push(format!("and {} more edits", replacements.len() - 3));
    }
    gists.join("; ")
}

fn of_edit(edit: &Replacement) -> String {
    let differing = |text: &str, other: &str| {
        let others: Vec<&str> = other.lines().map(str::trim).collect();
        let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !others.contains(line));
        line.map(|line| short(line, MAX_QUOTE).to_owned())
    };
    match (differing(&edit.old, &edit.new), differing(&edit.new, &edit.old)) {
        (Some(old), Some(new)) => format!("{old} → {new}"),
        (None, Some(new)) => format!("+ {new}"),
        (Some(old), None) => format!("- {old}"),
        (None, None) => "only spaces or order".to_owned(),
    }
}

/// Finds what is worth keeping of a success: the commit that was made, the summary of tests.
pub(super) fn telling_output(command: &str, output: &str) -> Option<Told> {
    if command.contains("git commit") || command.contains("git merge") {
        let line = output.lines().find(|line| line.starts_with('[') && line.contains("] "));
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
    let summary: Vec<&str> =
        output.lines().rev().filter(|line| is_summary(line)).take(SUMMARY_LINES).collect();
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
