//! OpenCode: a plugin in its plugins folder, the server in its config.
//!
//! The plugin is put into the folder, not listed in the config: versions before and after 2.0 name that key
//! differently.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{AGENT, PLUGIN};
use crate::harness::place::InstallPlace;
use crate::model::{AgentFile, ConfigEntry, Connection, Content, InstallScope, Proof};

pub(super) fn settings_folder(place: &InstallPlace<'_>) -> PathBuf {
    (place.moved)("XDG_CONFIG_HOME").unwrap_or_else(|| place.home.join(".config")).join("opencode")
}

pub(super) fn connection(place: &InstallPlace<'_>) -> Connection {
    let plugins = place.base(settings_folder(place), ".opencode").join("plugins");
    let base = place.base(settings_folder(place), "");
    let [with_comments, plain] = ["opencode.jsonc", "opencode.json"].map(|name| base.join(name));
    let (config, other) =
        if (place.exists)(&with_comments) { (with_comments, plain) } else { (plain, with_comments) };
    let plugin = PLUGIN.replacen("= \"nudge\"", &format!("= {}", Value::from(place.program)), 1);
    // OpenCode adds this to a file that lacks it, and then the file could not be restored completely.
    let schema = json!("https://opencode.ai/config.json");
    let command: Vec<&str> = std::iter::once(place.program).chain(place.server_arguments()).collect();
    let server = json!({ "type": "local", "command": command, "enabled": true });
    let config_file = |path: PathBuf| {
        let entries = vec![
            ConfigEntry::Preset { path: vec!["$schema"], value: schema.clone() },
            ConfigEntry::Key { path: vec!["mcp", "nudge"], value: server.clone() },
        ];
        AgentFile { path, content: Content::Json(entries), is_strict: false }
    };
    Connection {
        files: vec![
            AgentFile { path: plugins.join("nudge.js"), content: Content::Own(plugin), is_strict: false },
            config_file(config),
        ],
        formerly: vec![config_file(other)],
        elsewhere: vec![
            settings_folder(place).join("plugins/nudge.js"),
            place.project.join(".opencode/plugins/nudge.js"),
        ],
        also_reads: Vec::new(),
        proof: Proof {
            command: place.hook(AGENT.id),
            event,
            project_variable: AGENT.project_variable,
            in_login_shell: false,
        },
        next_step: match place.reach {
            InstallScope::User => "start a new session; the plugin is loaded with it",
            InstallScope::Project => "start a new session here; the plugin is loaded with it",
        },
    }
}

fn event(folder: &str, shell_command: &str) -> Value {
    json!({
        "event": "tool.execute.before",
        "session_id": "nudge-setup",
        "cwd": folder,
        "call_id": "nudge-setup",
        "tool": "bash",
        "args": { "command": shell_command },
    })
}
