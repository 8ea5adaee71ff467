//! Where an agent is connected, and helpers for the `install.rs` of several agents.
//!
//! Data only; `ops::setup` writes it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::model::{ConfigEntry, InstallScope, quoted};

/// Where an agent is to be connected.
pub(crate) struct InstallPlace<'p> {
    pub(crate) reach: InstallScope,
    /// The nudge program, as it is called from there.
    pub(crate) program: &'p str,
    /// The tools that its server offers, as after `nudge serve --tools`.
    pub(crate) tools: Option<&'p str>,
    pub(crate) home: &'p Path,
    pub(crate) project: &'p Path,
    /// Looks up a folder that the user has moved with an environment variable.
    pub(crate) moved: fn(&str) -> Option<PathBuf>,
    /// Returns whether a file exists: some agents have two names for the same file.
    pub(crate) exists: fn(&Path) -> bool,
}

/// Seconds that a hook may take: far more than it needs, and bearable if it hangs.
pub(super) const TIMEOUT: u32 = 10;

impl InstallPlace<'_> {
    /// Returns the command for hooks.
    pub(super) fn hook(&self, harness: &str) -> String {
        format!("{} hook --harness {harness}", self.shell_word())
    }

    /// Returns a command that does nothing if the program is missing: others who share the project may not have it.
    pub(super) fn optional_hook(&self, harness: &str) -> String {
        match self.reach {
            InstallScope::User => self.hook(harness),
            InstallScope::Project => {
                format!("command -v {} >/dev/null 2>&1 || exit 0; {}", self.shell_word(), self.hook(harness))
            }
        }
    }

    /// Returns the entry of an MCP server, as most agents write it.
    pub(super) fn server(&self) -> Value {
        json!({ "command": self.program, "args": self.server_arguments() })
    }

    /// Returns the arguments that start the server.
    pub(super) fn server_arguments(&self) -> Vec<&str> {
        let tools = self.tools.into_iter().flat_map(|tools| ["--tools", tools]);
        std::iter::once("serve").chain(tools).collect()
    }

    /// Windows shells, and the Bash that agents bring along, all accept a path with slashes.
    pub(super) fn shell_word(&self) -> String {
        if cfg!(windows) { quoted(&self.program.replace('\\', "/")) } else { quoted(self.program) }
    }

    pub(super) fn base(&self, for_user: PathBuf, in_project: &str) -> PathBuf {
        match self.reach {
            InstallScope::User => for_user,
            InstallScope::Project => self.project.join(in_project),
        }
    }
}

/// Returns an entry for each event in Claude Code's format: groups of handlers.
pub(super) fn groups(events: &[&'static str], handler: impl Fn(&str) -> Value) -> Vec<ConfigEntry> {
    let entry = |event: &&'static str| ConfigEntry::Item {
        path: vec!["hooks", event],
        value: json!({ "hooks": [handler(event)] }),
    };
    events.iter().map(entry).collect()
}
