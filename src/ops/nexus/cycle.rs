//! Cycles: moves the open one to the history, and searches closed ones.
//!
//! History, plan and tasks are three files, and a process may end between any two of them. The history is written first,
//! so nothing is lost; the next lock holder finds what is in both places, and finishes the work.

use serde_json::{Value, json};

use super::{LOCK_TIMEOUT, PlanError, own_harnesses};
use crate::api::nexus::{
    ArchivedWire, ClosedWire, CycleWire, HistorySearchRequest, HistoryWire, MemoryHintWire,
};
use crate::model::{Cycle, History, Plan, Task, Tasks};
use crate::nexus::{HISTORY, Locked, Nexus, PLAN, TASKS, access};
use crate::system::{clock, repository};

/// Closes the cycle, whichever of its parts exist.
pub(crate) fn close(nexus: &Nexus) -> Result<ClosedWire, PlanError> {
    let (locked, now) = (lock(nexus)?, clock::iso_now());
    // All three are read before any is written: a malformed one stops everything.
    let plan: Option<Plan> = locked.read(PLAN, &now)?;
    let tasks: Option<Tasks> = locked.read(TASKS, &now)?;
    let mut history: History = locked.read(HISTORY, &now)?.unwrap_or_default();
    let topics = [plan.as_ref().map(|plan| &plan.topic), tasks.as_ref().map(|tasks| &tasks.goal)];
    let topics = topics.into_iter().flatten().filter(|topic| !topic.is_empty()).cloned().collect();
    let cycle = of(nexus, now, plan, tasks.map(|tasks| tasks.tasks).unwrap_or_default());
    let (decisions, task_count) = (cycle.plan.as_ref().map_or(0, Plan::decided), cycle.tasks.len());
    let closed = ClosedWire {
        closed: true,
        cycle: cycle.completed_at.clone(),
        branch: cycle.branch.clone(),
        archived: ArchivedWire { plan: cycle.plan.is_some(), decisions, tasks: task_count },
        deleted: Vec::new(),
        total_cycles: history.cycles.len() + 1,
        memory_hint: MemoryHintWire { task_count, decision_count: decisions, cycle_topics: topics },
    };
    append(&mut history, &cycle);
    locked.write(HISTORY, &history)?;
    Ok(ClosedWire { deleted: remove(&locked, &[PLAN, TASKS])?, ..closed })
}

/// Closes the cycle for a person. No hook sees that, so the modes of all agents are cleared here.
pub(crate) fn close_by_hand(nexus: &Nexus) -> Result<ClosedWire, PlanError> {
    let closed = close(nexus)?;
    let own = own_harnesses();
    let locked = nexus.lock(LOCK_TIMEOUT);
    // A mode that cannot be cleared ends with its session; an error would suggest that the cycle is still open.
    for harness in access::harnesses(nexus).iter().filter(|name| own.contains(name)) {
        drop(locked.as_ref().map(|locked| locked.clear_mode(harness)));
    }
    Ok(closed)
}

/// Finds the latest closed cycles that contain a text, in the order of the file.
pub(crate) fn search(nexus: &Nexus, request: &HistorySearchRequest) -> Result<HistoryWire, PlanError> {
    let history: History = nexus.read(HISTORY)?.unwrap_or_default();
    let query = request.query.as_deref().unwrap_or_default().to_lowercase();
    let matches = |cycle: &&Value| query.is_empty() || cycle.to_string().to_lowercase().contains(&query);
    let found: Vec<&Value> = history.cycles.iter().filter(matches).collect();
    let latest = &found[found.len().saturating_sub(request.last_n)..];
    let cycles: Vec<CycleWire> = latest.iter().map(|cycle| CycleWire::of(cycle)).collect();
    Ok(HistoryWire { total: found.len(), showing: cycles.len(), cycles })
}

/// Locks the project, and finishes what a killed process left unfinished.
///
/// Nothing is written while the history cannot be read: what is already in it could be changed and closed twice.
pub(super) fn lock(nexus: &Nexus) -> Result<Locked<'_>, PlanError> {
    let locked = nexus.lock(LOCK_TIMEOUT)?;
    finish_closing(&locked)?;
    Ok(locked)
}

/// Builds the cycle of a plan and tasks, in the form that the history stores.
pub(super) fn of(nexus: &Nexus, completed_at: String, plan: Option<Plan>, tasks: Vec<Task>) -> Cycle {
    Cycle {
        schema_version: Cycle::VERSION,
        completed_at,
        branch: repository::branch_or_commit(nexus.project()),
        plan: plan.map(archived),
        tasks,
    }
}

pub(super) fn append(history: &mut History, cycle: &Cycle) {
    history.cycles.push(json!(cycle));
}

/// Removes the version from the plan: in the history it is beside the plan.
fn archived(plan: Plan) -> Plan {
    Plan { schema_version: None, ..plan }
}

/// Deletes the plan and tasks that are already in the last cycle: a process ended after it wrote the history.
///
/// A plan or tasks that cannot be read are reported by the next change to them.
fn finish_closing(locked: &Locked<'_>) -> Result<(), PlanError> {
    let nexus = locked.nexus();
    let Some(history) = nexus.read::<History>(HISTORY)? else { return Ok(()) };
    let (Some(last), Ok(plan), Ok(tasks)) =
        (history.cycles.last(), nexus.read::<Plan>(PLAN), nexus.read::<Tasks>(TASKS))
    else {
        return Ok(());
    };
    let plan = plan.map(|plan| json!(archived(plan)));
    let plan_is_closed = plan.as_ref().is_some_and(|plan| *plan == last["plan"]);
    let tasks = tasks.map(|tasks| json!(tasks.tasks)).filter(|tasks| *tasks != json!([]));
    // Plans and tasks contain times, so no two are ever equal.
    let tasks_are_closed =
        (plan.is_none() || plan_is_closed) && tasks.is_some_and(|tasks| tasks == last["tasks"]);
    let closed = [(PLAN, plan_is_closed), (TASKS, tasks_are_closed)];
    let closed: Vec<&'static str> =
        closed.into_iter().filter_map(|(name, is_closed)| is_closed.then_some(name)).collect();
    remove(locked, &closed).map(drop)
}

/// Deletes files; returns the names of those that existed.
fn remove(locked: &Locked<'_>, names: &[&'static str]) -> Result<Vec<&'static str>, PlanError> {
    let mut deleted = Vec::new();
    for name in names {
        if locked.remove(name)? {
            deleted.push(name.rsplit('/').next().unwrap_or(name));
        }
    }
    Ok(deleted)
}

#[cfg(test)]
mod tests;
