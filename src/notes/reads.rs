//! Recognises the read of a file: a successful call of a tool that reads.
//!
//! `nexus::notes`, which accesses the disk, decides whether that file is a note.

use crate::model::{Event, Hook, ToolAction};

/// Returns the path that an event has read, as the agent gave it; `None` for writes, searches and failures.
pub(crate) fn note_read(event: &Event) -> Option<&str> {
    let done = event
        .result
        .as_ref()
        .is_none_or(|result| !result.failed && !result.interrupted && !result.unfinished);
    match &event.tool.as_ref()?.action {
        ToolAction::Read { path, .. } if event.hook == Hook::PostToolUse && done => Some(path),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::note_read;
    use crate::model::{Event, Hook, ToolAction, ToolCall, ToolResult};

    #[test]
    fn only_a_read_that_is_done_counts() {
        let path = || "/p/.nexus/memory/a-b.md".to_owned();
        let read = || ToolAction::Read { path: path(), text: String::new() };
        let check = |hook, action, result: ToolResult, counts: bool| {
            let tool = Some(ToolCall { name: "any".into(), action });
            let event = Event { hook, tool, result: Some(result), ..Event::default() };
            assert_eq!(note_read(&event).is_some(), counts, "{event:?}");
        };
        let fine = ToolResult::default;
        check(Hook::PostToolUse, read(), fine(), true);
        check(Hook::PreToolUse, read(), fine(), false);
        check(Hook::PostToolUseFailure, read(), fine(), false);
        check(Hook::PostToolUse, read(), ToolResult { failed: true, ..fine() }, false);
        check(Hook::PostToolUse, read(), ToolResult { interrupted: true, ..fine() }, false);
        check(Hook::PostToolUse, ToolAction::Write { path: path(), content: String::new() }, fine(), false);
        let search =
            ToolAction::Search { query: "a".into(), place: Some(path()), kind: None, text: String::new() };
        check(Hook::PostToolUse, search, fine(), false);
        check(Hook::PostToolUse, ToolAction::Command { command: format!("cat {}", path()) }, fine(), false);
        check(
            Hook::PostToolUse,
            ToolAction::Other { path: Some(path()), text: String::new() },
            fine(),
            false,
        );
    }
}
