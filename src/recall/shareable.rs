//! Which rows of a session a user shares with a team, at the level that was chosen for the project.

use std::collections::HashSet;

use super::remedy;
use crate::model::{ALLOWED, Observation, ObservationId, ObservationType, ShareLevel};

/// The kind of a row that has the task which an agent gave to another one: as private as a prompt.
const AGENT_TASK: &str = "agent";
const COMMIT: &str = "git_commit";

/// Returns the rows that leave, of the rows of one session in chronological order.
///
/// A failure that is not overcome yet may become shareable later, when its success is there.
pub(crate) fn shareable(level: ShareLevel, session: &[Observation]) -> Vec<&Observation> {
    let fixes = if level == ShareLevel::Fixes { fixes(session) } else { HashSet::new() };
    session
        .iter()
        .filter(|row| match least_level(row) {
            None => false,
            Some(least) => least <= level || fixes.contains(&row.id),
        })
        .collect()
}

/// Returns the lowest level at which a row leaves on its own; `None` if it never does.
fn least_level(row: &Observation) -> Option<ShareLevel> {
    use ObservationType::{
        Command, CommandError, FileEdit, FileRead, FileWrite, McpCall, Outcome, Search, SessionEnd,
        SessionStart, Summary, UserPrompt,
    };
    match row.obs_type {
        // What a rule said, what agents said, and when somebody worked, is nobody else's business.
        CommandError if row.is_blocked() => None,
        Outcome | Summary | SessionStart | SessionEnd => None,
        UserPrompt if row.kind() == Some(ALLOWED) => None,
        CommandError if row.is_failed_look() => Some(ShareLevel::All),
        Command if row.kind() == Some(AGENT_TASK) => Some(ShareLevel::All),
        Command if row.kind() == Some(COMMIT) => Some(ShareLevel::Fixes),
        Command | CommandError | FileEdit | FileWrite => Some(ShareLevel::Work),
        UserPrompt | Search | FileRead | McpCall => Some(ShareLevel::All),
    }
}

/// Returns the failures that were overcome, the last steps before each success, and the successes.
fn fixes(session: &[Observation]) -> HashSet<ObservationId> {
    let mut found = HashSet::new();
    for (at, failure) in session.iter().enumerate().filter(|(_, row)| row.is_failure()) {
        // An MCP call is shared with `all` only, and so is its failure.
        if failure.metadata.as_ref().and_then(|metadata| metadata.command()).is_none() {
            continue;
        }
        if let Some(remedy) = remedy(failure, &session[at + 1..]) {
            found.extend([failure.id, remedy.success.id]);
            found.extend(remedy.steps.iter().map(|step| step.id));
        }
    }
    found.retain(|id| {
        let row = session.iter().find(|row| row.id == *id);
        row.is_some_and(|row| least_level(row).is_some_and(|least| least <= ShareLevel::Work))
    });
    found
}

#[cfg(test)]
mod tests;
