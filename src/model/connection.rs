//! What connects an agent with nudge: which of its files contain which entries, and how to check that it works.
//!
//! The harness of an agent describes it, `wiring` edits the texts, and `ops::setup` writes the files.

use std::path::PathBuf;

use serde_json::Value;

/// For whom an agent is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallScope {
    /// Every session of this user.
    User,
    /// Every session in this project, for everybody who works on it.
    Project,
}

/// Everything that connects one agent.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    pub(crate) files: Vec<AgentFile>,
    /// Files that may contain our entries from an earlier setup; undo checks them too.
    pub(crate) formerly: Vec<AgentFile>,
    /// Other files of the agent that may connect it already, so that every event would arrive twice.
    pub(crate) elsewhere: Vec<PathBuf>,
    /// Files of other agents whose hooks this one may call as well.
    pub(crate) also_reads: Vec<PathBuf>,
    pub(crate) proof: Proof,
    /// What the user has to do next.
    pub(crate) next_step: &'static str,
}

/// A file of the agent, with our entries in it.
#[derive(Debug, Clone)]
pub(crate) struct AgentFile {
    pub(crate) path: PathBuf,
    pub(crate) content: Content,
    /// The agent ignores the whole file if it has comments or trailing commas.
    pub(crate) is_strict: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// Entries among others, in JSON with or without comments.
    Json(Vec<ConfigEntry>),
    /// A table among others, in TOML.
    Toml { table: [&'static str; 2], values: Value },
    /// The whole file belongs to nudge.
    Own(String),
    /// The whole file, unless somebody else wrote it or has changed it: then it is theirs. See `model::document`.
    Document(String),
}

/// A path in a JSON text, and the value that we need there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ConfigEntry {
    /// An item of the list at this path.
    Item { path: Vec<&'static str>, value: Value },
    /// The value at this path, which only nudge uses.
    Key { path: Vec<&'static str>, value: Value },
    /// A value that the agent needs; an existing one is kept.
    Preset { path: Vec<&'static str>, value: Value },
}

/// A test event that shows whether the installed command replies.
#[derive(Debug, Clone)]
pub(crate) struct Proof {
    /// The command as written in the agent's file.
    pub(crate) command: String,
    /// Builds the event in which the agent is about to run a shell command in a folder.
    pub(crate) event: fn(folder: &str, shell_command: &str) -> Value,
    /// The environment variable in which the agent passes the project's folder.
    pub(crate) project_variable: Option<&'static str>,
    /// The agent runs hooks in a login shell, which may have a different `PATH`.
    pub(crate) in_login_shell: bool,
}
