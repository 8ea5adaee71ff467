//! Cycles: moves the open one to the history, opens one again, and searches closed ones.

use serde_json::{Map, Value, json};

use super::closing::{self, Closing, TasksAfter, archived, same_plan};
use super::{LOCK_TIMEOUT, PlanError, own_harnesses};
use crate::api::nexus::{
    ArchivedWire, ClosedWire, CycleWire, HistorySearchRequest, HistoryWire, MemoryHintWire, NamedTaskWire,
    OpenTasksChoice, ReopenedWire,
};
use crate::model::{Cycle, CycleExtension, History, HistoryExtension, Plan, Task, TaskStatus, Tasks};
use crate::nexus::{CLOSING, EXTENSION, HISTORY, Locked, Nexus, PLAN, TASKS, access};
use crate::system::{clock, repository};

/// Closes the cycle, whichever of its parts exist.
pub(crate) fn close(nexus: &Nexus, choice: OpenTasksChoice) -> Result<ClosedWire, PlanError> {
    let (locked, now) = (lock(nexus)?, clock::iso_now());
    // All are read before any is written: a malformed one stops everything.
    let plan: Option<Plan> = locked.read(PLAN, &now)?;
    let tasks: Option<Tasks> = locked.read(TASKS, &now)?;
    let history: History = locked.read(HISTORY, &now)?.unwrap_or_default();
    let open: Vec<NamedTaskWire> =
        tasks.iter().flat_map(|tasks| &tasks.tasks).filter(is_open).map(named).collect();
    if choice == OpenTasksChoice::Refuse && !open.is_empty() {
        return Err(PlanError::StillOpen(open));
    }
    let topics = [plan.as_ref().map(|plan| &plan.topic), tasks.as_ref().map(|tasks| &tasks.goal)];
    let topics = topics.into_iter().flatten().filter(|topic| !topic.is_empty()).cloned().collect();
    let split = Split::of(tasks, choice);
    if plan.is_none() && split.archived.is_empty() && matches!(split.after, TasksAfter::Replace(_)) {
        return Err(PlanError::NothingDone);
    }
    let archive = Archive { plan, tasks: split.archived, after: split.after, extension: split.extension };
    let is_carried = choice == OpenTasksChoice::Carry;
    let (cycle, total_cycles, deleted) = archive.write(&locked, history, now)?;
    let (decisions, task_count) = (cycle.plan.as_ref().map_or(0, Plan::decided), cycle.tasks.len());
    Ok(ClosedWire {
        closed: true,
        archived: ArchivedWire { plan: cycle.plan.is_some(), decisions, tasks: task_count },
        cycle: cycle.completed_at,
        branch: cycle.branch,
        deleted,
        total_cycles,
        memory_hint: MemoryHintWire { task_count, decision_count: decisions, cycle_topics: topics },
        message: ClosedWire::message_about(&open, is_carried),
        carried: if is_carried { open.iter().map(|task| task.id).collect() } else { Vec::new() },
        left_open: if is_carried { Vec::new() } else { open },
    })
}

/// Closes the cycle for a person. No hook sees that, so the modes of all agents are cleared here.
pub(crate) fn close_by_hand(nexus: &Nexus, choice: OpenTasksChoice) -> Result<ClosedWire, PlanError> {
    let is_there = |name: &str| nexus.path(name).exists();
    if !is_there(CLOSING) && !is_there(PLAN) && !is_there(TASKS) {
        return Err(PlanError::NothingOpen);
    }
    let closed = close(nexus, choice)?;
    let own = own_harnesses();
    let locked = nexus.lock(LOCK_TIMEOUT);
    // A mode that cannot be cleared ends with its session; an error would suggest that the cycle is still open.
    for harness in access::harnesses(nexus).iter().filter(|name| own.contains(name)) {
        drop(locked.as_ref().map(|locked| locked.clear_mode(harness)));
    }
    Ok(closed)
}

