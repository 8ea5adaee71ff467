//! What Codex writes to a hook's stdin, and what its transcript adds to it.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::harness::agent::Wire;
use crate::harness::json::TextField;
use crate::harness::news::parse_news;
use crate::harness::transcript::parse_time;
use crate::harness::{result, tool};
use crate::model::{Event, Hook, SessionId, ToolAction, ToolResult};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CodexEventWire {
    hook_event_name: TextField,
    session_id: TextField,
    turn_id: TextField,
    cwd: TextField,
    transcript_path: TextField,
    tool_name: TextField,
    tool_input: Value,
    tool_response: Value,
    tool_use_id: TextField,
    prompt: TextField,
    source: TextField,
    reason: TextField,
    last_assistant_message: TextField,
    compact_summary: TextField,
    stop_hook_active: Value,
    agent_id: TextField,
    agent_type: TextField,
    permission_mode: TextField,
}

impl Wire for CodexEventWire {
    /// Converts it to an event; `None` if the name is unknown. The payload's own name wins over the caller's.
    fn into_event(self, event_name: Option<&str>) -> Option<Event> {
        let name = self.hook_event_name.filled().or_else(|| event_name.map(str::to_owned))?;
        let hook = parse_hook(&name)?;
        let tool = self.tool_name.filled();
        let news = tool.as_ref().filter(|_| hook == Hook::PostToolUse);
        let news = news.and_then(|name| parse_news(name, &self.tool_input, &self.tool_response));
        let tool = tool.map(|name| tool::tool_call(name, self.tool_input, &self.tool_response));
        let is_command = tool.as_ref().is_some_and(|tool| matches!(tool.action, ToolAction::Command { .. }));
        let ran = (hook == Hook::PostToolUse).then(|| parse_result(&self.tool_response, is_command));
        Some(Event {
            hook: ran.as_ref().map_or(hook, result::event_after),
            session: self.session_id.filled().map(SessionId),
            cwd: self.cwd.filled().map(PathBuf::from).unwrap_or_default(),
            tool,
            // What the main conversation says to a subagent is not a prompt of the user.
            prompt: self.prompt.0.filter(|_| hook == Hook::UserPromptSubmit && self.agent_id.0.is_none()),
            closing_message: match hook {
                // Its hook does not send it; the transcript has it.
                Hook::PostCompact => self.compact_summary.filled(),
                _ => self.last_assistant_message.filled(),
            },
            stop_hook_active: self.stop_hook_active == Value::Bool(true),
            transcript: self.transcript_path.filled().map(PathBuf::from),
            news,
            result: ran,
            cause: match hook {
                Hook::SessionStart => self.source.filled(),
                Hook::SessionEnd => self.reason.filled(),
                _ => None,
            },
            tool_use_id: self.tool_use_id.filled(),
            prompt_id: self.turn_id.filled(),
            agent_id: self.agent_id.filled(),
            agent_type: self.agent_type.filled(),
            permission_mode: self.permission_mode.filled(),
            ..Event::default()
        })
    }
}

pub(super) fn parse_hook(name: &str) -> Option<Hook> {
    Some(match name {
        "PreToolUse" => Hook::PreToolUse,
        "PostToolUse" => Hook::PostToolUse,
        "UserPromptSubmit" => Hook::UserPromptSubmit,
        "Stop" => Hook::Stop,
        "SessionStart" => Hook::SessionStart,
        "SessionEnd" => Hook::SessionEnd,
        "SubagentStart" => Hook::SubagentStart,
        "SubagentStop" => Hook::SubagentStop,
        "PostCompact" => Hook::PostCompact,
        "PermissionRequest" | "PreCompact" | "Interrupt" => Hook::Other,
        _ => return None,
    })
}

fn parse_result(response: &Value, is_command: bool) -> ToolResult {
    match response {
        // All of it is output, even if it looks like an exit code. Until the transcript is read, nobody knows how the
        // command ended.
        Value::String(output) if is_command => {
            ToolResult { output: output.clone(), unfinished: true, ..ToolResult::default() }
        }
        // `apply_patch` prints it on the first line.
        response => {
            let mut ran = result::parse_result(response, None, &Value::Null);
            let first =
                ran.output.lines().next().and_then(|line| line.strip_prefix("Exit code: ")?.parse().ok());
            first.into_iter().for_each(|code| result::set_exit_code(&mut ran, code));
            ran
        }
    }
}

/// Sets how a command ended, from the line in which the transcript reports its end.
pub(super) fn complete(event: &mut Event, transcript_end: &str) {
    let (Some(id), Some(ran)) = (&event.tool_use_id, &mut event.result) else { return };
    let lines = transcript_end.lines().rev().filter(|line| line.contains(id.as_str()));
    let lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let lines: Vec<Value> = lines.take(MAX_LINES_OF_CALL).collect();
    let Some(code) = lines.iter().find_map(|line| parse_exit_code(line, id)) else { return };
    ran.unfinished = false;
    ran.duration_ms = ran.duration_ms.or_else(|| parse_duration(&lines, id));
    result::set_exit_code(ran, code);
    event.hook = result::event_after(ran);
}

/// A call, its result and its end are this many records of a transcript, with some to spare.
const MAX_LINES_OF_CALL: usize = 8;

/// Returns how long a call took: from the record of the call to the time at which it was completed. The `duration` in
/// the transcript is not that of the command.
fn parse_duration(lines: &[Value], id: &str) -> Option<u64> {
    let ended = lines.iter().find(|line| line["payload"]["item"]["id"] == id);
    let ended = ended.and_then(|line| parse_time(&line["payload"]["completed_at_ms"]));
    let called = |line: &&Value| {
        let payload = &line["payload"];
        let is_call = matches!(payload["type"].as_str(), Some("function_call" | "custom_tool_call"));
        is_call && payload["call_id"] == id
    };
    let began = lines.iter().find(called).and_then(|line| parse_time(&line["timestamp"]));
    u64::try_from(ended? - began?).ok()
}

fn parse_exit_code(line: &Value, id: &str) -> Option<i64> {
    let payload = &line["payload"];
    let item = &payload["item"];
    if item["id"] == id {
        return item["exit_code"].as_i64();
    }
    if payload["call_id"] == id { payload["exit_code"].as_i64() } else { None }
}

/// Returns the text of a transcript line, if the model wrote it.
pub(super) fn assistant_text(line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line).ok()?;
    let message = &line["payload"];
    if message["type"] != "message" || message["role"] != "assistant" {
        return None;
    }
    let parts = message["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    Some(texts.join("\n")).filter(|text| !text.is_empty())
}
