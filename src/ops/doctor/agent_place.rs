//! The places where an agent may be connected.

use crate::model::{Connection, InstallScope};

/// An agent and one place where it may be connected, as its harness describes it.
pub(crate) struct AgentPlace {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) reach: InstallScope,
    pub(crate) connection: Connection,
}

pub(crate) fn reach_word(reach: InstallScope) -> &'static str {
    match reach {
        InstallScope::User => "user",
        InstallScope::Project => "project",
    }
}
