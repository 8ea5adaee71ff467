//! The roles and skills that agents are given: those that are built in.

use crate::contract::Catalogue;
use crate::model::{Problem, Team};

/// Returns the roles and skills for the files of agents.
pub(crate) fn team() -> Result<Team, Problem> {
    Ok(catalogue()?.team())
}

/// Returns all agents and skills with their bodies.
pub(crate) fn catalogue() -> Result<Catalogue, Problem> {
    Ok(Catalogue::built_in())
}
