//! The tasks: lists them, adds one, updates one.

use serde_json::Map;

use super::PlanError;
use super::cycle;
use crate::api::nexus::{
    ContextWire, TaskAddRequest, TaskCountsWire, TaskListWire, TaskSummaryWire, TaskUpdateRequest, TaskWire,
};
use crate::model::{Task, TaskStatus, Tasks};
use crate::nexus::{Nexus, TASKS};
use crate::system::{clock, repository};

pub(crate) fn list(nexus: &Nexus) -> Result<TaskListWire, PlanError> {
    let Some(tasks) = read(nexus)? else { return Ok(TaskListWire::Absent { exists: false }) };
    let summary = TaskSummaryWire {
        counts: counts(&tasks),
        blocked: tasks.count(&TaskStatus::InProgress),
        ready: tasks.ready(),
    };
    Ok(TaskListWire::Tasks { goal: tasks.goal, tasks: tasks.tasks, summary })
}

/// Reads the current tasks.
pub(crate) fn read(nexus: &Nexus) -> Result<Option<Tasks>, PlanError> {
    Ok(nexus.read(TASKS)?)
}

pub(crate) fn add(nexus: &Nexus, request: TaskAddRequest) -> Result<TaskWire, PlanError> {
    let now = clock::iso_now();
    cycle::lock(nexus)?.read_modify_write(TASKS, &now, |tasks: Option<Tasks>| {
        let mut tasks = tasks.unwrap_or_default();
        let id = tasks.tasks.iter().map(|task| task.id).max().unwrap_or(0) + 1;
        tasks.goal = request.goal.unwrap_or(tasks.goal);
        tasks.decisions.extend(request.decisions);
        let task = Task {
            id,
            title: request.title,
            context: request.context,
            approach: request.approach,
            acceptance: request.acceptance,
            risk: request.risk,
            status: TaskStatus::Pending,
            deps: request.deps,
            plan_issue: request.plan_issue,
            owner: request.owner,
            owner_agent_id: request.owner_agent_id,
            owner_reuse_policy: request.owner_reuse_policy,
            created_at: Some(now.clone()),
            rest: Map::new(),
        };
        tasks.tasks.push(task.clone());
        Ok((tasks, TaskWire { task }))
    })
}

pub(crate) fn update(nexus: &Nexus, request: TaskUpdateRequest) -> Result<TaskWire, PlanError> {
    // A request without tasks must not create the folder.
    if !nexus.exists() {
        return Err(PlanError::NoTasks);
    }
    cycle::lock(nexus)?.read_modify_write(TASKS, &clock::iso_now(), |tasks: Option<Tasks>| {
        let mut tasks = tasks.ok_or(PlanError::NoTasks)?;
        let task = tasks.tasks.iter_mut().find(|task| task.id == request.id);
        let task = task.ok_or(PlanError::TaskNotFound(request.id))?;
        task.status = request.status;
        let task = task.clone();
        Ok((tasks, TaskWire { task }))
    })
}

/// Returns the state of the work; files that cannot be read count as missing.
pub(crate) fn context(nexus: &Nexus) -> ContextWire {
    let tasks = read(nexus).ok().flatten();
    ContextWire {
        branch: repository::branch_or_commit(nexus.project()),
        active_mode: tasks.as_ref().map(|_| "team"),
        tasks_summary: tasks.as_ref().map(counts),
        goal: tasks.as_ref().map(|tasks| tasks.goal.clone()),
        decisions: tasks.map(|tasks| tasks.decisions).unwrap_or_default(),
    }
}

fn counts(tasks: &Tasks) -> TaskCountsWire {
    TaskCountsWire {
        total: tasks.tasks.len(),
        completed: tasks.count(&TaskStatus::Completed),
        pending: tasks.count(&TaskStatus::Pending),
    }
}
