//! OpenCode's sessions, as observed at versions 1.1.65 to 1.18.33.
//!
//! The store reads its database, and `ops` the files of older versions; both pass on one record for each session, text and tool call, in their order.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::harness::json::{self, TextField};
use crate::harness::place::InstallPlace;
use crate::harness::transcript::{
    CommonNames, PastEvent, RecordId, RecordOutcome, TranscriptFolder, TranscriptForm, TranscriptReader,
    Transcripts, Whose, hash, path_identity,
};
use crate::model::SourceRank;

pub(super) static TRANSCRIPTS: Transcripts = Transcripts {
    version: 1,
    folders: |place: &InstallPlace<'_>| {
        let data = (place.moved)("XDG_DATA_HOME").unwrap_or_else(|| place.home.join(".local/share"));
        let data = data.join("opencode");
        // Versions before 1.2 have a file for each session, message and part.
        vec![TranscriptFolder::flat(data.clone()), TranscriptFolder::whole(data.join("storage/session"))]
    },
    is_transcript: |path: &Path| {
        let name = path.to_str().unwrap_or_default();
        let is_database = name == "opencode.db" || name.starts_with("opencode-") && name.ends_with(".db");
        is_database && !name.contains('/') || is_session_file(path)
    },
    identity: path_identity,
    rank: |_| SourceRank::Whole,
    form: |path: &Path| {
        if is_session_file(path) { TranscriptForm::OpenCodeFiles } else { TranscriptForm::OpenCodeDatabase }
    },
    reader: |_| Box::new(OpenCodeReader::default()),
    folder_hint: None,
    deleted_after_days: None,
    is_by_documentation: false,
};

fn is_session_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("ses_") && name.ends_with(".json")
}

/// The names in the events that our plugin sends.
const NAMES: CommonNames = CommonNames { event: "event", session: "session_id", agent: "agent_id" };

/// What the store passes on.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OpenCodeRecordWire {
    kind: TextField,
    id: TextField,
    /// The session at the root; a subagent has its own.
    root: TextField,
    session: TextField,
    directory: TextField,
    version: TextField,
    role: TextField,
    finish: TextField,
    /// Whether the message is the summary of a compaction.
    is_summary: Value,
    at_ms: i64,
    text: TextField,
    tool: TextField,
    call_id: TextField,
    status: TextField,
    input: Value,
    output: Value,
    error: TextField,
    exit: Value,
    ended_ms: Value,
}

#[derive(Debug, Default)]
struct OpenCodeReader {
    agent_version: Option<String>,
    closing: Option<PastEvent>,
    /// Whether OpenCode says that this was its last word.
    is_end: bool,
}

impl TranscriptReader for OpenCodeReader {
    fn read(&mut self, record: &[u8], _: u64, events: &mut Vec<PastEvent>) -> RecordOutcome {
        let Ok(mut record) = json::parse_object::<OpenCodeRecordWire>(record) else {
            return RecordOutcome::Unreadable;
        };
        self.agent_version = record.version.0.clone().or(self.agent_version.take());
        let is_main = record.root.0 == record.session.0;
        match record.kind.0.as_deref() {
            Some("session") => {
                events.extend(self.closing.take());
                if is_main {
                    events.push(event(&record, "session.start", json!({ "reason": "startup" })));
                }
            }
            Some("text") if is_main && record.role.0.as_deref() == Some("user") => {
                events.extend(self.closing.take());
                let text = unquoted(record.text.0.as_deref().unwrap_or_default());
                events.push(event(&record, "chat.message", json!({ "prompt": text })));
            }
            Some("text") if is_main => {
                let text = record.text.0.take().unwrap_or_default();
                if record.is_summary == Value::Bool(true) {
                    events.push(event(&record, "session.compacted", json!({ "message": text })));
                } else if record.finish.0.as_deref() != Some("tool-calls") {
                    self.is_end = record.finish.0.as_deref() == Some("stop");
                    self.closing = Some(event(&record, "session.idle", json!({ "message": text })));
                }
            }
            Some("tool") => {
                if is_main {
                    self.closing = None;
                }
                if matches!(record.status.0.as_deref(), Some("completed" | "error")) {
                    record.at_ms = record.ended_ms.as_i64().unwrap_or(record.at_ms);
                    let payload = json!({
                        "tool": record.tool.0,
                        "call_id": record.call_id.0,
                        "args": record.input.take(),
                        "output": record.output.take(),
                        "error": record.error.0,
                        "metadata": { "exit": record.exit },
                    });
                    events.push(event(&record, "tool.execute.after", payload));
                }
            }
            Some("text") => {}
            kind => return RecordOutcome::Unknown(kind.unwrap_or("no type").to_owned()),
        }
        RecordOutcome::Known
    }

    fn finish(&mut self, is_settled: bool, events: &mut Vec<PastEvent>) {
        if is_settled || self.is_end {
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

fn event(record: &OpenCodeRecordWire, name: &'static str, payload: Value) -> PastEvent {
    let (root, own) = (record.root.0.as_deref(), record.session.0.as_deref());
    let agent_id = own.filter(|_| own != root);
    let whose = Whose { session: root, cwd: record.directory.0.as_deref(), agent_id };
    let id = record.id.0.as_deref().unwrap_or_default();
    PastEvent {
        payload: NAMES.payload(name, whose, payload),
        at_ms: record.at_ms,
        record_ids: vec![RecordId::of(id)],
        fingerprint: hash([name, id]),
        ..PastEvent::default()
    }
}

/// `opencode run "two words"` stores the quotation marks.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(text)
}

#[cfg(test)]
mod tests;
