//! The requests about plan, tasks and history, parsed from the arguments of a tool call.
//!
//! The contract defines the sentences for errors, and an agent may know them, so they are used verbatim.

use std::collections::BTreeMap;

use crate::api::Refusal;
use crate::api::arguments::Arguments;
use crate::model::{Consultation, ReusePolicy, TaskStatus};

/// A request about plan, tasks or history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NexusRequest {
    PlanStart(PlanStartRequest),
    PlanStatus,
    PlanUpdate(PlanUpdateRequest),
    PlanDecide(PlanDecideRequest),
    TaskList(TaskListRequest),
    TaskAdd(Box<TaskAddRequest>),
    TaskUpdate(Box<TaskUpdateRequest>),
    TaskClose(OpenTasksChoice),
    HistorySearch(HistorySearchRequest),
    Context,
    ArtifactWrite(ArtifactWriteRequest),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlanStartRequest {
    pub(crate) topic: String,
    pub(crate) issues: Vec<String>,
    pub(crate) research_summary: String,
    pub(crate) previous: PreviousPlanChoice,
}

/// What happens to the plan that is open when another one starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PreviousPlanChoice {
    /// It goes to the history, as the contract has it.
    #[default]
    Archive,
    /// The new plan is refused.
    Refuse,
}

/// What happens to open tasks when their cycle is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum OpenTasksChoice {
    /// They go to the history as they are, as the contract has it.
    #[default]
    Archive,
    /// They stay on the board, for the next cycle.
    Carry,
    /// Nothing is closed.
    Refuse,
}

/// Which tasks are listed; by default all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TaskListRequest {
    pub(crate) status: Option<TaskStatus>,
    pub(crate) owner: Option<String>,
    /// Only tasks that can begin now.
    pub(crate) ready: bool,
    pub(crate) limit: Option<usize>,
}

/// A change as it was requested. It is checked only after it is known that there is a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlanUpdateRequest {
    pub(crate) action: String,
    pub(crate) issue_id: Option<u64>,
    pub(crate) title: Option<String>,
}

/// A valid change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlanChange {
    Add { title: String },
    Remove { issue_id: u64 },
    Edit { issue_id: u64, title: String },
    Reopen { issue_id: u64 },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlanDecideRequest {
    pub(crate) issue_id: u64,
    pub(crate) decision: String,
    pub(crate) how: Consultation,
    /// The plan that the caller means; another one is not decided by mistake.
    pub(crate) plan_id: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TaskAddRequest {
    pub(crate) title: String,
    pub(crate) context: String,
    pub(crate) deps: Vec<u64>,
    pub(crate) approach: Option<String>,
    pub(crate) acceptance: Option<String>,
    pub(crate) risk: Option<String>,
    pub(crate) plan_issue: Option<u64>,
    /// Replaces the goal of all tasks.
    pub(crate) goal: Option<String>,
    /// Added to the decisions of all tasks.
    pub(crate) decisions: Vec<String>,
    pub(crate) owner: Option<String>,
    pub(crate) owner_agent_id: Option<String>,
    pub(crate) owner_reuse_policy: Option<ReusePolicy>,
}

/// A change of a task; fields that are not given stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TaskUpdateRequest {
    pub(crate) id: u64,
    pub(crate) status: Option<TaskStatus>,
    /// The status that the caller believes the task to have; with another one, nothing changes.
    pub(crate) expect: Option<TaskStatus>,
    pub(crate) edit: TaskEdit,
}

/// New texts of a task; an empty one removes a text that is optional.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TaskEdit {
    pub(crate) title: Option<String>,
    pub(crate) context: Option<String>,
    pub(crate) approach: Option<String>,
    pub(crate) acceptance: Option<String>,
    pub(crate) risk: Option<String>,
    pub(crate) deps: Option<Vec<u64>>,
    pub(crate) plan_issue: Option<u64>,
    pub(crate) owner: Option<String>,
    pub(crate) owner_agent_id: Option<String>,
    pub(crate) owner_reuse_policy: Option<ReusePolicy>,
}

