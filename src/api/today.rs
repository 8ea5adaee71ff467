//! The summary of one day, as `nudge` prints it: a program gets exactly these fields.

use serde::Serialize;

/// What agents did since midnight, in all projects, and what is open in this one.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct TodayWire {
    /// `2026-01-31`, in the zone of this machine.
    pub(crate) date: String,
    /// How many days from there.
    pub(crate) days: u32,
    pub(crate) agents: Vec<AgentDayWire>,
    /// When the oldest hook call of today was that is still in the trace.
    pub(crate) hooks_since: Option<String>,
    pub(crate) sessions: SessionDaysWire,
    pub(crate) rules: Vec<RuleDayWire>,
    /// The latest failures of today.
    pub(crate) failures: Vec<FailureWire>,
    pub(crate) tasks: Option<OpenTasksWire>,
    /// The latest problems that hooks had today.
    pub(crate) problems: Vec<ProblemDayWire>,
    /// Why the memory cannot be read, if that is so; sessions and failures are unknown then.
    pub(crate) memory_problem: Option<String>,
    /// Whether nothing was ever recorded on this machine.
    pub(crate) is_fresh: bool,
}

/// One agent of today.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct AgentDayWire {
    pub(crate) harness: String,
    pub(crate) title: String,
    pub(crate) sessions: usize,
    pub(crate) hooks: usize,
    pub(crate) blocked: usize,
    pub(crate) guided: usize,
}

/// The sessions of today, the latest first; `items` has the first of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct SessionDaysWire {
    pub(crate) items: Vec<SessionDayWire>,
    pub(crate) total: usize,
    pub(crate) prompts: usize,
    pub(crate) edits: usize,
    pub(crate) failures: usize,
}

/// One session of today.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SessionDayWire {
    pub(crate) session_id: String,
    /// The beginning of the id, as far as no other session has it.
    pub(crate) short_id: String,
    pub(crate) harness: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) started_at: String,
    pub(crate) ended_at: String,
    pub(crate) prompts: usize,
    pub(crate) edits: usize,
    pub(crate) failures: usize,
    /// What rules and gates of the project blocked.
    pub(crate) blocked: usize,
    pub(crate) first_prompt: Option<String>,
}

/// A rule that fired today.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RuleDayWire {
    pub(crate) rule: String,
    pub(crate) blocked: usize,
    pub(crate) guided: usize,
}

/// A command that failed today.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FailureWire {
    pub(crate) id: i64,
    pub(crate) at: String,
    pub(crate) project: Option<String>,
    pub(crate) content: String,
}

/// What is open in this project.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct OpenTasksWire {
    /// The first of them.
    pub(crate) items: Vec<OpenTaskWire>,
    pub(crate) open: usize,
    pub(crate) total: usize,
}

/// A task that is not completed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct OpenTaskWire {
    pub(crate) id: u64,
    pub(crate) title: String,
}

/// A problem that a hook had.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ProblemDayWire {
    pub(crate) at: String,
    pub(crate) message: String,
}
