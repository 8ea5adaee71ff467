//! Recognises the read of a file: a successful call of a tool that reads, or a command that prints it.
//!
//! `nexus::notes`, which accesses the disk, decides whether that file is a note.

use crate::model::{Event, Hook, ToolAction};
use crate::shell;

/// Returns the paths that an event has read, as the agent gave them; none for writes, searches and failures.
pub(crate) fn files_read(event: &Event) -> Vec<String> {
    let done = event
        .result
        .as_ref()
        .is_none_or(|result| !result.failed && !result.interrupted && !result.unfinished);
    match event.tool.as_ref().map(|tool| &tool.action) {
        _ if event.hook != Hook::PostToolUse || !done => Vec::new(),
        Some(ToolAction::Read { path, .. }) => vec![path.clone()],
        // Most commands print no file of ours, which their text shows.
        Some(ToolAction::Command { command }) if command.contains("memory") => shell::printed_files(command),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::files_read;
    use crate::model::{Event, Hook, ToolAction, ToolCall, ToolResult};

    #[test]
    fn only_a_read_that_is_done_counts() {
        let path = || "/p/.nexus/memory/a-b.md".to_owned();
        let read = || ToolAction::Read { path: path(), text: String::new() };
        let check = |hook, action, result: ToolResult, counts: bool| {
            let tool = Some(ToolCall { name: "any".into(), action });
            let event = Event { hook, tool, result: Some(result), ..Event::default() };
            assert_eq!(!files_read(&event).is_empty(), counts, "{event:?}");
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
        check(Hook::PostToolUse, ToolAction::Command { command: format!("cat {}", path()) }, fine(), true);
        check(Hook::PostToolUse, ToolAction::Command { command: format!("ls {}", path()) }, fine(), false);
        check(
            Hook::PostToolUse,
            ToolAction::Other { path: Some(path()), text: String::new() },
            fine(),
            false,
        );
    }
}
