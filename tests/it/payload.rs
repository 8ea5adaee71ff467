//! Payloads: what Claude Code writes to a hook, in few words.
//!
//! A relative `file_path` means the sandbox's project; `Sandbox::hook` makes it absolute, as the agent does.

use serde_json::{Value, json};

/// An event, still without the places that only a sandbox knows.
#[derive(Clone)]
pub(crate) struct Payload(pub(crate) Value);

pub(crate) fn write(path: &str, content: &str) -> Payload {
    tool("Write", json!({ "file_path": path, "content": content }))
}

pub(crate) fn edit(path: &str, old: &str, new: &str) -> Payload {
    tool("Edit", json!({ "file_path": path, "old_string": old, "new_string": new, "replace_all": false }))
}

pub(crate) fn edit_all(path: &str, old: &str, new: &str) -> Payload {
    tool("Edit", json!({ "file_path": path, "old_string": old, "new_string": new, "replace_all": true }))
}

pub(crate) fn multi_edit(path: &str, edits: &[(&str, &str)]) -> Payload {
    let edits: Vec<Value> =
        edits.iter().map(|(old, new)| json!({ "old_string": old, "new_string": new })).collect();
    tool("MultiEdit", json!({ "file_path": path, "edits": edits }))
}

pub(crate) fn edit_notebook(path: &str, source: &str) -> Payload {
    tool("NotebookEdit", json!({ "notebook_path": path, "cell_id": "c1", "new_source": source }))
}

pub(crate) fn bash(command: &str) -> Payload {
    tool("Bash", json!({ "command": command, "description": "a command" }))
}

pub(crate) fn tool(name: &str, input: Value) -> Payload {
    event("PreToolUse").with("tool_name", name).with("tool_input", input).with("tool_use_id", "t1")
}

pub(crate) fn prompt(text: &str) -> Payload {
    event("UserPromptSubmit").with("prompt", text)
}

pub(crate) fn stop(message: &str) -> Payload {
    event("Stop").with("stop_hook_active", false).with("last_assistant_message", message)
}

/// The end of a turn in which the agent said nothing, which stores the waiting events.
pub(crate) fn silent_stop() -> Payload {
    event("Stop").with("stop_hook_active", false)
}

pub(crate) fn event(name: &str) -> Payload {
    Payload(json!({ "session_id": "session-1", "hook_event_name": name, "permission_mode": "default" }))
}

impl Payload {
    /// Makes it the same tool call, after it has happened.
    pub(crate) fn after(self) -> Payload {
        self.with("hook_event_name", "PostToolUse").with("tool_response", json!({ "success": true }))
    }

    pub(crate) fn session(self, id: &str) -> Payload {
        self.with("session_id", id)
    }

    /// Puts the agent into a folder below the project.
    pub(crate) fn cwd(self, folder: &str) -> Payload {
        self.with("cwd", folder)
    }

    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Payload {
        self.0[key] = value.into();
        self
    }

    pub(crate) fn without(mut self, key: &str) -> Payload {
        self.0.as_object_mut().expect("a payload is a map").remove(key);
        self
    }
}
