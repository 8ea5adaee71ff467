//! The words of the house: what happened, what we say to it, and what went wrong.
//!
//! Plain data without any I/O; every other module speaks in these types.

mod agent;
mod event;
mod history;
mod knowledge;
mod mode;
mod note;
mod observation;
mod plan;
mod problem;
mod recollection;
mod search;
mod target;
mod task;
mod timestamp;
mod verdict;

pub(crate) use agent::{AgentStatus, TrackedAgent};
pub(crate) use event::{Event, Hook, Replacement, SessionId, ToolAction, ToolCall, ToolResult};
pub(crate) use history::{Cycle, History};
pub(crate) use knowledge::Knowledge;
pub(crate) use mode::{Mode, ModeName};
pub(crate) use note::{Category, Note, Reads, tags};
pub(crate) use observation::{
    EventKey, Metadata, NewObservation, Observation, ObservationId, ObservationType, Project,
};
pub(crate) use plan::{How, Issue, IssueStatus, Plan, PlanOutline};
pub(crate) use problem::{Origin, Place, Problem, Severity};
pub(crate) use recollection::{
    ActedPrompt, FileCount, Forgotten, Inserted, Integrity, PastFix, Retention, Selection, SessionSummary,
    Stats, Timeline,
};
pub(crate) use search::{Excerpt, Filter, Order, Search, SearchHit};
pub(crate) use target::Target;
pub(crate) use task::{ReusePolicy, Task, TaskOutlines, TaskStatus, Tasks};
pub(crate) use timestamp::Timestamp;
pub(crate) use verdict::{Outcome, Verdict};
