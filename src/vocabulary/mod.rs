//! The vocabulary of plans and tasks: what a user can write in a prompt, what agents may do, and when one goes on.
//!
//! The words are data, `assets/vocabulary`, one file for each of the seven parts, built into the program. A hook reads
//! only the part it has to quote; what it decides by stands in tables here, which a test compares with the data.

mod agents;
mod capability;
mod directive;
mod resume;
mod tags;
mod words;

pub(crate) use agents::{AGENTS, ResumeTier, agent, role};
pub(crate) use capability::refusal;
pub(crate) use directive::directives;
pub(crate) use resume::{Decision, Question, decide, edited_since};
pub(crate) use tags::{Tag, recognise};
pub(crate) use words::{Vocabulary, vocabulary};
