//! Cursor: hooks in `hooks.json`, the server in `mcp.json` beside it.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::AGENT;
use crate::harness::place::{InstallPlace, TIMEOUT};
use crate::model::{AgentFile, ConfigEntry, Connection, Content, InstallScope, Proof};

const EVENTS: [&str; 9] = [
    "sessionStart",
    "beforeSubmitPrompt",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "subagentStart",
    "subagentStop",
    "stop",
    "sessionEnd",
];

pub(super) fn settings_folder(place: &InstallPlace<'_>) -> PathBuf {
    place.home.join(".cursor")
}

pub(super) fn connection(place: &InstallPlace<'_>) -> Connection {
    let command = place.hook(AGENT.id);
    let mut entries = vec![ConfigEntry::Preset { path: vec!["version"], value: json!(1) }];
    entries.extend(EVENTS.map(|event| ConfigEntry::Item {
        path: vec!["hooks", event],
        value: json!({ "command": command, "timeout": TIMEOUT }),
    }));
    let base = place.base(settings_folder(place), ".cursor");
    Connection {
        files: vec![
            AgentFile { path: base.join("hooks.json"), content: Content::Json(entries), is_strict: false },
            AgentFile {
                path: base.join("mcp.json"),
                content: Content::Json(vec![ConfigEntry::Key {
                    path: vec!["mcpServers", "nudge"],
                    value: place.server(),
                }]),
                is_strict: false,
            },
        ],
        formerly: Vec::new(),
        elsewhere: vec![settings_folder(place).join("hooks.json"), place.project.join(".cursor/hooks.json")],
        also_reads: vec![
            place.home.join(".claude/settings.json"),
            place.project.join(".claude/settings.json"),
            place.project.join(".claude/settings.local.json"),
        ],
        proof: Proof { command, event, project_variable: AGENT.project_variable, in_login_shell: false },
        next_step: match place.reach {
            InstallScope::User => "start a new chat; Settings > Hooks lists what it calls",
            InstallScope::Project => "open this folder in Cursor, trust it, and start a new chat",
        },
    }
}

fn event(folder: &str, shell_command: &str) -> Value {
    json!({
        "conversation_id": "nudge-setup",
        "generation_id": "nudge-setup",
        "session_id": "nudge-setup",
        "hook_event_name": "preToolUse",
        "cursor_version": "0",
        "workspace_roots": [folder],
        "cwd": folder,
        "tool_name": "Shell",
        "tool_input": { "command": shell_command },
        "tool_use_id": "nudge-setup",
    })
}
