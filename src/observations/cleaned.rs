//! Cleans an observation that comes from outside or from an older version, as if it had been made here: secrets out,
//! texts cut, and what is derived from them derived again.

use serde_json::Value;

use super::finish::{MAX_CONTENT, MAX_PATH, MAX_VALUE, Notes};
use super::{command, failure};
use crate::model::{Metadata, NewObservation, SessionId};
use crate::redact::OwnPatterns;

/// A text that was cut here ends in a mark that came on top.
const MARK: usize = "…".len();

/// Redacts and cuts every text; what has been through this before comes out as it went in.
pub(crate) fn cleaned(new: NewObservation, own: &OwnPatterns) -> NewObservation {
    let mut notes = Notes::default();
    let mut clean = |text: String, most: usize| notes.clean(&text, most + MARK, own).into_owned();
    let metadata = new.metadata.unwrap_or_default().0;
    let mut cleaned = NewObservation {
        session_id: SessionId(clean(new.session_id.0, MAX_VALUE)),
        project: new.project.map(|text| clean(text, MAX_VALUE)),
        project_root: new.project_root.map(|text| clean(text, MAX_PATH)),
        source_event: clean(new.source_event, MAX_VALUE),
        tool_name: new.tool_name.map(|text| clean(text, MAX_VALUE)),
        content: clean(new.content, MAX_CONTENT),
        file_path: new.file_path.map(|text| clean(text, MAX_PATH)),
        program: new.program.map(|text| clean(text, MAX_VALUE)),
        signature: new.signature.map(|text| clean(text, MAX_VALUE)),
        metadata: None,
        ..new
    };
    let facts = value(Value::Object(metadata), &mut |text| clean(text, MAX_VALUE));
    let Value::Object(mut facts) = facts else { return cleaned };
    let line = facts.get("command").and_then(Value::as_str);
    if let Some(line) = line {
        cleaned.program = cleaned.program.and_then(|_| command::program(line));
    }
    cleaned.signature =
        cleaned.signature.and_then(|signature| failure::confirmed(&signature, &cleaned.content, line));
    notes.into_facts(&mut facts);
    cleaned.metadata = (!facts.is_empty()).then_some(Metadata(facts));
    cleaned
}

fn value(one: Value, clean: &mut dyn FnMut(String) -> String) -> Value {
    match one {
        Value::String(text) => Value::String(clean(text)),
        Value::Array(items) => Value::Array(items.into_iter().map(|item| value(item, clean)).collect()),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(name, item)| (clean(name), value(item, clean))).collect())
        }
        other => other,
    }
}