/// Opens a closed cycle again: the last one, or the one whose time begins as given. The history keeps it. Tasks that
/// were carried over from it, and those added since, stay on the board.
pub(crate) fn reopen(nexus: &Nexus, at: Option<&str>) -> Result<ReopenedWire, PlanError> {
    if !nexus.exists() {
        return Err(PlanError::NoCycle);
    }
    let (locked, now) = (lock(nexus)?, clock::iso_now());
    let history: History = locked.read(HISTORY, &now)?.unwrap_or_default();
    let mut extension: HistoryExtension = locked.read(EXTENSION, &now)?.unwrap_or_default();
    if nexus.path(PLAN).exists() {
        return Err(PlanError::BoardInUse);
    }
    let board: Option<Tasks> = locked.read(TASKS, &now)?;
    let is_meant = |cycle: &&Value| {
        let time = cycle["completed_at"].as_str().unwrap_or_default();
        !is_empty(cycle) && at.is_none_or(|at| time.starts_with(&at.replace(' ', "T")))
    };
    let cycle = history.cycles.iter().rev().find(is_meant).ok_or(PlanError::NoCycle)?;
    let unreadable = |error: serde_json::Error| PlanError::OldCycle(error.to_string());
    let plan: Option<Plan> = serde_json::from_value(cycle["plan"].clone()).map_err(unreadable)?;
    let mut tasks: Vec<Task> = serde_json::from_value(cycle["tasks"].clone()).map_err(unreadable)?;
    let text = |name: &str| cycle[name].as_str().unwrap_or_default().to_owned();
    let known = extension.of_cycle(cycle).cloned();
    let mut known = known.unwrap_or_else(|| CycleExtension::of(text("completed_at"), text("branch")));
    let (plan_is_there, task_count) = (plan.is_some(), tasks.len());
    if let Some(board) = board {
        let is_carried = |task: &Task| known.carried.contains(&task.id);
        let is_taken = |task: &Task| tasks.iter().any(|closed| closed.id == task.id);
        if !board.tasks.iter().any(is_carried) || board.tasks.iter().any(is_taken) {
            return Err(PlanError::BoardInUse);
        }
        tasks.extend(board.tasks.iter().cloned());
        tasks.sort_by_key(|task| task.id);
        locked.write(TASKS, &Tasks { tasks, ..board })?;
    } else if !tasks.is_empty() || !known.goal.is_empty() {
        let (goal, decisions) = (known.goal.clone(), known.decisions.clone());
        locked.write(TASKS, &Tasks { goal, decisions, tasks, ..Tasks::default() })?;
    }
    if let Some(plan) = plan {
        // The old number belongs to the closed plan.
        locked.write(PLAN, &Plan { id: history.next_plan_id(), ..plan })?;
    }
    known.reopened_at = Some(now);
    let cycle = known.completed_at.clone();
    extension.put(known);
    locked.write(EXTENSION, &extension)?;
    Ok(ReopenedWire { reopened: true, cycle, plan: plan_is_there, tasks: task_count })
}

/// Finds the latest closed cycles that contain a text, in the order of the file.
pub(crate) fn search(nexus: &Nexus, request: &HistorySearchRequest) -> Result<HistoryWire, PlanError> {
    let history: History = nexus.read(HISTORY)?.unwrap_or_default();
    let extension: HistoryExtension = nexus.read(EXTENSION).ok().flatten().unwrap_or_default();
    let query = request.query.as_deref().unwrap_or_default().to_lowercase();
    let contains = |text: String| text.to_lowercase().contains(&query);
    let matches = |cycle: &&Value| {
        query.is_empty()
            || contains(cycle.to_string())
            || extension
                .of_cycle(cycle)
                .is_some_and(|more| contains(json!([more.goal, more.decisions]).to_string()))
    };
    let found: Vec<&Value> = history.cycles.iter().filter(matches).collect();
    let latest = &found[found.len().saturating_sub(request.last_n)..];
    let cycles: Vec<CycleWire> =
        latest.iter().map(|cycle| CycleWire::of(cycle, extension.of_cycle(cycle))).collect();
    Ok(HistoryWire { total: found.len(), showing: cycles.len(), cycles })
}

/// Locks the project, and finishes what a killed process left unfinished.
///
/// The history is not read unless there is something to finish: one that cannot be read stops only what needs it.
pub(super) fn lock(nexus: &Nexus) -> Result<Locked<'_>, PlanError> {
    let locked = nexus.lock(LOCK_TIMEOUT)?;
    closing::finish(&locked)?;
    Ok(locked)
}

/// What goes to the history, and what stays.
pub(super) struct Archive {
    pub(super) plan: Option<Plan>,
    pub(super) tasks: Vec<Task>,
    pub(super) after: TasksAfter,
    pub(super) extension: Option<CycleExtension>,
}

