//! What the tests of plan, tasks and history share: a project on a branch, its files, and times that do not matter.

use std::fs;

use expect_test::Expect;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

pub(crate) const PLAN: &str = ".nexus/state/plan.json";
pub(crate) const TASKS: &str = ".nexus/state/tasks.json";
pub(crate) const HISTORY: &str = ".nexus/history.json";

/// A project on the branch `main`.
pub(crate) fn project() -> Sandbox {
    Sandbox::new().file(".git/HEAD", "ref: refs/heads/main\n")
}

/// Reads a file of the project; absent is `null`.
pub(crate) fn state(sandbox: &Sandbox, name: &str) -> Value {
    match fs::read_to_string(sandbox.path(name)) {
        Ok(text) => serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}: {text}")),
        Err(_) => Value::Null,
    }
}

/// Compares a value; a time that could be now has a name.
#[track_caller]
pub(crate) fn assert_shows(value: &Value, expected: &Expect) {
    let now = regex::Regex::new(r"20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z").expect("a pattern");
    let mut shown = value.clone();
    name_times(&mut shown, &now);
    let mut text = serde_json::to_string_pretty(&shown).expect("JSON");
    text.push('\n');
    expected.assert_eq(&text);
}

fn name_times(value: &mut Value, now: &regex::Regex) {
    match value {
        Value::String(text) if now.replace(text, "").is_empty() => *text = "NOW".to_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| name_times(item, now)),
        Value::Object(map) => map.values_mut().for_each(|item| name_times(item, now)),
        _ => {}
    }
}

/// A plan with one decided issue and one that is open.
pub(crate) fn half_decided() -> Value {
    json!({
        "id": 7,
        "topic": "Storage",
        "issues": [
            {
                "id": 1, "title": "Which database?", "status": "decided", "decision": "SQLite",
                "how_agents": ["architect"], "how_summary": { "architect": "one file" },
                "how_agent_ids": { "architect": "a-1" },
            },
            { "id": 3, "title": "Where?", "status": "pending" },
        ],
        "research_summary": "Looked at three",
        "created_at": "2001-01-01T00:00:00.000Z",
    })
}

/// Three tasks: one done, one in progress, one that waits for it.
pub(crate) fn three_tasks() -> Value {
    json!({
        "goal": "Ship it",
        "decisions": ["Use SQLite"],
        "tasks": [
            { "id": 1, "title": "Schema", "context": "c", "status": "completed", "deps": [] },
            { "id": 2, "title": "Store", "context": "c", "status": "in_progress", "deps": [1] },
            { "id": 5, "title": "Search", "context": "c", "status": "pending", "deps": [1, 2] },
            { "id": 6, "title": "Docs", "context": "c", "status": "pending", "deps": [1] },
        ],
    })
}

/// Writes a file of the project.
pub(crate) fn put(sandbox: &Sandbox, name: &str, value: &Value) {
    sandbox.put(name, value.to_string());
}
