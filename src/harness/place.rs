//! Where an agent is connected, and what the `install.rs` of several agents needs for that.
//!
//! Data only; `ops::setup` writes it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::model::{Entry, Reach, quoted};

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

/// Seconds that a hook may take: far more than it needs, and bearable if it hangs.
pub(super) const TIMEOUT: u32 = 10;

impl Place<'_> {
    /// Returns the command for hooks.
    pub(super) fn hook(&self, harness: &str) -> String {
        format!("{} hook --harness {harness}", self.shell_word())
    }

    /// Returns a command that a missing program does not turn into a refusal: whoever shares the project may not have it.
    pub(super) fn forgiving_hook(&self, harness: &str) -> String {
        match self.reach {
            Reach::User => self.hook(harness),
            Reach::Project => {
                format!("command -v {} >/dev/null 2>&1 || exit 0; {}", self.shell_word(), self.hook(harness))
            }
        }
    }

    /// Returns the entry of an MCP server, as most agents write it.
    pub(super) fn server(&self) -> Value {
        json!({ "command": self.program, "args": ["serve"] })
    }

    /// Windows' own shells and the Bash that agents bring along all take a path with slashes.
    pub(super) fn shell_word(&self) -> String {
        if cfg!(windows) { quoted(&self.program.replace('\\', "/")) } else { quoted(self.program) }
    }

    pub(super) fn base(&self, for_user: PathBuf, in_project: &str) -> PathBuf {
        match self.reach {
            Reach::User => for_user,
            Reach::Project => self.project.join(in_project),
        }
    }
}

/// Returns an entry for each event, in the form that Claude Code brought up: groups of handlers.
pub(super) fn groups(events: &[&'static str], handler: impl Fn(&str) -> Value) -> Vec<Entry> {
    let entry = |event: &&'static str| Entry::Item {
        path: vec!["hooks", event],
        value: json!({ "hooks": [handler(event)] }),
    };
    events.iter().map(entry).collect()
}
