//! Errors of `.nexus/`, in the kinds that callers distinguish. Files are named relative to the project's root.

use std::io;

use super::folder::{EXTENSION, HISTORY};
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
    /// Returns what a person can do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            NexusError::Busy { holder: Some(holder) } => Some(holder.hint()),
            NexusError::Busy { holder: None } => {
                Some("try again when no other `nudge` is running".to_owned())
            }
            NexusError::Io { source, file, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
                Some(format!(
                    "another user may own it: check with `ls -ld {folder}`, then make it yours with `chown`"
                ))
            }
            _ => None,
        }
    }
}

fn what_happened(file: &str, aside: Option<&str>) -> String {
    match aside {
        None if [HISTORY, EXTENSION].contains(&file) => {
            "and was left as it is; no cycle is closed until it is whole: `nudge doctor --fix` joins both sides of a \
             conflict in it, and git restores it"
                .to_owned()
        }
        Some(aside) => format!("and was set aside as `{aside}`; fix it and move it back, or start over"),
        None => "and was left as it is; fix it, or the next change sets it aside".to_owned(),
    }
}
