//! Context: what a session is told, of the earlier ones and of where the work stands. Rows are chosen, put in order,
//! and fitted to a budget.
//!
//! Pure: `ops` brings the rows and says them to the agent. Text from the past is evidence, not instruction, and is
//! marked as such.

pub(crate) mod brief;
mod choose;
mod compose;
mod render;
pub(crate) mod snapshot;
mod visible;

use crate::model::{ActedPrompt, Observation, Timestamp};

pub(crate) use choose::{Chosen, choose};
pub(crate) use compose::compose;
pub(crate) use render::{Rendered, render};
pub(crate) use visible::{is_hidden_at, plain, visible, without_controls, without_frame_ends};

/// The rows that may earn a place, each list the newest first.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) open_failures: Vec<Observation>,
    pub(crate) edits: Vec<Observation>,
    pub(crate) prompts: Vec<ActedPrompt>,
    pub(crate) commits: Vec<Observation>,
    /// The project's last observations of every type.
    pub(crate) recent: Vec<Observation>,
    pub(crate) other_projects: Vec<Observation>,
}

/// How much is told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Limits {
    pub(crate) rows: usize,
    pub(crate) other_projects: usize,
    /// After `compact` and `clear` the agent has lost its window: the last actions in their order.
    pub(crate) trail: usize,
    /// The most characters; 0 switches the context off.
    pub(crate) budget: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { rows: 20, other_projects: 10, trail: 0, budget: 6_000 }
    }
}

impl Limits {
    /// Returns the limits for a session that has just lost its context.
    #[must_use]
    pub(crate) fn expanded(self) -> Limits {
        Limits { rows: self.rows * 2, trail: 15, ..self }
    }
}

/// Claude Code diverts what is longer than 10,000 characters to a file, where no model reads it.
pub(crate) const MOST: usize = 9_000;

/// What the text is made of, besides the rows.
pub(crate) struct Setting<'s> {
    pub(crate) project: Option<&'s str>,
    /// Says a time as a person would, in the user's own zone.
    pub(crate) clock: &'s dyn Fn(Timestamp) -> String,
}

#[cfg(test)]
mod tests;
