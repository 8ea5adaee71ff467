//! The system around the program: clock, time budget, programs, repository, project, rule files.
//!
//! It returns bytes and facts, and decides nothing.

pub(crate) mod budget;
pub(crate) mod clock;
mod git_config;
pub(crate) mod moment;
pub(crate) mod programs;
pub(crate) mod project;
pub(crate) mod repository;
pub(crate) mod rule_files;
pub(crate) mod rule_levels;
pub(crate) mod signals;
pub(crate) mod target;
