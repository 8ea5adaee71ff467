//! Builds the context of a session from earlier sessions and the state of the work: chooses rows, orders them, and fits
//! them to a budget.
//!
//! This is pure: `ops` provides the rows and sends the text to the agent. Text from the past is evidence, not
//! instruction, and is marked as such.

pub(crate) mod brief;
mod briefing;
mod changed;
mod choose;
mod colleague;
mod compose;
mod line;
mod obstacle;
mod past;
mod recurrence;
mod render;
mod signature;
pub(crate) mod snapshot;
mod story;
mod visible;
mod works;

use crate::model::{Observation, Timestamp};

pub(crate) use briefing::tell_session;
pub(crate) use choose::Chosen;
pub(crate) use colleague::{COLLEAGUES_HEADING, ColleagueFix};
pub(crate) use compose::compose;
pub(crate) use line::plain_line;
pub(crate) use obstacle::describe_obstacle;
pub(crate) use past::{BriefingInput, Obstacle};
pub(crate) use recurrence::{Recurrence, describe_recurrence, describe_undone, describe_way_out};
pub(crate) use render::{Rendered, render};
pub(crate) use signature::{signature, signed};
pub(crate) use visible::{is_hidden_at, plain, visible, without_controls, without_frame_ends};

/// What the text is made from.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) past: BriefingInput,
    /// What this session did last, the newest first, for an agent that has lost its context.
    pub(crate) trail: Vec<Observation>,
    pub(crate) other_projects: Vec<Observation>,
}

/// How much context a session gets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContextLimits {
    pub(crate) rows: usize,
    pub(crate) other_projects: usize,
    /// The number of last actions to list, for an agent that has lost its context through `compact` or `clear`.
    pub(crate) trail: usize,
    /// Maximum length in characters; 0 disables the context.
    pub(crate) budget: usize,
}

impl Default for ContextLimits {
    fn default() -> ContextLimits {
        ContextLimits { rows: 20, other_projects: 10, trail: 0, budget: 3_000 }
    }
}

impl ContextLimits {
    /// Returns the limits for a session that has just lost its context.
    #[must_use]
    pub(crate) fn expanded(self) -> ContextLimits {
        ContextLimits { rows: self.rows * 2, trail: 15, ..self }
    }
}

/// Maximum length of the context, in characters; Claude Code diverts more than 10,000 to a file, where no model reads
/// it.
pub(crate) const MAX_LENGTH: usize = 9_000;

/// What the text needs besides the rows.
pub(crate) struct Setting<'s> {
    pub(crate) project: Option<&'s str>,
    /// Formats a time for people, in the user's time zone.
    pub(crate) clock: &'s dyn Fn(Timestamp) -> String,
}

#[cfg(test)]
mod tests;
