//! Codex: hooks in `hooks.json`, the server in `config.toml` beside it.
//!
//! Its user trusts a hook by a hash of the command, so the command must stay the same after every upgrade of nudge.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::AGENT;
use crate::harness::place::{InstallPlace, TIMEOUT, groups};
use crate::model::{AgentFile, Connection, Content, InstallScope, Proof};

const EVENTS: [&str; 8] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "SessionEnd",
];

/// Codex does not wait longer at the end of a session.
pub(super) const SESSION_END_TIMEOUT: u32 = 3;

pub(super) fn settings_folder(place: &InstallPlace<'_>) -> PathBuf {
    (place.moved)("CODEX_HOME").unwrap_or_else(|| place.home.join(".codex"))
}

pub(super) fn connection(place: &InstallPlace<'_>) -> Connection {
    let command = place.hook(AGENT.id);
    let hooks = groups(&EVENTS, |event| {
        let timeout = if event == "SessionEnd" { SESSION_END_TIMEOUT } else { TIMEOUT };
        json!({ "type": "command", "command": command, "timeout": timeout })
    });
    let base = place.base(settings_folder(place), ".codex");
    Connection {
        files: vec![
            AgentFile { path: base.join("hooks.json"), content: Content::Json(hooks), is_strict: true },
            AgentFile {
                path: base.join("config.toml"),
                content: Content::Toml { table: ["mcp_servers", "nudge"], values: place.server() },
                is_strict: false,
            },
        ],
        formerly: Vec::new(),
        elsewhere: vec![
            settings_folder(place).join("hooks.json"),
            settings_folder(place).join("config.toml"),
            place.project.join(".codex/hooks.json"),
            place.project.join(".codex/config.toml"),
        ],
        also_reads: Vec::new(),
        proof: Proof { command, event, project_variable: AGENT.project_variable, in_login_shell: true },
        next_step: match place.reach {
            InstallScope::User => {
                "start Codex and choose `Trust all and continue` when it asks about hooks (or trust them in `/hooks`); until then it does not call them"
            }
            InstallScope::Project => {
                "start Codex here, trust the project, and choose `Trust all and continue` when it asks about hooks (or trust them in `/hooks`); until then it does not call them"
            }
        },
    }
}

fn event(folder: &str, shell_command: &str) -> Value {
    json!({
        "session_id": "nudge-setup",
        "turn_id": "nudge-setup",
        "transcript_path": null,
        "cwd": folder,
        "hook_event_name": "PreToolUse",
        "model": "none",
        "permission_mode": "default",
        "tool_name": "Bash",
        "tool_input": { "command": shell_command },
        "tool_use_id": "nudge-setup",
    })
}
