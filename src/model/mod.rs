//! The words of the house: what happened, what we say to it, and what went wrong.
//!
//! Plain data without any I/O; every other module speaks in these types.

mod event;
mod problem;
mod target;
mod verdict;

pub(crate) use event::{Event, Hook, Replacement, SessionId, ToolAction, ToolCall};
pub(crate) use problem::{Origin, Place, Problem, Severity};
pub(crate) use target::Target;
pub(crate) use verdict::{Outcome, Verdict};
