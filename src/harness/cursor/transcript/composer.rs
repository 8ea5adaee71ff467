//! Conversations in the database of Cursor's editor: the store passes on a record for each of them and for each of
//! their messages ("bubbles").

use serde::Deserialize;
use serde_json::{Value, json};

use crate::harness::cursor::NAMES;
use crate::harness::json::{self, TextField};
use crate::harness::transcript::{
    PastEvent, RecordId, RecordOutcome, TranscriptReader, UnrunCause, Whose, hash, parse_time,
};

/// What the store passes on.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BubbleWire {
    kind: TextField,
    /// The conversation, its folder and when it began.
    composer: TextField,
    folder: TextField,
    composer_at: Value,
    /// The message.
    id: TextField,
    at: Value,
    by_user: bool,
    text: TextField,
    tool: TextField,
    call_id: TextField,
    /// JSON texts.
    arguments: TextField,
    parameters: TextField,
    result: TextField,
    status: TextField,
    decision: TextField,
    error: Value,
}

#[derive(Debug, Default)]
pub(super) struct ComposerReader {
    closing: Option<PastEvent>,
}

impl TranscriptReader for ComposerReader {
    fn read(&mut self, record: &[u8], _: u64, events: &mut Vec<PastEvent>) -> RecordOutcome {
        let Ok(bubble) = json::parse_object::<BubbleWire>(record) else { return RecordOutcome::Unreadable };
        match bubble.kind.0.as_deref() {
            Some("composer") => {
                events.extend(self.closing.take());
                events.push(bubble.event("sessionStart", json!({}), Vec::new()));
            }
            Some("bubble") if bubble.tool.0.is_some() => {
                self.closing = None;
                events.extend(bubble.call());
            }
            Some("bubble") => {
                let text = bubble.text.0.as_deref().map(str::trim).filter(|text| !text.is_empty());
                match (text, bubble.by_user) {
                    (Some(text), true) => {
                        events.extend(self.closing.take());
                        let payload = json!({ "prompt": text });
                        events.push(bubble.event("beforeSubmitPrompt", payload, Vec::new()));
                    }
                    (Some(text), false) => {
                        let payload = json!({ "last_assistant_message": text });
                        self.closing = Some(bubble.event("stop", payload, Vec::new()));
                    }
                    (None, _) => {}
                }
            }
            kind => return RecordOutcome::Unknown(kind.unwrap_or("no type").to_owned()),
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

impl BubbleWire {
    /// Returns the call, if it ran.
    fn call(&self) -> Option<PastEvent> {
        let result = parse_json(&self.result);
        let is_refused =
            self.decision.0.as_deref() == Some("rejected") || result["rejected"] == Value::Bool(true);
        let is_failed = self.status.0.as_deref() == Some("error") || !self.error.is_null();
        let is_done = is_failed || self.status.0.as_deref() == Some("completed");
        if !is_refused && !is_done {
            return None;
        }
        let (name, input) = self.tool_and_input()?;
        let mut payload = json!({ "tool_name": name, "tool_use_id": self.call_id.0 });
        payload["tool_input"] = input;
        if is_refused {
            let event = self.event("preToolUse", payload, Vec::new());
            return Some(PastEvent { unrun: Some(UnrunCause::Refused), ..event });
        }
        payload["tool_output"] = match name.as_str() {
            "Shell" => {
                // Zero is left out by older versions.
                let code = ["exitCodeV2", "exitCode"].iter().find_map(|key| result[*key].as_i64());
                let output = result["output"].as_str().unwrap_or_default();
                json!({ "exitCode": code.unwrap_or_default(), "stdout": output })
            }
            _ => result,
        };
        if is_failed && name != "Shell" {
            let error = self.error.as_str().map_or_else(|| self.error.to_string(), str::to_owned);
            payload["error_message"] = json!(error);
            return Some(self.event("postToolUseFailure", payload, Vec::new()));
        }
        Some(self.event("postToolUse", payload, Vec::new()))
    }

    /// Returns the name that a hook receives for this tool, and its arguments.
    fn tool_and_input(&self) -> Option<(String, Value)> {
        let own = self.tool.0.as_deref()?;
        let own = own.strip_suffix("_v2").unwrap_or(own);
        let (mut arguments, parameters) = (parse_json(&self.arguments), parse_json(&self.parameters));
        if !arguments.is_object() {
            arguments = parameters.clone();
        }
        let text = |keys: &[&str]| {
            let found = |value: &Value| keys.iter().find_map(|key| value[*key].as_str().map(str::to_owned));
            found(&arguments).or_else(|| found(&parameters))
        };
        let path = || text(&["target_file", "file_path", "path", "relativeWorkspacePath", "targetFile"]);
        let query = || text(&["query", "pattern", "search_term", "globPattern", "glob_pattern", "url"]);
        let named = |name: &str, input: Value| Some((name.to_owned(), input));
        match own {
            "run_terminal_cmd" | "run_terminal_command" => {
                named("Shell", json!({ "command": text(&["command"])? }))
            }
            "read_file" => named("Read", json!({ "file_path": path()? })),
            "delete_file" => named("Delete", json!({ "file_path": path()? })),
            "write" | "write_file" | "create_file" => {
                let content = text(&["contents", "content"]);
                named("Write", json!({ "file_path": path()?, "content": content }))
            }
            "edit_file" | "search_replace" | "reapply" => {
                let (old, new) = (text(&["old_string"]), text(&["new_string", "code_edit"]));
                named("StrReplace", json!({ "file_path": path()?, "old_string": old, "new_string": new }))
            }
            "grep" | "grep_search" | "ripgrep" | "ripgrep_raw_search" | "codebase_search" => {
                named("Grep", json!({ "pattern": query()? }))
            }
            "file_search" | "glob_file_search" => named("Glob", json!({ "pattern": query()? })),
            "web_search" => named("WebSearch", json!({ "query": query()? })),
            _ if own.starts_with("mcp") => {
                let tool = parameters.pointer("/tools/0/name").and_then(Value::as_str).unwrap_or(own);
                named(&format!("MCP:{tool}"), arguments)
            }
            _ => named(own, arguments),
        }
    }

    fn event(&self, name: &'static str, payload: Value, facts: Vec<(&'static str, Value)>) -> PastEvent {
        let session = self.composer.0.as_deref();
        let whose = Whose { session, cwd: self.folder.0.as_deref(), agent_id: None };
        let own = parse_time(&self.at);
        let mut facts = facts;
        if own.is_none() {
            facts.push(("time_guessed", json!(true)));
        }
        let id = self.id.0.as_deref().unwrap_or_default();
        PastEvent {
            payload: NAMES.payload(name, whose, payload),
            at_ms: own.or_else(|| parse_time(&self.composer_at)).unwrap_or_default(),
            record_ids: vec![RecordId::of(&format!("{} {id}", session.unwrap_or_default()))],
            facts,
            fingerprint: hash([name, id]),
            ..PastEvent::default()
        }
    }
}

/// Parses a JSON text; one that is cut or broken says nothing.
fn parse_json(text: &TextField) -> Value {
    text.0.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}
