//! Answers requests about the plan, tasks and history of the caller's project.

pub(crate) mod artifact;
pub(crate) mod board;
pub(crate) mod change;
pub(crate) mod check;
pub(crate) mod closing;
pub(crate) mod cycle;
pub(crate) mod export;
pub(crate) mod graph;
pub(crate) mod history;
pub(crate) mod init;
pub(crate) mod notes;
pub(crate) mod plan;
pub(crate) mod resume_check;
pub(crate) mod search;
pub(crate) mod task;
pub(crate) mod team;
pub(crate) mod tracked;
pub(crate) mod vocabulary;

use std::path::Path;
use std::time::Duration;

use crate::api::Refusal;
use crate::api::nexus::{NamedTaskWire, NexusRequest, NexusResponse};
use crate::config::env;
use crate::contract::DependencyFlaw;
use crate::harness;
use crate::model::{TaskStatus, counted, shortened};
pub(crate) use crate::nexus::Nexus;
use crate::nexus::NexusError;
use crate::system::project::{NexusPlace, ProjectPlace};

/// How long to wait for the lock. A process holds it for milliseconds; the rest is for a busy disk.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_secs(20);

/// Why there is no answer; the first messages are fixed by the contract.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlanError {
    #[error("No active plan session")]
    NoPlan,
    #[error("Issue {0} not found")]
    IssueNotFound(u64),
    #[error("tasks.json not found")]
    NoTasks,
    #[error("Task id {0} not found")]
    TaskNotFound(u64),
    #[error("plan {open} is open, not plan {meant}")]
    OtherPlan { open: u64, meant: u64 },
    #[error("plan {id} `{topic}` is open, with {} to decide", counted(*.pending, "issue"))]
    PlanOpen { id: u64, topic: String, pending: usize },
    #[error("task {id} is {}, not {}", in_words(.is), in_words(.expected))]
    StatusDiffers { id: u64, is: TaskStatus, expected: TaskStatus },
    #[error("task {id} is {}{}", in_words(.is), .by.as_ref().map_or(String::new(), |by| format!(", by `{by}`")))]
    Taken { id: u64, is: TaskStatus, by: Option<String> },
    #[error("task {id} waits for {}", ids(.waits_for))]
    NotReady { id: u64, waits_for: Vec<u64> },
    #[error("no task is ready")]
    NoneReady,
    #[error("{0}")]
    Dependency(DependencyFlaw),
    #[error("there is no role `{owner}`: did you mean `{role}`?")]
    Misspelt { owner: String, role: &'static str },
    #[error("{} not completed: {}", counted_open(.0), titles(.0))]
    StillOpen(Vec<NamedTaskWire>),
    #[error("nothing is open: there is neither a plan nor a task")]
    NothingOpen,
    #[error("no plan is open and no task is completed, so there is nothing to close")]
    NothingDone,
    #[error("no such cycle in the history")]
    NoCycle,
    #[error("a plan or tasks are open")]
    BoardInUse,
    #[error("this cycle is of another version, and cannot be opened again: {0}")]
    OldCycle(String),
    #[error("{0}")]
    Question(Refusal),
    #[error(transparent)]
    Nexus(#[from] NexusError),
}

impl PlanError {
    /// Returns the message for an agent, which has the arguments of a tool instead of the options of a command.
    fn for_tool(&self) -> String {
        match self {
            PlanError::StillOpen(_) => format!(
                "{self}. Ask the user, then call again: open_tasks `carry` keeps them on the board, `archive` moves them \
                 to the history unfinished"
            ),
            other => other.to_string(),
        }
    }

    /// Returns what the user can do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        let hint = match self {
            PlanError::NoPlan => "`nudge plan start` begins one",
            PlanError::IssueNotFound(_) => "`nudge plan` lists the issues",
            PlanError::NoTasks => "`nudge task add` adds the first task",
            PlanError::TaskNotFound(_) => "`nudge task` lists the tasks",
            PlanError::OtherPlan { .. } => "`nudge plan` shows the open plan",
            PlanError::PlanOpen { .. } => "`--archive` moves it to the history",
            PlanError::StatusDiffers { id, .. }
            | PlanError::Taken { id, .. }
            | PlanError::NotReady { id, .. } => {
                return Some(format!("`nudge task show {id}` shows the task"));
            }
            PlanError::NoneReady => "`nudge task` shows what waits for what",
            PlanError::Dependency(_) => "`nudge task graph` shows what waits for what",
            PlanError::Misspelt { .. } => {
                "`nudge nexus vocabulary` lists the roles; any other name is accepted as it is"
            }
            PlanError::StillOpen(_) => {
                "`--carry` keeps them on the board for the next cycle, `--drop` moves them to the history unfinished"
            }
            PlanError::NothingOpen => "`nudge history` shows closed cycles",
            PlanError::NothingDone => {
                "the open tasks are on the board already; `--drop` moves them to the history"
            }
            PlanError::NoCycle => "`nudge history` lists the cycles with their times",
            PlanError::BoardInUse => "close it first: `nudge task close`",
            PlanError::Nexus(error) => return error.hint(),
            PlanError::Question(_) | PlanError::OldCycle(_) => return None,
        };
        Some(hint.to_owned())
    }
}

