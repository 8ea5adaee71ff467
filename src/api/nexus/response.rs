//! The answers about plan, tasks and history, with the contract's format and names.

use serde::Serialize;
use serde_json::Value;

use super::NamedTaskWire;
use crate::model::{CycleExtension, Issue, IssueStatus, Task, counted};

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum NexusResponse {
    PlanStarted(PlanStartedWire),
    PlanStatus(PlanStatusWire),
    IssueChanged(IssueChangedWire),
    Decided(DecidedWire),
    TaskList(TaskListWire),
    Task(Box<TaskWire>),
    Closed(ClosedWire),
    History(HistoryWire),
    Context(ContextWire),
    Artifact(ArtifactWire),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PlanStartedWire {
    pub(crate) created: bool,
    pub(crate) plan_id: u64,
    pub(crate) topic: String,
    #[serde(rename = "issueCount")]
    pub(crate) issue_count: usize,
    #[serde(rename = "previousArchived")]
    pub(crate) previous_archived: bool,
    /// The plan that was archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) previous: Option<PreviousPlanWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PreviousPlanWire {
    pub(crate) plan_id: u64,
    pub(crate) topic: String,
    pub(crate) decided: usize,
    pub(crate) pending: usize,
}

/// The open plan, or that there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum PlanStatusWire {
    Inactive {
        active: bool,
    },
    Active {
        active: bool,
        plan_id: u64,
        topic: String,
        issues: Vec<Issue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        research_summary: Option<String>,
        summary: PlanCountsWire,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PlanCountsWire {
    pub(crate) total: usize,
    pub(crate) pending: usize,
    pub(crate) decided: usize,
}

/// What happened to an issue: one of the four flags, and what remains of the issue.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub(crate) struct IssueChangedWire {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) added: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) removed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) edited: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) reopened: bool,
    pub(crate) issue: IssueWire,
}

#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub(crate) struct IssueWire {
    pub(crate) id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<IssueStatus>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct DecidedWire {
    pub(crate) decided: bool,
    /// The title of the issue.
    pub(crate) issue: String,
    #[serde(rename = "allComplete")]
    pub(crate) all_complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) remaining: Option<Vec<IssueWire>>,
}

/// The tasks, or that there are none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum TaskListWire {
    Absent {
        exists: bool,
    },
    Tasks {
        goal: String,
        tasks: Vec<Task>,
        summary: TaskSummaryWire,
        /// How many more match, beyond the limit.
        #[serde(skip_serializing_if = "Option::is_none")]
        more: Option<usize>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TaskSummaryWire {
    #[serde(flatten)]
    pub(crate) counts: TaskCountsWire,
    /// The contract's word for tasks in progress.
    pub(crate) blocked: usize,
    pub(crate) ready: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TaskCountsWire {
    pub(crate) total: usize,
    pub(crate) completed: usize,
    pub(crate) pending: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TaskWire {
    pub(crate) task: Task,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ClosedWire {
    pub(crate) closed: bool,
    /// When the cycle was completed, which identifies it.
    pub(crate) cycle: String,
    pub(crate) branch: String,
    pub(crate) archived: ArchivedWire,
    pub(crate) deleted: Vec<&'static str>,
    pub(crate) total_cycles: usize,
    #[serde(rename = "memoryHint")]
    pub(crate) memory_hint: MemoryHintWire,
    /// Open tasks that went to the history unfinished.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_open: Vec<NamedTaskWire>,
    /// Open tasks that stay on the board.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) carried: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

impl ClosedWire {
    /// Says what became of open tasks, and how to get them back.
    pub(crate) fn message_about(open: &[NamedTaskWire], is_carried: bool) -> Option<String> {
        let tasks = counted(open.len(), "open task");
        match (open.is_empty(), is_carried) {
            (true, _) => None,
            (false, true) => Some(format!("{tasks} stayed on the board")),
            (false, false) => Some(format!(
                "{tasks} went to the history unfinished; `nudge task reopen` opens the cycle again, and `open_tasks: \
                 \"carry\"` keeps them on the board next time"
            )),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ArchivedWire {
    pub(crate) plan: bool,
    pub(crate) decisions: usize,
    pub(crate) tasks: usize,
}

/// What may be worth a note, now that the work is done.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryHintWire {
    pub(crate) task_count: usize,
    pub(crate) decision_count: usize,
    pub(crate) cycle_topics: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct HistoryWire {
    /// How many match, before the limit.
    pub(crate) total: usize,
    pub(crate) showing: usize,
    pub(crate) cycles: Vec<CycleWire>,
}

/// A summary of a closed cycle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CycleWire {
    pub(crate) completed_at: String,
    pub(crate) branch: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) topic: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decisions: Option<Vec<DecisionWire>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_count: Option<usize>,
    /// The goal of its tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) goal: Option<String>,
    /// What applied to all its tasks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) task_decisions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct DecisionWire {
    pub(crate) title: String,
    pub(crate) decision: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ContextWire {
    pub(crate) branch: String,
    #[serde(rename = "activeMode")]
    pub(crate) active_mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) goal: Option<String>,
    #[serde(rename = "tasksSummary", skip_serializing_if = "Option::is_none")]
    pub(crate) tasks_summary: Option<TaskCountsWire>,
    pub(crate) decisions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ArtifactWire {
    pub(crate) success: bool,
    pub(crate) path: String,
}

/// `nudge artifact show --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ArtifactTextJson<'a> {
    pub(crate) filename: &'a str,
    pub(crate) content: &'a str,
}

impl CycleWire {
    /// Summarizes a cycle, whichever version wrote it.
    pub(crate) fn of(cycle: &Value, extension: Option<&CycleExtension>) -> CycleWire {
        let text = |value: &Value| value.as_str().unwrap_or("unknown").to_owned();
        let plan = &cycle["plan"];
        let decided = |issue: &Value| {
            let (title, decision) = (issue["title"].as_str()?, issue["decision"].as_str()?);
            Some(DecisionWire { title: title.to_owned(), decision: decision.to_owned() })
        };
        CycleWire {
            completed_at: text(&cycle["completed_at"]),
            branch: text(&cycle["branch"]),
            topic: plan["topic"].as_str().map(str::to_owned),
            decisions: plan["issues"].as_array().map(|issues| issues.iter().filter_map(decided).collect()),
            task_count: cycle["tasks"].as_array().map(Vec::len),
            goal: extension.map(|more| more.goal.clone()).filter(|goal| !goal.is_empty()),
            task_decisions: extension.map(|more| more.decisions.clone()).unwrap_or_default(),
        }
    }
}
