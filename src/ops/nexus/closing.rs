//! The journal of a closing: what is to happen to plan and tasks once the cycle is in the history.
//!
//! History, plan and tasks are several files, and a process may end between any two of them; worktrees that share a
//! board have a history each. So the journal is written first and says where the cycle goes. The next lock holder finds
//! it: if the cycle is in that history, it finishes the work; otherwise nothing was closed.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::PlanError;
use crate::model::{History, HistoryExtension, Plan, Tasks};
use crate::nexus::{CLOSING, EXTENSION, HISTORY, Locked, Nexus, PLAN, TASKS};
use crate::system::clock;

/// A cycle that is being closed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Closing {
    /// The worktree whose history gets the cycle.
    pub(super) project: PathBuf,
    pub(super) completed_at: String,
    pub(super) branch: String,
    /// The plan that is archived, as the history has it.
    pub(super) plan: Option<Value>,
    pub(super) tasks: TasksAfter,
}

/// What becomes of the tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TasksAfter {
    Keep,
    Remove,
    Replace(Tasks),
}

/// Finishes a closing that a killed process has left, or drops it if the cycle never reached the history.
pub(crate) fn finish(locked: &Locked<'_>) -> Result<(), PlanError> {
    if !locked.nexus().path(CLOSING).exists() {
        return Ok(());
    }
    let now = clock::iso_now();
    let Some(closing) = locked.read::<Closing>(CLOSING, &now)? else { return Ok(()) };
    let project = Nexus::with_board(closing.project.clone(), locked.nexus().board().to_owned());
    let history: History = match closing.project.is_dir() {
        true => project.read(HISTORY)?.unwrap_or_default(),
        false => History::default(),
    };
    if history.find(&closing.completed_at, &closing.branch).is_some() {
        apply(locked, &closing)?;
    } else if closing.project == locked.nexus().project() {
        forget_extension(locked, &closing)?;
    }
    Ok(locked.remove(CLOSING).map(drop)?)
}

/// Removes plan and tasks from the board; returns the names of the files that were deleted.
pub(super) fn apply(locked: &Locked<'_>, closing: &Closing) -> Result<Vec<&'static str>, PlanError> {
    let mut deleted = Vec::new();
    // A plan that is another one by now was started since.
    let open = locked.nexus().read::<Plan>(PLAN).ok().flatten().map(|plan| json!(archived(plan)));
    if closing.plan.is_some() && same_plan(open.as_ref(), closing.plan.as_ref()) && locked.remove(PLAN)? {
        deleted.push("plan.json");
    }
    match &closing.tasks {
        TasksAfter::Keep => {}
        TasksAfter::Remove => {
            if locked.remove(TASKS)? {
                deleted.push("tasks.json");
            }
        }
        TasksAfter::Replace(tasks) => locked.write(TASKS, tasks)?,
    }
    Ok(deleted)
}

/// Removes the version from the plan: in the history it is beside the plan.
pub(super) fn archived(plan: Plan) -> Plan {
    Plan { schema_version: None, ..plan }
}

/// Compares plans but for their number, which closing may have changed.
pub(super) fn same_plan(one: Option<&Value>, other: Option<&Value>) -> bool {
    let without_id = |plan: &Value| {
        let mut plan = plan.clone();
        if let Some(fields) = plan.as_object_mut() {
            fields.remove("id");
        }
        plan
    };
    one.map(without_id) == other.map(without_id)
}

fn forget_extension(locked: &Locked<'_>, closing: &Closing) -> Result<(), PlanError> {
    let extension = locked.nexus().read::<HistoryExtension>(EXTENSION).ok().flatten();
    let Some(mut extension) = extension else { return Ok(()) };
    if extension.remove(&closing.completed_at, &closing.branch) {
        locked.write(EXTENSION, &extension)?;
    }
    Ok(())
}
