//! Reads records as a test writes them, and shows the events as lines.

use std::path::Path;

use serde_json::Value;

use super::{PastEvent, RecordId, RecordOutcome, Transcripts};

/// What a reader made of some records.
pub(in crate::harness) struct ReadRecords {
    /// Each event as its name and what it says.
    pub(in crate::harness) events: Vec<String>,
    /// What became of each record that was not known.
    pub(in crate::harness) strange: Vec<RecordOutcome>,
    /// The calls that never ran.
    pub(in crate::harness) unrun: Vec<String>,
    /// The ids of the records behind each event.
    pub(in crate::harness) ids: Vec<Vec<RecordId>>,
    /// The session of each event.
    pub(in crate::harness) sessions: Vec<String>,
}

/// The fields of a payload that a line shows, whatever the agent calls them.
const SHOWN: [&str; 22] = [
    "source",
    "prompt",
    "last_assistant_message",
    "prompt_response",
    "response",
    "message",
    "compact_summary",
    "tool_name",
    "toolName",
    "tool",
    "tool_input",
    "toolArgs",
    "args",
    "tool_response",
    "toolResult",
    "output",
    "error",
    "metadata",
    "reason",
    "agent_id",
    "agentId",
    "duration_ms",
];

/// Reads the records of one file to its end.
pub(in crate::harness) fn read(transcripts: &Transcripts, path: &str, records: &[Value]) -> ReadRecords {
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
    read_lines(transcripts, path, &lines)
}

/// Reads lines, which need not be JSON.
pub(in crate::harness) fn read_lines(transcripts: &Transcripts, path: &str, lines: &[&[u8]]) -> ReadRecords {
    let mut reader = (transcripts.reader)(Path::new(path));
    let (mut events, mut strange, mut offset) = (Vec::new(), Vec::new(), 0);
    for line in lines {
        let outcome = reader.read(line, offset, &mut events);
        offset += line.len() as u64 + 1;
        strange.extend(Some(outcome).filter(|outcome| *outcome != RecordOutcome::Known));
    }
    reader.finish(true, &mut events);
    // What never ran is only for rules, and has its own tests.
    let unrun = events.extract_if(.., |event| event.unrun.is_some());
    let unrun = unrun.filter_map(|event| Some(format!("{} ({:?})", shown(&event), event.unrun?))).collect();
    ReadRecords {
        events: events.iter().map(shown).collect(),
        strange,
        unrun,
        ids: events.iter().map(|event| event.record_ids.clone()).collect(),
        sessions: events.iter().map(session).collect(),
    }
}

fn shown(event: &PastEvent) -> String {
    let payload = &event.payload;
    let names = ["hook_event_name", "hookEventName", "event"];
    let name = names.iter().find_map(|name| payload[*name].as_str()).or(event.event_name);
    let mut line = name.unwrap_or("no name").to_owned();
    let said = SHOWN.iter().filter_map(|field| payload.get(*field)).filter(|value| !value.is_null());
    for value in said {
        line.push_str(" | ");
        line.push_str(&value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    if let Some(code) = event.exit_code {
        line.push_str(&format!(" | exit {code}"));
    }
    for (name, value) in &event.facts {
        line.push_str(&format!(" | {name}={value}"));
    }
    line
}

fn session(event: &PastEvent) -> String {
    let names = ["session_id", "sessionId"];
    let session = names.iter().find_map(|name| event.payload[*name].as_str());
    session.unwrap_or_default().to_owned()
}
