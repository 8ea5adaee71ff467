//! Reads the records of a session: what users and agents said, and which tools were called.

mod turn;

use std::path::Path;

use serde_json::{Map, Value, json};

use super::outcome::{self, CallEnd};
use super::queue::MessageQueue;
use super::record::{self, ClaudeRecordWire, HeadWire};
use super::words::{self, UserText};
use crate::harness::json;
use crate::harness::transcript::{
    COMMON_NAMES, Calls, OpenCall, PastEvent, RecordId, RecordOutcome, TranscriptReader, UnrunCause, Whose,
    hash,
};
use crate::model::{REFUSAL, refusal_id};

/// The start of a session, in the format of its first record.
#[derive(Debug, Default)]
struct Start {
    /// The first record, until it is known why the session started.
    waiting: Option<PastEvent>,
    last_ms: Option<i64>,
}

/// What the agent said last, until it is known whether it went on.
#[derive(Debug)]
struct ClosingText {
    message_id: Option<String>,
    text: String,
    record: ClaudeRecordWire,
    is_end: bool,
}

/// A prompt that waits for the answer: if the answer is a copy, the prompt is one.
#[derive(Debug)]
struct HeldPrompt {
    event: PastEvent,
}

/// A slash command, until it is known whether it is a prompt.
#[derive(Debug)]
struct HeldSlash {
    name: String,
    arguments: String,
    record: ClaudeRecordWire,
}

#[derive(Debug, Default)]
pub(super) struct ClaudeReader {
    is_subagent: bool,
    calls: Calls,
    queue: MessageQueue,
    start: Start,
    prompt: Option<HeldPrompt>,
    slash: Option<HeldSlash>,
    bang: Option<(String, ClaudeRecordWire)>,
    closing: Option<ClosingText>,
    /// The id of the prompt that started the turn.
    prompt_id: Option<String>,
    turn_offset: u64,
    agent_version: Option<String>,
    keeps_files: bool,
}

impl TranscriptReader for ClaudeReader {
    fn keep_files(&mut self) {
        self.keeps_files = true;
    }

    fn resume(&mut self) {
        // Its start was found before.
        self.start.last_ms = Some(0);
    }

    fn read(&mut self, line: &[u8], offset: u64, events: &mut Vec<PastEvent>) -> RecordOutcome {
        let kind = match record::kind_of(line) {
            Some(kind) => kind,
            None => match json::parse_object::<HeadWire>(line).map(|head| head.kind.filled()) {
                Ok(Some(kind)) => kind,
                Ok(None) => return RecordOutcome::Unknown("no type".to_owned()),
                Err(_) => return RecordOutcome::Unreadable,
            },
        };
        let kind = kind.as_str();
        if record::IGNORED.contains(&kind) {
            return RecordOutcome::Known;
        }
        if !record::READ.contains(&kind) {
            return RecordOutcome::Unknown(kind.to_owned());
        }
        let Ok(mut record) = json::parse_object::<ClaudeRecordWire>(line) else {
            return RecordOutcome::Unreadable;
        };
        record.finish();
        if let Some(version) = &record.version.0
            && self.agent_version.as_ref() != Some(version)
        {
            self.agent_version = Some(version.clone());
        }
        self.note_start(&record);
        match kind {
            "user" => self.user(record, offset, events),
            "assistant" => self.assistant(record, offset, events),
            "system" => self.system(&record, events),
            "attachment" => self.attachment(&record, events),
            _ => self.queue.operate(&record),
        }
        RecordOutcome::Known
    }

    fn finish(&mut self, is_settled: bool, events: &mut Vec<PastEvent>) {
        events.extend(self.start.waiting.take());
        self.drop_slash(events);
        self.leave_prompt(None, events);
        if is_settled || self.closing.as_ref().is_some_and(|closing| closing.is_end) {
            self.end_turn(events);
        }
        if is_settled {
            self.queue.leave(events);
        }
    }

    fn is_waiting(&self) -> bool {
        self.closing.is_some() || self.queue.is_waiting()
    }

    fn resume_at(&self) -> u64 {
        self.calls.oldest_offset(self.turn_offset)
    }

    fn agent_version(&self) -> Option<&str> {
        self.agent_version.as_deref()
    }
}

impl ClaudeReader {
    pub(super) fn new(path: &Path) -> ClaudeReader {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let in_folder = path.parent().is_some_and(|folder| folder.ends_with("subagents"));
        ClaudeReader { is_subagent: in_folder || name.starts_with("agent-"), ..ClaudeReader::default() }
    }

