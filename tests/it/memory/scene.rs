//! A scene for the tests of the memory: what an agent did in a small project, and what it looks like without times.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::payload::{Payload, bash, edit, event, prompt, tool};
use crate::sandbox::{Ran, Sandbox};

/// A session with a failure that is fixed: observations #1 to #6.
pub(crate) fn remembered() -> Sandbox {
    let sandbox = Sandbox::new();
    play(&sandbox, story());
    sandbox
}

pub(crate) fn story() -> Vec<Payload> {
    vec![
        event("SessionStart").with("source", "startup"),
        prompt("make the linker error go away"),
        read("build.rs"),
        failed("cargo build", "Exit code 101\nerror: linking with `cc` failed: cannot find -lssl"),
        edit("build.rs", "fn main() {}", "fn main() { link(\"ssl\") }").after(),
        bash("cargo build").after(),
    ]
}

/// Sends events one after the other, each with a number of its own.
pub(crate) fn play(sandbox: &Sandbox, events: Vec<Payload>) {
    for (index, payload) in events.into_iter().enumerate() {
        let session = payload.0["session_id"].as_str().expect("a session").to_owned();
        sandbox.hook("claude-code", payload.with("tool_use_id", format!("{session}-{index}")));
    }
}

pub(crate) fn read(path: &str) -> Payload {
    tool("Read", json!({ "file_path": path })).after()
}

pub(crate) fn failed(command: &str, error: &str) -> Payload {
    bash(command).with("hook_event_name", "PostToolUseFailure").with("error", error)
}

/// A line of an export, with only what differs from a command of long ago.
pub(crate) fn line(content: &str, changes: Value) -> String {
    let mut line = json!({
        "timestamp": 1_000_000_000,
        "session_id": "old",
        "project": "project",
        "obs_type": "command",
        "source_event": "PostToolUse",
        "content": content,
    });
    if let Value::Object(changes) = changes {
        changes.into_iter().for_each(|(key, value)| line[key] = value);
    }
    format!("{line}\n")
}

/// Imports lines; those of `project` are of the sandbox's own.
pub(crate) fn import(sandbox: &Sandbox, lines: &[String]) {
    let root = sandbox.path("");
    let root = root.to_str().expect("UTF-8").trim_end_matches('/');
    let own = format!("\"project\":\"project\",\"project_root\":\"{root}\"");
    let lines = lines.concat().replace("\"project\":\"project\"", &own);
    sandbox.run_with(["observations", "import", "-"], lines.as_bytes()).code(0);
}

/// Replaces what differs from run to run.
pub(crate) fn timeless(ran: Ran) -> Ran {
    let mut ran = ran;
    for (pattern, name) in [
        (r"\d{1,2}:\d\d [AP]M", "2:30 PM"),
        (r"(from |  )\d\d:\d\d( \(|,)", "${1}14:30$2"),
        (r#""(timestamp|started_at|ended_at)": "[^"]+""#, "\"$1\": NOW"),
        (r"\b\d{1,2}s\b", "0s"),
        (r"\d+ KiB", "80 KiB"),
        (r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d{1,2} +", "Mon Jan 12     "),
        (r"\d+y ago", "25y ago"),
        (r"@[0-9a-f]{6}\b", "@3f9a1c"),
        (r"in \d+(\.\d)? ms\b", "in 4 ms"),
        (r"20[2-9]\d-\d\d-\d\d \d\d:\d\d\b", "2026-01-05 14:30"),
    ] {
        let pattern = regex::Regex::new(pattern).expect("a pattern");
        ran.stdout = pattern.replace_all(&ran.stdout, name).into_owned();
    }
    ran
}

/// Returns every file below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// Returns in which of nudge's files a text still is, byte for byte.
pub(crate) fn files_with(sandbox: &Sandbox, text: &str) -> Vec<PathBuf> {
    let holds = |path: &PathBuf| {
        let bytes = fs::read(path).expect("a file of nudge");
        bytes.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()))
    };
    files(&sandbox.beside("home")).into_iter().filter(holds).collect()
}
