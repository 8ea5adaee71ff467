//! The tools of agents other than Claude Code: each is converted to the Claude Code tool that does the same.

use serde_json::Value;

use super::claude_code;
use crate::model::{APPLY_PATCH, ToolAction, ToolCall, read_patch, usual_tool_names};

/// Parses a tool call; the result keeps the agent's own name for the tool.
pub(super) fn tool_call(name: String, mut input: Value, response: &Value) -> ToolCall {
    if name == APPLY_PATCH {
        return ToolCall { name, action: parse_patch(input) };
    }
    if matches!(name.as_str(), "Delete" | "delete_file")
        && let Some(path) = DELETED_PATHS.iter().find_map(|key| input.get(key)?.as_str())
    {
        return ToolCall { action: ToolAction::Delete { path: path.to_owned() }, name };
    }
    let mut usual = usual_tool_names(&name).first().copied().unwrap_or(&name);
    rename_arguments(&mut input);
    // One tool for all editing; its `command` says what to do.
    if name == "str_replace_editor" && input["command"] == "create" {
        usual = "Write";
    } else if name == "str_replace_editor" && input["command"] == "view" {
        usual = "Read";
    }
    let call = claude_code::tool_call(usual.to_owned(), input, response);
    ToolCall { name, ..call }
}

/// Parses a call of an MCP tool, however the agent joins the two names.
pub(super) fn mcp_call(name: String, server: &str, tool: &str, input: Value) -> ToolCall {
    let call = claude_code::tool_call(format!("mcp__{server}__{tool}"), input, &Value::Null);
    ToolCall { name, ..call }
}

const DELETED_PATHS: [&str; 4] = ["file_path", "path", "target_file", "filePath"];

fn parse_patch(mut input: Value) -> ToolAction {
    let keys = ["command", "input", "patch", "patchText", "patch_text"];
    let text = match &mut input {
        Value::String(text) => std::mem::take(text),
        input => keys.iter().find_map(|key| input.get(key)?.as_str().map(str::to_owned)).unwrap_or_default(),
    };
    let changes = read_patch(&text);
    if changes.is_empty() { ToolAction::Other { path: None, text } } else { ToolAction::Patch { changes } }
}

/// Other agents' names for Claude Code's arguments; a folder to search stays a `path`.
const ARGUMENTS: [(&str, &[&str]); 7] = [
    ("file_path", &["filePath", "absolute_path", "target_file", "filename"]),
    ("content", &["contents", "file_text", "fileText"]),
    ("old_string", &["oldString", "old_str", "oldText"]),
    ("new_string", &["newString", "new_str", "newText", "insert_text"]),
    ("replace_all", &["replaceAll", "allow_multiple"]),
    ("command", &["cmd", "script"]),
    ("subagent_type", &["agent_type", "agent_name", "agentType"]),
];

fn rename_arguments(input: &mut Value) {
    let Value::Object(map) = input else { return };
    for (usual, others) in ARGUMENTS {
        if !map.contains_key(usual)
            && let Some(value) = others.iter().find_map(|other| map.remove(*other))
        {
            map.insert(usual.to_owned(), value);
        }
    }
    if let Some(Value::Array(words)) = map.get("command") {
        let line = command_line(words);
        map.insert("command".to_owned(), Value::String(line));
    }
    // If a tool has only a `path`, or a `path` with text to write or view, it means a file.
    let is_file = ["content", "new_string", "old_string", "view_range", "insert_line"];
    if !map.contains_key("file_path")
        && (is_file.iter().any(|key| map.contains_key(*key)) || map.len() == 1)
        && let Some(path @ Value::String(_)) = map.remove("path")
    {
        map.insert("file_path".to_owned(), path);
    }
}

/// Returns the script of `["bash", "-lc", "…"]`, or the words joined to a line.
fn command_line(words: &[Value]) -> String {
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    match words.as_slice() {
        [_, "-c" | "-lc" | "-ec" | "-Command", script] => (*script).to_owned(),
        words => words.join(" "),
    }
}

#[cfg(test)]
mod tests;
