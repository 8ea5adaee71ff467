//! Gemini CLI: hooks and the server in its settings.
//!
//! There, a hook program that is not found refuses every tool, so a command for other people's machines checks for it
//! first.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::AGENT;
use crate::harness::place::{InstallPlace, TIMEOUT, groups};
use crate::model::{AgentFile, ConfigEntry, Connection, Content, InstallScope, Proof};

const EVENTS: [&str; 6] =
    ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"];

pub(super) fn settings_folder(place: &InstallPlace<'_>) -> PathBuf {
    (place.moved)("GEMINI_CLI_HOME").unwrap_or_else(|| place.home.to_owned()).join(".gemini")
}

pub(super) fn connection(place: &InstallPlace<'_>) -> Connection {
    let command = place.optional_hook(AGENT.id);
    let mut entries = groups(&EVENTS, |_| {
        // In milliseconds.
        json!({ "type": "command", "name": "nudge", "command": command, "timeout": TIMEOUT * 1000 })
    });
    entries.push(ConfigEntry::Key { path: vec!["mcpServers", "nudge"], value: place.server() });
    Connection {
        files: vec![AgentFile {
            path: place.base(settings_folder(place), ".gemini").join("settings.json"),
            content: Content::Json(entries),
            is_strict: false,
        }],
        formerly: Vec::new(),
        elsewhere: vec![
            settings_folder(place).join("settings.json"),
            place.project.join(".gemini/settings.json"),
        ],
        also_reads: Vec::new(),
        proof: Proof { command, event, project_variable: AGENT.project_variable, in_login_shell: false },
        next_step: match place.reach {
            InstallScope::User => "start a new session; `/hooks` and `/mcp` list what it has",
            InstallScope::Project => {
                "start a new session here and trust the folder; `/hooks` and `/mcp` list what it has"
            }
        },
    }
}

fn event(folder: &str, shell_command: &str) -> Value {
    json!({
        "session_id": "nudge-setup",
        "transcript_path": "",
        "cwd": folder,
        "hook_event_name": "BeforeTool",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "tool_name": "run_shell_command",
        "tool_input": { "command": shell_command },
    })
}
