//! Answers requests about the plan, tasks and history of the caller's project.

pub(crate) mod artifact;
pub(crate) mod change;
pub(crate) mod cycle;
pub(crate) mod init;
pub(crate) mod notes;
pub(crate) mod plan;
pub(crate) mod resume_check;
pub(crate) mod search;
pub(crate) mod task;
pub(crate) mod tracked;
pub(crate) mod vocabulary;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::api::Refusal;
use crate::api::nexus::{NexusRequest, NexusResponse};
use crate::config::env;
use crate::harness;
pub(crate) use crate::nexus::Nexus;
use crate::nexus::NexusError;
use crate::system::project::ProjectPlace;

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
    #[error("{0}")]
    Question(Refusal),
    #[error(transparent)]
    Nexus(#[from] NexusError),
}

impl PlanError {
    /// Returns what the user can do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        let hint = match self {
            PlanError::NoPlan => "`nudge plan start` begins one",
            PlanError::IssueNotFound(_) => "`nudge plan` lists the issues",
            PlanError::NoTasks => "`nudge task add` adds the first task",
            PlanError::TaskNotFound(_) => "`nudge task` lists the tasks",
            PlanError::Nexus(error) => return error.hint(),
            PlanError::Question(_) => return None,
        };
        Some(hint.to_owned())
    }
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
        NexusRequest::TaskList => task::list(&nexus).map(NexusResponse::TaskList),
        NexusRequest::TaskAdd(request) => task::add(&nexus, *request).map(boxed),
        NexusRequest::TaskUpdate(request) => task::update(&nexus, request).map(boxed),
        NexusRequest::TaskClose => cycle::close(&nexus).map(NexusResponse::Closed),
        NexusRequest::HistorySearch(request) => cycle::search(&nexus, &request).map(NexusResponse::History),
        NexusRequest::Context => Ok(NexusResponse::Context(task::context(&nexus))),
        NexusRequest::ArtifactWrite(request) => {
            artifact::write(&nexus, &request).map(NexusResponse::Artifact)
        }
    };
    answer.map_err(|refused| Refusal::new(refused.to_string()))
}

/// Returns the folder names in `.nexus/state/` that nudge may use; other folders belong to other programs.
pub(super) fn own_harnesses() -> Vec<String> {
    harness::ids().map(str::to_owned).chain(env::nexus_harness_id()).collect()
}

/// Returns the `.nexus/` of the project that a folder is in, whether it exists or not.
pub(crate) fn of_folder(cwd: &Path) -> Nexus {
    Nexus::of(&project_of(cwd))
}

/// Returns the project that a folder is in.
pub(crate) fn project_of(cwd: &Path) -> PathBuf {
    ProjectPlace::find(env::agent_project_dir().as_deref(), cwd).nexus_root()
}
