//! Claude Code: hooks in its settings, the server in `.mcp.json` or, for the user, in `.claude.json`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Agent, Place, TIMEOUT, groups};
use crate::model::{AgentFile, Connection, Content, Entry, Proof, Reach};

pub(super) const AGENT: Agent = Agent {
    name: "claude",
    title: "Claude Code",
    harness: "claude-code",
    program: "claude",
    folder,
    connection,
};

const EVENTS: [&str; 9] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "SessionEnd",
];

fn folder(place: &Place<'_>) -> PathBuf {
    (place.moved)("CLAUDE_CONFIG_DIR").unwrap_or_else(|| place.home.join(".claude"))
}

fn connection(place: &Place<'_>) -> Connection {
    // Not the form with `args`: versions that do not know it, and Cursor, would call the bare program.
    let command = place.hook(AGENT.harness);
    let hooks = groups(&EVENTS, |_| json!({ "type": "command", "command": command, "timeout": TIMEOUT }));
    let server = json!({ "type": "stdio", "command": place.program, "args": ["serve"] });
    let servers = match (place.reach, (place.moved)("CLAUDE_CONFIG_DIR")) {
        (Reach::Project, _) => place.project.join(".mcp.json"),
        (Reach::User, Some(folder)) => folder.join(".claude.json"),
        (Reach::User, None) => place.home.join(".claude.json"),
    };
    Connection {
        files: vec![
            AgentFile {
                path: place.base(folder(place), ".claude").join("settings.json"),
                content: Content::Json(hooks),
                is_strict: true,
            },
            AgentFile {
                path: servers,
                content: Content::Json(vec![Entry::Key { path: vec!["mcpServers", "nudge"], value: server }]),
                is_strict: true,
            },
        ],
        formerly: Vec::new(),
        elsewhere: vec![
            folder(place).join("settings.json"),
            place.project.join(".claude/settings.json"),
            place.project.join(".claude/settings.local.json"),
        ],
        also_reads: Vec::new(),
        proof: Proof { command, event, project_variable: Some("CLAUDE_PROJECT_DIR"), in_login_shell: false },
        next_step: match place.reach {
            Reach::User => "start a new session; `/hooks` and `/mcp` list what it has",
            Reach::Project => {
                "start a new session here, trust the folder and approve the server; commit both files to share them"
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
