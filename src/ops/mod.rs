//! What the program does. Here the decisions meet the state on disk.
//!
//! There is one room per subject: answering events (`hook`), the memory (`observations`), hints, rules, and `.nexus/`.

pub(crate) mod agents;
pub(crate) mod allow;
pub(crate) mod complete;
pub(crate) mod cost;
pub(crate) mod demo;
pub(crate) mod dispatch;
pub(crate) mod doctor;
pub(crate) mod failures;
pub(crate) mod here;
pub(crate) mod hints;
pub(crate) mod hook;
pub(crate) mod learn;
pub(crate) mod machines;
pub(crate) mod nexus;
pub(crate) mod observations;
mod on_time;
pub(crate) mod pages;
pub(crate) mod pause;
pub(crate) mod problems;
pub(crate) mod project;
pub(crate) mod rules;
pub(crate) mod secret_patterns;
pub(crate) mod session_preview;
pub(crate) mod settings;
pub(crate) mod setup;
#[cfg(feature = "team")]
pub(crate) mod sharing;
pub(crate) mod status;
#[cfg(feature = "team")]
pub(crate) mod team;
pub(crate) mod times;
pub(crate) mod today;
pub(crate) mod trace;
pub(crate) mod trust;
pub(crate) mod turn;
pub(crate) mod uninstall;
pub(crate) mod view;
pub(crate) mod why;