    fn user(&mut self, mut record: ClaudeRecordWire, offset: u64, events: &mut Vec<PastEvent>) {
        let mut content = record.message["content"].take();
        if let Some(parts) = content.as_array_mut()
            && parts.iter().any(|part| part["type"] == "tool_result")
        {
            let beside = record.tool_use_result.take();
            // With several results in one record, nobody knows which of them the response belongs to.
            let mut beside = Some(beside).filter(|_| parts.len() == 1);
            for part in parts.iter_mut().filter(|part| part["type"] == "tool_result") {
                self.result(&record, part, beside.take().unwrap_or_default(), events);
            }
            return;
        }
        if self.is_subagent || record.is_sidechain() {
            return;
        }
        let text = words::text_of(&content);
        if record.is_compact_summary == Value::Bool(true) {
            return self.summary(&record, &text, events);
        }
        if record.is_meta == Value::Bool(true) {
            // What a slash command expands to follows it.
            let is_expansion = matches!(words::classify(&text), UserText::Prompt(_));
            if is_expansion && self.slash.as_ref().is_some_and(|slash| slash.record.is_same_turn(&record)) {
                self.take_slash(offset, events);
            }
            return;
        }
        if record.is_visible_only == Value::Bool(true) {
            return;
        }
        if !record.is_by_user() {
            return self.machine_turn(&record, offset, events);
        }
        match words::classify(&text) {
            UserText::Prompt(text) => {
                self.drop_slash(events);
                self.begin_turn(&record, offset, events);
                self.queue.delivered(&text);
                self.hold_prompt(&record, &text, events);
            }
            UserText::Slash { name, arguments } => {
                self.drop_slash(events);
                self.slash = Some(HeldSlash { name, arguments, record });
            }
            UserText::Bang(command) => self.bang = Some((command, record)),
            UserText::BangOutput { stdout, stderr } => self.bang_output(&record, &stdout, &stderr, events),
            UserText::LocalOutput => self.drop_slash(events),
            // Its `Stop` never comes.
            UserText::Interrupted => self.closing = None,
            UserText::MachineTurn => self.machine_turn(&record, offset, events),
            UserText::Nothing => {}
        }
    }

    fn assistant(&mut self, mut record: ClaudeRecordWire, offset: u64, events: &mut Vec<PastEvent>) {
        // A message about the connection, which the model never wrote.
        if record.is_api_error == Value::Bool(true) || record.message["model"] == "<synthetic>" {
            return;
        }
        let message_id = record.message["id"].as_str().map(str::to_owned).or_else(|| record.uuid.0.clone());
        let id = message_id.as_deref().map(RecordId::of);
        let is_main = !self.is_subagent && !record.is_sidechain();
        if is_main {
            self.leave_start(record.at_ms(), events);
            self.take_slash(offset, events);
            self.leave_prompt(id, events);
        }
        let is_end = matches!(record.message["stop_reason"].as_str(), Some("end_turn" | "stop_sequence"));
        let Value::Array(parts) = record.message["content"].take() else { return };
        for mut part in parts {
            match part["type"].as_str() {
                Some("tool_use") => {
                    // It continues, so that was not its last word.
                    if is_main {
                        self.closing = None;
                    }
                    let (Some(call_id), Some(name)) = (part["id"].as_str(), part["name"].as_str()) else {
                        continue;
                    };
                    let (call_id, name) = (call_id.to_owned(), name.to_owned());
                    let input = part["input"].take();
                    self.calls
                        .add(call_id, OpenCall { name, input, record: id, at_ms: record.at_ms(), offset });
                }
                Some("text") if is_main => {
                    let text = part["text"].as_str().unwrap_or_default();
                    self.say(text, message_id.as_ref(), &record, is_end);
                }
                _ => {}
            }
        }
    }

    /// Keeps what the agent says, until it is known whether that was its last word.
    fn say(&mut self, text: &str, message_id: Option<&String>, record: &ClaudeRecordWire, is_end: bool) {
        if text.trim().is_empty() {
            return;
        }
        match &mut self.closing {
            Some(closing) if message_id.is_some() && closing.message_id.as_ref() == message_id => {
                closing.text.push('\n');
                closing.text.push_str(text);
                closing.is_end |= is_end;
            }
            closing => {
                let (message_id, record) = (message_id.cloned(), record.about());
                *closing = Some(ClosingText { message_id, text: text.to_owned(), record, is_end });
            }
        }
    }

