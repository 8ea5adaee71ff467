//! What the project's memory keeps: under which name, joined to which note, and what could go, with the reasons; and
//! which rule for agents is on the same matter as another.
//!
//! Thought only: notes and records come in as values, a plan goes out. Files and git are behind `nexus`.

mod merge;
mod name;
mod overlap;
mod plan;
mod rank;
mod reads;
mod rule_name;
mod terms;

pub(crate) use merge::{Merged, merge};
pub(crate) use name::{Fault, check as check_name, from_text as name_from_text, propose as propose_name};
pub(crate) use overlap::{Why, overlap, same_matter};
pub(crate) use plan::{Advice, Entry, Plan, Policy, Signals, Usage, plan};
pub(crate) use rank::rank;
pub(crate) use reads::note_read;
pub(crate) use rule_name::{
    RuleFault, check as check_rule_name, from_text as rule_name_from_text, propose as propose_rule_name,
};
