//! GitHub Copilot CLI: hooks in nudge's own file, the server among its MCP servers.
//!
//! Its own dialect does not name the event in the payload, so the command does. A hook that fails refuses the tool
//! there, so a command for other people's machines checks for the program first.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::AGENT;
use crate::harness::place::{InstallPlace, TIMEOUT};
use crate::model::{AgentFile, ConfigEntry, Connection, Content, InstallScope, Proof};

const EVENTS: [&str; 9] = [
    "sessionStart",
    "userPromptSubmitted",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "agentStop",
    "subagentStart",
    "subagentStop",
    "sessionEnd",
];

pub(super) fn settings_folder(place: &InstallPlace<'_>) -> PathBuf {
    (place.moved)("COPILOT_HOME").unwrap_or_else(|| place.home.join(".copilot"))
}

pub(super) fn connection(place: &InstallPlace<'_>) -> Connection {
    let command = |event: &str| format!("{} {event}", place.optional_hook(AGENT.id));
    let mut entries = vec![ConfigEntry::Preset { path: vec!["version"], value: json!(1) }];
    entries.extend(EVENTS.map(|event| ConfigEntry::Item {
        path: vec!["hooks", event],
        value: json!({ "type": "command", "bash": command(event), "timeoutSec": TIMEOUT }),
    }));
    let server = json!({ "type": "local", "command": place.program, "args": place.server_arguments(), "tools": ["*"] });
    let base = place.base(settings_folder(place), ".github");
    let servers = match place.reach {
        InstallScope::User => base.join("mcp-config.json"),
        InstallScope::Project => base.join("mcp.json"),
    };
    Connection {
        files: vec![
            AgentFile {
                path: base.join("hooks/nudge.json"),
                content: Content::Json(entries),
                is_strict: false,
            },
            AgentFile {
                path: servers,
                content: Content::Json(vec![ConfigEntry::Key {
                    path: vec!["mcpServers", "nudge"],
                    value: server,
                }]),
                is_strict: false,
            },
        ],
        formerly: Vec::new(),
        elsewhere: vec![
            settings_folder(place).join("hooks/nudge.json"),
            place.project.join(".github/hooks/nudge.json"),
        ],
        also_reads: vec![
            place.project.join(".claude/settings.json"),
            place.project.join(".claude/settings.local.json"),
        ],
        proof: Proof {
            command: command("preToolUse"),
            event,
            project_variable: AGENT.project_variable,
            in_login_shell: false,
        },
        next_step: match place.reach {
            InstallScope::User => "start a new session; `/mcp show` lists the server",
            InstallScope::Project => {
                "start a new session here and trust the folder; commit these files to share them"
            }
        },
    }
}

fn event(folder: &str, shell_command: &str) -> Value {
    json!({
        "sessionId": "nudge-setup",
        "timestamp": 0,
        "cwd": folder,
        "toolName": "bash",
        "toolArgs": { "command": shell_command },
    })
}
