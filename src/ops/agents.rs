//! The coding agents that are known.

pub(crate) use crate::harness::{DEFAULT, by_id, caller, ids, read_json};
