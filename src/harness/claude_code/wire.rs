//! What Claude Code writes to a hook's stdin.
//!
//! Every field may be missing or have another type: new versions add and change them every few weeks.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use super::result;
use super::tool::{take, tool_call};
use crate::harness::agent::Wire;
use crate::harness::json::TextField;
use crate::harness::news::parse_news;
use crate::model::{Event, Hook, SessionId};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClaudeEventWire {
    hook_event_name: TextField,
    session_id: TextField,
    cwd: TextField,
    transcript_path: TextField,
    tool_name: TextField,
    tool_input: Value,
    tool_response: Value,
    prompt: TextField,
    user_prompt: TextField,
    source: TextField,
    last_assistant_message: TextField,
    assistant_message: TextField,
    compact_summary: TextField,
    stop_hook_active: Value,
    error: TextField,
    is_interrupt: Value,
    duration_ms: Value,
    reason: TextField,
    tool_use_id: TextField,
    prompt_id: TextField,
    agent_id: TextField,
    agent_type: TextField,
    permission_mode: TextField,
}

/// All events of version 2.1.325, in its own order.
pub(super) const EVENTS: [&str; 33] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
];

impl Wire for ClaudeEventWire {
    /// Converts it to an event; `None` if the name is unknown. The payload's own name wins over the caller's.
    fn into_event(self, event_name: Option<&str>) -> Option<Event> {
        let name = self.hook_event_name.filled().or_else(|| event_name.map(str::to_owned))?;
        let hook = match parse_hook(&name)? {
            // The agent that summarizes a compaction stops without a type and never started: it is not a subagent of
            // the user.
            Hook::SubagentStop if self.agent_type.0.as_deref() == Some("") => Hook::Other,
            hook => hook,
        };
        // A prompt may have no text, only a picture.
        let prompt = self.prompt.0.or(self.user_prompt.0);
        let source = self.source.filled();
        let by_user = source.as_ref().is_none_or(|source| source == "user" || source == "sdk");
        let result = match hook {
            Hook::PostToolUse => Some(result::parse_success(&self.tool_response, &self.duration_ms)),
            Hook::PostToolUseFailure => Some(result::parse_failure(
                self.error.filled().unwrap_or_default(),
                &self.is_interrupt,
                &self.duration_ms,
            )),
            _ => None,
        };
        let news = match (hook, &self.tool_name.0) {
            (Hook::PostToolUse, Some(name)) => parse_news(name, &self.tool_input, &self.tool_response),
            _ => None,
        };
        Some(Event {
            hook,
            harness: super::AGENT.id,
            session: self.session_id.filled().map(SessionId),
            cwd: self.cwd.filled().map(PathBuf::from).unwrap_or_default(),
            project: None,
            tool: self.tool_name.filled().map(|name| tool_call(name, self.tool_input, &self.tool_response)),
            prompt: prompt.filter(|text| by_user && !is_machine_text(text)),
            closing_message: match hook {
                Hook::PostCompact => self.compact_summary.filled(),
                _ => self.last_assistant_message.filled().or_else(|| self.assistant_message.filled()),
            },
            stop_hook_active: self.stop_hook_active == Value::Bool(true),
            transcript: self.transcript_path.filled().map(PathBuf::from),
            news,
            result,
            cause: match hook {
                Hook::SessionStart => source,
                Hook::SessionEnd => self.reason.filled(),
                _ => None,
            },
            tool_use_id: self.tool_use_id.filled(),
            prompt_id: self.prompt_id.filled(),
            agent_id: self.agent_id.filled(),
            agent_type: self.agent_type.filled(),
            permission_mode: self.permission_mode.filled(),
            fingerprint: 0,
        })
    }
}

fn parse_hook(name: &str) -> Option<Hook> {
    Some(match name {
        "PreToolUse" => Hook::PreToolUse,
        "PostToolUse" => Hook::PostToolUse,
        "PostToolUseFailure" => Hook::PostToolUseFailure,
        "UserPromptSubmit" => Hook::UserPromptSubmit,
        "Stop" => Hook::Stop,
        "SessionStart" => Hook::SessionStart,
        "SessionEnd" => Hook::SessionEnd,
        "SubagentStart" => Hook::SubagentStart,
        "SubagentStop" => Hook::SubagentStop,
        "PostCompact" => Hook::PostCompact,
        _ if EVENTS.contains(&name) => Hook::Other,
        _ => return None,
    })
}

/// The beginnings of texts that Claude Code writes in the user's name.
const MACHINE_TEXTS: [&str; 17] = [
    "<task-notification>",
    "<system-reminder>",
    "<local-command-caveat>",
    "Caveat: The messages below were generated by the user while running local commands",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "[Request interrupted by user",
    "This session is being continued from a previous conversation",
    "<user-prompt-submit-hook>",
    "<ide_",
    "<channel",
];

/// Claude Code submits reports of its background tasks, among others, as if the user had written them.
pub(super) fn is_machine_text(prompt: &str) -> bool {
    let prompt = prompt.trim_start();
    MACHINE_TEXTS.iter().any(|start| prompt.starts_with(start))
}

/// Returns the text of a transcript line, if the model wrote it.
pub(super) fn assistant_text(line: &str) -> Option<String> {
    let mut line: Value = serde_json::from_str(line).ok()?;
    if line["type"] != "assistant" {
        return None;
    }
    let mut texts = Vec::new();
    match line["message"]["content"].take() {
        Value::String(text) => texts.push(text),
        Value::Array(parts) => texts.extend(parts.into_iter().filter_map(|mut part| take(&mut part, "text"))),
        _ => {}
    }
    Some(texts.join("\n")).filter(|text| !text.is_empty())
}
