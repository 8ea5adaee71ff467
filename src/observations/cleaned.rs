//! Cleans an observation from another machine or an older version as if it were new: secrets are removed, texts are
//! cut, and derived fields are derived again.

use serde_json::Value;

use super::finish::{MAX_PATH, max_content};
use super::notes::{MAX_VALUE, Notes};
use super::signature::Varying;
use super::{command, failure};
use crate::model::{Metadata, NewObservation, ObservationType, RepositoryId, SessionId, printed_output};
use crate::redact::{OwnPatterns, redact};
use crate::shell;

/// A text that was cut ends in a mark, which is not part of its limit.
const MARK: usize = "…".len();

/// Redacts and cuts every text; cleaning twice changes nothing.
pub(crate) fn cleaned(new: NewObservation, own: &OwnPatterns) -> NewObservation {
    let mut notes = Notes::default();
    let mut clean = |text: String, max: usize| notes.clean(&text, max + MARK, own).into_owned();
    let metadata = new.metadata.unwrap_or_default().0;
    let mut cleaned = NewObservation {
        session_id: SessionId(clean(new.session_id.0, MAX_VALUE)),
        project: new.project.map(|text| clean(text, MAX_VALUE)),
        project_root: new.project_root.map(|text| clean(text, MAX_PATH)),
        repository: new.repository.map(clean_repository),
        source_event: clean(new.source_event, MAX_VALUE),
        tool_name: new.tool_name.map(|text| clean(text, MAX_VALUE)),
        content: clean(new.content, max_content(new.obs_type)),
        file_path: new.file_path.map(|text| clean(text, MAX_PATH)),
        program: new.program.map(|text| clean(text, MAX_VALUE)),
        signature: new.signature.map(|text| clean(text, MAX_VALUE)),
        metadata: None,
        ..new
    };
    let facts = clean_value(Value::Object(metadata), &mut |text| clean(text, MAX_VALUE));
    let Value::Object(mut facts) = facts else { return cleaned };
    let line = facts.get("command").and_then(Value::as_str);
    if let Some(line) = line {
        let failed = cleaned.obs_type == ObservationType::CommandError;
        let found = || {
            if failed {
                command::failed_program(line, printed_output(&cleaned.content, Some(line)))
            } else {
                command::program(&shell::parts(line))
            }
        };
        cleaned.program = cleaned.program.as_ref().and_then(|_| found());
    }
    let branch = facts.get("branch").and_then(Value::as_str);
    let varying = Varying { branch, folder: None, command: line.unwrap_or_default() };
    cleaned.signature =
        cleaned.signature.and_then(|_| failure::signature_again(&cleaned.content, line, varying));
    notes.into_facts(&mut facts);
    cleaned.metadata = (!facts.is_empty()).then_some(Metadata(facts));
    cleaned
}

/// Drops what has a secret in it: a redacted address could stand for two repositories.
fn clean_repository(found: RepositoryId) -> RepositoryId {
    let none = OwnPatterns::default();
    let clean = |text: &String| text.len() <= MAX_VALUE && redact(text, &none).kinds.is_empty();
    RepositoryId { origin: found.origin.filter(clean), birth: found.birth.filter(clean), ..found }
}

fn clean_value(one: Value, clean: &mut dyn FnMut(String) -> String) -> Value {
    match one {
        Value::String(text) => Value::String(clean(text)),
        Value::Array(items) => Value::Array(items.into_iter().map(|item| clean_value(item, clean)).collect()),
        Value::Object(map) => Value::Object(
            map.into_iter().map(|(name, item)| (clean(name), clean_value(item, clean))).collect(),
        ),
        other => other,
    }
}
