//! A history of prompts: some agents keep it when they delete the sessions, so it is read for sessions that nothing else
//! is known about.

use serde_json::{Value, json};

use super::{COMMON_NAMES, PastEvent, RecordId, RecordOutcome, TranscriptReader, Whose, hash, parse_time};
use crate::harness::json;

/// The names of the fields in a history.
#[derive(Debug)]
pub(in crate::harness) struct HistoryNames {
    pub(in crate::harness) session: &'static str,
    pub(in crate::harness) text: &'static str,
    pub(in crate::harness) time: &'static str,
    pub(in crate::harness) folder: &'static str,
}

#[derive(Debug)]
pub(in crate::harness) struct HistoryReader {
    pub(in crate::harness) names: &'static HistoryNames,
}

impl TranscriptReader for HistoryReader {
    fn read(&mut self, record: &[u8], _: u64, events: &mut Vec<PastEvent>) -> RecordOutcome {
        let Ok(record) = json::parse_object::<Value>(record) else { return RecordOutcome::Unreadable };
        let text = |name: &str| record[name].as_str().map(str::trim).filter(|text| !text.is_empty());
        let (Some(prompt), Some(session)) = (text(self.names.text), text(self.names.session)) else {
            return RecordOutcome::Known;
        };
        let Some(at_ms) = parse_time(&record[self.names.time]) else { return RecordOutcome::Known };
        // Commands of the agent and of the shell are in it too.
        if prompt.starts_with(['/', '!']) {
            return RecordOutcome::Known;
        }
        let id = format!("{session} {at_ms} {prompt}");
        let whose = Whose { session: Some(session), cwd: text(self.names.folder), agent_id: None };
        let payload = json!({ "prompt": prompt, "prompt_id": format!("history {at_ms}"), "turn_id": format!("history {at_ms}") });
        events.push(PastEvent {
            payload: COMMON_NAMES.payload("UserPromptSubmit", whose, payload),
            at_ms,
            record_ids: vec![RecordId::of(&id)],
            fingerprint: hash(["history", &id]),
            ..PastEvent::default()
        });
        RecordOutcome::Known
    }

    fn finish(&mut self, _: bool, _: &mut Vec<PastEvent>) {}

    fn is_waiting(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_a_person_asked_is_read() {
        let names =
            &HistoryNames { session: "sessionId", text: "display", time: "timestamp", folder: "project" };
        let mut reader = HistoryReader { names };
        let mut events = Vec::new();
        for (text, session, time) in [
            (json!("add tax"), json!("s1"), json!(1_790_000_000_000_i64)),
            (json!("/status"), json!("s1"), json!(1_790_000_000_001_i64)),
            (json!("!ls"), json!("s1"), json!(1_790_000_000_002_i64)),
            (json!(" "), json!("s1"), json!(1_790_000_000_003_i64)),
            (json!("no session"), json!(null), json!(1_790_000_000_004_i64)),
            (json!("no time"), json!("s1"), json!("once")),
        ] {
            let record = json!({ "display": text, "sessionId": session, "timestamp": time, "project": "/p" });
            assert_eq!(reader.read(record.to_string().as_bytes(), 0, &mut events), RecordOutcome::Known);
        }
        assert_eq!(reader.read(b"[]", 0, &mut events), RecordOutcome::Unreadable);
        let prompts: Vec<_> = events.iter().map(|event| event.payload["prompt"].clone()).collect();
        assert_eq!(prompts, [json!("add tax")]);
        assert_eq!((events[0].payload["cwd"].clone(), events[0].at_ms), (json!("/p"), 1_790_000_000_000));
    }
}
