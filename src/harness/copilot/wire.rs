//! What Copilot writes to a hook's stdin, in either dialect.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::harness::agent::Wire;
use crate::harness::json::Text;
use crate::harness::{result, tool};
use crate::model::{Event, Hook, SessionId, ToolCall, ToolResult};

// Each field goes by two names; were both there, an alias would make the payload unreadable.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EventWire {
    hook_event_name: Text,
    #[serde(rename = "hookEventName")]
    own_event_name: Text,
    session_id: Text,
    #[serde(rename = "sessionId")]
    own_session: Text,
    cwd: Text,
    transcript_path: Text,
    #[serde(rename = "transcriptPath")]
    own_transcript: Text,
    tool_name: Text,
    #[serde(rename = "toolName")]
    own_tool: Text,
    tool_input: Value,
    #[serde(rename = "toolArgs")]
    own_input: Value,
    tool_result: Value,
    tool_response: Value,
    #[serde(rename = "toolResult")]
    own_result: Value,
    tool_use_id: Text,
    error: Value,
    prompt: Text,
    source: Text,
    reason: Text,
    stop_hook_active: Value,
    #[serde(rename = "stopHookActive")]
    own_stop_active: Value,
    #[serde(rename = "stopReason")]
    own_stop_reason: Value,
    agent_id: Text,
    #[serde(rename = "agentId")]
    own_agent: Text,
    agent_type: Text,
    #[serde(rename = "agentType")]
    own_agent_type: Text,
    parent_agent_id: Text,
    #[serde(rename = "parentAgentId")]
    own_parent: Text,
    /// Names a subagent that starts, where nothing else names the event.
    #[serde(rename = "agentName")]
    own_agent_name: Value,
    /// What a subagent came back with.
    response: Text,
}

impl Wire for EventWire {
    /// Makes the event; `None` if its name is not one we know. Copilot's own dialect does not name it in the
    /// payload: then the command line does, or the fields give it away.
    fn into_event(self, event_name: Option<&str>) -> Option<Event> {
        let said = self.hook_event_name.filled().or_else(|| self.own_event_name.filled());
        let name = said.or_else(|| event_name.map(str::to_owned));
        // A subagent has a session of its own here; what it does belongs to the one that started it.
        let parent = self.own_parent.filled().or_else(|| self.parent_agent_id.filled());
        let tool_name = self.own_tool.filled().or_else(|| self.tool_name.filled());
        let response = [self.own_result, self.tool_result, self.tool_response];
        let response = response.into_iter().find(|one| !one.is_null()).unwrap_or_default();
        let hook = match name {
            Some(name) => hook(&name)?,
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
        // That a subagent ends is told a second time, as its own event; here a refusal would be ignored.
        let hook = if parent.is_some() && hook == Hook::Stop { Hook::Other } else { hook };
        let by_user = |text: &String| parent.is_none() && !text.starts_with("<system_notification>");
        let input = if self.own_input.is_null() { self.tool_input } else { self.own_input };
        let error = self.error["message"].as_str().or_else(|| self.error.as_str()).map(str::to_owned);
        let error = error.or_else(|| (hook == Hook::PostToolUseFailure).then(String::new));
        let ran = matches!(hook, Hook::PostToolUse | Hook::PostToolUseFailure).then(|| ran(&response, error));
        let prompt = self.prompt.0.filter(|text| hook == Hook::UserPromptSubmit && by_user(text));
        Some(Event {
            hook: ran.as_ref().map_or(hook, result::after),
            session: parent
                .or_else(|| self.own_session.filled())
                .or_else(|| self.session_id.filled())
                .map(SessionId),
            cwd: self.cwd.filled().map(PathBuf::from).unwrap_or_default(),
            tool: tool_name.map(|name| call(name, unwrapped(input))),
            prompt,
            closing_message: self.response.filled(),
            stop_hook_active: [self.own_stop_active, self.stop_hook_active].contains(&Value::Bool(true)),
            transcript: self
                .own_transcript
                .filled()
                .or_else(|| self.transcript_path.filled())
                .map(PathBuf::from),
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

/// Copilot's word for a session that begins is not everybody's.
fn usual_source(source: String) -> String {
    if source == "new" { "startup".to_owned() } else { source }
}

/// The tool of a server has the server's name in front, with a hyphen, which Copilot's own tools never have.
fn call(name: String, input: Value) -> ToolCall {
    let parts = if name.starts_with("mcp__") { None } else { name.rsplit_once('-') };
    match parts.map(|(server, tool)| (server.to_owned(), tool.to_owned())) {
        Some((server, tool)) => tool::mcp_call(name, &server, &tool, input),
        None => tool::tool_call(name, input, &Value::Null),
    }
}

/// Below what a command printed, it is told how it ended: `<shellId: 0 completed with exit code 3>`.
fn ran(response: &Value, error: Option<String>) -> ToolResult {
    let mut ran = result::outcome(response, error, &Value::Null);
    let told = ran.output.trim_end();
    ran.unfinished = told.starts_with("<command started in background");
    let stated = told.strip_suffix('>').and_then(|told| told.rsplit_once('<'));
    let code = |(output, words): (&str, &str)| {
        let code = words.rsplit_once("exit code ")?.1.parse().ok()?;
        Some((output.trim_end().to_owned(), code))
    };
    if let Some((output, code)) = stated.and_then(code) {
        ran.output = output;
        result::ended(&mut ran, code);
    }
    ran
}

/// Arguments may come as a text of JSON.
fn unwrapped(input: Value) -> Value {
    let object = input.as_str().filter(|text| text.starts_with('{'));
    object.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(input)
}

const OTHERS: [&str; 5] =
    ["userPromptTransformed", "permissionRequest", "preCompact", "notification", "errorOccurred"];

fn hook(name: &str) -> Option<Hook> {
    Some(match name.to_ascii_lowercase().as_str() {
        "pretooluse" => Hook::PreToolUse,
        "posttooluse" => Hook::PostToolUse,
        "posttoolusefailure" => Hook::PostToolUseFailure,
        "userpromptsubmitted" | "userpromptsubmit" => Hook::UserPromptSubmit,
        "agentstop" | "stop" => Hook::Stop,
        "sessionstart" => Hook::SessionStart,
        "sessionend" => Hook::SessionEnd,
        "subagentstart" => Hook::SubagentStart,
        "subagentstop" => Hook::SubagentStop,
        name if OTHERS.iter().any(|other| other.eq_ignore_ascii_case(name)) => Hook::Other,
        _ => return None,
    })
}
