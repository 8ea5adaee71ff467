//! What hooks and setup write down between events: marks of a session, problems, the trace, caches, changed files.
//!
//! Each of them is small, bounded, and can be lost without harm.

pub(crate) mod agent_files;
pub(crate) mod allowances;
pub(crate) mod call_times;
pub(crate) mod day;
pub(crate) mod declined;
pub(crate) mod marks;
pub(crate) mod pauses;
pub(crate) mod problems;
pub(crate) mod rule_cache;
pub(crate) mod session_facts;
pub(crate) mod setup_journal;
pub(crate) mod trace;
pub(crate) mod trusted;
pub(crate) mod warnings;
