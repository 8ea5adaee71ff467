//! What agents did: storing it, finding it, forgetting it, moving it, and repairing it.

pub(crate) mod backfill;
pub(crate) mod careful_reader;
mod clean_up;
pub(crate) mod database;
pub(crate) mod exchange;
pub(crate) mod forget;
pub(crate) mod gc;
pub(crate) mod import;
pub(crate) mod memory;
pub(crate) mod projects;
pub(crate) mod remember;
pub(crate) mod salvage;
pub(crate) mod told;

pub(crate) use crate::store::{Copy, StoreError};

#[cfg(test)]
mod runner_outputs;
