//! The result of a tool call in agents other than Claude Code: a text or a map, with an exit code somewhere in it.

use serde_json::Value;

use super::claude_code;
use crate::model::{Hook, ToolResult};

/// Parses the result of a tool call. `error` is the agent's message about a failure of the tool itself.
pub(super) fn parse_result(response: &Value, error: Option<String>, duration: &Value) -> ToolResult {
    let parsed = response.as_str().filter(|text| text.starts_with('{'));
    let parsed: Option<Value> = parsed.and_then(|text| serde_json::from_str(text).ok());
    let response = parsed.as_ref().unwrap_or(response);
    let mut result = claude_code::parse_success(response, duration);
    let text = |key: &str| response.get(key).and_then(Value::as_str);
    if result.output.is_empty() {
        let keys = ["output", "llmContent", "textResultForLlm", "text_result_for_llm", "text", "result"];
        result.output = keys.iter().find_map(|key| text(key)).unwrap_or_default().to_owned();
    }
    let failed = |word: &str| matches!(word, "failure" | "error" | "failed");
    result.failed |= ["resultType", "result_type", "status"].iter().filter_map(|key| text(key)).any(failed);
    let number = response.get("exit").and_then(Value::as_i64);
    if let Some(code) = number {
        set_exit_code(&mut result, code);
    }
    if let Some(error) = error {
        result.failed = true;
        if result.output.is_empty() {
            result.output = error;
        }
    }
    result
}

/// Returns the event after a tool call: a failure is its own event, even if the agent does not distinguish it.
pub(super) fn event_after(result: &ToolResult) -> Hook {
    if result.failed { Hook::PostToolUseFailure } else { Hook::PostToolUse }
}

/// Sets the exit code of a command.
pub(super) fn set_exit_code(result: &mut ToolResult, code: i64) {
    result.exit_code = Some(code);
    result.failed |= code != 0;
}

#[cfg(test)]
mod tests;
