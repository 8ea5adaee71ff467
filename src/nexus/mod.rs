//! `.nexus/` of a project: its plan, tasks, history and artifacts, shared by all agents that work there.
//!
//! Files are read leniently and written strictly: under one lock for the project, and each file atomically. What they
//! mean is decided elsewhere.

pub(crate) mod access;
pub(crate) mod artifact;
mod changes;
mod contained;
pub(crate) mod crash;
mod error;
mod folder;
pub(crate) mod git;
mod holder;
mod knowledge;
pub(crate) mod merge_driver;
mod mode;
pub(crate) mod notes;
pub(crate) mod removal;
pub(crate) mod rules;
mod state_file;
mod tool_log;
mod tracker;
mod waiting;

pub(crate) use error::NexusError;
pub(crate) use folder::{CLOSING, EXTENSION, HISTORY, Nexus, PLAN, TASKS};
pub(crate) use state_file::Locked;
pub(crate) use tool_log::{ToolUse, UseStatus};
pub(crate) use tracker::SessionMoment;
pub(crate) use waiting::Rest;

pub(crate) type Result<T> = std::result::Result<T, NexusError>;
