//! Claude Code: hooks in its settings, the server in `.mcp.json` or, for the user, in `.claude.json`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::AGENT;
use crate::harness::place::{InstallPlace, TIMEOUT, groups};
use crate::model::{AgentFile, ConfigEntry, Connection, Content, InstallScope, Proof};

const EVENTS: [&str; 10] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PostCompact",
    "SessionEnd",
];

pub(super) fn settings_folder(place: &InstallPlace<'_>) -> PathBuf {
    (place.moved)("CLAUDE_CONFIG_DIR").unwrap_or_else(|| place.home.join(".claude"))
}

pub(super) fn connection(place: &InstallPlace<'_>) -> Connection {
    // Not the form with `args`: versions that do not know it, and Cursor, would call the bare program.
    let command = place.hook(AGENT.id);
    let hooks = groups(&EVENTS, |_| json!({ "type": "command", "command": command, "timeout": TIMEOUT }));
    let server = json!({ "type": "stdio", "command": place.program, "args": place.server_arguments() });
    let servers = match (place.reach, (place.moved)("CLAUDE_CONFIG_DIR")) {
        (InstallScope::Project, _) => place.project.join(".mcp.json"),
        (InstallScope::User, Some(folder)) => folder.join(".claude.json"),
        (InstallScope::User, None) => place.home.join(".claude.json"),
    };
    Connection {
        files: vec![
            AgentFile {
                path: place.base(settings_folder(place), ".claude").join("settings.json"),
                content: Content::Json(hooks),
                is_strict: true,
            },
            AgentFile {
                path: servers,
                content: Content::Json(vec![ConfigEntry::Key {
                    path: vec!["mcpServers", "nudge"],
                    value: server,
                }]),
                is_strict: true,
            },
        ],
        formerly: Vec::new(),
        elsewhere: vec![
            settings_folder(place).join("settings.json"),
            place.project.join(".claude/settings.json"),
            place.project.join(".claude/settings.local.json"),
        ],
        also_reads: Vec::new(),
        proof: Proof { command, event, project_variable: AGENT.project_variable, in_login_shell: false },
        next_step: match place.reach {
            InstallScope::User => "start a new session; `/hooks` and `/mcp` list what it has",
            InstallScope::Project => {
                "start a new session here, trust the folder and approve the server; commit these files to share them"
            }
        },
    }
}

fn event(folder: &str, shell_command: &str) -> Value {
    json!({
        "session_id": "nudge-setup",
        "hook_event_name": "PreToolUse",
        "cwd": folder,
        "tool_name": "Bash",
        "tool_input": { "command": shell_command },
        "tool_use_id": "nudge-setup",
    })
}