impl Archive {
    /// Writes the cycle and clears the board; returns the cycle, the number of cycles, and the deleted files.
    pub(super) fn write(
        self,
        locked: &Locked<'_>,
        mut history: History,
        now: String,
    ) -> Result<(Cycle, usize, Vec<&'static str>), PlanError> {
        let nexus = locked.nexus();
        let cycle = Cycle {
            schema_version: Cycle::VERSION,
            branch: repository::branch_or_commit(nexus.project()),
            completed_at: unused_time(&history, now),
            plan: self.plan.map(|plan| numbered(archived(plan), &history)),
            tasks: self.tasks,
        };
        // The contract wants a cycle even of nothing; one of them says it as well as several.
        if is_empty(&json!(cycle)) && history.cycles.last().is_some_and(is_empty) {
            return Ok((cycle, history.cycles.len(), Vec::new()));
        }
        let closing = Closing {
            project: nexus.project().to_owned(),
            completed_at: cycle.completed_at.clone(),
            branch: cycle.branch.clone(),
            plan: cycle.plan.as_ref().map(|plan| json!(plan)),
            tasks: self.after,
        };
        locked.write(CLOSING, &closing)?;
        if let Some(extension) = self.extension {
            let mut file: HistoryExtension = locked.read(EXTENSION, &cycle.completed_at)?.unwrap_or_default();
            let (completed_at, branch) = (cycle.completed_at.clone(), cycle.branch.clone());
            file.put(CycleExtension { completed_at, branch, ..extension });
            locked.write(EXTENSION, &file)?;
        }
        history.cycles.push(json!(cycle));
        locked.write(HISTORY, &history)?;
        let deleted = closing::apply(locked, &closing)?;
        locked.remove(CLOSING)?;
        Ok((cycle, history.cycles.len(), deleted))
    }
}

/// The tasks of a cycle that is closed: what is archived, and what stays on the board.
struct Split {
    archived: Vec<Task>,
    after: TasksAfter,
    extension: Option<CycleExtension>,
}

impl Split {
    fn of(tasks: Option<Tasks>, choice: OpenTasksChoice) -> Split {
        let Some(tasks) = tasks else {
            return Split { archived: Vec::new(), after: TasksAfter::Remove, extension: None };
        };
        let mut extension = CycleExtension::of(String::new(), String::new());
        (extension.goal, extension.decisions) = (tasks.goal.clone(), tasks.decisions.clone());
        let is_carried = |task: &Task| choice == OpenTasksChoice::Carry && is_open(&task);
        let (carried, archived): (Vec<Task>, Vec<Task>) = tasks.tasks.iter().cloned().partition(is_carried);
        extension.carried = carried.iter().map(|task| task.id).collect();
        let carried: Vec<Task> = carried.into_iter().map(|task| carry(task, &archived)).collect();
        let after = match carried.is_empty() {
            true => TasksAfter::Remove,
            false => TasksAfter::Replace(Tasks { tasks: carried, ..tasks }),
        };
        let has_more =
            !extension.goal.is_empty() || !extension.decisions.is_empty() || !extension.carried.is_empty();
        Split { archived, after, extension: has_more.then_some(extension) }
    }
}

/// Prepares a task for the next cycle: what it waited for is done, and its plan is closed.
fn carry(task: Task, archived: &[Task]) -> Task {
    let is_there = |id: &u64| !archived.iter().any(|done| done.id == *id);
    Task { deps: task.deps.into_iter().filter(is_there).collect(), plan_issue: None, ..task }
}

/// Returns the time of closing; two cycles of a history never have the same, whatever the clock says.
fn unused_time(history: &History, now: String) -> String {
    let is_taken = |at: &str| history.cycles.iter().any(|cycle| cycle["completed_at"] == at);
    let mut at = now;
    while is_taken(&at) {
        at = clock::iso_after(&at);
    }
    at
}

/// Gives a plan another number if a closed plan has taken its own, as a merged branch may.
fn numbered(plan: Plan, history: &History) -> Plan {
    let closed = history.cycles.iter().map(|cycle| &cycle["plan"]).find(|closed| closed["id"] == plan.id);
    let is_taken = closed.is_some_and(|closed| !same_plan(Some(closed), Some(&json!(plan))));
    if is_taken { Plan { id: history.next_plan_id(), ..plan } } else { plan }
}

fn is_empty(cycle: &Value) -> bool {
    cycle["plan"].is_null() && cycle["tasks"].as_array().is_none_or(Vec::is_empty)
}

fn is_open(task: &&Task) -> bool {
    task.status != TaskStatus::Completed
}

fn named(task: &Task) -> NamedTaskWire {
    NamedTaskWire { id: task.id, title: task.title.clone() }
}

impl CycleExtension {
    fn of(completed_at: String, branch: String) -> CycleExtension {
        CycleExtension {
            completed_at,
            branch,
            goal: String::new(),
            decisions: Vec::new(),
            carried: Vec::new(),
            reopened_at: None,
            rest: Map::new(),
        }
    }
}

#[cfg(test)]
mod tests;
