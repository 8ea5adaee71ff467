//! How long a tool call takes, for agents that do not say it: from the event before it to the event after it.
//!
//! The start of a call is the time of an empty file beside the session's marks: creating one costs a hook next to
//! nothing, and no two calls wait for each other. It is deleted at the end of the call, else with the marks.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use super::marks;
use crate::files;
use crate::model::{SessionId, ToolAction, ToolCall};
use crate::system::clock;

/// Remembers that a call begins.
pub(crate) fn begin(session: &SessionId, tool: &ToolCall) {
    let Some(path) = path(session, tool) else { return };
    let create = || files::private_file().write(true).create(true).truncate(true).open(&path);
    if create().is_err()
        && let Some(folder) = path.parent()
        && files::make_private_dir(folder).is_ok()
    {
        drop(create());
    }
}

/// Returns how long the call took that has just ended, in milliseconds; `None` if its start is not known.
pub(crate) fn end(session: &SessionId, tool: &ToolCall) -> Option<u64> {
    let path = path(session, tool)?;
    let began = fs::symlink_metadata(&path).ok()?.modified().ok()?;
    drop(fs::remove_file(path));
    u64::try_from(clock::now().duration_since(began).ok()?.as_millis()).ok()
}

fn path(session: &SessionId, tool: &ToolCall) -> Option<PathBuf> {
    let mut hasher = DefaultHasher::new();
    let command = if let ToolAction::Command { command } = &tool.action { Some(command) } else { None };
    // These agents number no calls, so a call is known by what it does. Two equal ones at once share a time.
    (&tool.name, tool.action.path(), command, tool.action.given_text()).hash(&mut hasher);
    Some(marks::path(session)?.with_extension(format!("call-{:016x}", hasher.finish())))
}
