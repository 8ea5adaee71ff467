//! What `nudge uninstall --json` prints.

use std::path::PathBuf;

use serde::Serialize;

use super::problem::ProblemJson;
use super::setup::ChangedFileJson;

/// What was removed, or would be.
#[derive(Debug, Serialize)]
pub(crate) struct UninstallWire {
    /// Whether it is done; else it is what would be.
    pub(crate) removed: bool,
    pub(crate) agents: Vec<DisconnectedAgentWire>,
    pub(crate) places: Vec<RemovedPlaceWire>,
    /// What stays because the user wants it.
    pub(crate) kept: Vec<PathBuf>,
    /// Files in repositories, which are never removed.
    pub(crate) in_repositories: Vec<PathBuf>,
    pub(crate) program: Option<PathBuf>,
    /// The command that removes the program.
    pub(crate) program_removal: Option<String>,
    pub(crate) problems: Vec<ProblemJson>,
}

/// An agent that is disconnected.
#[derive(Debug, Serialize)]
pub(crate) struct DisconnectedAgentWire {
    pub(crate) agent: &'static str,
    pub(crate) files: Vec<ChangedFileJson>,
}

/// A file or folder that is removed.
#[derive(Debug, Serialize)]
pub(crate) struct RemovedPlaceWire {
    pub(crate) what: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}
