//! Where sessions and turns begin and end: what is certain only once a later record was read waits here.

use serde_json::json;

use super::{ClaudeReader, ClaudeRecordWire, HeldPrompt, HeldSlash};
use crate::harness::transcript::{PastEvent, RecordId};

/// Two starts of a session within this time are one: a hook's output is recorded beside it.
const START_WINDOW_MS: i64 = 60_000;

impl ClaudeReader {
    /// Notes the first record of a session.
    pub(super) fn note_start(&mut self, record: &ClaudeRecordWire) {
        if self.is_subagent || self.start.last_ms.is_some() || record.session_id.0.is_none() {
            return;
        }
        let Some(at_ms) = record.at_ms() else { return };
        // A copied record may be older than the session.
        self.start.last_ms = Some(at_ms);
        self.start.waiting = Some(self.event(record, "SessionStart", json!({}), None, Vec::new()));
    }

    /// Notes why a session started, or started again.
    pub(super) fn started(
        &mut self,
        record: &ClaudeRecordWire,
        cause: Option<&str>,
        events: &mut Vec<PastEvent>,
    ) {
        let Some(at_ms) = record.at_ms() else { return };
        if let Some(waiting) = &mut self.start.waiting {
            // A fork repeats the start of the session that it comes from.
            if (at_ms - waiting.at_ms).abs() > START_WINDOW_MS {
                return;
            }
            if let (Some(cause), Some(payload)) = (cause, waiting.payload.as_object_mut()) {
                payload.insert("source".to_owned(), cause.into());
            }
            return;
        }
        if self.start.last_ms.is_some_and(|last| (at_ms - last).abs() < START_WINDOW_MS && cause.is_none()) {
            return;
        }
        self.start.last_ms = Some(at_ms);
        let id = record.uuid.0.as_deref().map(RecordId::of);
        events.push(self.event(record, "SessionStart", json!({ "source": cause }), id, Vec::new()));
    }

    /// Lets the start go when the session's own records begin; a fork repeats older ones first.
    pub(super) fn leave_start(&mut self, at_ms: Option<i64>, events: &mut Vec<PastEvent>) {
        let is_own = |start: &mut PastEvent| at_ms.is_some_and(|at_ms| at_ms >= start.at_ms);
        events.extend(self.start.waiting.take_if(is_own));
    }

    pub(super) fn machine_turn(
        &mut self,
        record: &ClaudeRecordWire,
        offset: u64,
        events: &mut Vec<PastEvent>,
    ) {
        self.drop_slash(events);
        self.begin_turn(record, offset, events);
    }

    pub(super) fn begin_turn(&mut self, record: &ClaudeRecordWire, offset: u64, events: &mut Vec<PastEvent>) {
        self.leave_prompt(None, events);
        self.end_turn(events);
        self.prompt_id = record.prompt_id.0.clone();
        self.turn_offset = offset;
    }

    pub(super) fn end_turn(&mut self, events: &mut Vec<PastEvent>) {
        self.queue.leave(events);
        let Some(closing) = self.closing.take() else { return };
        let payload = json!({ "last_assistant_message": closing.text, "prompt_id": self.prompt_id });
        let id = closing.message_id.as_deref().map(RecordId::of);
        events.push(self.event(&closing.record, "Stop", payload, id, Vec::new()));
    }

    pub(super) fn hold_prompt(&mut self, record: &ClaudeRecordWire, text: &str, events: &mut Vec<PastEvent>) {
        self.leave_start(record.at_ms(), events);
        let prompt_id = record.prompt_id.0.as_ref().or(self.prompt_id.as_ref()).or(record.uuid.0.as_ref());
        let payload = json!({ "prompt": text, "prompt_id": prompt_id });
        let id = record.uuid.0.as_deref().map(RecordId::of);
        let event = self.event(record, "UserPromptSubmit", payload, id, Vec::new());
        self.prompt = Some(HeldPrompt { event });
    }

    /// Lets the waiting prompt go, with the id of the answer to it.
    pub(super) fn leave_prompt(&mut self, answer: Option<RecordId>, events: &mut Vec<PastEvent>) {
        let Some(HeldPrompt { mut event }) = self.prompt.take() else { return };
        event.record_ids.extend(answer);
        events.push(event);
    }

    /// The waiting slash command is a prompt: the model answers it.
    pub(super) fn take_slash(&mut self, offset: u64, events: &mut Vec<PastEvent>) {
        let Some(HeldSlash { name, arguments, record }) = self.slash.take() else { return };
        self.begin_turn(&record, offset, events);
        self.hold_prompt(&record, format!("/{name} {arguments}").trim_end(), events);
    }

    /// The waiting slash command is one of Claude Code; only what the user wrote behind `/compact` is a wish.
    pub(super) fn drop_slash(&mut self, events: &mut Vec<PastEvent>) {
        let Some(HeldSlash { name, arguments, record }) = self.slash.take() else { return };
        if name == "compact" && !arguments.is_empty() {
            let payload = json!({ "prompt": format!("/compact {arguments}"), "prompt_id": record.uuid.0 });
            let id = record.uuid.0.as_deref().map(RecordId::of);
            events.push(self.event(&record, "UserPromptSubmit", payload, id, Vec::new()));
        }
    }
}
