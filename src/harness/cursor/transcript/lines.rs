//! A transcript of Cursor: what was said and which tools were called, without ids, results and exact times.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::cursor::NAMES;
use crate::harness::json;
use crate::harness::transcript::{PastEvent, RecordOutcome, TranscriptReader, Whose, hash};

#[derive(Debug, Default)]
pub(super) struct CursorReader {
    session: Option<String>,
    /// The subagent whose file it is.
    agent_id: Option<String>,
    cwd: Option<String>,
    /// When the file was changed last: the only time that is known if no prompt has one.
    file_ms: i64,
    /// The time of the last prompt.
    at_ms: Option<i64>,
    has_started: bool,
    /// The events so far: a number tells two equal ones apart.
    count: u64,
    closing: Option<PastEvent>,
}

/// Returns the session and the subagent of a transcript: `ID/ID.jsonl`, `ID.jsonl` or `PARENT/subagents/ID.jsonl`.
pub(super) fn session_of(path: &Path) -> Option<(String, Option<String>)> {
    let own = path.file_stem()?.to_str()?.to_owned();
    let folder = path.parent()?;
    if !folder.ends_with("subagents") {
        return Some((own, None));
    }
    let parent = folder.parent()?.file_name()?.to_str()?;
    Some((parent.to_owned(), Some(own)))
}

impl TranscriptReader for CursorReader {
    fn set_folder(&mut self, folder: &Path) {
        self.cwd = folder.to_str().map(str::to_owned);
    }

    fn set_file_time(&mut self, modified_ms: i64) {
        self.file_ms = modified_ms;
    }

    fn read(&mut self, record: &[u8], _: u64, events: &mut Vec<PastEvent>) -> RecordOutcome {
        let Ok(mut record) = json::parse_object::<Value>(record) else { return RecordOutcome::Unreadable };
        let content = record["message"]["content"].take();
        match (record["role"].as_str(), record["type"].as_str()) {
            (Some("user"), _) => self.user(&content, events),
            (Some("assistant"), _) => self.assistant(content, events),
            (None, Some("turn_ended")) => {
                let closing = self.closing.take();
                events.extend(closing.filter(|_| record["status"] != "aborted"));
            }
            (None, Some("metadata")) => {}
            (_, kind) => return RecordOutcome::Unknown(kind.unwrap_or("no type").to_owned()),
        }
        RecordOutcome::Known
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

impl CursorReader {
    pub(super) fn new(path: &Path) -> CursorReader {
        let (session, agent_id) = session_of(path).unzip();
        CursorReader { session, agent_id: agent_id.flatten(), ..CursorReader::default() }
    }

    fn user(&mut self, content: &Value, events: &mut Vec<PastEvent>) {
        let text = text_of(content);
        self.at_ms = inside(&text, "timestamp").and_then(parse_timestamp).or(self.at_ms);
        events.extend(self.closing.take());
        self.start(events);
        let prompt = match inside(&text, "user_query") {
            Some(query) => query.trim().to_owned(),
            None => without_timestamp(&text).trim().to_owned(),
        };
        // What a subagent is asked, nobody has typed.
        if self.agent_id.is_none() && !prompt.is_empty() {
            let event = self.event("beforeSubmitPrompt", json!({ "prompt": prompt }), Vec::new());
            events.push(event);
        }
    }

    fn assistant(&mut self, content: Value, events: &mut Vec<PastEvent>) {
        self.start(events);
        let Value::Array(parts) = content else { return };
        for mut part in parts {
            match part["type"].as_str() {
                Some("text") if self.agent_id.is_none() => {
                    let text = part["text"].as_str().unwrap_or_default().replace("[REDACTED]", "");
                    if !text.trim().is_empty() {
                        let payload = json!({ "last_assistant_message": text.trim() });
                        self.closing = Some(self.event("stop", payload, Vec::new()));
                    }
                }
                Some("tool_use") => {
                    self.closing = None;
                    let Some(name) = part["name"].as_str().map(str::to_owned) else { continue };
                    let mut payload =
                        json!({ "tool_name": name, "tool_use_id": format!("line {}", self.count) });
                    payload["tool_input"] = part["input"].take();
                    // Nobody knows how it ended, and the id is our own.
                    let unknown = vec![("exit_code", Value::Null), ("tool_use_id", Value::Null)];
                    let event = self.event("postToolUse", payload, unknown);
                    events.push(event);
                }
                _ => {}
            }
        }
    }

    fn start(&mut self, events: &mut Vec<PastEvent>) {
        if !self.has_started && self.agent_id.is_none() {
            let event = self.event("sessionStart", json!({}), Vec::new());
            events.push(event);
        }
        self.has_started = true;
    }

    fn event(
        &mut self,
        name: &'static str,
        mut payload: Value,
        mut facts: Vec<(&'static str, Value)>,
    ) -> PastEvent {
        self.count += 1;
        // A text needs an id that stays the same, whatever the time of the file.
        payload["generation_id"] = json!(format!("line {}", self.count));
        let whose = Whose {
            session: self.session.as_deref(),
            cwd: self.cwd.as_deref(),
            agent_id: self.agent_id.as_deref(),
        };
        // The time of a prompt is right to the minute; what follows it happened later.
        if name != "beforeSubmitPrompt" || self.at_ms.is_none() {
            facts.push(("time_guessed", json!(true)));
        }
        PastEvent {
            payload: NAMES.payload(name, whose, payload),
            at_ms: self.at_ms.unwrap_or(self.file_ms),
            facts,
            fingerprint: hash([name, whose.session.unwrap_or_default(), &self.count.to_string()]),
            ..PastEvent::default()
        }
    }
}

fn text_of(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten();
    let texts = parts.filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str());
    let text = texts.collect::<Vec<_>>().join("\n");
    content.as_str().map_or(text, str::to_owned)
}

fn inside<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    Some(rest.split_once(&format!("</{tag}>")).map_or(rest, |(inside, _)| inside))
}

fn without_timestamp(text: &str) -> &str {
    text.split_once("</timestamp>").map_or(text, |(_, rest)| rest)
}

/// Parses a time such as `Thursday, Sep 24, 2026, 11:08 AM (UTC+8)`.
pub(super) fn parse_timestamp(text: &str) -> Option<i64> {
    let (date, zone) = text.trim().split_once(" (UTC")?;
    let zone = zone.strip_suffix(')')?;
    let (hours, minutes) = zone.split_once(':').unwrap_or((zone, "0"));
    let hours: i32 = if hours.is_empty() { 0 } else { hours.parse().ok()? };
    let minutes: i32 = minutes.parse().ok()?;
    let seconds = hours.checked_abs()?.checked_mul(3_600)?.checked_add(minutes.checked_mul(60)?)?;
    let offset =
        jiff::tz::Offset::from_seconds(if zone.starts_with('-') { -seconds } else { seconds }).ok()?;
    let date = jiff::civil::DateTime::strptime("%A, %b %d, %Y, %I:%M %p", date).ok()?;
    Some(offset.to_timestamp(date).ok()?.as_millisecond())
}
