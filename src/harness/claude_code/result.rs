//! The result of a tool call, as Claude Code reports it.

use serde_json::Value;

use crate::model::ToolResult;

/// Parses a response; each tool has its own format, and new ones appear with every version.
pub(in crate::harness) fn parse_success(response: &Value, duration: &Value) -> ToolResult {
    let text = |key: &str| response.get(key).and_then(Value::as_str).unwrap_or_default();
    let is = |key: &str| response.get(key) == Some(&Value::Bool(true));
    let output = match response {
        Value::String(text) => text.clone(),
        _ if response.get("content").is_some_and(Value::is_array) => {
            let parts = response["content"].as_array().into_iter().flatten();
            parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => [text("stdout"), text("stderr")]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n"),
    };
    let named = ["exit_code", "exitCode"].iter().find_map(|key| response.get(key)?.as_i64());
    // Other agents that load Claude Code's settings put it in the first line of a text.
    let exit_code = named.or_else(|| response.as_str().and_then(parse_exit_code));
    let interrupted = is("interrupted");
    ToolResult {
        failed: is("is_error") || is("isError") || interrupted || exit_code.is_some_and(|code| code != 0),
        interrupted,
        unfinished: response.get("backgroundTaskId").is_some_and(|id| !id.is_null()),
        exit_code,
        hits: hits(response),
        agent_id: response.get("agentId").and_then(Value::as_str).map(str::to_owned),
        duration_ms: duration.as_u64(),
        output,
    }
}

/// Parses a failure: for a command, the error's first line is `Exit code N`.
pub(super) fn parse_failure(error: String, interrupted: &Value, duration: &Value) -> ToolResult {
    ToolResult {
        exit_code: parse_exit_code(&error),
        output: error,
        failed: true,
        interrupted: *interrupted == Value::Bool(true),
        duration_ms: duration.as_u64(),
        ..ToolResult::default()
    }
}

fn parse_exit_code(error: &str) -> Option<i64> {
    let first = error.lines().next()?;
    let (_, after) = first.split_once("Exit code ").or_else(|| first.split_once("exited with code "))?;
    after.split(|c: char| !c.is_ascii_digit() && c != '-').next()?.parse().ok()
}

fn hits(response: &Value) -> Option<u64> {
    // A search for lines does not count files, and vice versa.
    let counts = ["numFiles", "numLines", "numMatches", "searchCount"];
    let number = counts.iter().filter_map(|key| response.get(key)?.as_u64()).max();
    let listed = ["filenames", "results"].iter().find_map(|key| response.get(key)?.as_array().map(Vec::len));
    number.filter(|number| *number > 0).or_else(|| listed.and_then(|count| u64::try_from(count).ok()))
}
