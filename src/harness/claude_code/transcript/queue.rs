//! Messages that the user sent while the agent worked: some versions record them only when they enter the queue.

use serde_json::json;

use super::record::ClaudeRecordWire;
use super::words::{self, UserText};
use crate::harness::transcript::{COMMON_NAMES, PastEvent, Whose, hash};

/// The messages in the queue, and those that were taken out of it and are not in the conversation yet.
#[derive(Debug, Default)]
pub(super) struct MessageQueue {
    waiting: Vec<PastEvent>,
    absorbed: Vec<PastEvent>,
}

/// A longer queue is not one that a person filled.
const MAX_QUEUED: usize = 64;

impl MessageQueue {
    /// Follows one operation on the queue.
    pub(super) fn operate(&mut self, record: &ClaudeRecordWire) {
        let text = words::text_of(&record.content);
        match record.operation.0.as_deref() {
            Some("enqueue") => {
                if let UserText::Prompt(text) = words::classify(&text)
                    && !text.starts_with('/')
                    && self.waiting.len() < MAX_QUEUED
                {
                    self.waiting.push(queued(record, &text));
                }
            }
            // The agent takes it into the running turn. The record has no text in older versions.
            Some("remove") => {
                let named = self.waiting.iter().position(|one| one.payload["prompt"] == text.as_str());
                let index =
                    named.or_else(|| text.is_empty().then(|| self.waiting.len().checked_sub(1)).flatten());
                self.absorbed.extend(index.map(|index| self.waiting.remove(index)));
            }
            // The user took them back.
            Some("popAll") => self.waiting.clear(),
            // The next record is the prompt.
            _ => {}
        }
    }

    /// The text is in the conversation, so its own record counts.
    pub(super) fn delivered(&mut self, text: &str) {
        for list in [&mut self.absorbed, &mut self.waiting] {
            if let Some(index) = list.iter().position(|one| one.payload["prompt"] == text) {
                list.remove(index);
                return;
            }
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.absorbed.is_empty()
    }

    /// Lets go what has no record of its own.
    pub(super) fn leave(&mut self, events: &mut Vec<PastEvent>) {
        events.append(&mut self.absorbed);
    }
}

fn queued(record: &ClaudeRecordWire, text: &str) -> PastEvent {
    let session = record.session_id.0.as_deref().unwrap_or_default();
    let time = record.timestamp.0.as_deref().unwrap_or_default();
    let whose = Whose { session: Some(session), cwd: record.cwd.0.as_deref(), agent_id: None };
    PastEvent {
        payload: COMMON_NAMES.payload("UserPromptSubmit", whose, json!({ "prompt": text })),
        at_ms: record.at_ms().unwrap_or_default(),
        fingerprint: hash(["queued", session, time, text]),
        ..PastEvent::default()
    }
}
