//! The project's plan and tasks: what is decided, done, ready and in the way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use super::lanes;
use super::observation::obs;
use super::request::{QuestionError, ViewError, ViewRequest};
use super::shown::Shown;
use super::{QueryStop, ViewAnswer, whole};
use crate::api::list::MapWire;
use crate::api::view::{CycleView, ObsView, PlanView};
use crate::contract::find_circles;
use crate::model::{History, ObservationId, Plan, SessionOrder, SessionQuery, Task, TaskStatus, Tasks};
use crate::nexus::{HISTORY, PLAN, TASKS};
use crate::ops::nexus::{self, Nexus};
use crate::system::clock;

const MAX_CYCLES: usize = 50;
/// Sessions in which the agents of tasks are looked for, the newest first.
const MAX_SESSIONS: usize = 40;
/// Steps of one task that are shown, the latest.
const MAX_STEPS: usize = 12;

/// `plan`.
pub(super) fn answer(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let Some(root) = request.text("project") else { return whole(&PlanView::default()) };
    let nexus = nexus::of_folder(Path::new(root));
    if !nexus.exists() {
        return whole(&PlanView::default());
    }
    let shown = Shown::new();
    let mut flaws = Vec::new();
    let plan = read::<Plan>(&nexus, PLAN, &mut flaws, &shown);
    let tasks = read::<Tasks>(&nexus, TASKS, &mut flaws, &shown).unwrap_or_default();
    let history = read::<History>(&nexus, HISTORY, &mut flaws, &shown).unwrap_or_default();
    let circles = find_circles(&tasks);
    for circle in &circles {
        let ids: Vec<String> = circle.iter().chain(circle.first()).map(u64::to_string).collect();
        flaws.push(format!("these tasks wait for each other: {}", ids.join(" → ")));
    }
    for task in &tasks.tasks {
        for dep in task.deps.iter().filter(|dep| !tasks.tasks.iter().any(|other| other.id == **dep)) {
            flaws.push(format!("task {} waits for task {dep}, which does not exist", task.id));
        }
    }
    let ready: BTreeSet<u64> = tasks.ready().into_iter().collect();
    let task_views = tasks.tasks.iter().map(|task| {
        let mut view = clean(json!(task), &shown);
        view["ready"] = json!(ready.contains(&task.id));
        view["waits_for"] = json!(tasks.waits_for(task));
        view
    });
    let (layers, longest) = layers(&tasks);
    whole(&PlanView {
        plan: plan.map(|plan| clean(json!(plan), &shown)),
        goal: shown.row(&tasks.goal),
        tasks: task_views.collect(),
        layers,
        longest,
        flaws,
        during: during(&tasks, root, stop, &shown)?,
        history: history.cycles.iter().rev().take(MAX_CYCLES).map(|cycle| closed(cycle, &shown)).collect(),
    })
}

/// Counts the open tasks.
pub(super) fn open_tasks(request: &ViewRequest) -> usize {
    let Some(root) = request.text("project") else { return 0 };
    let tasks = nexus::of_folder(Path::new(root)).read::<Tasks>(TASKS).ok().flatten().unwrap_or_default();
    tasks.tasks.len() - tasks.count(&TaskStatus::Completed)
}

/// Returns what the agents of tasks did: a task names its subagent, and so do the subagent's observations.
fn during(
    tasks: &Tasks,
    root: &str,
    stop: &QueryStop,
    shown: &Shown,
) -> Result<MapWire<Vec<ObsView>>, ViewError> {
    let owned = |task: &Task| Some((task.owner_agent_id.clone()?, task.id));
    let owners: BTreeMap<String, u64> = tasks.tasks.iter().filter_map(owned).collect();
    if owners.is_empty() {
        return Ok(MapWire::default());
    }
    let Some(reader) = stop.memory()? else { return Ok(MapWire::default()) };
    let found = reader.ask(|reader| -> Result<_, QuestionError> {
        let query = SessionQuery {
            folders: Some(reader.folder_ids(root)?),
            to: i64::MAX / 4,
            ..SessionQuery::default()
        };
        let sessions = reader.counted_sessions(&query, SessionOrder::Newest, None, MAX_SESSIONS)?;
        let mut all: BTreeMap<u64, Vec<ObsView>> = BTreeMap::new();
        for session in &sessions {
            stop.check()?;
            for (id, subagent) in lanes::subagent_marks(reader, session)? {
                let Some(task) = owners.get(&subagent) else { continue };
                let steps = all.entry(*task).or_default();
                if steps.len() < MAX_STEPS {
                    steps.extend(reader.get(&[ObservationId(id)])?.iter().map(|row| obs(row, shown)));
                }
            }
        }
        Ok(all)
    })?;
    let by_task = found.into_iter().map(|(task, mut steps)| {
        steps.sort_by_key(|step| (step.at_ms, step.id));
        (task.to_string(), steps)
    });
    Ok(by_task.collect())
}

