//! Sessions of OpenCode before version 1.2: a file for each session, message and part. They are passed on as the records
//! that the store makes of the database.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::files;

/// A file of this size contains a picture.
const MAX_FILE: u64 = 32 << 20;
/// A session has at most this many messages, and a message this many parts.
const MAX_FILES: usize = 100_000;
/// Sessions are nested up to this depth.
const MAX_PARENTS: usize = 16;

/// Passes on a record for the session and for each text and tool call in it.
pub(super) fn read(path: &Path, mut each: impl FnMut(&Value)) {
    let (Some(session), Some(storage)) = (document(path), path.ancestors().nth(3)) else { return };
    let Some(id) = session["id"].as_str() else { return };
    let about = json!({
        "session": id,
        "root": root_of(path, &session),
        "directory": session["directory"],
        "version": session["version"],
    });
    let begun = session["time"]["created"].as_i64().unwrap_or_default();
    each(&with(&about, [("kind", json!("session")), ("id", json!(id)), ("at_ms", json!(begun))]));
    // Ids grow with time.
    for message in documents(&storage.join("message").join(id)) {
        let Some(message_id) = message["id"].as_str() else { continue };
        let at = message["time"]["created"].as_i64().unwrap_or(begun);
        for part in documents(&storage.join("part").join(message_id)) {
            part_record(&about, &message, part, at).iter().for_each(&mut each);
        }
    }
}

fn part_record(about: &Value, message: &Value, mut part: Value, at: i64) -> Option<Value> {
    let is = |name: &str| part[name] == Value::Bool(true);
    if !matches!(part["type"].as_str(), Some("text" | "tool")) || is("synthetic") || is("ignored") {
        return None;
    }
    let mut state = part["state"].take();
    Some(with(
        about,
        [
            ("id", part["id"].take()),
            ("kind", part["type"].take()),
            ("at_ms", json!(at)),
            ("role", message["role"].clone()),
            ("finish", message["finish"].clone()),
            ("is_summary", json!(message["summary"] == Value::Bool(true))),
            ("text", part["text"].take()),
            ("tool", part["tool"].take()),
            ("call_id", part["callID"].take()),
            ("status", state["status"].take()),
            ("input", state["input"].take()),
            ("output", state["output"].take()),
            ("error", state["error"].take()),
            ("exit", state["metadata"]["exit"].take()),
            ("ended_ms", state["time"]["end"].take()),
        ],
    ))
}

/// Follows the parents of a session; a circle ends after a few steps.
fn root_of(path: &Path, session: &Value) -> Value {
    let mut root = session.clone();
    for _ in 0..MAX_PARENTS {
        let Some(parent) = root["parentID"].as_str() else { break };
        match document(&path.with_file_name(format!("{parent}.json"))) {
            Some(document) => root = document,
            None => return json!(parent),
        }
    }
    root["id"].clone()
}

/// Returns the documents in a folder, in the order of their names.
fn documents(folder: &Path) -> Vec<Value> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_FILES);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| document(path)).collect()
}

fn document(path: &Path) -> Option<Value> {
    let bytes = files::read_regular(path, MAX_FILE).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn with<const N: usize>(about: &Value, fields: [(&str, Value); N]) -> Value {
    let mut record = about.clone();
    for (name, value) in fields {
        record[name] = value;
    }
    record
}
