//! Errors of `.nexus/`, in the kinds that callers distinguish. Files are named relative to the project's root.

use std::io;

use super::folder::HISTORY;
use super::holder::LockHolder;

#[derive(Debug, thiserror::Error)]
pub(crate) enum NexusError {
    /// A file is malformed. A writer moves it out of the way, so nothing is lost; the history stays where it is.
    #[error("`{file}` is malformed ({reason}) {}", what_happened(.file, .aside.as_deref()))]
    Malformed { file: String, reason: String, aside: Option<String> },
    #[error("`{file}` points outside the project")]
    Escapes { file: String },
    #[error("`{name}` is not a valid file name: {reason}")]
    BadName { name: String, reason: &'static str },
    #[error("{} has kept `.nexus` locked for too long", .holder.as_ref().map_or("another process".to_owned(), ToString::to_string))]
    Busy { holder: Option<LockHolder> },
    #[error("cannot {action} `{file}`: {source}")]
    Io { action: &'static str, file: String, source: io::Error },
}

impl NexusError {
    /// Returns what a person can do about a lock that another process keeps.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            NexusError::Busy { holder: Some(holder) } => Some(holder.hint()),
            NexusError::Busy { holder: None } => {
                Some("try again when no other `nudge` is running".to_owned())
            }
            _ => None,
        }
    }
}

fn what_happened(file: &str, aside: Option<&str>) -> String {
    match aside {
        None if file == HISTORY => {
            "and was left as it is; resolve the conflict in it, or restore it with git: plan \
                                    and tasks do not change until then"
                .to_owned()
        }
        Some(aside) => format!("and was set aside as `{aside}`; fix it and move it back, or start over"),
        None => "and was left as it is; fix it, or the next change sets it aside".to_owned(),
    }
}
