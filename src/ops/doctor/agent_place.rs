//! The places where an agent may be connected.

use std::path::PathBuf;

use crate::model::{Connection, InstallScope};
use crate::ops::setup::Installed;

/// An agent and one place where it may be connected, as its harness describes it.
pub(crate) struct AgentPlace {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) reach: InstallScope,
    pub(crate) connection: Connection,
    /// The files of roles and skills there, if the agent has such files.
    pub(crate) team: Option<Installed>,
    /// The file that says which hooks the user trusts, if the agent runs no others.
    pub(crate) trust_file: Option<PathBuf>,
}

pub(crate) fn reach_word(reach: InstallScope) -> &'static str {
    match reach {
        InstallScope::User => "user",
        InstallScope::Project => "project",
    }
}
