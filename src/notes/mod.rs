//! Decides about the project's notes: their names, which note a new text belongs to, and which notes could be deleted,
//! with reasons; and which guidance in `.nexus/rules` is on the same topic as another.
//!
//! This is pure: notes and records in, a plan out. `nexus` handles files and git.

mod latin;
mod merge;
mod name;
mod overlap;
mod plan;
mod rank;
mod reads;
mod rule_name;
mod terms;

pub(crate) use merge::{Merged, merge};
pub(crate) use name::{
    Fault, advice as name_advice, check as check_name, from_text as name_from_text, propose as propose_name,
};
pub(crate) use overlap::{NewText, Overlap, OverlapReason, overlap, same_matter, similar};
pub(crate) use plan::{Advice, NotesPlan, PlannedNote, Policy, Signals, Usage, plan};
pub(crate) use rank::rank;
pub(crate) use reads::files_read;
pub(crate) use rule_name::{
    RuleFault, check as check_rule_name, from_text as rule_name_from_text, propose as propose_rule_name,
};
