//! Changes of files that did not last: the user refused the last one, or it was reverted.

use std::collections::HashMap;

use crate::model::{Observation, ObservationType, REFUSAL, Timestamp};
use crate::shell;

/// What was undone longer ago than this many seconds says nothing about today's work.
const MAX_AGE: i64 = 14 * 24 * 3_600;

/// How the last change of a file ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Undone<'r> {
    /// The user refused it, with these words.
    Refused { refusal: &'r Observation },
    /// It was made, and then this command took it back.
    Reverted { change: &'r Observation, command: &'r Observation },
}

/// Finds the files whose last change was refused or reverted; `rows` are a project's, the newest first.
pub(crate) fn undone_changes(rows: &[Observation], now: Timestamp) -> Vec<(String, Undone<'_>)> {
    let mut last: HashMap<&str, Option<Undone<'_>>> = HashMap::new();
    let mut reverts: Vec<(&Observation, Vec<String>)> = Vec::new();
    let mut order: Vec<&str> = Vec::new();
    for row in rows.iter().take_while(|row| now.since(row.timestamp) <= MAX_AGE) {
        if row.obs_type == ObservationType::Command {
            match row.kind() {
                // A revert takes back only what was not committed before it.
                Some("git_commit") => reverts.retain(|(revert, _)| revert.session_id != row.session_id),
                _ => {
                    let restored = shell::restored_files(super::command(row));
                    reverts.extend((!restored.is_empty()).then_some((row, restored)));
                }
            }
            continue;
        }
        let Some(path) = row.file_path.as_deref().filter(|path| !last.contains_key(path)) else { continue };
        let undone = match row.obs_type {
            ObservationType::UserPrompt if row.kind() == Some(REFUSAL) => {
                Some(Undone::Refused { refusal: row })
            }
            ObservationType::FileEdit | ObservationType::FileWrite => {
                let by = reverts.iter().find(|(revert, restored)| {
                    revert.session_id == row.session_id && restored.iter().any(|name| is_named(path, name))
                });
                by.map(|(command, _)| Undone::Reverted { change: row, command })
            }
            _ => continue,
        };
        order.push(path);
        last.insert(path, undone);
    }
    order.into_iter().filter_map(|path| Some((path.to_owned(), last.remove(path)??))).collect()
}

/// Returns whether a command names a file, perhaps from a folder inside the project.
fn is_named(path: &str, name: &str) -> bool {
    let name = name.trim_start_matches("./").trim_end_matches('/');
    name == "."
        || path == name
        || path.strip_suffix(name).is_some_and(|before| before.ends_with('/'))
        || path.strip_prefix(name).is_some_and(|after| after.starts_with('/'))
}

#[cfg(test)]
mod tests;
