//! Gemini CLI: hooks and the server in its settings.
//!
//! A hook that is not found refuses every tool there, so a command for others' machines looks for it first.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Agent, Place, TIMEOUT, groups};
use crate::model::{AgentFile, Connection, Content, Entry, Proof, Reach};

pub(super) const AGENT: Agent = Agent {
    name: "gemini",
    title: "Gemini CLI",
    harness: "gemini-cli",
    program: "gemini",
    folder,
    connection,
};

const EVENTS: [&str; 6] =
    ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"];

fn folder(place: &Place<'_>) -> PathBuf {
    (place.moved)("GEMINI_CLI_HOME").unwrap_or_else(|| place.home.to_owned()).join(".gemini")
}

fn connection(place: &Place<'_>) -> Connection {
    let command = place.forgiving_hook(AGENT.harness);
    let mut entries = groups(&EVENTS, |_| {
        // It counts in milliseconds.
        json!({ "type": "command", "name": "nudge", "command": command, "timeout": TIMEOUT * 1000 })
    });
    entries.push(Entry::Key { path: vec!["mcpServers", "nudge"], value: place.server() });
    Connection {
        files: vec![AgentFile {
            path: place.base(folder(place), ".gemini").join("settings.json"),
            content: Content::Json(entries),
            is_strict: false,
        }],
        formerly: Vec::new(),
        elsewhere: vec![folder(place).join("settings.json"), place.project.join(".gemini/settings.json")],
        also_reads: Vec::new(),
        proof: Proof { command, event, project_variable: Some("GEMINI_PROJECT_DIR"), in_login_shell: false },
        next_step: match place.reach {
            Reach::User => "start a new session; `/hooks` and `/mcp` list what it has",
            Reach::Project => {
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
