//! Turns events into observations: the few facts of an event that are worth remembering.
//!
//! This is pure: an event and its circumstances in, finished observations out. Texts are redacted first; only then are
//! lines chosen, words shortened and texts cut, so that no piece of a secret remains.

mod border;
mod cleaned;
mod command;
mod echo;
mod extract;
mod failure;
mod finish;
mod gist;
mod lines;
mod marks;
mod meaning;
mod notes;
mod runners;
mod signature;
mod window;

pub(crate) use border::{Border, Withheld, arrived, arrived_facts};
pub(crate) use cleaned::cleaned;
pub(crate) use extract::{Circumstances, RuleWord, failed_unreported};
pub(crate) use failure::pasted_signature;
pub(crate) use finish::{observe, other_key};
pub(crate) use runners::is_failed_summary;

#[cfg(test)]
mod tests;
