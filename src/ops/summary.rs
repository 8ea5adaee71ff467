//! Sums up where things stand here, for `nudge status`: rules, memory, plan and tasks, and the last hooks.

use std::path::Path;

use serde::Serialize;

use super::why::{self, Latency};
use super::{nexus, remember, validate};
use crate::config::trace;
use crate::model::{Plan, Problem, TaskOutlines, TaskStatus, Tasks, Trace};
use crate::nexus::{PLAN, TASKS};

/// Where things stand.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Summary {
    pub(crate) rules: usize,
    pub(crate) rule_problems: usize,
    /// `None` if the memory does not answer; `nudge doctor` says why.
    pub(crate) observations: Option<usize>,
    pub(crate) observations_today: usize,
    pub(crate) plan: Option<String>,
    pub(crate) tasks: Option<TaskCounts>,
    pub(crate) hooks: Option<LastHooks>,
}

/// The tasks of the project.
#[derive(Debug, Serialize)]
pub(crate) struct TaskCounts {
    pub(crate) open: usize,
    pub(crate) all: usize,
}

/// The last hooks.
#[derive(Debug, Serialize)]
pub(crate) struct LastHooks {
    pub(crate) hook: &'static str,
    /// Milliseconds since 1970.
    pub(crate) at: u64,
    pub(crate) p95_us: u64,
    pub(crate) timed: usize,
}

const SECONDS_OF_A_DAY: i64 = 86_400;

/// Looks at everything and changes nothing.
pub(crate) fn of_project(root: &Path) -> Summary {
    let (files, problems) = validate::project(root);
    let in_files = files.iter().flat_map(|file| &file.problems);
    let mut summary = Summary {
        rules: files.iter().map(|file| file.rules.len()).sum(),
        rule_problems: in_files.chain(&problems).filter(|problem| Problem::is_error(problem)).count(),
        hooks: hooks(&trace::read().traces),
        ..Summary::default()
    };
    count_observations(&mut summary);
    let nexus = nexus::of_folder(root);
    // What cannot be read is for `nudge doctor` to say.
    summary.plan = nexus.read::<Plan>(PLAN).ok().flatten().map(|plan| plan.topic);
    let tasks = nexus.read::<TaskOutlines>(TASKS).ok().flatten().map(Tasks::from);
    summary.tasks = tasks.map(|tasks| {
        let open = tasks.tasks.iter().filter(|task| task.status != TaskStatus::Completed).count();
        TaskCounts { open, all: tasks.tasks.len() }
    });
    summary
}

fn count_observations(summary: &mut Summary) {
    let Ok(reader) = remember::reader() else { return };
    let now = remember::now();
    let stats = reader.map(|reader| reader.stats(None, now)).transpose();
    let Ok(stats) = stats else { return };
    let today = now.0 / SECONDS_OF_A_DAY;
    summary.observations = Some(stats.as_ref().map_or(0, |stats| stats.observations));
    let days = stats.iter().flat_map(|stats| &stats.by_day);
    summary.observations_today = days.filter(|(day, _)| *day == today).map(|(_, count)| count).sum();
}

fn hooks(traces: &[Trace]) -> Option<LastHooks> {
    let last = traces.last()?;
    let Latency { p95, count, .. } = why::latency(traces).into_iter().next()?;
    Some(LastHooks { hook: last.hook.name(), at: last.at, p95_us: p95, timed: count })
}
