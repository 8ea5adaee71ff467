//! Which failures are still open: nothing since then shows that they were overcome or left behind.

use super::remedy::{is_success_of, only_looks};
use crate::model::{Observation, ObservationType, Timestamp};

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
        let later = &rows[..at];
        let is_over = later.iter().any(|other| is_success_of(other, row) || ends_work_of(other, row));
        let is_known = open.iter().any(|other| other.program == row.program);
        if is_particular && !is_mere_look && !is_over && !is_known {
            open.push(row);
        }
    }
    open
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
