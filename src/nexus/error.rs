//! What can go wrong with `.nexus/`, in the kinds that callers tell apart. Files are named from the project's root.

use std::io;

use super::folder::HISTORY;
use super::holder::Holder;

#[derive(Debug, thiserror::Error)]
pub(crate) enum NexusError {
    /// A file is not what it should be. Whoever wants to write has moved it out of the way, and nothing is lost; the
    /// history stays where it is.
    #[error("`{file}` is malformed ({reason}) {}", fate(.file, .aside.as_deref()))]
    Malformed { file: String, reason: String, aside: Option<String> },
    #[error("`{file}` leads out of the project")]
    Escapes { file: String },
    #[error("`{name}` is no name for a file: {reason}")]
    BadName { name: String, reason: &'static str },
    #[error("{} has kept `.nexus` locked for too long", .holder.as_ref().map_or("another process".to_owned(), ToString::to_string))]
    Busy { holder: Option<Holder> },
    #[error("cannot {deed} `{file}`: {source}")]
    Io { deed: &'static str, file: String, source: io::Error },
}

impl NexusError {
    /// Returns what a person can do about a lock that somebody keeps.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            NexusError::Busy { holder: Some(holder) } => Some(holder.hint()),
            NexusError::Busy { holder: None } => {
                Some("try again when no other `nudge` is at work".to_owned())
            }
            _ => None,
        }
    }
}

fn fate(file: &str, aside: Option<&str>) -> String {
    match aside {
        None if file == HISTORY => {
            "and was left as it is; resolve the conflict in it, or restore it with git: plan \
                                    and tasks do not change until then"
                .to_owned()
        }
        Some(aside) => format!("and was set aside as `{aside}`; mend it and move it back, or start anew"),
        None => "and was left as it is; mend it, or the next change sets it aside".to_owned(),
    }
}
