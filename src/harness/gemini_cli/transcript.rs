//! Gemini CLI's chats, as observed at versions 0.24.5 to 0.61.0.
//!
//! Older versions write one document, newer ones a line for each change. A message is written again when its tools are
//! done, and after a resume the whole history is repeated with other times: the first record with an id counts.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::wire::{as_sent, without_hook_context};
use crate::harness::json;
use crate::harness::place::InstallPlace;
use crate::harness::transcript::{
    COMMON_NAMES, FolderHint, PastEvent, RecordId, RecordOutcome, TranscriptFolder, TranscriptForm,
    TranscriptReader, Transcripts, UnrunCause, Whose, hash, parse_time, path_identity,
};
use crate::model::{SourceRank, sha256_hex};

pub(super) static TRANSCRIPTS: Transcripts = Transcripts {
    version: 1,
    folders: |place: &InstallPlace<'_>| {
        vec![TranscriptFolder::whole(super::install::settings_folder(place).join("tmp"))]
    },
    is_transcript: |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let in_chats = path.parent().is_some_and(|folder| folder.iter().any(|part| part == "chats"));
        in_chats && name.starts_with("session-") && (name.ends_with(".jsonl") || name.ends_with(".json"))
    },
    // A document that is resumed becomes lines.
    identity: |path: &Path| path_identity(&path.with_extension("")),
    rank: |_| SourceRank::Whole,
    form: |path: &Path| {
        let is_document = path.extension().is_some_and(|ending| ending == "json");
        if is_document { TranscriptForm::Document } else { TranscriptForm::Lines }
    },
    reader: |_| Box::new(GeminiReader::default()),
    folder_hint: Some(&FolderHint {
        // The folder above `chats` is a short name of the project; this file in it has the path.
        root_file: |path: &Path| Some(above_chats(path)?.join(".project_root")),
        described_session: |_| None,
        session: |_| None,
        // Older versions name it with the hash of the path.
        is_named_after: |path: &Path, root: &Path| {
            let name = above_chats(path).and_then(Path::file_name).and_then(|name| name.to_str());
            name.is_some_and(|name| name.len() == 64 && name == sha256_hex(root.to_string_lossy().as_bytes()))
        },
    }),
    // `sessionRetention.maxAge`, unless the user has changed it.
    deleted_after_days: Some(30),
    is_by_documentation: false,
};

/// Returns the folder that has the sessions of a project.
fn above_chats(path: &Path) -> Option<&Path> {
    path.ancestors().find(|folder| folder.ends_with("chats"))?.parent()
}

#[derive(Debug, Default)]
struct GeminiReader {
    session: Option<String>,
    cwd: Option<PathBuf>,
    is_subagent: bool,
    /// Messages and calls that were read.
    seen: HashSet<RecordId>,
    closing: Option<PastEvent>,
    /// The start of the session, until something happens in it.
    start: Option<PastEvent>,
}

impl TranscriptReader for GeminiReader {
    fn set_folder(&mut self, folder: &Path) {
        self.cwd = Some(folder.to_owned());
    }

    fn read(&mut self, record: &[u8], _: u64, events: &mut Vec<PastEvent>) -> RecordOutcome {
        let Ok(mut record) = json::parse_object::<Value>(record) else { return RecordOutcome::Unreadable };
        if let Some(session) = record["sessionId"].as_str() {
            self.header(session.to_owned(), &record);
            self.messages(record["messages"].take(), events);
            return RecordOutcome::Known;
        }
        if record.get("$set").is_some() {
            self.history(record["$set"]["messages"].take(), events);
            return RecordOutcome::Known;
        }
        if record.get("$rewindTo").is_some() {
            return RecordOutcome::Known;
        }
        match record["type"].as_str() {
            Some("user" | "gemini" | "info" | "error" | "warning") => {
                self.message(record, events);
                RecordOutcome::Known
            }
            kind => RecordOutcome::Unknown(kind.unwrap_or("no type").to_owned()),
        }
    }

    fn finish(&mut self, is_settled: bool, events: &mut Vec<PastEvent>) {
        if is_settled {
            events.extend(self.closing.take());
        }
    }

    fn is_waiting(&self) -> bool {
        self.closing.is_some()
    }
}