/// Takes a task, before anybody else does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TaskClaimRequest {
    /// The task; by default the first that is ready.
    pub(crate) id: Option<u64>,
    /// Only tasks of this role, or of none.
    pub(crate) owner: Option<String>,
    /// Who takes it.
    pub(crate) owner_agent_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HistorySearchRequest {
    pub(crate) query: Option<String>,
    pub(crate) last_n: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArtifactWriteRequest {
    pub(crate) filename: String,
    pub(crate) content: String,
}

impl HistorySearchRequest {
    pub(crate) const LAST_N: usize = 10;
}

pub(in crate::api) fn parse_plan_start(arguments: &Arguments<'_>) -> Result<NexusRequest, Refusal> {
    Ok(NexusRequest::PlanStart(PlanStartRequest {
        topic: non_empty(arguments, "topic")?,
        issues: parse_titles(arguments)?,
        research_summary: required(arguments.text("research_summary")?, "research_summary")?.to_owned(),
        previous: arguments.one_of("previous", PREVIOUS)?.unwrap_or_default(),
    }))
}

pub(in crate::api) fn parse_plan_update(arguments: &Arguments<'_>) -> Result<NexusRequest, Refusal> {
    Ok(NexusRequest::PlanUpdate(PlanUpdateRequest {
        action: required(arguments.text("action")?, "action")?.to_owned(),
        issue_id: arguments.number("issue_id")?,
        title: owned(arguments.text("title")?),
    }))
}

pub(in crate::api) fn parse_task_list(arguments: &Arguments<'_>) -> Result<NexusRequest, Refusal> {
    let limit = arguments.number("limit")?.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(NexusRequest::TaskList(TaskListRequest {
        status: arguments.one_of("status", STATUSES)?,
        owner: owned(arguments.text("owner")?),
        ready: arguments.flag("ready")?,
        limit,
    }))
}

pub(in crate::api) fn parse_task_update(arguments: &Arguments<'_>) -> Result<NexusRequest, Refusal> {
    let text = |name| arguments.text(name).map(owned);
    let edit = TaskEdit {
        title: text("title")?,
        context: text("context")?,
        approach: text("approach")?,
        acceptance: text("acceptance")?,
        risk: text("risk")?,
        deps: arguments.numbers("deps")?,
        plan_issue: arguments.number("plan_issue")?,
        owner: text("owner")?,
        owner_agent_id: text("owner_agent_id")?,
        owner_reuse_policy: arguments.one_of("owner_reuse_policy", POLICIES)?,
    };
    let status = arguments.one_of("status", STATUSES)?;
    Ok(NexusRequest::TaskUpdate(Box::new(TaskUpdateRequest {
        id: required(arguments.number("id")?, "id")?,
        // The contract requires it; a call that changes something else may leave it out.
        status: if edit == TaskEdit::default() { Some(required(status, "status")?) } else { status },
        expect: arguments.one_of("expect", STATUSES)?,
        edit,
    })))
}

pub(in crate::api) fn parse_task_close(arguments: &Arguments<'_>) -> Result<NexusRequest, Refusal> {
    let choices = [
        ("archive", OpenTasksChoice::Archive),
        ("carry", OpenTasksChoice::Carry),
        ("refuse", OpenTasksChoice::Refuse),
    ];
    Ok(NexusRequest::TaskClose(arguments.one_of("open_tasks", choices)?.unwrap_or_default()))
}

pub(in crate::api) fn parse_history_search(arguments: &Arguments<'_>) -> Result<NexusRequest, Refusal> {
    Ok(NexusRequest::HistorySearch(HistorySearchRequest {
        query: owned(arguments.text("query")?),
        last_n: match arguments.number("last_n")? {
            Some(number) => usize::try_from(number).unwrap_or(usize::MAX),
            None => HistorySearchRequest::LAST_N,
        },
    }))
}

pub(in crate::api) fn parse_artifact_write(arguments: &Arguments<'_>) -> Result<NexusRequest, Refusal> {
    Ok(NexusRequest::ArtifactWrite(ArtifactWriteRequest {
        filename: required(arguments.text("filename")?, "filename")?.to_owned(),
        content: required(arguments.text("content")?, "content")?.to_owned(),
    }))
}

impl PlanUpdateRequest {
    /// Returns the requested change, or the contract's sentence for what is missing.
    pub(crate) fn change(self) -> Result<PlanChange, Refusal> {
        let title = self.title.filter(|title| !title.is_empty());
        let needs_issue = format!("issue_id is required for {}", self.action);
        match (self.action.as_str(), self.issue_id, title) {
            ("add", _, Some(title)) => Ok(PlanChange::Add { title }),
            ("add", ..) => Err(Refusal::new("title is required for add")),
            ("edit", Some(issue_id), Some(title)) => Ok(PlanChange::Edit { issue_id, title }),
            ("edit", ..) => Err(Refusal::new("issue_id and title are required for edit")),
            ("remove", Some(issue_id), _) => Ok(PlanChange::Remove { issue_id }),
            ("reopen", Some(issue_id), _) => Ok(PlanChange::Reopen { issue_id }),
            ("remove" | "reopen", None, _) => Err(Refusal::new(needs_issue)),
            _ => Err(Refusal::new("Unknown action")),
        }
    }
}

const STATUSES: [(&str, TaskStatus); 3] = [
    ("pending", TaskStatus::Pending),
    ("in_progress", TaskStatus::InProgress),
    ("completed", TaskStatus::Completed),
];

const PREVIOUS: [(&str, PreviousPlanChoice); 2] =
    [("archive", PreviousPlanChoice::Archive), ("refuse", PreviousPlanChoice::Refuse)];

const POLICIES: [(&str, ReusePolicy); 3] = [
    ("fresh", ReusePolicy::Fresh),
    ("resume_if_same_artifact", ReusePolicy::ResumeIfSameArtifact),
    ("resume", ReusePolicy::Resume),
];

pub(in crate::api) fn parse_plan_decide(arguments: &Arguments<'_>) -> Result<NexusRequest, Refusal> {
    // `decision` used to be called `summary`, and some instructions for agents still say so.
    let decision = match arguments.text("decision")? {
        None => arguments.text("summary")?,
        decision => decision,
    };
    Ok(NexusRequest::PlanDecide(PlanDecideRequest {
        issue_id: required(arguments.number("issue_id")?, "issue_id")?,
        decision: required(decision, "decision")?.to_owned(),
        how: Consultation {
            agents: arguments.texts("how_agents")?,
            summary: arguments.texts_by_name("how_summary")?.map(BTreeMap::from_iter),
            agent_ids: arguments.texts_by_name("how_agent_ids")?.map(BTreeMap::from_iter),
        },
        plan_id: arguments.number("plan_id")?,
    }))
}

pub(in crate::api) fn parse_task_add(arguments: &Arguments<'_>) -> Result<NexusRequest, Refusal> {
    let text = |name| arguments.text(name).map(owned);
    Ok(NexusRequest::TaskAdd(Box::new(TaskAddRequest {
        title: non_empty(arguments, "title")?,
        context: non_empty(arguments, "context")?,
        deps: arguments.numbers("deps")?.unwrap_or_default(),
        approach: text("approach")?,
        acceptance: text("acceptance")?,
        risk: text("risk")?,
        plan_issue: arguments.number("plan_issue")?,
        goal: text("goal")?.filter(|goal| !goal.is_empty()),
        decisions: arguments.texts("decisions")?.unwrap_or_default(),
        owner: text("owner")?,
        owner_agent_id: text("owner_agent_id")?,
        owner_reuse_policy: arguments.one_of("owner_reuse_policy", POLICIES)?,
    })))
}

/// Parses the titles of a plan's issues.
fn parse_titles(arguments: &Arguments<'_>) -> Result<Vec<String>, Refusal> {
    let issues = required(arguments.texts("issues")?, "issues")?;
    if issues.iter().any(String::is_empty) {
        return Err(Refusal::new("issues must not have an empty title"));
    }
    Ok(issues)
}

/// Parses a text that must not be empty in the files.
fn non_empty(arguments: &Arguments<'_>, name: &str) -> Result<String, Refusal> {
    match required(arguments.text(name)?, name)? {
        "" => Err(Refusal::new(format!("{name} must not be empty"))),
        text => Ok(text.to_owned()),
    }
}

fn required<T>(value: Option<T>, name: &str) -> Result<T, Refusal> {
    value.ok_or_else(|| Refusal::new(format!("{name} is required")))
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

#[cfg(test)]
mod tests;
