//! A project with a plan, tasks, notes and a history, for tests of what hooks do there.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::payload::Payload;
use crate::sandbox::Sandbox;

/// Two issues of which one is decided, and three tasks of which one is done and one is an engineer's.
pub(crate) fn scene() -> Sandbox {
    let plan = json!({
        "id": 1, "topic": "Move to SQLite", "created_at": "2026-01-05T14:30:00.000Z", "research_summary": "x",
        "issues": [
            { "id": 1, "title": "One file or many?", "status": "decided", "decision": "One file" },
            { "id": 2, "title": "How do old files get in?", "status": "pending" },
        ],
    });
    let tasks = json!({ "goal": "All in one file", "decisions": [], "tasks": [
        { "id": 1, "title": "Write the schema", "context": "c", "status": "completed", "deps": [] },
        { "id": 2, "title": "Import old files", "context": "c", "status": "in_progress", "deps": [1], "owner": "engineer" },
        { "id": 3, "title": "Describe the format", "context": "c", "status": "pending", "deps": [1] },
    ] });
    Sandbox::new()
        .file(".nexus/state/plan.json", plan.to_string())
        .file(".nexus/state/tasks.json", tasks.to_string())
        .file(".nexus/history.json", "{}")
        .file(".nexus/memory/pattern-release.md", "x")
        .file(".nexus/memory/empirical-slow-link.md", "x")
        .file(".nexus/context/architecture.md", "x")
        .file(".nexus/rules/testing.md", "x")
}

/// Replaces all tasks by tasks with these statuses.
pub(crate) fn tasks(sandbox: &Sandbox, statuses: &[&str]) {
    let task = |(status, id): (&&str, i32)| json!({ "id": id, "title": format!("{} {id}", "task ".repeat(30)), "context": "c", "status": status, "deps": [] });
    let tasks: Vec<Value> = statuses.iter().zip(1..).map(task).collect();
    let tasks = json!({ "goal": "g", "decisions": [], "tasks": tasks });
    sandbox.put(".nexus/state/tasks.json", tasks.to_string());
}

pub(crate) fn tracker(sandbox: &Sandbox) -> Value {
    let text = fs::read_to_string(sandbox.path(".nexus/state/claude-code/agent-tracker.json"));
    serde_json::from_str(&text.expect("a tracker")).expect("JSON")
}

/// Returns the text that the model gets; empty if there is none.
pub(crate) fn said(sandbox: &Sandbox, payload: Payload) -> String {
    let reply = sandbox.hook("claude-code", payload).stdout;
    if reply.is_empty() {
        return String::new();
    }
    let reply: Value = serde_json::from_str(&reply).expect("JSON");
    reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

/// The events of the contract that were recorded from Claude Code.
pub(crate) const NAMES: [&str; 13] = [
    "SessionStart.startup",
    "SessionStart.resume",
    "UserPromptSubmit",
    "PreToolUse.Write",
    "PostToolUse.Write",
    "PostToolUse.Read",
    "PostToolUseFailure.Bash",
    "SubagentStart",
    "PostToolUse.Bash.sub",
    "SubagentStop",
    "SessionStart.compact",
    "Stop",
    "SessionEnd",
];

/// Returns a payload as Claude Code wrote it, in the sandbox's own project.
pub(crate) fn recorded(name: &str) -> Payload {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude");
    let text = fs::read_to_string(folder.join(format!("{name}.json"))).expect("a recorded payload");
    let text = text.replace("/home/u/proj/", "");
    Payload(serde_json::from_str(&text).expect("JSON")).without("cwd")
}
