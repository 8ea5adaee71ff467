//! The tools of agents other than Claude Code: each is read as the tool of Claude Code that does the same.

use serde_json::Value;

use super::claude_code;
use crate::model::{APPLY_PATCH, ToolAction, ToolCall, read_patch, usual_tool_names};

/// Reads the use of a tool; the call keeps the agent's own name for it.
pub(super) fn tool_call(name: String, mut input: Value, response: &Value) -> ToolCall {
    if name == APPLY_PATCH {
        return ToolCall { name, action: patch(input) };
    }
    let mut usual = usual_tool_names(&name).first().copied().unwrap_or(&name);
    rename(&mut input);
    // One tool for all editing, in which a command says what is meant.
    if name == "str_replace_editor" && input["command"] == "create" {
        usual = "Write";
    } else if name == "str_replace_editor" && input["command"] == "view" {
        usual = "Read";
    }
    let call = claude_code::tool_call(usual.to_owned(), input, response);
    ToolCall { name, ..call }
}

/// Reads the use of a tool of an MCP server, whatever the agent makes of the two names.
pub(super) fn mcp_call(name: String, server: &str, tool: &str, input: Value) -> ToolCall {
    let call = claude_code::tool_call(format!("mcp__{server}__{tool}"), input, &Value::Null);
    ToolCall { name, ..call }
}

fn patch(mut input: Value) -> ToolAction {
    let keys = ["command", "input", "patch", "patchText", "patch_text"];
    let text = match &mut input {
        Value::String(text) => std::mem::take(text),
        input => keys.iter().find_map(|key| input.get(key)?.as_str().map(str::to_owned)).unwrap_or_default(),
    };
    let changes = read_patch(&text);
    if changes.is_empty() { ToolAction::Other { path: None, text } } else { ToolAction::Patch { changes } }
}

/// What other agents call the arguments that Claude Code names so; a folder to search stays a `path`.
const ARGUMENTS: [(&str, &[&str]); 7] = [
    ("file_path", &["filePath", "absolute_path", "target_file", "filename"]),
    ("content", &["contents", "file_text", "fileText"]),
    ("old_string", &["oldString", "old_str", "oldText"]),
    ("new_string", &["newString", "new_str", "newText", "insert_text"]),
    ("replace_all", &["replaceAll", "allow_multiple"]),
    ("command", &["cmd", "script"]),
    ("subagent_type", &["agent_type", "agent_name", "agentType"]),
];

fn rename(input: &mut Value) {
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
    // A tool that names only a `path` and brings text in, or looks at nothing else, means a file.
    let is_file = ["content", "new_string", "old_string", "view_range", "insert_line"];
    if !map.contains_key("file_path")
        && (is_file.iter().any(|key| map.contains_key(*key)) || map.len() == 1)
        && let Some(path @ Value::String(_)) = map.remove("path")
    {
        map.insert("file_path".to_owned(), path);
    }
}

/// Returns the script of `["bash", "-lc", "…"]`, or the words as a line.
fn command_line(words: &[Value]) -> String {
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    match words.as_slice() {
        [_, "-c" | "-lc" | "-ec" | "-Command", script] => (*script).to_owned(),
        words => words.join(" "),
    }
}

#[cfg(test)]
mod tests;
