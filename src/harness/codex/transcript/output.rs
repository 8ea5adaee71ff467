//! Calls and their outputs, in the texts of several versions.

use serde_json::{Value, json};

/// How a call ended.
#[derive(Debug, PartialEq)]
pub(super) struct CallOutput {
    pub(super) text: String,
    /// `None` if it still runs.
    pub(super) exit_code: Option<i64>,
}

/// Returns the name and the input of a call, as its hook sees them.
pub(super) fn parse_call(item: &mut Value) -> Option<(String, Value)> {
    let name = item["name"].as_str().unwrap_or("local_shell").to_owned();
    let arguments = match item["arguments"].take() {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::Null),
        Value::Null => item["action"].take(),
        other => other,
    };
    match (name.as_str(), item["namespace"].as_str()) {
        ("exec_command" | "shell" | "shell_command" | "local_shell" | "container.exec", _) => {
            let command = arguments.get("cmd").or_else(|| arguments.get("command"))?;
            let command = match command {
                Value::Array(words) => script(&words.iter().filter_map(Value::as_str).collect::<Vec<_>>())?,
                command => command.as_str()?.to_owned(),
            };
            Some(("Bash".to_owned(), json!({ "command": command })))
        }
        ("apply_patch", _) => {
            let input = item["input"].as_str().or_else(|| arguments["input"].as_str());
            Some((name, json!({ "command": input? })))
        }
        (_, Some(space)) if space.starts_with("mcp__") => Some((format!("{space}__{name}"), arguments)),
        _ => Some((name, arguments)),
    }
}

/// Returns the script that a shell was started with, or the words of another command.
pub(super) fn script(words: &[&str]) -> Option<String> {
    match words {
        [] => None,
        [_, "-lc" | "-c" | "-Command", script] => Some((*script).to_owned()),
        words => Some(words.join(" ")),
    }
}

/// Parses the text of a result; `None` if the call did not run.
pub(super) fn parse_output(output: &Value) -> Option<CallOutput> {
    let joined;
    let text = match output {
        Value::String(text) => text,
        Value::Array(parts) => {
            joined = parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
            &joined
        }
        _ => return None,
    };
    if let Some(Value::Object(fields)) =
        Some(text).filter(|text| text.starts_with('{')).and_then(|text| serde_json::from_str(text).ok())
        && let Some(text) = fields.get("output").and_then(Value::as_str)
    {
        let exit_code = fields.get("metadata").and_then(|metadata| metadata["exit_code"].as_i64());
        return Some(CallOutput { text: text.to_owned(), exit_code });
    }
    let (head, rest) = text.split_once("Output:\n").unwrap_or((text, ""));
    let code = |start: &str| head.lines().find_map(|line| line.strip_prefix(start)?.trim().parse().ok());
    let exit_code = code("Process exited with code ").or_else(|| code("Exit code: "));
    let still_runs = head.contains("Process running with session ID");
    let is_result = exit_code.is_some() || still_runs || head.starts_with("Wall time:");
    is_result.then(|| CallOutput { text: rest.to_owned(), exit_code })
}

/// Returns a summary without what Codex writes before it; `None` if nothing is left.
pub(super) fn summary_of(message: &str) -> Option<&str> {
    let is_wrapped = message.starts_with("Another language model started");
    let summary =
        if is_wrapped { message.split_once('\n').map_or("", |(_, summary)| summary) } else { message };
    Some(summary.trim()).filter(|summary| !summary.is_empty())
}
