//! Codex's rollouts, as observed at versions 0.47.0 to 0.166.0.
//!
//! Newer versions write events (`history_mode: paginated`), which alone are read: beside them are the messages of the
//! model, in which a subagent's file repeats its parent's. Older versions write only those messages, and a result is a
//! text.

mod output;

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use self::output::CallOutput;
use crate::harness::json::{self, TextField};
use crate::harness::place::InstallPlace;
use crate::harness::transcript::{
    COMMON_NAMES, Calls, HistoryNames, HistoryReader, OpenCall, PastEvent, RecordId, RecordOutcome,
    TranscriptFolder, TranscriptForm, TranscriptReader, Transcripts, Whose, hash, parse_time_text,
};
use crate::model::SourceRank;

pub(super) static TRANSCRIPTS: Transcripts = Transcripts {
    version: 2,
    folders: |place: &InstallPlace<'_>| {
        let home = super::install::settings_folder(place);
        let folders = [home.join("sessions"), home.join("archived_sessions")];
        folders.map(TranscriptFolder::whole).into_iter().chain([TranscriptFolder::flat(home)]).collect()
    },
    is_transcript: |path: &Path| {
        let name = file_name(path);
        let is_rollout = name.ends_with(".jsonl") || name.ends_with(COMPRESSED);
        name.starts_with("rollout-") && is_rollout || is_history(path)
    },
    // A session is moved to another folder when it is archived, and compressed after some days.
    identity: |path: &Path| file_name(path).trim_end_matches(".zst").to_owned(),
    rank: |path: &Path| if is_history(path) { SourceRank::LastResort } else { SourceRank::Whole },
    form: |path: &Path| {
        let is_compressed = file_name(path).ends_with(COMPRESSED);
        if is_compressed { TranscriptForm::CompressedLines } else { TranscriptForm::Lines }
    },
    reader: |path: &Path| {
        if is_history(path) {
            Box::new(HistoryReader { names: &HISTORY })
        } else {
            Box::new(CodexReader::default())
        }
    },
    folder_hint: None,
    deleted_after_days: None,
    is_by_documentation: false,
};

/// What the user typed, in all sessions.
const HISTORY: HistoryNames = HistoryNames { session: "session_id", text: "text", time: "ts", folder: "cwd" };

fn is_history(path: &Path) -> bool {
    file_name(path) == "history.jsonl"
}

const COMPRESSED: &str = ".jsonl.zst";

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// The beginnings of texts that Codex sends in the user's name.
const MACHINE_TEXTS: [&str; 8] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md",
    "<permissions",
    "<turn_aborted>",
    "<user_shell_command>",
    "<skill",
    "Another language model started",
];

/// Records that say nothing about the session.
const IGNORED: [&str; 4] =
    ["world_state", "token_usage_record", "inter_agent_communication", "inter_agent_communication_metadata"];

/// The most prompts that are kept in case that a file has no events.
const MAX_HELD: usize = 1_000;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LineWire {
    timestamp: TextField,
    #[serde(rename = "type")]
    kind: TextField,
    payload: Value,
}

#[derive(Debug, Default)]
struct CodexReader {
    session: Option<String>,
    /// The thread of a subagent.
    agent_id: Option<String>,
    cwd: Option<String>,
    branch: Option<String>,
    agent_version: Option<String>,
    /// Whether the events tell everything.
    is_paginated: bool,
    turn_id: Option<String>,
    turn_offset: u64,
    is_turn_over: bool,
    calls: Calls,
    /// Prompts of a file that may turn out to have no events.
    held: Vec<PastEvent>,
    has_prompts: bool,
    closing: Option<PastEvent>,
    /// The time of the record, and its text.
    at: (i64, String),
}

