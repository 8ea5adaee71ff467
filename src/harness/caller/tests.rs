//! Tests of this module.

use serde_json::{Value, json};

use super::*;
use crate::harness::{by_id, ids};

fn called_by(named: &str, payload: &str) -> &'static str {
    caller(by_id(named).unwrap(), payload.as_bytes()).id
}

#[track_caller]
fn check(payload: &Value, expect: &str) {
    assert_eq!(called_by("claude-code", &payload.to_string()), expect, "{payload}");
}

#[test]
fn every_recorded_payload_is_recognised() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    // These two events of Codex have nothing specific to it, and are handled the same.
    let alike = ["SessionEnd.json", "SessionStart.startup.json"];
    for (folder, id) in [("claude", "claude-code"), ("codex", "codex"), ("gemini", "gemini-cli")] {
        for entry in std::fs::read_dir(fixtures.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if !name.ends_with(".json") || (id == "codex" && alike.contains(&name)) {
                continue;
            }
            let payload = std::fs::read_to_string(&path).unwrap();
            assert_eq!(called_by("claude-code", &payload), id, "{}", path.display());
        }
    }
}

#[test]
fn agents_that_load_claude_codes_settings_are_distinguished() {
    check(&json!({ "hook_event_name": "PreToolUse", "cursor_version": "1.7" }), "cursor");
    check(&json!({ "hook_event_name": "preToolUse", "cursor_version": "1.7", "model": "m" }), "cursor");
    check(&json!({ "hook_event_name": "PreToolUse", "timestamp": "2026-11-15T00:00:00Z" }), "copilot");
    check(&json!({ "hook_event_name": "Stop", "timestamp": "t", "transcript_path": "p" }), "copilot");
    check(&json!({ "toolName": "bash", "toolArgs": {} }), "copilot");
    check(&json!({ "hookEventName": "PreToolUse", "sessionId": "s", "tool_name": "Bash" }), "copilot");
    check(
        &json!({ "hook_event_name": "SessionStart", "timestamp": "t", "transcript_path": "p" }),
        "gemini-cli",
    );
    check(&json!({ "hook_event_name": "PreToolUse", "model": "m", "transcript_path": "p" }), "claude-code");
    check(&json!({}), "claude-code");
}

#[test]
fn the_command_line_is_trusted_otherwise() {
    let codex = json!({ "hook_event_name": "Stop", "turn_id": "t", "model": "m" }).to_string();
    for harness in ids().filter(|id| *id != "claude-code") {
        assert_eq!(called_by(harness, &codex), harness);
    }
    assert_eq!(called_by("claude-code", "rubbish"), "claude-code");
}
