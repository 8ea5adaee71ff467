//! Copilot CLI's events, as observed at version 1.0.102.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::harness::json::{self, TextField};
use crate::harness::place::InstallPlace;
use crate::harness::transcript::{
    Calls, CommonNames, OpenCall, PastEvent, RecordId, RecordOutcome, TranscriptFolder, TranscriptForm,
    TranscriptReader, Transcripts, Whose, hash, parse_time_text, path_identity,
};
use crate::model::SourceRank;

pub(super) static TRANSCRIPTS: Transcripts = Transcripts {
    version: 1,
    folders: |place: &InstallPlace<'_>| {
        vec![TranscriptFolder::whole(super::install::settings_folder(place).join("session-state"))]
    },
    is_transcript: |path: &Path| path.file_name().is_some_and(|name| name == "events.jsonl"),
    identity: path_identity,
    rank: |_| SourceRank::Whole,
    form: |_| TranscriptForm::Lines,
    reader: |path: &Path| {
        let folder = path.parent().and_then(Path::file_name);
        let session = folder.map(|name| name.to_string_lossy().into_owned());
        Box::new(CopilotReader { session, ..CopilotReader::default() })
    },
    folder_hint: None,
    deleted_after_days: None,
    is_by_documentation: false,
};

/// The names in Copilot's payloads.
const NAMES: CommonNames = CommonNames { event: "hookEventName", session: "sessionId", agent: "agentId" };

/// Beginnings of the types of events that say nothing about the work: there are about 130 of them.
const IGNORED: [&str; 10] = [
    "system.",
    "assistant.",
    "session.",
    "subagent.",
    "hook.",
    "tool.",
    "permission.",
    "user_input.",
    "skill.",
    "abort",
];

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EventWire {
    #[serde(rename = "type")]
    kind: TextField,
    data: Value,
    id: TextField,
    timestamp: TextField,
    #[serde(rename = "agentId")]
    agent_id: TextField,
}

#[derive(Debug, Default)]
struct CopilotReader {
    session: Option<String>,
    cwd: Option<String>,
    branch: Option<String>,
    agent_version: Option<String>,
    calls: Calls,
    closing: Option<PastEvent>,
}

impl TranscriptReader for CopilotReader {
    fn read(&mut self, line: &[u8], offset: u64, events: &mut Vec<PastEvent>) -> RecordOutcome {
        let Ok(mut event) = json::parse_object::<EventWire>(line) else { return RecordOutcome::Unreadable };
        let Some(kind) = event.kind.0.take() else { return RecordOutcome::Unknown("no type".to_owned()) };
        let is_main = event.agent_id.0.is_none();
        let text = |name: &str| event.data[name].as_str().map(str::to_owned);
        match kind.as_str() {
            "session.start" | "session.resume" => {
                self.agent_version = text("copilotVersion").or(self.agent_version.take());
                self.place(&event.data["context"]);
                let source = if kind == "session.start" { "new" } else { "resume" };
                events.push(self.event(&event, "sessionStart", json!({ "source": source })));
            }
            "session.context_changed" => self.place(&event.data),
            "session.shutdown" => {
                events.extend(self.closing.take());
                events.push(self.event(&event, "sessionEnd", json!({ "reason": "shutdown" })));
            }
            "user.message" if is_main => {
                let by_user = event.data["source"].is_null()
                    && event.data["isAutopilotContinuation"] != Value::Bool(true);
                if let Some(prompt) = text("content").filter(|_| by_user) {
                    events.extend(self.closing.take());
                    events.push(self.event(&event, "userPromptSubmitted", json!({ "prompt": prompt })));
                }
            }
            "assistant.message" if is_main => {
                let message = text("content").filter(|message| !message.trim().is_empty());
                let goes_on = event.data["toolRequests"].as_array().is_some_and(|calls| !calls.is_empty());
                let said = message.filter(|_| !goes_on);
                self.closing = said.map(|said| self.event(&event, "agentStop", json!({ "response": said })));
            }
            "tool.execution_start" => {
                let (Some(id), Some(name)) = (text("toolCallId"), text("toolName")) else {
                    return RecordOutcome::Known;
                };
                let of_server = text("mcpServerName").zip(text("mcpToolName"));
                let name = of_server.map_or(name, |(server, tool)| format!("{server}-{tool}"));
                let at_ms = event.timestamp.0.as_deref().and_then(parse_time_text);
                let input = event.data["arguments"].take();
                self.calls.add(id, OpenCall { name, input, record: None, at_ms, offset });
            }
            "tool.execution_complete" => {
                let call = text("toolCallId").and_then(|id| self.calls.take(&id));
                events.extend(call.and_then(|call| self.ended(&event, call)));
            }
            "session.compaction_complete" => {
                let summary = text("summaryContent").or_else(|| text("summary"));
                let compacted = summary.map(|summary| json!({ "response": summary }));
                events.extend(compacted.map(|payload| self.event(&event, "postCompact", payload)));
            }
            "abort" => self.closing = None,
            _ if IGNORED.iter().any(|start| kind.starts_with(start)) || kind == "user.message" => {}
            _ => return RecordOutcome::Unknown(kind),
        }
        RecordOutcome::Known
    }

    fn finish(&mut self, _: bool, events: &mut Vec<PastEvent>) {
        // A message without a call ends the turn.
        events.extend(self.closing.take());
    }

    fn is_waiting(&self) -> bool {
        self.closing.is_some()
    }

    fn agent_version(&self) -> Option<&str> {
        self.agent_version.as_deref()
    }
}

impl CopilotReader {
    fn place(&mut self, context: &Value) {
        let text = |name: &str| context[name].as_str().map(str::to_owned);
        self.cwd = text("cwd").or(self.cwd.take());
        self.branch = text("branch").or(self.branch.take());
    }

    fn ended(&self, event: &EventWire, call: OpenCall) -> Option<PastEvent> {
        let data = &event.data;
        let error = data["error"]["message"].as_str();
        if error.is_some_and(|error| error.starts_with("Tool '") && error.ends_with("does not exist.")) {
            return None;
        }
        let output = data["result"]["content"].as_str().unwrap_or_default();
        let succeeded = data["success"] == Value::Bool(true);
        let mut payload = json!({ "toolName": call.name });
        payload["toolArgs"] = call.input;
        let name = if succeeded {
            let mut result = json!({ "resultType": "success", "textResultForLlm": output });
            if let Some(code) = data["shellExecution"]["exitCode"].as_i64() {
                result["exitCode"] = json!(code);
            }
            payload["toolResult"] = result;
            "postToolUse"
        } else {
            payload["error"] = json!(error.unwrap_or(output));
            "postToolUseFailure"
        };
        Some(self.event(event, name, payload))
    }

    fn event(&self, event: &EventWire, name: &'static str, payload: Value) -> PastEvent {
        let whose = Whose {
            session: self.session.as_deref(),
            cwd: self.cwd.as_deref(),
            agent_id: event.agent_id.0.as_deref(),
        };
        let id = event.id.0.as_deref().unwrap_or_default();
        let time = event.timestamp.0.as_deref().unwrap_or_default();
        PastEvent {
            payload: NAMES.payload(name, whose, payload),
            at_ms: parse_time_text(time).unwrap_or_default(),
            branch: self.branch.clone(),
            record_ids: event.id.0.as_deref().map(RecordId::of).into_iter().collect(),
            fingerprint: hash([name, id, time]),
            ..PastEvent::default()
        }
    }
}

#[cfg(test)]
mod tests;
