//! What nudge's plugin writes for OpenCode.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::harness::agent::Wire;
use crate::harness::json::TextField;
use crate::harness::news::parse_news;
use crate::harness::{result, tool};
use crate::model::{Event, Hook, SessionId};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OpenCodeEventWire {
    event: TextField,
    session_id: TextField,
    /// The session of a subagent; then `session_id` is its parent.
    agent_id: TextField,
    /// The name of the subagent.
    agent_type: TextField,
    cwd: TextField,
    call_id: TextField,
    tool: TextField,
    /// For an MCP tool, the names of the server and the tool, which OpenCode joins.
    mcp_server: TextField,
    mcp_tool: TextField,
    args: Value,
    output: Value,
    /// The tool's metadata, such as the exit code of a command.
    metadata: Value,
    /// How long the call took, as the plugin measures it.
    duration_ms: Value,
    error: TextField,
    prompt: TextField,
    reason: TextField,
    message: TextField,
}

impl Wire for OpenCodeEventWire {
    /// Converts it to an event; `None` if the name is unknown.
    fn into_event(self, event_name: Option<&str>) -> Option<Event> {
        let name = self.event.filled().or_else(|| event_name.map(str::to_owned))?;
        let hook = match name.as_str() {
            "tool.execute.before" => Hook::PreToolUse,
            "tool.execute.after" => Hook::PostToolUse,
            "chat.message" => Hook::UserPromptSubmit,
            "session.idle" => Hook::Stop,
            "session.compacted" => Hook::PostCompact,
            "session.start" => Hook::SessionStart,
            "session.end" => Hook::SessionEnd,
            _ => return None,
        };
        let mut ran = (hook == Hook::PostToolUse)
            .then(|| result::parse_result(&self.output, self.error.filled(), &self.duration_ms));
        if let (Some(ran), Some(code)) = (&mut ran, self.metadata["exit"].as_i64()) {
            ran.exit_code = Some(code);
            ran.failed |= code != 0;
        }
        let news = self.tool.0.as_ref().filter(|_| hook == Hook::PostToolUse);
        let news = news.and_then(|name| parse_news(name, &self.args, &self.output));
        let of_server = self.mcp_server.filled().zip(self.mcp_tool.filled());
        let call = |name, args| match of_server {
            Some((server, tool)) => tool::mcp_call(name, &server, &tool, args),
            None => tool::tool_call(name, args, &Value::Null),
        };
        Some(Event {
            hook: ran.as_ref().map_or(hook, result::event_after),
            session: self.session_id.filled().map(SessionId),
            cwd: self.cwd.filled().map(PathBuf::from).unwrap_or_default(),
            tool: self.tool.filled().map(|name| call(name, self.args)),
            prompt: self.prompt.0.filter(|_| hook == Hook::UserPromptSubmit),
            closing_message: self.message.filled(),
            news,
            result: ran,
            cause: self.reason.filled(),
            tool_use_id: self.call_id.filled(),
            agent_id: self.agent_id.filled(),
            agent_type: self.agent_type.filled(),
            ..Event::default()
        })
    }
}
