//! What Copilot writes to a hook's stdin, in either dialect.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::harness::agent::Wire;
use crate::harness::json::TextField;
use crate::harness::news::parse_news;
use crate::harness::{result, tool};
use crate::model::{Event, Hook, SessionId, ToolCall, ToolResult};

// Each field has two names; with an alias, a payload with both would be unreadable.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CopilotEventWire {
    hook_event_name: TextField,
    #[serde(rename = "hookEventName")]
    own_event_name: TextField,
    session_id: TextField,
    #[serde(rename = "sessionId")]
    own_session: TextField,
    cwd: TextField,
    transcript_path: TextField,
    #[serde(rename = "transcriptPath")]
    own_transcript: TextField,
    tool_name: TextField,
    #[serde(rename = "toolName")]
    own_tool: TextField,
    tool_input: Value,
    #[serde(rename = "toolArgs")]
    own_input: Value,
    tool_result: Value,
    tool_response: Value,
    #[serde(rename = "toolResult")]
    own_result: Value,
    tool_use_id: TextField,
    error: Value,
    prompt: TextField,
    source: TextField,
    reason: TextField,
    stop_hook_active: Value,
    #[serde(rename = "stopHookActive")]
    own_stop_active: Value,
    #[serde(rename = "stopReason")]
    own_stop_reason: Value,
    agent_id: TextField,
    #[serde(rename = "agentId")]
    own_agent: TextField,
    agent_type: TextField,
    #[serde(rename = "agentType")]
    own_agent_type: TextField,
    parent_agent_id: TextField,
    #[serde(rename = "parentAgentId")]
    own_parent: TextField,
    /// Names a subagent that starts, where nothing else names the event.
    #[serde(rename = "agentName")]
    own_agent_name: Value,
    /// The result of a subagent.
    response: TextField,
}

impl Wire for CopilotEventWire {
    /// Converts it to an event; `None` if the name is unknown. Copilot's own dialect does not name it in the payload:
    /// then the command line does, or the fields show it.
    fn into_event(self, event_name: Option<&str>) -> Option<Event> {
        let own_name = self.hook_event_name.filled().or_else(|| self.own_event_name.filled());
        let name = own_name.or_else(|| event_name.map(str::to_owned));
        // A subagent has its own session here; its work belongs to the session that started it.
        let parent = self.own_parent.filled().or_else(|| self.parent_agent_id.filled());
        let tool_name = self.own_tool.filled().or_else(|| self.tool_name.filled());
        let response = [self.own_result, self.tool_result, self.tool_response];
        let response = response.into_iter().find(|one| !one.is_null()).unwrap_or_default();
        let hook = match name {
            Some(name) => parse_hook(&name)?,
            None if tool_name.is_some() && !self.error.is_null() => Hook::PostToolUseFailure,
            None if tool_name.is_some() && !response.is_null() => Hook::PostToolUse,
            None if tool_name.is_some() => Hook::PreToolUse,
            None if self.prompt.0.is_some() => Hook::UserPromptSubmit,
            None if self.source.0.is_some() => Hook::SessionStart,
            None if self.reason.0.is_some() => Hook::SessionEnd,
            None if !self.own_stop_reason.is_null() => Hook::Stop,
            None if !self.own_agent_name.is_null() => Hook::SubagentStart,
            None => return None,
        };
        // The end of a subagent is reported again as its own event; here a refusal would be ignored.
        let hook = if parent.is_some() && hook == Hook::Stop { Hook::Other } else { hook };
        let by_user = |text: &String| parent.is_none() && !text.starts_with("<system_notification>");
        let input = if self.own_input.is_null() { self.tool_input } else { self.own_input };
        let news = tool_name.as_ref().filter(|_| hook == Hook::PostToolUse);
        let news = news.and_then(|name| parse_news(name, &input, &response));
        let error = self.error["message"].as_str().or_else(|| self.error.as_str()).map(str::to_owned);
        let error = error.or_else(|| (hook == Hook::PostToolUseFailure).then(String::new));
        let ran = matches!(hook, Hook::PostToolUse | Hook::PostToolUseFailure)
            .then(|| parse_result(&response, error));
        let prompt = self.prompt.0.filter(|text| hook == Hook::UserPromptSubmit && by_user(text));
        Some(Event {
            hook: ran.as_ref().map_or(hook, result::event_after),
            session: parent
                .or_else(|| self.own_session.filled())
                .or_else(|| self.session_id.filled())
                .map(SessionId),
            cwd: self.cwd.filled().map(PathBuf::from).unwrap_or_default(),
            tool: tool_name.map(|name| parse_call(name, parse_json_text(input))),
            prompt,
            closing_message: self.response.filled(),
            stop_hook_active: [self.own_stop_active, self.stop_hook_active].contains(&Value::Bool(true)),
            transcript: self
                .own_transcript
                .filled()
                .or_else(|| self.transcript_path.filled())
                .map(PathBuf::from),
            news,
            result: ran,
            cause: match hook {
                Hook::SessionStart => self.source.filled().map(usual_source),
                Hook::SessionEnd => self.reason.filled(),
                _ => None,
            },
            tool_use_id: self.tool_use_id.filled(),
            agent_id: self.own_agent.filled().or_else(|| self.agent_id.filled()),
            agent_type: self.own_agent_type.filled().or_else(|| self.agent_type.filled()),
            ..Event::default()
        })
    }
}

