//! The program's environment: variables, clock, paths, settings, rule files and their cache, problems, session marks,
//! and the trace of hooks.
//!
//! Only this module accesses them; it returns bytes and facts, and decides nothing.

pub(crate) mod agent_files;
pub(crate) mod budget;
pub(crate) mod clock;
pub(crate) mod day;
pub(crate) mod env;
mod git_config;
pub(crate) mod marks;
pub(crate) mod moment;
pub(crate) mod paths;
pub(crate) mod problems;
pub(crate) mod programs;
pub(crate) mod project;
pub(crate) mod repository;
pub(crate) mod rule_cache;
pub(crate) mod rule_files;
pub(crate) mod settings;
pub(crate) mod setup_journal;
pub(crate) mod signals;
pub(crate) mod target;
pub(crate) mod trace;