impl TranscriptReader for CodexReader {
    fn read(&mut self, line: &[u8], offset: u64, events: &mut Vec<PastEvent>) -> RecordOutcome {
        // Most of a long file is what a compaction keeps of the conversation.
        let Ok(line) = json::parse_object::<LineWire>(line) else { return RecordOutcome::Unreadable };
        let Some(kind) = line.kind.filled() else { return RecordOutcome::Unknown("no type".to_owned()) };
        let time = line.timestamp.0.unwrap_or_default();
        self.at = (parse_time_text(&time).unwrap_or_default(), time);
        match kind.as_str() {
            "session_meta" => self.session_meta(&line.payload, events),
            "turn_context" => {
                self.cwd = line.payload["cwd"].as_str().map(str::to_owned).or(self.cwd.take());
                self.turn_id = line.payload["turn_id"].as_str().map(str::to_owned).or(self.turn_id.take());
            }
            "event_msg" => self.event_msg(line.payload, offset, events),
            "response_item" => self.response_item(line.payload, offset, events),
            "compacted" => self.compacted(&line.payload, events),
            kind if IGNORED.contains(&kind) => {}
            kind => return RecordOutcome::Unknown(kind.to_owned()),
        }
        RecordOutcome::Known
    }

    fn finish(&mut self, is_settled: bool, events: &mut Vec<PastEvent>) {
        if !self.has_prompts {
            events.append(&mut self.held);
        }
        if is_settled {
            events.extend(self.closing.take());
        }
    }

    fn is_waiting(&self) -> bool {
        self.closing.is_some()
    }

    fn agent_version(&self) -> Option<&str> {
        self.agent_version.as_deref()
    }
}

impl CodexReader {
    fn session_meta(&mut self, meta: &Value, events: &mut Vec<PastEvent>) {
        // A subagent's file has a second one, of its parent.
        if self.session.is_some() {
            return;
        }
        let text = |name: &str| meta[name].as_str().map(str::to_owned);
        let (id, session) = (text("id"), text("session_id"));
        let parent = text("parent_thread_id").or_else(|| {
            meta.pointer("/source/subagent/thread_spawn/parent_thread_id")?.as_str().map(str::to_owned)
        });
        self.session = session.or(parent.clone()).or(id.clone());
        self.agent_id =
            id.filter(|id| self.session.as_ref() != Some(id)).or(parent.map(|_| "subagent".to_owned()));
        self.cwd = text("cwd");
        self.branch = meta["git"]["branch"].as_str().map(str::to_owned);
        self.agent_version = text("cli_version");
        self.is_paginated = meta["history_mode"] == "paginated";
        // After a turn was taken back, the same thread continues in another file.
        let goes_on = meta["history_base"]["thread_id"].as_str().is_some_and(|base| meta["id"] == base);
        if self.agent_id.is_none() && !goes_on {
            events.push(self.event("SessionStart", json!({}), None, Vec::new()));
        }
    }

    fn event_msg(&mut self, mut payload: Value, offset: u64, events: &mut Vec<PastEvent>) {
        let text = |name: &str| payload[name].as_str().map(str::to_owned);
        match payload["type"].as_str() {
            Some("task_started" | "turn_started") => {
                self.turn_id = text("turn_id").or(self.turn_id.take());
                (self.turn_offset, self.is_turn_over) = (offset, false);
            }
            Some("task_complete" | "turn_complete") => {
                self.turn_id = text("turn_id").or(self.turn_id.take());
                self.is_turn_over = true;
                self.closing = None;
                let message = text("last_agent_message").filter(|message| !message.is_empty());
                events.extend(message.and_then(|message| self.stop(&message)));
            }
            Some("turn_aborted") => self.closing = None,
            Some("user_message") if !self.is_paginated => {
                let message = text("message").unwrap_or_default();
                self.has_prompts = true;
                self.held.clear();
                events.extend(self.closing.take());
                events.extend(self.prompt(&message));
            }
            Some("agent_message") if !self.is_paginated => {
                self.closing = text("message").and_then(|message| self.stop(&message));
            }
            Some("item_completed") => {
                self.turn_id = text("turn_id").or(self.turn_id.take());
                let at = payload["completed_at_ms"].as_i64();
                self.at.0 = at.unwrap_or(self.at.0);
                self.item(payload["item"].take(), events);
            }
            Some("exec_command_end") if !self.is_paginated => {
                let Some(id) = text("call_id") else { return };
                let output = text("aggregated_output").unwrap_or_default();
                if let Some(call) = self.calls.take(&id) {
                    let end = CallOutput { text: output, exit_code: payload["exit_code"].as_i64() };
                    events.push(self.call_ended(&id, call, &end));
                }
            }
            _ => {}
        }
    }