/// Copilot has its own word for a session that begins.
fn usual_source(source: String) -> String {
    if source == "new" { "startup".to_owned() } else { source }
}

/// An MCP tool's name begins with the server's name and a hyphen, which Copilot's own tools never have.
fn parse_call(name: String, input: Value) -> ToolCall {
    let parts = if name.starts_with("mcp__") { None } else { name.rsplit_once('-') };
    match parts.map(|(server, tool)| (server.to_owned(), tool.to_owned())) {
        Some((server, tool)) => tool::mcp_call(name, &server, &tool, input),
        None => tool::tool_call(name, input, &Value::Null),
    }
}

/// After a command's output, a line says how it ended: `<shellId: 0 completed with exit code 3>`.
fn parse_result(response: &Value, error: Option<String>) -> ToolResult {
    let mut ran = result::parse_result(response, error, &Value::Null);
    let text = ran.output.trim_end();
    ran.unfinished = text.starts_with("<command started in background");
    let stated = text.strip_suffix('>').and_then(|text| text.rsplit_once('<'));
    let code = |(output, words): (&str, &str)| {
        let code = words.rsplit_once("exit code ")?.1.parse().ok()?;
        Some((output.trim_end().to_owned(), code))
    };
    if let Some((output, code)) = stated.and_then(code) {
        ran.output = output;
        result::set_exit_code(&mut ran, code);
    }
    ran
}

/// Arguments may come as a JSON text.
fn parse_json_text(input: Value) -> Value {
    let object = input.as_str().filter(|text| text.starts_with('{'));
    object.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(input)
}

const OTHER_EVENTS: [&str; 5] =
    ["userPromptTransformed", "permissionRequest", "preCompact", "notification", "errorOccurred"];

fn parse_hook(name: &str) -> Option<Hook> {
    Some(match name.to_ascii_lowercase().as_str() {
        "pretooluse" => Hook::PreToolUse,
        "posttooluse" => Hook::PostToolUse,
        "posttoolusefailure" => Hook::PostToolUseFailure,
        "userpromptsubmitted" | "userpromptsubmit" => Hook::UserPromptSubmit,
        "agentstop" | "stop" => Hook::Stop,
        "sessionstart" => Hook::SessionStart,
        "sessionend" => Hook::SessionEnd,
        "postcompact" => Hook::PostCompact,
        "subagentstart" => Hook::SubagentStart,
        "subagentstop" => Hook::SubagentStop,
        name if OTHER_EVENTS.iter().any(|other| other.eq_ignore_ascii_case(name)) => Hook::Other,
        _ => return None,
    })
}
