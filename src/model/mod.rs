//! The words of the house: what happened, what we say to it, and what went wrong.
//!
//! Plain data without any I/O; every other module speaks in these types.

mod ability;
mod connection;
mod event;
mod observation;
mod patch;
mod problem;
mod recollection;
mod search;
mod target;
mod timestamp;
mod tool_name;
mod verdict;

pub(crate) use ability::{Abilities, Ability};
pub(crate) use connection::{AgentFile, Connection, Content, Entry, Proof, Reach};
pub(crate) use event::{Event, Hook, Replacement, SessionId, ToolAction, ToolCall, ToolResult};
pub(crate) use observation::{
    EventKey, Metadata, NewObservation, Observation, ObservationId, ObservationType, Project,
};
pub(crate) use patch::read_patch;
pub(crate) use problem::{Origin, Place, Problem, Severity};
pub(crate) use recollection::{
    ActedPrompt, FileCount, Forgotten, Inserted, Integrity, PastFix, Retention, Selection, SessionSummary,
    Stats, Timeline,
};
pub(crate) use search::{Excerpt, Filter, Order, Search, SearchHit};
pub(crate) use target::Target;
pub(crate) use timestamp::Timestamp;
pub(crate) use tool_name::{APPLY_PATCH, other_tool_names, usual_tool_names};
pub(crate) use verdict::{Outcome, Verdict};
