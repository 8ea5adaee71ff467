//! What Claude Code writes to a hook's stdin.
//!
//! Every field may be missing or of another shape: new versions add and change them every few weeks.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::harness::json::Text;
use crate::model::{Event, Hook, Replacement, SessionId, ToolAction, ToolCall};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EventWire {
    hook_event_name: Text,
    session_id: Text,
    cwd: Text,
    transcript_path: Text,
    tool_name: Text,
    tool_input: Value,
    tool_response: Value,
    prompt: Text,
    user_prompt: Text,
    source: Text,
    last_assistant_message: Text,
    assistant_message: Text,
    stop_hook_active: Value,
}

/// All events of version 2.1.325, in its own order.
pub(super) const EVENTS: [&str; 33] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
];

impl EventWire {
    /// Makes the event; `None` if its name is not one we know. The payload's own name wins over the caller's.
    pub(super) fn into_event(self, event_name: Option<&str>) -> Option<Event> {
        let name = self.hook_event_name.filled().or_else(|| event_name.map(str::to_owned))?;
        let hook = hook(&name)?;
        // A prompt may have no words, only a picture.
        let spoken = self.prompt.0.or(self.user_prompt.0);
        let by_user = self.source.filled().is_none_or(|source| source == "user" || source == "sdk");
        Some(Event {
            hook,
            session: self.session_id.filled().map(SessionId),
            cwd: self.cwd.filled().map(PathBuf::from).unwrap_or_default(),
            project: None,
            tool: self.tool_name.filled().map(|name| tool_call(name, self.tool_input, &self.tool_response)),
            prompt: spoken.filter(|text| by_user && !is_machine_turn(text)),
            closing_message: self.last_assistant_message.filled().or_else(|| self.assistant_message.filled()),
            stop_hook_active: self.stop_hook_active == Value::Bool(true),
            transcript: self.transcript_path.filled().map(PathBuf::from),
        })
    }
}

fn hook(name: &str) -> Option<Hook> {
    Some(match name {
        "PreToolUse" => Hook::PreToolUse,
        "PostToolUse" => Hook::PostToolUse,
        "UserPromptSubmit" => Hook::UserPromptSubmit,
        "Stop" => Hook::Stop,
        "SessionStart" => Hook::SessionStart,
        "SessionEnd" => Hook::SessionEnd,
        _ if EVENTS.contains(&name) => Hook::Other,
        _ => return None,
    })
}

/// Claude Code hands reports of its background tasks in as if the user had said them.
fn is_machine_turn(prompt: &str) -> bool {
    prompt.trim_start().starts_with("<task-notification>")
}

fn tool_call(name: String, mut input: Value, response: &Value) -> ToolCall {
    let action = match name.as_str() {
        "Write" => match (take(&mut input, "file_path"), take(&mut input, "content")) {
            (Some(path), content) => ToolAction::Write { path, content: content.unwrap_or_default() },
            (None, content) => ToolAction::Other { path: None, text: content.unwrap_or_default() },
        },
        "Edit" | "MultiEdit" => edit(&mut input, response),
        "NotebookEdit" => ToolAction::EditNotebook {
            path: take(&mut input, "notebook_path").unwrap_or_default(),
            source: take(&mut input, "new_source").filter(|_| input["edit_mode"] != "delete"),
        },
        "Bash" => ToolAction::Command { command: take(&mut input, "command").unwrap_or_default() },
        _ => {
            let path = take(&mut input, "file_path").or_else(|| take(&mut input, "notebook_path"));
            let mut texts = Vec::new();
            collect_texts(input, &mut texts);
            ToolAction::Other { path, text: texts.join("\n") }
        }
    };
    ToolCall { name, action }
}

fn edit(input: &mut Value, response: &Value) -> ToolAction {
    let path = take(input, "file_path").unwrap_or_default();
    let replacements = match input.get_mut("edits").and_then(Value::as_array_mut) {
        Some(edits) => edits.iter_mut().map(replacement).collect(),
        None => vec![replacement(input)],
    };
    let before = response.get("originalFile").and_then(Value::as_str).map(str::to_owned);
    ToolAction::Edit { path, replacements, before }
}

fn replacement(input: &mut Value) -> Replacement {
    Replacement {
        old: take(input, "old_string").unwrap_or_default(),
        new: take(input, "new_string").unwrap_or_default(),
        all: input.get("replace_all") == Some(&Value::Bool(true)),
    }
}

/// Moves a text out of a map, since it may be megabytes long.
fn take(input: &mut Value, key: &str) -> Option<String> {
    match input.get_mut(key).map(Value::take) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Gathers every text in the arguments of a tool, in the order in which they stand.
fn collect_texts(value: Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.into_iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(entries) => entries.into_iter().for_each(|(_, item)| collect_texts(item, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the text of a transcript's line, if it is something that the model said.
pub(super) fn assistant_text(line: &str) -> Option<String> {
    let mut line: Value = serde_json::from_str(line).ok()?;
    if line["type"] != "assistant" {
        return None;
    }
    let mut texts = Vec::new();
    match line["message"]["content"].take() {
        Value::String(text) => texts.push(text),
        Value::Array(parts) => texts.extend(parts.into_iter().filter_map(|mut part| take(&mut part, "text"))),
        _ => {}
    }
    Some(texts.join("\n")).filter(|text| !text.is_empty())
}
