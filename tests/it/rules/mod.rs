//! Rules: where they come from, when they fire, what they say, and mistakes in them.

mod ask;
mod cache;
mod change;
mod commands;
mod conditions;
mod doubts;
mod edits;
pub(crate) mod examples;
mod files;
mod import;
mod last_good;
mod levels;
mod options;
mod outcomes;
mod packs;
mod parts;
mod patterns;
mod project;
mod replay;
mod rule_files;
mod session;
mod shell;
mod sources;
mod traps;
#[cfg(unix)]
mod trust;
mod wishes;