    /// A thing that is done: a message, a command, a change.
    fn item(&mut self, mut item: Value, events: &mut Vec<PastEvent>) {
        let Some(id) = item["id"].as_str().map(str::to_owned) else { return };
        match item["type"].as_str() {
            Some("UserMessage") => {
                let parts = item["content"].as_array().into_iter().flatten();
                let texts =
                    parts.filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str());
                let text = texts.collect::<Vec<_>>().join("\n");
                events.extend(self.prompt(&text));
            }
            Some("CommandExecution") => events.extend(self.command(&id, &item)),
            Some("FileChange") if item["status"] == "completed" => {
                // The changes are in no order; that of the patch is the one that the hook sees.
                let Some(call) = self.calls.take(&id) else { return };
                let output = item["stdout"].as_str().unwrap_or_default().to_owned();
                events.push(self.call_ended(&id, call, &CallOutput { text: output, exit_code: Some(0) }));
            }
            Some("McpToolCall") => {
                drop(self.calls.take(&id));
                let name = |part: &str| item[part].as_str().unwrap_or_default().to_owned();
                let tool = format!("mcp__{}__{}", name("server"), name("tool"));
                let is_failed = item["status"] == "failed";
                let response = match item["result"].take() {
                    Value::Object(mut result) => {
                        result.remove("structuredContent");
                        if is_failed {
                            result.insert("isError".to_owned(), Value::Bool(true));
                        }
                        Value::Object(result)
                    }
                    _ => {
                        let error = &item["error"];
                        let text = error["message"].as_str().or(error.as_str()).unwrap_or_default();
                        json!({ "isError": is_failed, "content": [{ "type": "text", "text": text }] })
                    }
                };
                let input = item["arguments"].take();
                events.push(self.tool_event(&id, &tool, input, response, None));
            }
            Some("SubAgentActivity") if item["kind"] == "started" => {
                let Some(call) = self.calls.take(&id) else { return };
                events.push(self.call_ended(&id, call, &CallOutput { text: String::new(), exit_code: None }));
            }
            Some("WebSearch") => {
                let input = json!({ "query": item["query"] });
                events.push(self.tool_event(&id, "WebSearch", input, Value::Null, None));
            }
            _ => {}
        }
    }

    fn command(&mut self, id: &str, item: &Value) -> Option<PastEvent> {
        drop(self.calls.take(id));
        let words: Vec<&str> = item["command"].as_array()?.iter().filter_map(Value::as_str).collect();
        let command = output::script(&words)?;
        let exit_code = item["exit_code"].as_i64();
        // What Codex kills when it ends has not failed.
        let is_killed = exit_code == Some(-1) || exit_code == Some(137) && self.is_turn_over;
        let text = item["aggregated_output"].as_str().unwrap_or_default();
        let exit_code = exit_code.filter(|_| !is_killed);
        let mut event = self.tool_event(id, "Bash", json!({ "command": command }), json!(text), exit_code);
        if is_killed {
            event.facts.push(("interrupted", json!(true)));
        }
        if item["source"] == "user_shell" {
            event.facts.push(("by", json!("user")));
        }
        Some(event)
    }

    fn response_item(&mut self, mut item: Value, offset: u64, events: &mut Vec<PastEvent>) {
        let text = |item: &Value, name: &str| item[name].as_str().map(str::to_owned);
        match item["type"].as_str() {
            Some("function_call" | "custom_tool_call" | "local_shell_call") => {
                let (Some(id), Some(call)) = (text(&item, "call_id"), output::parse_call(&mut item)) else {
                    return;
                };
                let record = self.record_id(&id);
                let (name, input) = call;
                // The list is in the call; nothing reports its end.
                if name == "update_plan" {
                    events.push(self.tool_event(&id, &name, input, Value::Null, None));
                    return;
                }
                self.calls.add(id, OpenCall { name, input, record, at_ms: Some(self.at.0), offset });
            }
            Some("function_call_output" | "custom_tool_call_output") if !self.is_paginated => {
                let Some(id) = text(&item, "call_id") else { return };
                let Some(end) = output::parse_output(&item["output"]) else { return };
                if let Some(call) = self.calls.take(&id) {
                    self.closing = None;
                    events.push(self.call_ended(&id, call, &end));
                }
            }
            Some("message") if !self.is_paginated && item["role"] == "user" && !self.has_prompts => {
                let parts = item["content"].as_array().into_iter().flatten();
                let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
                let text = texts.join("\n");
                let is_machine = MACHINE_TEXTS.iter().any(|start| text.trim_start().starts_with(start));
                if !is_machine && self.held.len() < MAX_HELD {
                    let prompt = self.prompt(&text);
                    self.held.extend(prompt);
                }
            }
            _ => {}
        }
    }

    fn call_ended(&self, id: &str, call: OpenCall, end: &CallOutput) -> PastEvent {
        let response = match call.name.as_str() {
            // The hook finds the exit code of a patch in its first line.
            "apply_patch" => {
                let code = end.exit_code.unwrap_or_default();
                json!(format!("Exit code: {code}\nOutput:\n{}", end.text))
            }
            _ => json!(end.text),
        };
        let exit_code = end.exit_code.filter(|_| call.name == "Bash");
        let mut event = self.tool_event(id, &call.name, call.input, response, exit_code);
        event.record_ids = call.record.into_iter().collect();
        event
    }

    fn compacted(&self, payload: &Value, events: &mut Vec<PastEvent>) {
        let message = payload["message"].as_str().filter(|_| self.agent_id.is_none());
        let Some(summary) = message.and_then(output::summary_of) else { return };
        let payload = json!({ "compact_summary": summary, "turn_id": self.turn_id });
        events.push(self.event("PostCompact", payload, None, Vec::new()));
    }

    fn prompt(&self, text: &str) -> Option<PastEvent> {
        if self.agent_id.is_some() || text.trim().is_empty() {
            return None;
        }
        let payload = json!({ "prompt": text.trim(), "turn_id": self.turn_id });
        let id = self.turn_id.as_deref().map(|turn| RecordId::of(&format!("{turn} {text}")));
        Some(self.event("UserPromptSubmit", payload, id, Vec::new()))
    }

    fn stop(&self, text: &str) -> Option<PastEvent> {
        if self.agent_id.is_some() {
            return None;
        }
        let payload = json!({ "last_assistant_message": text, "turn_id": self.turn_id });
        let id = self.turn_id.as_deref().map(|turn| RecordId::of(&format!("{turn} stop")));
        Some(self.event("Stop", payload, id, Vec::new()))
    }

    fn tool_event(
        &self,
        id: &str,
        name: &str,
        input: Value,
        response: Value,
        exit_code: Option<i64>,
    ) -> PastEvent {
        let mut payload = json!({ "tool_name": name, "tool_use_id": id, "turn_id": self.turn_id });
        payload["tool_input"] = input;
        payload["tool_response"] = response;
        let record = self.record_id(id);
        PastEvent { exit_code, ..self.event("PostToolUse", payload, record, Vec::new()) }
    }

    /// Returns the id of a call in its turn: ids of calls alone may start again in every session.
    fn record_id(&self, id: &str) -> Option<RecordId> {
        self.turn_id.as_deref().map(|turn| RecordId::of(&format!("{turn} {id}")))
    }

    fn event(
        &self,
        name: &'static str,
        payload: Value,
        id: Option<RecordId>,
        facts: Vec<(&'static str, Value)>,
    ) -> PastEvent {
        let session = self.session.as_deref();
        let whose = Whose { session, cwd: self.cwd.as_deref(), agent_id: self.agent_id.as_deref() };
        PastEvent {
            fingerprint: hash([name, session.unwrap_or_default(), &self.at.1]),
            payload: COMMON_NAMES.payload(name, whose, payload),
            at_ms: self.at.0,
            branch: self.branch.clone(),
            record_ids: id.into_iter().collect(),
            facts,
            ..PastEvent::default()
        }
    }
}

#[cfg(test)]
mod tests;
