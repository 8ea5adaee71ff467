//! What Cursor writes to a hook's stdin.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::harness::agent::Wire;
use crate::harness::json::Text;
use crate::harness::{result, tool};
use crate::model::{Event, Hook, SessionId, ToolCall};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EventWire {
    hook_event_name: Text,
    conversation_id: Text,
    generation_id: Text,
    session_id: Text,
    cwd: Text,
    workspace_roots: Value,
    transcript_path: Text,
    tool_name: Text,
    tool_input: Value,
    tool_output: Value,
    tool_use_id: Text,
    duration: Value,
    error_message: Text,
    is_interrupt: Value,
    prompt: Text,
    // Of the events before a command and before a file is read.
    command: Text,
    file_path: Text,
    reason: Text,
    loop_count: Value,
}

impl Wire for EventWire {
    /// Makes the event; `None` if its name is not one we know. The payload's own name wins over the caller's.
    fn into_event(self, event_name: Option<&str>) -> Option<Event> {
        let name = self.hook_event_name.filled().or_else(|| event_name.map(str::to_owned))?;
        let hook = hook(&name)?;
        let error = self.error_message.filled();
        let error = error.or_else(|| (hook == Hook::PostToolUseFailure).then(String::new));
        let mut ran = matches!(hook, Hook::PostToolUse | Hook::PostToolUseFailure)
            .then(|| result::outcome(&self.tool_output, error, &self.duration));
        ran.iter_mut().for_each(|ran| ran.interrupted |= self.is_interrupt == Value::Bool(true));
        let root = self.workspace_roots[0].as_str().map(str::to_owned);
        let tool = match (name.to_ascii_lowercase().as_str(), self.command.filled(), self.file_path.filled())
        {
            ("beforeshellexecution", Some(command), _) => {
                Some(tool::tool_call("Shell".to_owned(), json!({ "command": command }), &Value::Null))
            }
            ("beforereadfile", _, Some(path)) => {
                Some(tool::tool_call("Read".to_owned(), json!({ "file_path": path }), &Value::Null))
            }
            _ => self.tool_name.filled().map(|name| call(name, self.tool_input)),
        };
        Some(Event {
            hook: ran.as_ref().map_or(hook, result::after),
            session: self.conversation_id.filled().or_else(|| self.session_id.filled()).map(SessionId),
            cwd: self.cwd.filled().or(root).map(PathBuf::from).unwrap_or_default(),
            tool,
            prompt: self.prompt.0.filter(|_| hook == Hook::UserPromptSubmit),
            // It counts how often a hook has made it go on.
            stop_hook_active: self.loop_count.as_u64().is_some_and(|count| count > 0),
            transcript: self.transcript_path.filled().map(PathBuf::from),
            result: ran,
            cause: self.reason.filled().filter(|_| hook == Hook::SessionEnd),
            tool_use_id: self.tool_use_id.filled(),
            prompt_id: self.generation_id.filled(),
            ..Event::default()
        })
    }
}

/// Every event of Cursor that we have no use for; what the first three tell comes with the tool's own end as well.
const OTHERS: [&str; 12] = [
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

/// Hooks that stand in Claude Code's settings are called under either spelling.
fn hook(name: &str) -> Option<Hook> {
    Some(match name.to_ascii_lowercase().as_str() {
        "pretooluse" | "beforeshellexecution" | "beforemcpexecution" | "beforereadfile" => Hook::PreToolUse,
        "posttooluse" => Hook::PostToolUse,
        "posttoolusefailure" => Hook::PostToolUseFailure,
        "beforesubmitprompt" | "userpromptsubmit" => Hook::UserPromptSubmit,
        "stop" => Hook::Stop,
        "sessionstart" => Hook::SessionStart,
        "sessionend" => Hook::SessionEnd,
        name if OTHERS.iter().any(|other| other.eq_ignore_ascii_case(name)) => Hook::Other,
        _ => return None,
    })
}

fn call(name: String, input: Value) -> ToolCall {
    // Cursor does not say whose tool it is.
    match name.strip_prefix("MCP:").map(str::to_owned) {
        Some(tool) => tool::mcp_call(name, "", &tool, input),
        None => tool::tool_call(name, input, &Value::Null),
    }
}
