//! Finishes observations: makes paths relative, removes secrets, cuts texts, and adds a key that identifies the event.

use std::path::MAIN_SEPARATOR;

use serde_json::Value;

use super::extract::{self, Circumstances, ObservationDraft};
use super::notes::MAX_VALUE;
use crate::model::{
    Event, EventKey, Hook, Metadata, NewObservation, ObservationType, SessionId, TODO, without_dots,
};
use crate::redact::{self, OwnPatterns};

/// Maximum length of the content and of a path, in bytes.
const MAX_CONTENT: usize = 2_000;
/// Maximum length of what the agent itself said, in bytes: its reasons are in the last lines.
const MAX_AGENT_TEXT: usize = 4_000;
pub(super) const MAX_PATH: usize = 4_000;
/// An event without an id counts as the same event if it arrives again within this many seconds.
const DUPLICATE_SECONDS: i64 = 10;

/// Returns what is worth remembering of an event, ready to be stored.
pub(crate) fn observe(event: &Event, at: &Circumstances<'_>, own: &OwnPatterns) -> Vec<NewObservation> {
    let Some(session) = &event.session else { return Vec::new() };
    let drafts = extract::drafts(event, at, own);
    let finished = drafts.into_iter().enumerate().map(|(row, draft)| {
        let ObservationDraft { kind, content, path, metadata, program, signature, mut notes } = draft;
        let shown = path.as_ref().map(|path| shown_path(path, event, at));
        let content = match (&path, &shown) {
            (Some(path), Some(shown)) if !path.is_empty() => content.replacen(path.as_str(), shown, 1),
            _ => content,
        };
        let content = notes.clean(&content, max_content(kind), own).into_owned();
        let is_todo = metadata.iter().any(|(name, value)| *name == "kind" && *value == TODO);
        // A session has one list of what is to do, and each of its subagents has one.
        let key = if is_todo {
            EventKey::of([session.0.as_str(), TODO, event.agent_id.as_deref().unwrap_or_default()])
        } else {
            event_key(event, at, &content, row)
        };
        let path = shown.map(|path| notes.clean(&path, MAX_PATH, own).into_owned());
        let signature = signature.map(|text| notes.clean(&text, MAX_VALUE, own).into_owned());
        let program = program.map(|text| notes.clean(&text, MAX_VALUE, own).into_owned());
        let mut facts = serde_json::Map::new();
        for (name, value) in metadata {
            let value = match value {
                Value::String(text) => Value::String(notes.clean(&text, MAX_VALUE, own).into_owned()),
                other => other,
            };
            facts.insert(name.to_owned(), value);
        }
        notes.into_facts(&mut facts);
        NewObservation {
            timestamp: at.now,
            session_id: SessionId(redact::redact(&session.0, own).text.into_owned()),
            project: at.project.as_ref().map(|project| project.name.clone()),
            project_root: at.project.as_ref().and_then(|project| project.root.clone()),
            repository: at.project.as_ref().and_then(|project| project.repository.clone()),
            obs_type: kind,
            source_event: event.hook.name().to_owned(),
            tool_name: event.tool.as_ref().map(|tool| redact::redact(&tool.name, own).text.into_owned()),
            content,
            file_path: path,
            metadata: (!facts.is_empty()).then_some(Metadata(facts)),
            event_key: Some(key),
            program,
            signature,
            pinned: false,
        }
    });
    finished.collect()
}

/// Returns the maximum length of the content of an observation, in bytes.
pub(super) fn max_content(kind: ObservationType) -> usize {
    match kind {
        ObservationType::Outcome | ObservationType::Summary => MAX_AGENT_TEXT,
        _ => MAX_CONTENT,
    }
}

/// Returns a path relative to the root if it is inside, else absolute.
fn shown_path(path: &str, event: &Event, at: &Circumstances<'_>) -> String {
    let absolute = without_dots(&event.cwd.join(path));
    let relative = at.root.and_then(|root| absolute.strip_prefix(root).ok());
    // The same file has the same name on every system.
    relative.unwrap_or(&absolute).to_string_lossy().replace(MAIN_SEPARATOR, "/")
}

/// Returns the key of a tool call's row.
fn tool_event_key(session: &str, hook: Hook, id: &str, row: &str) -> EventKey {
    EventKey::of([session, hook.name(), id, row])
}

/// Returns the key that a row of this event has if a hook reported the call's end differently: some hooks run before
/// the exit code is known.
pub(crate) fn other_key(event: &Event, row: usize) -> Option<EventKey> {
    let hook = match event.hook {
        Hook::PostToolUse => Hook::PostToolUseFailure,
        Hook::PostToolUseFailure => Hook::PostToolUse,
        _ => return None,
    };
    let (session, id) = (event.session.as_ref()?, event.tool_use_id.as_ref()?);
    Some(tool_event_key(&session.0, hook, id, &row.to_string()))
}

/// Returns the same key for an event that arrives twice, from a plugin and from settings.
fn event_key(event: &Event, at: &Circumstances<'_>, content: &str, row: usize) -> EventKey {
    let session = event.session.as_ref().map(|session| session.0.as_str()).unwrap_or_default();
    let row = row.to_string();
    // All events of a turn carry its id, even a prompt that the user sends while the agent still works. So the id
    // identifies a text only together with the text, and a tool call not at all.
    let has_text = matches!(event.hook, Hook::UserPromptSubmit | Hook::Stop | Hook::PostCompact);
    let prompt_id = event.prompt_id.as_deref().filter(|_| has_text);
    match (event.tool_use_id.as_deref(), prompt_id) {
        (Some(id), _) => tool_event_key(session, event.hook, id, &row),
        (None, Some(id)) => EventKey::of([session, event.hook.name(), id, content, &row]),
        (None, None) => {
            let bucket = (at.now.0 / DUPLICATE_SECONDS).to_string();
            let fingerprint = format!("{:016x}", event.fingerprint);
            EventKey::of([session, event.hook.name(), &fingerprint, &bucket, &row])
        }
    }
}
