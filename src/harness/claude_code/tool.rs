//! The tools of Claude Code: converts each call to our own model.

use serde_json::Value;

use crate::model::{Replacement, ToolAction, ToolCall};

/// Parses a tool call. After an edit, the response has the file as it was before.
pub(in crate::harness) fn tool_call(name: String, mut input: Value, response: &Value) -> ToolCall {
    let action = match name.as_str() {
        "Write" => match (take(&mut input, "file_path"), take(&mut input, "content")) {
            (Some(path), content) => ToolAction::Write { path, content: content.unwrap_or_default() },
            (None, content) => ToolAction::Other { path: None, text: content.unwrap_or_default() },
        },
        "Edit" | "MultiEdit" => parse_edit(&mut input, response),
        "NotebookEdit" => ToolAction::EditNotebook {
            path: take(&mut input, "notebook_path").unwrap_or_default(),
            source: take(&mut input, "new_source").filter(|_| input["edit_mode"] != "delete"),
        },
        "Bash" | "PowerShell" | "powershell" | "pwsh" => {
            ToolAction::Command { command: take(&mut input, "command").unwrap_or_default() }
        }
        _ => parse_other(&name, input),
    };
    ToolCall { name, action }
}

/// Parses a tool that writes nothing: what it looks at, and all its arguments.
fn parse_other(name: &str, input: Value) -> ToolAction {
    let field =
        |key: &str| input.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let path = field("file_path").or_else(|| field("notebook_path"));
    // Gemini CLI names the pages to fetch in the words of its `prompt`.
    let fetched = || field("prompt").filter(|_| name == "WebFetch");
    let query = field("pattern").or_else(|| field("query")).or_else(|| field("url")).or_else(fetched);
    let glob = || field("glob").or_else(|| field("include")).filter(|_| name == "Grep");
    let place = match glob().and_then(|glob| named_by_glob(&glob).map(str::to_owned)) {
        Some(file) => Some(field("path").map_or(file.clone(), |folder| format!("{folder}/{file}"))),
        None => field("path"),
    };
    let (task, agent_type) = (
        field("description").or_else(|| field("prompt")).or_else(|| field("message")),
        field("subagent_type"),
    );
    let named_file = MCP_PATHS.iter().find_map(|key| field(key));
    let named_file = named_file.map(|path| path.strip_prefix("file://").map(str::to_owned).unwrap_or(path));
    let mut arguments = String::new();
    if name.starts_with("mcp__") {
        name_texts("", &input, &mut arguments);
    }
    let mut texts = Vec::new();
    collect_texts(input, &mut texts);
    // The path is matched by `file`, not as text.
    texts.retain(|text| Some(text) != path.as_ref());
    let text = texts.join("\n");
    match (name, path, query) {
        ("Read", Some(path), _) => ToolAction::Read { path, text },
        ("Grep" | "Glob", _, Some(query)) => ToolAction::Search { query, place, kind: None, text },
        ("WebSearch" | "WebFetch", _, Some(query)) => {
            ToolAction::Search { query, place: None, kind: Some("web"), text }
        }
        ("Agent" | "Task", ..) => ToolAction::Agent { task: task.unwrap_or_default(), agent_type, text },
        (name, path, _) => match name.strip_prefix("mcp__").and_then(|rest| rest.rsplit_once("__")) {
            Some((server, tool)) => {
                let path = path.or(named_file);
                ToolAction::Mcp { server: server.to_owned(), tool: tool.to_owned(), path, arguments, text }
            }
            None => ToolAction::Other { path, text },
        },
    }
}

/// Returns the file that a glob of a search is about: `.env` of `.env`, `**/.env` and `.env*`; `None` if it is about many.
fn named_by_glob(glob: &str) -> Option<&str> {
    let name = glob.strip_prefix("**/").unwrap_or(glob).trim_end_matches(['*', '.']);
    let is_name = !name.is_empty() && !name.ends_with('/') && !name.contains(['*', '?', '[', '{', '!']);
    is_name.then_some(name)
}

/// What MCP servers call the file that a tool is about; unlike `file_path`, these are matched as text too.
const MCP_PATHS: [&str; 6] = ["path", "filePath", "file", "filename", "absolute_path", "uri"];

fn parse_edit(input: &mut Value, response: &Value) -> ToolAction {
    let path = take(input, "file_path").unwrap_or_default();
    let replacements = match input.get_mut("edits").and_then(Value::as_array_mut) {
        Some(edits) => edits.iter_mut().map(parse_replacement).collect(),
        None => vec![parse_replacement(input)],
    };
    let before = response.get("originalFile").and_then(Value::as_str).map(str::to_owned);
    ToolAction::Edit { path, replacements, before }
}

fn parse_replacement(input: &mut Value) -> Replacement {
    Replacement {
        old: take(input, "old_string").unwrap_or_default(),
        new: take(input, "new_string").unwrap_or_default(),
        all: input.get("replace_all") == Some(&Value::Bool(true)),
    }
}

/// Moves a text out of a map, since it may be megabytes long.
pub(super) fn take(input: &mut Value, key: &str) -> Option<String> {
    match input.get_mut(key).map(Value::take) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Collects every text in the arguments of a tool, in order.
fn collect_texts(value: Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.into_iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(entries) => entries.into_iter().for_each(|(_, item)| collect_texts(item, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Appends every text of the arguments after its name, up to a limit.
fn name_texts(name: &str, value: &Value, arguments: &mut String) {
    if arguments.len() > MAX_ARGUMENTS_BYTES {
        return;
    }
    match value {
        Value::String(text) => {
            let space = if arguments.is_empty() { "" } else { "\n" };
            let equals = if name.is_empty() { "" } else { "=" };
            arguments.push_str(&format!("{space}{name}{equals}{text}"));
        }
        Value::Array(items) => items.iter().for_each(|item| name_texts(name, item, arguments)),
        // `secret.value` says more than `value`; several entries of a map explain each other.
        Value::Object(entries) if entries.len() == 1 && !name.is_empty() => {
            entries.iter().for_each(|(inner, item)| name_texts(&format!("{name}.{inner}"), item, arguments));
        }
        Value::Object(entries) => entries.iter().for_each(|(name, item)| name_texts(name, item, arguments)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Maximum size of the arguments that are used, in bytes; the last text may exceed it.
const MAX_ARGUMENTS_BYTES: usize = 16 << 10;
