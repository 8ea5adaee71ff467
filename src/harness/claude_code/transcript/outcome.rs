//! How a tool call ended, from the record of its result.

use serde_json::{Map, Value};

use super::words;

/// How a call ended.
#[derive(Debug, PartialEq)]
pub(super) enum CallEnd {
    /// It ran; this is what the hook receives as `tool_response`.
    Done(Value),
    /// It ran and failed.
    Failed(String),
    /// The user or a rule refused it, or the user interrupted it; with what the user said.
    Refused(Option<String>),
    /// It was rejected before it ran: wrong arguments, an unknown tool.
    Invalid,
}

const REFUSED: &str = "The user doesn't want to proceed with this tool use";
const USER_SAID: &str = "the user said:\n";

/// What the line of a refusal with words contains.
pub(super) const WITH_WORDS: &str = "the user said:";

/// Reads a result: the part of the message, and what the record says beside it.
pub(super) fn parse_end(part: &mut Value, beside: Value, is_denied: bool, keeps_files: bool) -> CallEnd {
    let text = words::text_of(&part["content"]);
    let start = text.trim_start();
    if start.starts_with(REFUSED) || beside == "User rejected tool use" {
        let said = text.split_once(USER_SAID).map(|(_, said)| said.trim().to_owned());
        return CallEnd::Refused(said.filter(|said| !said.is_empty()));
    }
    if start.starts_with("<tool_use_error>") {
        return CallEnd::Invalid;
    }
    if part["is_error"] != Value::Bool(true) {
        return CallEnd::Done(response(beside, text, keeps_files));
    }
    let is_rule = start.starts_with("Permission to use ") && start.contains("has been denied");
    if is_denied || is_rule || start.starts_with("[Request interrupted by user") {
        return CallEnd::Refused(None);
    }
    // What the agent adds for the model alone is only in the text.
    let error = beside.as_str().map(|error| error.strip_prefix("Error: ").unwrap_or(error).to_owned());
    CallEnd::Failed(error.unwrap_or(text))
}

/// The file before an edit, which rules look at.
const FILE_BEFORE: &str = "originalFile";
/// Large texts of a response that no observation uses.
const UNUSED: [&str; 6] = [FILE_BEFORE, "structuredPatch", "file", "oldString", "newString", "prompt"];

/// Returns what the hook received; some versions leave it out of a subagent's transcript.
fn response(beside: Value, text: String, keeps_files: bool) -> Value {
    match beside {
        Value::Null => Value::String(text),
        Value::Object(fields) => Value::Object(without_unused(fields, keeps_files)),
        other => other,
    }
}

fn without_unused(mut fields: Map<String, Value>, keeps_files: bool) -> Map<String, Value> {
    for name in UNUSED.into_iter().filter(|name| !keeps_files || *name != FILE_BEFORE) {
        fields.remove(name);
    }
    if fields.get("content").is_some_and(Value::is_string) {
        fields.remove("content");
    }
    fields
}