    fn result(
        &mut self,
        record: &ClaudeRecordWire,
        part: &mut Value,
        beside: Value,
        events: &mut Vec<PastEvent>,
    ) {
        let Some(id) = part["tool_use_id"].as_str().map(str::to_owned) else { return };
        let Some(call) = self.calls.take(&id) else { return };
        let is_denied = record.tool_denial_kind.0.is_some();
        let (mut payload, hook) = (Map::new(), outcome::parse_end(part, beside, is_denied, self.keeps_files));
        let said = |words: String| {
            let payload = json!({
                "prompt": words,
                "prompt_id": refusal_id(&id),
                "tool_name": call.name,
                "tool_input": call.input,
            });
            let facts = vec![("kind", json!(REFUSAL)), ("tool_use_id", json!(id))];
            self.event(record, "UserPromptSubmit", payload, call.record, facts)
        };
        let unrun = |cause: UnrunCause| {
            let payload = json!({ "tool_name": call.name, "tool_input": call.input, "tool_use_id": id });
            let event = self.event(record, "PreToolUse", payload, call.record, Vec::new());
            PastEvent { unrun: Some(cause), ..event }
        };
        let name = match hook {
            CallEnd::Invalid => {
                events.push(unrun(UnrunCause::Invalid));
                return;
            }
            CallEnd::Refused(words) => {
                events.push(unrun(UnrunCause::Refused));
                events.extend(words.map(said));
                return;
            }
            CallEnd::Done(response) => {
                payload.insert("tool_response".to_owned(), response);
                "PostToolUse"
            }
            CallEnd::Failed(error) => {
                payload.insert("error".to_owned(), error.into());
                "PostToolUseFailure"
            }
        };
        let took = record.at_ms().zip(call.at_ms).map(|(end, start)| (end - start).max(0));
        payload.insert("tool_name".to_owned(), call.name.into());
        payload.insert("tool_input".to_owned(), call.input);
        payload.insert("tool_use_id".to_owned(), id.into());
        payload.insert("duration_ms".to_owned(), json!(took));
        events.push(self.event(record, name, Value::Object(payload), call.record, Vec::new()));
    }

    fn summary(&mut self, record: &ClaudeRecordWire, text: &str, events: &mut Vec<PastEvent>) {
        self.closing = None;
        let payload = json!({ "compact_summary": words::summary_of(text), "prompt_id": self.prompt_id });
        let id = record.uuid.0.as_deref().map(RecordId::of);
        events.push(self.event(record, "PostCompact", payload, id, Vec::new()));
    }

    fn system(&mut self, record: &ClaudeRecordWire, events: &mut Vec<PastEvent>) {
        match record.subtype.0.as_deref() {
            // The hooks for the end of a turn have run, or its time was measured.
            Some("stop_hook_summary" | "turn_duration") => self.end_turn(events),
            Some("local_command") => self.drop_slash(events),
            // When it happens by itself, the turn continues after it.
            Some("compact_boundary") if record.compact_metadata["trigger"] == "manual" => {
                self.end_turn(events);
            }
            _ => {}
        }
    }

    fn attachment(&mut self, record: &ClaudeRecordWire, events: &mut Vec<PastEvent>) {
        let Some(attachment) = &record.attachment else { return };
        match attachment.kind.0.as_deref() {
            Some("queued_command") => {
                let is_prompt = attachment.command_mode.0.as_deref().is_none_or(|mode| mode == "prompt");
                let by_user = attachment.origin["kind"].as_str().is_none_or(|kind| kind == "human");
                let text = words::text_of(&attachment.prompt);
                if is_prompt
                    && by_user
                    && let UserText::Prompt(text) = words::classify(&text)
                {
                    self.queue.delivered(&text);
                    self.leave_prompt(None, events);
                    self.hold_prompt(record, &text, events);
                }
            }
            Some("hook_success" | "hook_additional_context")
                if attachment.hook_event.0.as_deref() == Some("SessionStart") =>
            {
                let name = attachment.hook_name.0.as_deref().unwrap_or_default();
                self.started(record, name.split_once(':').map(|(_, cause)| cause), events);
            }
            _ => {}
        }
    }

    fn bang_output(
        &mut self,
        record: &ClaudeRecordWire,
        stdout: &str,
        stderr: &str,
        events: &mut Vec<PastEvent>,
    ) {
        let Some((command, asked)) = self.bang.take() else { return };
        let payload = json!({
            "tool_name": "Bash",
            "tool_input": { "command": command },
            "tool_response": { "stdout": stdout, "stderr": stderr },
        });
        let id = asked.uuid.0.as_deref().map(RecordId::of);
        events.push(self.event(
            record,
            "PostToolUse",
            payload,
            id,
            vec![("by", json!("user")), ("exit_code", Value::Null)],
        ));
    }

    /// Returns an event with what every payload has.
    fn event(
        &self,
        record: &ClaudeRecordWire,
        name: &'static str,
        payload: Value,
        id: Option<RecordId>,
        facts: Vec<(&'static str, Value)>,
    ) -> PastEvent {
        let whose = Whose {
            session: record.session_id.0.as_deref(),
            cwd: record.cwd.0.as_deref(),
            agent_id: record.agent_id.0.as_deref(),
        };
        let uuid = record.uuid.0.as_deref().unwrap_or_default();
        let time = record.timestamp.0.as_deref().unwrap_or_default();
        PastEvent {
            payload: COMMON_NAMES.payload(name, whose, payload),
            at_ms: record.at_ms().unwrap_or_default(),
            branch: record.git_branch.0.clone().filter(|branch| !branch.is_empty() && branch != "HEAD"),
            record_ids: id.into_iter().collect(),
            facts,
            fingerprint: hash([name, uuid, time]),
            ..PastEvent::default()
        }
    }
}
