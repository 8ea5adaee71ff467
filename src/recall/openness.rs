//! Which failures are still open: nothing since then shows that they were overcome or left behind.

use super::deed::{command, only_looks};
use super::missing_program;
use super::remedy::is_success_of;
use crate::model::{Observation, ObservationType, Timestamp};
use crate::shell;

/// A failure older than this many seconds was overcome in some way that nobody saw, or does not matter any more.
const MAX_AGE: i64 = 24 * 3_600;

/// Returns the failures that are still open, the newest first; `rows` are a project's, the newest first.
pub(crate) fn open_failures(rows: &[Observation], now: Timestamp) -> Vec<&Observation> {
    let mut open: Vec<&Observation> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if !row.is_failure() || now.since(row.timestamp) > MAX_AGE {
            continue;
        }
        let is_particular = row.signature.is_some() && row.program.is_some() && !row.is_interrupted();
        let is_mere_look =
            row.metadata.as_ref().is_some_and(|metadata| metadata.command().is_some()) && only_looks(row);
        // A call of a tool is not work that is left undone, and neither is a slip of the pen.
        let is_call = row.metadata.as_ref().is_none_or(|metadata| metadata.command().is_none());
        let is_slip = is_call || complains_of_its_words(row);
        let later = &rows[..at];
        let is_over = later.iter().any(|other| is_success_of(other, row) || ends_work_of(other, row));
        let is_known = open.iter().any(|other| other.program == row.program);
        if is_particular && !is_mere_look && !is_slip && !is_over && !is_known {
            open.push(row);
        }
    }
    open
}

/// What programs of many ecosystems say of an option or a command that they do not have. Lower case.
#[rustfmt::skip]
const UNKNOWN_OPTION: [&str; 16] = [
    "unknown option", "unknown flag", "unknown command", "unknown argument", "unknown subcommand", "unknown switch",
    "unrecognized option", "unrecognized argument", "invalid option", "illegal option", "unexpected argument",
    "is not a git command", "no such option", "no such command", "unknown shorthand flag", "no matches found",
];
/// What they say of a file or a name that they were given and do not find. Lower case.
#[rustfmt::skip]
const UNKNOWN_WORD: [&str; 9] = [
    "no such file or directory", "did not match any", "not found", "does not exist", "cannot access", "cannot stat",
    "beyond a symbolic link", "bad revision", "unknown revision",
];
/// A word of fewer characters than this is in many lines by chance.
const MIN_WORD: usize = 4;

/// Returns whether a command failed because of a word in it, such as a file that is not there: the next one is written
/// otherwise, and nothing is left to do.
fn complains_of_its_words(row: &Observation) -> bool {
    let line = command(row);
    if row.signature.as_deref().and_then(missing_program).is_some() {
        return true;
    }
    let parts = shell::parts(line);
    let words = parts.iter().flat_map(|part| &part.words);
    let names: Vec<String> = words
        .map(|word| word.trim_end_matches('/').rsplit('/').next().unwrap_or(word).to_lowercase())
        .filter(|name| name.len() >= MIN_WORD && name.contains(|c: char| !c.is_alphanumeric()))
        .collect();
    let output = row.output().to_lowercase();
    let has = |line: &str, phrases: &[&str]| phrases.iter().any(|phrase| line.contains(phrase));
    output.lines().any(|line| {
        has(line, &UNKNOWN_OPTION) || has(line, &UNKNOWN_WORD) && names.iter().any(|name| line.contains(name))
    })
}

/// Returns whether the work that a failure belonged to was finished by a commit or a push.
fn ends_work_of(other: &Observation, failure: &Observation) -> bool {
    let same_branch =
        other.branch().is_none() || failure.branch().is_none() || other.branch() == failure.branch();
    hands_over(other) && same_branch
}

/// Returns whether a row is a commit, or a push: a commit that ran in the background has no output that shows it, but
/// nobody pushes before it is made.
pub(crate) fn hands_over(row: &Observation) -> bool {
    let kind = row.metadata.as_ref().and_then(|metadata| metadata.kind());
    let pushes = row.obs_type == ObservationType::Command
        && row.program.as_deref().is_some_and(|program| program.starts_with("git push"));
    kind == Some("git_commit") || pushes
}

#[cfg(test)]
mod tests;