impl GeminiReader {
    fn header(&mut self, session: String, record: &Value) {
        let is_again = self.session.is_some();
        self.session = Some(session);
        self.is_subagent = record["kind"] == "subagent";
        let Some(at_ms) = parse_time(&record["startTime"]).filter(|_| !self.is_subagent) else { return };
        let source = if is_again { "resume" } else { "startup" };
        let time = record["startTime"].as_str().unwrap_or_default();
        // A resume in another minute leaves a second file with nothing but the context.
        self.start = Some(self.event("SessionStart", json!({ "source": source }), at_ms, time, None));
    }

    /// Reads the history that a resume repeats: only a prompt that nobody has written down yet is new.
    fn history(&mut self, messages: Value, events: &mut Vec<PastEvent>) {
        let Value::Array(messages) = messages else { return };
        for message in messages.into_iter().filter(|message| message["type"] == "user") {
            self.message(message, events);
        }
    }

    /// Reads the messages of a document.
    fn messages(&mut self, messages: Value, events: &mut Vec<PastEvent>) {
        let Value::Array(messages) = messages else { return };
        for message in messages {
            self.message(message, events);
        }
    }

    fn message(&mut self, mut message: Value, events: &mut Vec<PastEvent>) {
        let Some(id) = message["id"].as_str().map(str::to_owned) else { return };
        let Some(at_ms) = parse_time(&message["timestamp"]) else { return };
        let is_new = self.seen.insert(RecordId::of(&id));
        let text = text_of(&message["content"]);
        match message["type"].as_str() {
            Some("user") if is_new && !self.is_subagent && !id.ends_with("_response") => {
                if let Some(text) = prompt_of(&message["content"], &text) {
                    events.extend(self.closing.take().into_iter().chain(self.start.take()));
                    let record = RecordId::of(&id);
                    let payload = json!({ "prompt": text });
                    events.push(self.event("BeforeAgent", payload, at_ms, &id, Some(record)));
                }
            }
            Some("gemini") => {
                if let Value::Array(calls) = message["toolCalls"].take()
                    && !calls.is_empty()
                {
                    self.closing = None;
                    calls.into_iter().for_each(|call| events.extend(self.call(&id, call, at_ms)));
                } else if is_new && !self.is_subagent && !text.trim().is_empty() {
                    let record = RecordId::of(&id);
                    let payload = json!({ "prompt_response": text });
                    self.closing = Some(self.event("AfterAgent", payload, at_ms, &id, Some(record)));
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, message: &str, mut call: Value, at_ms: i64) -> Option<PastEvent> {
        let name = call["name"].as_str()?.to_owned();
        let is_refused = call["status"] == "cancelled";
        if !is_refused && !matches!(call["status"].as_str(), Some("success" | "error")) {
            return None;
        }
        let id = format!("{message} {}", call["id"].as_str().unwrap_or_default());
        let record = RecordId::of(&id);
        if !self.seen.insert(record) {
            return None;
        }
        if is_refused {
            let payload = json!({ "tool_name": name, "tool_input": call["args"].take() });
            let event = self.event("BeforeTool", payload, at_ms, &id, Some(record));
            return Some(PastEvent { unrun: Some(UnrunCause::Refused), ..event });
        }
        let mut response = call.pointer_mut("/result/0/functionResponse/response")?.take();
        let error = response["error"].take();
        let output = response["output"].as_str().map(as_sent).unwrap_or_default();
        let payload = json!({
            "tool_name": name,
            "tool_input": call["args"].take(),
            "tool_response": { "llmContent": output, "error": error },
        });
        let at_ms = parse_time(&call["timestamp"]).unwrap_or(at_ms);
        Some(self.event("AfterTool", payload, at_ms, &id, Some(record)))
    }

    fn event(
        &self,
        name: &'static str,
        payload: Value,
        at_ms: i64,
        id: &str,
        record: Option<RecordId>,
    ) -> PastEvent {
        let cwd = self.cwd.as_deref().and_then(Path::to_str);
        let whose = Whose { session: self.session.as_deref(), cwd, agent_id: None };
        PastEvent {
            payload: COMMON_NAMES.payload(name, whose, payload),
            at_ms,
            record_ids: record.into_iter().collect(),
            fingerprint: hash([name, id]),
            ..PastEvent::default()
        }
    }
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Returns what the user wrote; a hook's context is in front of it.
fn prompt_of<'t>(content: &Value, text: &'t str) -> Option<&'t str> {
    let parts = content.as_array().into_iter().flatten();
    if parts.into_iter().any(|part| part.get("functionResponse").is_some()) {
        return None;
    }
    let text = without_hook_context(text);
    (!text.is_empty() && !text.starts_with("<session_context>")).then_some(text)
}

#[cfg(test)]
mod tests;
