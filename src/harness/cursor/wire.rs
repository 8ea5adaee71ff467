//! What Cursor writes to a hook's stdin.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::harness::agent::Wire;
use crate::harness::json::TextField;
use crate::harness::news::parse_news;
use crate::harness::{result, tool};
use crate::model::{Event, Hook, SessionId, ToolCall};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CursorEventWire {
    hook_event_name: TextField,
    conversation_id: TextField,
    generation_id: TextField,
    session_id: TextField,
    cwd: TextField,
    workspace_roots: Value,
    transcript_path: TextField,
    tool_name: TextField,
    tool_input: Value,
    tool_output: Value,
    tool_use_id: TextField,
    duration: Value,
    error_message: TextField,
    is_interrupt: Value,
    prompt: TextField,
    // Only in the events before a command and before a file is read.
    command: TextField,
    file_path: TextField,
    reason: TextField,
    loop_count: Value,
    // Only in what is made from a transcript.
    last_assistant_message: TextField,
    agent_id: TextField,
}

impl Wire for CursorEventWire {
    /// Converts it to an event; `None` if the name is unknown. The payload's own name wins over the caller's.
    fn into_event(self, event_name: Option<&str>) -> Option<Event> {
        let name = self.hook_event_name.filled().or_else(|| event_name.map(str::to_owned))?;
        let hook = parse_hook(&name)?;
        let error = self.error_message.filled();
        let error = error.or_else(|| (hook == Hook::PostToolUseFailure).then(String::new));
        let mut ran = matches!(hook, Hook::PostToolUse | Hook::PostToolUseFailure)
            .then(|| result::parse_result(&self.tool_output, error, &self.duration));
        ran.iter_mut().for_each(|ran| ran.interrupted |= self.is_interrupt == Value::Bool(true));
        let news = self.tool_name.0.as_ref().filter(|_| hook == Hook::PostToolUse);
        let news = news.and_then(|name| parse_news(name, &self.tool_input, &self.tool_output));
        let root = self.workspace_roots[0].as_str().map(str::to_owned);
        let tool = match (name.to_ascii_lowercase().as_str(), self.command.filled(), self.file_path.filled())
        {
            ("beforeshellexecution", Some(command), _) => {
                Some(tool::tool_call("Shell".to_owned(), json!({ "command": command }), &Value::Null))
            }
            ("beforereadfile", _, Some(path)) => {
                Some(tool::tool_call("Read".to_owned(), json!({ "file_path": path }), &Value::Null))
            }
            ("beforemcpexecution", ..) => {
                self.tool_name.filled().map(|name| parse_mcp_call(name, self.tool_input))
            }
            _ => self.tool_name.filled().map(|name| parse_call(name, self.tool_input)),
        };
        Some(Event {
            hook: ran.as_ref().map_or(hook, result::event_after),
            session: self.conversation_id.filled().or_else(|| self.session_id.filled()).map(SessionId),
            cwd: self.cwd.filled().or(root).map(PathBuf::from).unwrap_or_default(),
            tool,
            prompt: self.prompt.0.filter(|_| hook == Hook::UserPromptSubmit),
            // Cursor counts how often a hook has made it continue.
            stop_hook_active: self.loop_count.as_u64().is_some_and(|count| count > 0),
            transcript: self.transcript_path.filled().map(PathBuf::from),
            news,
            result: ran,
            cause: self.reason.filled().filter(|_| hook == Hook::SessionEnd),
            tool_use_id: self.tool_use_id.filled(),
            prompt_id: self.generation_id.filled(),
            closing_message: self.last_assistant_message.filled(),
            agent_id: self.agent_id.filled(),
            ..Event::default()
        })
    }
}

/// Cursor events that nudge does not use; the first three repeat what comes with the end of the tool.
const OTHER_EVENTS: [&str; 12] = [
    "afterShellExecution",
    "afterMCPExecution",
    "afterFileEdit",
    "beforeTabFileRead",
    "afterTabFileEdit",
    "afterAgentResponse",
    "afterAgentThought",
    "preCompact",
    "subagentStart",
    "subagentStop",
    "workspaceOpen",
    "notification",
];

/// Hooks in Claude Code's settings are called under either spelling.
fn parse_hook(name: &str) -> Option<Hook> {
    Some(match name.to_ascii_lowercase().as_str() {
        "pretooluse" | "beforeshellexecution" | "beforemcpexecution" | "beforereadfile" => Hook::PreToolUse,
        "posttooluse" => Hook::PostToolUse,
        "posttoolusefailure" => Hook::PostToolUseFailure,
        "beforesubmitprompt" | "userpromptsubmit" => Hook::UserPromptSubmit,
        "stop" => Hook::Stop,
        "sessionstart" => Hook::SessionStart,
        "sessionend" => Hook::SessionEnd,
        name if OTHER_EVENTS.iter().any(|other| other.eq_ignore_ascii_case(name)) => Hook::Other,
        _ => return None,
    })
}

fn parse_call(name: String, input: Value) -> ToolCall {
    if name.starts_with("MCP:") {
        return parse_mcp_call(name, input);
    }
    tool::tool_call(name, input, &Value::Null)
}

/// Cursor does not say which server's tool it is; before the call, the input is JSON in a text.
fn parse_mcp_call(name: String, input: Value) -> ToolCall {
    let parsed = input.as_str().and_then(|text| serde_json::from_str(text).ok());
    let tool = name.strip_prefix("MCP:").unwrap_or(&name).to_owned();
    tool::mcp_call(name, "", &tool, parsed.unwrap_or(input))
}
