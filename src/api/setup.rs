//! What `nudge setup`, `init`, `settings` and `stop` print as JSON.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use super::list::{ListWire, MapWire};
use super::problem::ProblemJson;

/// `nudge setup --json`.
#[derive(Debug, Serialize)]
pub(crate) struct SetupJson {
    pub(crate) dry_run: bool,
    pub(crate) agents: Vec<AgentSetupJson>,
}

/// What became of one agent in one place.
#[derive(Debug, Serialize)]
pub(crate) struct AgentSetupJson {
    pub(crate) agent: &'static str,
    pub(crate) harness: &'static str,
    pub(crate) reach: &'static str,
    pub(crate) state: &'static str,
    pub(crate) files: Vec<ChangedFileJson>,
    pub(crate) problems: Vec<ProblemJson>,
    pub(crate) next_step: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct ChangedFileJson {
    pub(crate) path: PathBuf,
    pub(crate) change: &'static str,
}

/// `nudge init --json`.
#[derive(Debug, Serialize)]
pub(crate) struct InitJson {
    pub(crate) project: PathBuf,
    pub(crate) made: Vec<String>,
    pub(crate) found: Vec<String>,
}

/// `nudge settings --json`.
#[derive(Debug, Serialize)]
pub(crate) struct SettingsJson {
    pub(crate) files: Vec<String>,
    #[serde(flatten)]
    pub(crate) settings: ListWire<SettingJson>,
    pub(crate) problems: Vec<ProblemJson>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SettingJson {
    pub(crate) key: &'static str,
    pub(crate) about: &'static str,
    /// As they are written in TOML, by key.
    pub(crate) values: MapWire<String>,
    /// `default`, `user` or `project`, by key.
    pub(crate) set_by: MapWire<&'static str>,
}

/// `nudge settings set --json`, and `unset`.
#[derive(Debug, Serialize)]
pub(crate) struct SettingEditJson<'a> {
    pub(crate) key: &'a str,
    /// As it was written in TOML; null if it was removed.
    pub(crate) value: Option<&'a str>,
    pub(crate) changed: bool,
    /// What applies here from now on.
    pub(crate) applies: Option<&'a str>,
    pub(crate) file: String,
    pub(crate) problems: Vec<ProblemJson>,
}

/// `nudge stop --json`.
#[derive(Debug, Serialize)]
pub(crate) struct StoppedJson {
    pub(crate) pid: Value,
    pub(crate) port: Value,
    pub(crate) manner: &'static str,
    /// The next PRIMARY's description of itself, if there is one.
    pub(crate) next: Option<Value>,
    /// How many hints ended with the session, if it is known.
    pub(crate) lost_hints: Option<u64>,
}

/// `nudge nexus vocabulary --json`: the parts of the contract, the agents and the skills.
#[derive(Debug, Serialize)]
pub(crate) struct VocabularyJson<W, C> {
    #[serde(flatten)]
    pub(crate) words: W,
    #[serde(flatten)]
    pub(crate) catalogue: C,
}
