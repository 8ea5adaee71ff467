//! Single tasks of the board: shows one, takes one, removes one.

use super::PlanError;
use super::task::{read, with_board, with_task};
use crate::api::nexus::{ClaimedWire, NamedTaskWire, RemovedWire, TaskClaimRequest, TaskShownWire};
use crate::model::{Task, TaskStatus, Tasks};
use crate::nexus::Nexus;

/// Returns a task with its neighbours.
pub(crate) fn show(nexus: &Nexus, id: u64) -> Result<TaskShownWire, PlanError> {
    let tasks = read(nexus)?.ok_or(PlanError::NoTasks)?;
    let task = tasks.tasks.iter().find(|task| task.id == id).ok_or(PlanError::TaskNotFound(id))?;
    let waits_for = tasks.waits_for(task).into_iter().map(|id| named(&tasks, id)).collect();
    let waiting = tasks.tasks.iter().filter(|other| other.deps.contains(&id) && is_open(other));
    let waited_for_by = waiting.map(|other| named(&tasks, other.id)).collect();
    Ok(TaskShownWire { ready: tasks.ready().contains(&id), waits_for, waited_for_by, task: task.clone() })
}

/// Takes a task that is ready. Of several who try, one gets it: this happens under the lock.
pub(crate) fn claim(nexus: &Nexus, request: &TaskClaimRequest) -> Result<ClaimedWire, PlanError> {
    with_board(nexus, |tasks| {
        let at = choose(tasks, request)?;
        let task = &mut tasks.tasks[at];
        task.status = TaskStatus::InProgress;
        task.owner_agent_id = request.owner_agent_id.clone().or(task.owner_agent_id.take());
        task.owner = task.owner.take().or_else(|| request.owner.clone());
        Ok(ClaimedWire { claimed: true, task: task.clone() })
    })
}

/// Returns the place of the task that is taken.
fn choose(tasks: &Tasks, request: &TaskClaimRequest) -> Result<usize, PlanError> {
    let ready = tasks.ready();
    let Some(id) = request.id else {
        let is_for =
            |task: &Task| request.owner.is_none() || task.owner.is_none() || task.owner == request.owner;
        let next = tasks.tasks.iter().position(|task| ready.contains(&task.id) && is_for(task));
        return next.ok_or(PlanError::NoneReady);
    };
    let at = tasks.tasks.iter().position(|task| task.id == id).ok_or(PlanError::TaskNotFound(id))?;
    let task = &tasks.tasks[at];
    if task.status != TaskStatus::Pending {
        let by = task.owner_agent_id.clone().or_else(|| task.owner.clone());
        return Err(PlanError::Taken { id, is: task.status.clone(), by });
    }
    match ready.contains(&id) {
        true => Ok(at),
        false => Err(PlanError::NotReady { id, waits_for: tasks.waits_for(task) }),
    }
}

/// Removes a task; the others no longer wait for it.
pub(crate) fn remove(nexus: &Nexus, id: u64) -> Result<RemovedWire, PlanError> {
    with_task(nexus, id, |tasks, at| {
        let task = tasks.tasks.remove(at);
        let waiting = tasks.tasks.iter_mut().filter(|other| other.deps.contains(&id));
        let released = waiting.map(|other| {
            other.deps.retain(|dep| *dep != id);
            other.id
        });
        Ok(RemovedWire { removed: true, released: released.collect(), task })
    })
}

fn named(tasks: &Tasks, id: u64) -> NamedTaskWire {
    let title = tasks.tasks.iter().find(|task| task.id == id).map(|task| task.title.clone());
    NamedTaskWire { id, title: title.unwrap_or_else(|| "which does not exist".to_owned()) }
}

fn is_open(task: &Task) -> bool {
    task.status != TaskStatus::Completed
}
