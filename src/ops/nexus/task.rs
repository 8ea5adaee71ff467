//! The tasks: lists them, adds one, updates one.

use std::collections::HashSet;

use serde_json::Map;

use super::PlanError;
use super::cycle;
use crate::api::nexus::{
    ContextWire, TaskAddRequest, TaskCountsWire, TaskEdit, TaskListRequest, TaskListWire, TaskSummaryWire,
    TaskUpdateRequest, TaskWire,
};
use crate::contract::{check_dependencies, misspelt_role};
use crate::model::{Task, TaskStatus, Tasks};
use crate::nexus::{Nexus, TASKS};
use crate::system::{clock, repository};

pub(crate) fn list(nexus: &Nexus, request: &TaskListRequest) -> Result<TaskListWire, PlanError> {
    let Some(tasks) = read(nexus)? else { return Ok(TaskListWire::Absent { exists: false }) };
    let summary = TaskSummaryWire {
        counts: counts(&tasks),
        blocked: tasks.count(&TaskStatus::InProgress),
        ready: tasks.ready(),
    };
    let ready: HashSet<u64> = summary.ready.iter().copied().collect();
    let is_wanted = |task: &Task| {
        request.status.as_ref().is_none_or(|status| task.status == *status)
            && request.owner.as_ref().is_none_or(|owner| task.owner.as_ref() == Some(owner))
            && (!request.ready || ready.contains(&task.id))
    };
    let mut listed: Vec<Task> = tasks.tasks.into_iter().filter(is_wanted).collect();
    let more = listed.len().saturating_sub(request.limit.unwrap_or(usize::MAX));
    listed.truncate(request.limit.unwrap_or(usize::MAX));
    Ok(TaskListWire::Tasks { goal: tasks.goal, tasks: listed, summary, more: (more > 0).then_some(more) })
}

/// Reads the current tasks.
pub(crate) fn read(nexus: &Nexus) -> Result<Option<Tasks>, PlanError> {
    Ok(nexus.read(TASKS)?)
}

pub(crate) fn add(nexus: &Nexus, request: TaskAddRequest) -> Result<TaskWire, PlanError> {
    check_owner(nexus, request.owner.as_deref())?;
    let now = clock::iso_now();
    cycle::lock(nexus)?.read_modify_write(TASKS, &now, |tasks: Option<Tasks>| {
        let mut tasks = tasks.unwrap_or_default();
        let id = tasks.tasks.iter().map(|task| task.id).max().unwrap_or(0) + 1;
        check_dependencies(&tasks, id, &request.deps).map_err(PlanError::Dependency)?;
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

/// Changes a task: its status, its texts, or both.
pub(crate) fn update(nexus: &Nexus, request: TaskUpdateRequest) -> Result<TaskWire, PlanError> {
    // A request without tasks must not create the folder.
    if !nexus.exists() {
        return Err(PlanError::NoTasks);
    }
    check_owner(nexus, request.edit.owner.as_deref())?;
    with_task(nexus, request.id, |tasks, at| {
        let task = &tasks.tasks[at];
        if let Some(expected) = request.expect.filter(|expected| *expected != task.status) {
            return Err(PlanError::StatusDiffers { id: task.id, is: task.status.clone(), expected });
        }
        if let Some(deps) = &request.edit.deps {
            check_dependencies(tasks, task.id, deps).map_err(PlanError::Dependency)?;
        }
        let task = &mut tasks.tasks[at];
        edit(task, request.edit);
        task.status = request.status.unwrap_or_else(|| task.status.clone());
        Ok(TaskWire { task: task.clone() })
    })
}

/// Changes the board at one of its tasks, under the lock.
pub(super) fn with_task<R>(
    nexus: &Nexus,
    id: u64,
    change: impl FnOnce(&mut Tasks, usize) -> Result<R, PlanError>,
) -> Result<R, PlanError> {
    with_board(nexus, |tasks| {
        let at = tasks.tasks.iter().position(|task| task.id == id);
        change(tasks, at.ok_or(PlanError::TaskNotFound(id))?)
    })
}

/// Changes the board under the lock.
pub(super) fn with_board<R>(
    nexus: &Nexus,
    change: impl FnOnce(&mut Tasks) -> Result<R, PlanError>,
) -> Result<R, PlanError> {
    // A request without tasks must not create the folder.
    if !nexus.exists() {
        return Err(PlanError::NoTasks);
    }
    cycle::lock(nexus)?.read_modify_write(TASKS, &clock::iso_now(), |tasks: Option<Tasks>| {
        let mut tasks = tasks.ok_or(PlanError::NoTasks)?;
        let result = change(&mut tasks)?;
        Ok((tasks, result))
    })
}

fn edit(task: &mut Task, edit: TaskEdit) {
    let filled = |text: Option<String>, old: &mut Option<String>| {
        if let Some(text) = text {
            *old = Some(text).filter(|text| !text.is_empty());
        }
    };
    // These two must not be empty in the file.
    task.title = edit.title.filter(|text| !text.is_empty()).unwrap_or_else(|| task.title.clone());
    task.context = edit.context.filter(|text| !text.is_empty()).unwrap_or_else(|| task.context.clone());
    filled(edit.approach, &mut task.approach);
    filled(edit.acceptance, &mut task.acceptance);
    filled(edit.risk, &mut task.risk);
    filled(edit.owner, &mut task.owner);
    filled(edit.owner_agent_id, &mut task.owner_agent_id);
    task.deps = edit.deps.unwrap_or_else(|| task.deps.clone());
    task.plan_issue = edit.plan_issue.or(task.plan_issue);
    task.owner_reuse_policy = edit.owner_reuse_policy.or(task.owner_reuse_policy.take());
}

/// Refuses a role that is misspelt: nobody would ever do the task. An agent of that name in the project is meant.
fn check_owner(nexus: &Nexus, owner: Option<&str>) -> Result<(), PlanError> {
    let Some((owner, role)) = owner.and_then(|owner| Some((owner, misspelt_role(owner)?))) else {
        return Ok(());
    };
    let is_there =
        AGENT_FOLDERS.iter().any(|folder| nexus.project().join(folder).join(format!("{owner}.md")).is_file());
    if is_there { Ok(()) } else { Err(PlanError::Misspelt { owner: owner.to_owned(), role }) }
}

/// Where a project has agents of its own.
const AGENT_FOLDERS: [&str; 3] = [".claude/agents", ".opencode/agent", ".gemini/agents"];

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
/// Returns the numbers of the tasks that a task waits for.
pub(crate) fn open_dependencies(nexus: &Nexus, task: &Task) -> Vec<u64> {
    let tasks = read(nexus).ok().flatten().unwrap_or_default();
    let open = |id: &u64| tasks.tasks.iter().any(|one| one.id == *id && one.status != TaskStatus::Completed);
    task.deps.iter().copied().filter(open).collect()
}
