//! What to install where: for each agent its files, our entries in them, and an event that proves that they work.
//!
//! Data only; `ops::setup` writes it.

mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod gemini_cli;
mod opencode;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::model::{Connection, Entry, Reach, quoted};

/// An agent that can be connected.
pub(crate) struct Agent {
    /// What people call it.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) harness: &'static str,
    /// What it is called on the command line.
    pub(crate) program: &'static str,
    /// Returns the folder that it keeps its settings in.
    pub(crate) folder: fn(&Place<'_>) -> PathBuf,
    pub(crate) connection: fn(&Place<'_>) -> Connection,
}

/// Where an agent is to be connected.
pub(crate) struct Place<'p> {
    pub(crate) reach: Reach,
    /// Our program, as it is called from there.
    pub(crate) program: &'p str,
    pub(crate) home: &'p Path,
    pub(crate) project: &'p Path,
    /// Looks up a folder that the user has moved with a variable.
    pub(crate) moved: fn(&str) -> Option<PathBuf>,
    /// Says whether a file is there: some agents have two names for the same.
    pub(crate) exists: fn(&Path) -> bool,
}

pub(crate) const AGENTS: [Agent; 6] =
    [claude_code::AGENT, codex::AGENT, gemini_cli::AGENT, cursor::AGENT, opencode::AGENT, copilot::AGENT];

/// Finds an agent by what people call it.
pub(crate) fn agent(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name)
}

/// Seconds that a hook may take: far more than it needs, and bearable if it hangs.
const TIMEOUT: u32 = 10;

impl Place<'_> {
    /// Returns the command for hooks.
    fn hook(&self, harness: &str) -> String {
        format!("{} hook --harness {harness}", self.shell_word())
    }

    /// Returns a command that a missing program does not turn into a refusal: whoever shares the project may not have it.
    fn forgiving_hook(&self, harness: &str) -> String {
        match self.reach {
            Reach::User => self.hook(harness),
            Reach::Project => {
                format!("command -v {} >/dev/null 2>&1 || exit 0; {}", self.shell_word(), self.hook(harness))
            }
        }
    }

    /// Returns the entry of an MCP server, as most agents write it.
    fn server(&self) -> Value {
        json!({ "command": self.program, "args": ["serve"] })
    }

    /// Windows' own shells and the Bash that agents bring along all take a path with slashes.
    fn shell_word(&self) -> String {
        if cfg!(windows) { quoted(&self.program.replace('\\', "/")) } else { quoted(self.program) }
    }

    fn base(&self, for_user: PathBuf, in_project: &str) -> PathBuf {
        match self.reach {
            Reach::User => for_user,
            Reach::Project => self.project.join(in_project),
        }
    }
}

/// Returns an entry for each event, in the form that Claude Code brought up: groups of handlers.
fn groups(events: &[&'static str], handler: impl Fn(&str) -> Value) -> Vec<Entry> {
    let entry = |event: &&'static str| Entry::Item {
        path: vec!["hooks", event],
        value: json!({ "hooks": [handler(event)] }),
    };
    events.iter().map(entry).collect()
}
