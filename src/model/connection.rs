//! What connects an agent with us: which of its files carry which entries, and how to see that it works.
//!
//! The harness of an agent says it, `wiring` puts it into texts, and `ops::setup` writes the files.

use std::path::PathBuf;

use serde_json::Value;

/// For whom an agent is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Every session of this user.
    User,
    /// Every session in this project, for all who work on it.
    Project,
}

/// Everything that connects one agent.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    pub(crate) files: Vec<AgentFile>,
    /// Files that carry our entries if others are there, or were: undo looks there too.
    pub(crate) formerly: Vec<AgentFile>,
    /// Other files of the agent that may connect it already, so that every event would come twice.
    pub(crate) elsewhere: Vec<PathBuf>,
    /// Files of other agents whose hooks this one may call as well.
    pub(crate) also_reads: Vec<PathBuf>,
    pub(crate) proof: Proof,
    /// What the user does next.
    pub(crate) next_step: &'static str,
}

/// A file of the agent, with what is ours in it.
#[derive(Debug, Clone)]
pub(crate) struct AgentFile {
    pub(crate) path: PathBuf,
    pub(crate) content: Content,
    /// The agent passes over the whole file if it has comments or trailing commas.
    pub(crate) is_strict: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// Entries among others, in JSON with or without comments.
    Json(Vec<Entry>),
    /// A table among others, in TOML.
    Toml { table: [&'static str; 2], values: Value },
    /// The whole file is ours.
    Own(String),
}

/// A place in a JSON text, and what we want there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entry {
    /// An item of the list at this path.
    Item { path: Vec<&'static str>, value: Value },
    /// The value at this path, which nobody else uses.
    Key { path: Vec<&'static str>, value: Value },
    /// A value that the agent needs; who has one keeps it.
    Preset { path: Vec<&'static str>, value: Value },
}

/// An event that shows whether the written command answers.
#[derive(Debug, Clone)]
pub(crate) struct Proof {
    /// The command as it stands in the agent's file.
    pub(crate) command: String,
    /// Makes the event in which the agent is about to run a shell command in a folder.
    pub(crate) event: fn(folder: &str, shell_command: &str) -> Value,
    /// The variable in which the agent names the project.
    pub(crate) project_variable: Option<&'static str>,
    /// The agent asks a login shell, which finds programs in its own way.
    pub(crate) in_login_shell: bool,
}