fn read<T: serde::de::DeserializeOwned>(
    nexus: &Nexus,
    name: &'static str,
    flaws: &mut Vec<String>,
    shown: &Shown,
) -> Option<T> {
    match nexus.read::<T>(name) {
        Ok(found) => found,
        Err(error) => {
            flaws.push(shown.row(&format!("{name} cannot be read: {error}")));
            None
        }
    }
}

/// Cleans every text of a value.
fn clean(value: Value, shown: &Shown) -> Value {
    match value {
        Value::String(text) => Value::String(shown.text(&text).0),
        Value::Array(values) => values.into_iter().map(|one| clean(one, shown)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, one)| (shown.name(&name), clean(one, shown))).collect()
        }
        other => other,
    }
}

/// Returns the ids of tasks by the longest path to each, and the longest path of open tasks. A circle ends nothing.
fn layers(tasks: &Tasks) -> (Vec<Vec<u64>>, Vec<u64>) {
    let mut depth: BTreeMap<u64, usize> = tasks.tasks.iter().map(|task| (task.id, 0)).collect();
    // No path is longer than the number of tasks.
    for _ in 0..tasks.tasks.len() {
        let mut is_changed = false;
        for task in &tasks.tasks {
            let above = task.deps.iter().filter_map(|dep| depth.get(dep)).max().map_or(0, |above| above + 1);
            let above = above.min(tasks.tasks.len());
            if above > depth[&task.id] {
                depth.insert(task.id, above);
                is_changed = true;
            }
        }
        if !is_changed {
            break;
        }
    }
    let mut by_depth: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for task in &tasks.tasks {
        by_depth.entry(depth[&task.id]).or_default().push(task.id);
    }
    let is_open =
        |id: &u64| tasks.tasks.iter().any(|task| task.id == *id && task.status != TaskStatus::Completed);
    let mut longest = Vec::new();
    let mut next = tasks.tasks.iter().filter(|task| is_open(&task.id)).max_by_key(|task| depth[&task.id]);
    while let Some(task) = next {
        if longest.contains(&task.id) {
            break;
        }
        longest.push(task.id);
        let deps = tasks.tasks.iter().filter(|other| task.deps.contains(&other.id) && is_open(&other.id));
        next = deps.max_by_key(|other| depth[&other.id]);
    }
    longest.reverse();
    (by_depth.into_values().collect(), longest)
}

fn closed(cycle: &Value, shown: &Shown) -> CycleView {
    let tasks = cycle["tasks"].as_array();
    let done = tasks.map_or(0, |tasks| tasks.iter().filter(|task| task["status"] == "completed").count());
    let issues = cycle["plan"]["issues"].as_array();
    let decisions = issues.map_or(0, |all| all.iter().filter(|issue| issue["status"] == "decided").count());
    CycleView {
        closed_ms: cycle["completed_at"].as_str().and_then(clock::from_iso).map(|at| at.0 * 1_000),
        topic: shown.row(cycle["plan"]["topic"].as_str().unwrap_or_default()),
        tasks: tasks.map_or(0, Vec::len),
        done,
        decisions,
        branch: shown.name(cycle["branch"].as_str().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::layers;
    use crate::model::Tasks;

    fn tasks(list: &[(u64, &[u64], &str)]) -> Tasks {
        let tasks = list.iter().map(|(id, deps, status)| {
            json!({ "id": id, "title": "", "context": "", "status": status, "deps": deps })
        });
        serde_json::from_value(json!({ "tasks": tasks.collect::<Vec<_>>() })).unwrap()
    }

    #[test]
    fn tasks_stand_behind_the_longest_path_to_them() {
        let found = layers(&tasks(&[
            (1, &[], "completed"),
            (2, &[1], "pending"),
            (3, &[1, 2], "pending"),
            (4, &[], "pending"),
        ]));
        assert_eq!(found, (vec![vec![1, 4], vec![2], vec![3]], vec![2, 3]));
    }

    #[test]
    fn a_circle_and_a_missing_task_end_nothing() {
        let (found, longest) =
            layers(&tasks(&[(1, &[2], "pending"), (2, &[1], "pending"), (3, &[9], "pending")]));
        assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 3);
        assert_eq!(longest.len(), 2);
    }
}