fn in_words(status: &TaskStatus) -> &str {
    match status {
        TaskStatus::Pending => "pending",
        TaskStatus::InProgress => "in progress",
        TaskStatus::Completed => "completed",
        TaskStatus::Other(word) => word,
    }
}

fn ids(ids: &[u64]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn titles(tasks: &[NamedTaskWire]) -> String {
    /// Maximum number of tasks that are named.
    const MAX_NAMED: usize = 5;
    let named =
        tasks.iter().take(MAX_NAMED).map(|task| format!("{} {}", task.id, shortened(&task.title, 60)));
    let mut named: Vec<String> = named.collect();
    if tasks.len() > MAX_NAMED {
        named.push(format!("{} more", tasks.len() - MAX_NAMED));
    }
    named.join(", ")
}

fn counted_open(tasks: &[NamedTaskWire]) -> String {
    let verb = if tasks.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(tasks.len(), "task"))
}

/// Answers a request from a caller in this folder.
pub(crate) fn answer(request: NexusRequest, cwd: &Path) -> Result<NexusResponse, Refusal> {
    let nexus = of_folder(cwd);
    let boxed = |task| NexusResponse::Task(Box::new(task));
    let answer = match request {
        NexusRequest::PlanStart(request) => plan::start(&nexus, request).map(NexusResponse::PlanStarted),
        NexusRequest::PlanStatus => plan::status(&nexus).map(NexusResponse::PlanStatus),
        NexusRequest::PlanUpdate(request) => plan::update(&nexus, request).map(NexusResponse::IssueChanged),
        NexusRequest::PlanDecide(request) => plan::decide(&nexus, request).map(NexusResponse::Decided),
        NexusRequest::TaskList(request) => task::list(&nexus, &request).map(NexusResponse::TaskList),
        NexusRequest::TaskAdd(request) => task::add(&nexus, *request).map(boxed),
        NexusRequest::TaskUpdate(request) => task::update(&nexus, *request).map(boxed),
        NexusRequest::TaskClose(choice) => cycle::close(&nexus, choice).map(NexusResponse::Closed),
        NexusRequest::HistorySearch(request) => cycle::search(&nexus, &request).map(NexusResponse::History),
        NexusRequest::Context => Ok(NexusResponse::Context(task::context(&nexus))),
        NexusRequest::ArtifactWrite(request) => {
            artifact::write(&nexus, &request).map(NexusResponse::Artifact)
        }
    };
    answer.map_err(|refused| Refusal::new(refused.for_tool()))
}

/// Returns the folder names in `.nexus/state/` that nudge may use; other folders belong to other programs.
pub(super) fn own_harnesses() -> Vec<String> {
    harness::ids().map(str::to_owned).chain(env::nexus_harness_id()).collect()
}

/// Returns the `.nexus/` of the project that a folder is in, whether it exists or not.
pub(crate) fn of_folder(cwd: &Path) -> Nexus {
    of_place(&ProjectPlace::find(env::agent_project_dir().as_deref(), cwd))
}

/// Returns the `.nexus/` of a place, with the board that its worktree shares.
pub(crate) fn of_place(place: &ProjectPlace) -> Nexus {
    let NexusPlace { root, board } = place.nexus();
    Nexus::with_board(root, board)
}
