//! The coding agents that are known.

pub(crate) use crate::harness::{AGENTS, Agent, DEFAULT, by_id, by_name, caller, ids, read_json};
