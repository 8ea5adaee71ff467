//! Claude Code's transcripts, as observed at versions 1.0.71 to 2.1.325.
//!
//! One file for each session, and one for each subagent. A record's top-level `type` decides what it is: other records
//! contain whole copies of messages.

mod outcome;
mod queue;
mod reader;
mod record;
mod words;

use std::path::{Path, PathBuf};

use serde_json::Value;

use self::outcome::CallEnd;
use self::reader::ClaudeReader;
use self::record::ClaudeRecordWire;
use super::tool::tool_call;
use crate::harness::json;
use crate::harness::place::InstallPlace;
use crate::harness::transcript::{
    HistoryNames, HistoryReader, TranscriptFolder, TranscriptForm, Transcripts, path_identity,
};
use crate::model::{RefusedCall, SourceRank, ToolCall};

pub(super) static TRANSCRIPTS: Transcripts = Transcripts {
    version: 2,
    folders: |place: &InstallPlace<'_>| {
        let home = super::install::settings_folder(place);
        vec![TranscriptFolder::whole(home.join("projects")), TranscriptFolder::flat(home)]
    },
    is_transcript,
    identity: path_identity,
    rank: |path: &Path| if is_history(path) { SourceRank::LastResort } else { SourceRank::Whole },
    form: |_| TranscriptForm::Lines,
    reader: |path: &Path| {
        if is_history(path) {
            Box::new(HistoryReader { names: &HISTORY })
        } else {
            Box::new(ClaudeReader::new(path))
        }
    },
    folder_hint: None,
    // `cleanupPeriodDays`, unless the user has changed it.
    deleted_after_days: Some(30),
    is_by_documentation: false,
};

/// What the user typed, which Claude Code keeps when it deletes the sessions.
const HISTORY: HistoryNames =
    HistoryNames { session: "sessionId", text: "display", time: "timestamp", folder: "project" };

fn is_history(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "history.jsonl")
}

/// Returns the calls that the user refused with words, from the end of a transcript.
pub(super) fn refusals(end: &str) -> Vec<RefusedCall> {
    let mut refused = Vec::new();
    for line in end.lines().filter(|line| line.contains(outcome::WITH_WORDS)) {
        let Ok(mut record) = json::parse_object::<ClaudeRecordWire>(line.as_bytes()) else { continue };
        record.finish();
        let Value::Array(mut parts) = record.message["content"].take() else { continue };
        for part in parts.iter_mut().filter(|part| part["type"] == "tool_result") {
            let ended = outcome::parse_end(part, Value::Null, record.tool_denial_kind.0.is_some(), false);
            let (CallEnd::Refused(Some(words)), Some(id)) = (ended, part["tool_use_id"].as_str()) else {
                continue;
            };
            let at_ms = record.at_ms().unwrap_or_default();
            refused.push(RefusedCall { tool_use_id: id.to_owned(), words, at_ms, call: call(end, id) });
        }
    }
    refused
}

/// Returns a call by its id, from the end of a transcript.
fn call(end: &str, id: &str) -> Option<ToolCall> {
    let line = end.lines().find(|line| line.contains(id) && line.contains("\"tool_use\""))?;
    let mut record = json::parse_object::<ClaudeRecordWire>(line.as_bytes()).ok()?;
    record.finish();
    let Value::Array(mut parts) = record.message["content"].take() else { return None };
    let part = parts.iter_mut().find(|part| part["type"] == "tool_use" && part["id"] == id)?;
    Some(tool_call(part["name"].as_str()?.to_owned(), part["input"].take(), &Value::Null))
}

/// Sessions that another tool runs to write its own memory.
const OBSERVER_FOLDER: &str = "-claude-mem-observer-sessions";

fn is_transcript(path: &Path) -> bool {
    // A session has the folder of its project.
    if path.iter().count() == 1 {
        return is_history(path);
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder: Option<PathBuf> = path.iter().next().map(PathBuf::from);
    let is_observer = folder.is_some_and(|folder| folder.to_string_lossy().ends_with(OBSERVER_FOLDER));
    // The agent that writes a summary has the whole conversation in its file, and does nothing.
    name.ends_with(".jsonl") && !name.starts_with("agent-acompact-") && !is_observer
}

#[cfg(test)]
mod tests;
