//! Rules: where they come from, when they fire, what they say, and mistakes in them.

mod cache;
mod doubts;
mod edits;
pub(crate) mod examples;
mod files;
mod last_good;
mod levels;
mod options;
mod outcomes;
mod patterns;
mod project;
mod rule_files;
mod shell;
mod sources;
mod traps;
