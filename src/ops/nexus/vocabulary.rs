//! The words of plans, tasks and agents, for `nudge nexus vocabulary`.

pub(crate) use crate::contract::{AGENTS, Catalogue, Vocabulary, limits, vocabulary};
