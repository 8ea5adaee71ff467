//! Makes the summary for `nudge status`: rules, memory, plan and tasks, and the latest hooks.

use std::path::Path;

use super::machines;
use super::observations::{database, remember, salvage};
use super::pause;
use super::rules::validate;
use super::trust;
use super::why::{self, Latency};
use super::{cost, nexus};
use crate::api::list::IsoTime;
use crate::api::status::{LastHooks, OpenTasks, ProjectSummary, TeamSummary};
use crate::config::{paths, settings};
use crate::journal::trace;
use crate::model::{DAY, History, Plan, Problem, TaskOutlines, TaskStatus, Tasks, Trace};
use crate::nexus::{HISTORY, NexusError, PLAN, TASKS};
use crate::store::Spool;
use crate::system::clock;
use crate::system::rule_files::{self, RuleFile, Stamp};
use crate::system::rule_levels;

/// Makes the summary of a project again and again for `--watch`; what has not changed is not read again.
#[derive(Default)]
pub(crate) struct Watcher {
    rules: Memo<Vec<RuleFile>, RuleCounts>,
    memory: Memo<(MemoryState, i64), Option<ObservationCounts>>,
    hooks: Memo<Vec<Option<Stamp>>, Option<LastHooks>>,
    cost: Memo<MemoryState, Option<usize>>,
}

impl Watcher {
    /// Reads everything and changes nothing.
    pub(crate) fn look(&mut self, root: &Path) -> ProjectSummary {
        let files =
            rule_files::discover(&rule_levels::of_folder(root), paths::user_config_dir().as_deref()).files;
        let rules = self.rules.of(files, || count_rules(root));
        let today = clock::timestamp().0 / DAY;
        let memory = self.memory.of((memory_state(), today), || count_observations(today));
        let hooks = self.hooks.of(trace::stamps(), || hooks(&trace::read().traces));
        let count = || cost::of_session(root).ok().map(|cost| cost.at_start());
        let session_tokens = self.cost.of(memory_state(), count);
        let nexus = nexus::of_folder(root);
        // `nudge doctor` reports files that cannot be read.
        let unreadable = |name: &str, error: &NexusError| {
            let is_bad = matches!(error, NexusError::Malformed { .. });
            format!("{name} {}: see `nudge doctor`", if is_bad { "is malformed" } else { "cannot be read" })
        };
        let mut state_problems = Vec::new();
        let history = nexus.read::<History>(HISTORY).err();
        state_problems.extend(history.map(|error| unreadable(HISTORY, &error)));
        let tasks_error = nexus.read::<TaskOutlines>(TASKS).err();
        state_problems.extend(tasks_error.map(|error| unreadable(TASKS, &error)));
        let plan = nexus.read::<Plan>(PLAN);
        state_problems.extend(plan.as_ref().err().map(|error| unreadable(PLAN, error)));
        let plan = plan.ok().flatten().map(|plan| plan.topic);
        let tasks = nexus.read::<TaskOutlines>(TASKS).ok().flatten().map(Tasks::from);
        let tasks = tasks.map(|tasks| {
            let open = tasks.tasks.iter().filter(|task| task.status != TaskStatus::Completed).count();
            OpenTasks { open, all: tasks.tasks.len() }
        });
        ProjectSummary {
            off: pause::of_project(root).map(|paused| paused.to_wire()),
            rules: rules.rules,
            disabled_rules: rules.disabled,
            rule_problems: rules.errors,
            untrusted_rule_files: rules.untrusted,
            observations: memory.as_ref().map(|memory| memory.all),
            observations_today: memory.map_or(0, |memory| memory.today),
            session_tokens,
            damage: salvage::history(),
            settings_unknown: settings::load(root).0.unknown_because,
            events_waiting: memory.map_or(0, |memory| memory.waiting),
            plan,
            state_problems,
            tasks,
            hooks,
            machines: machines::peers().unwrap_or_default(),
            team: team(),
        }
    }
}

/// Returns where the exchange with the team stands.
#[cfg(feature = "team")]
fn team() -> Option<TeamSummary> {
    let overview = super::sharing::overview::overview().ok().flatten()?;
    let state = overview.state.as_ref();
    let exchanged = state.and_then(|state| state.reached_at);
    Some(TeamSummary {
        member: state.and_then(|state| state.member.clone()),
        exchanged_at: exchanged.map(IsoTime::from),
        exchanged,
        waiting: overview.waiting,
        held: overview.held.len(),
        rows_here: overview.copy.rows,
        trouble: overview.trouble(),
        server: overview.server,
    })
}

#[cfg(not(feature = "team"))]
fn team() -> Option<TeamSummary> {
    None
}

/// Returns goal and tasks of a project in one line, or its plan; `None` if it has neither.
pub(crate) fn line(cwd: &Path) -> Option<String> {
    let nexus = nexus::of_folder(cwd);
    let plan = nexus.read::<Plan>(PLAN).ok().flatten();
    let tasks = nexus.read::<Tasks>(TASKS).ok().flatten().filter(|tasks| !tasks.tasks.is_empty());
    let topic = plan.as_ref().map(|plan| plan.topic.clone());
    let goal = tasks.as_ref().map(|tasks| tasks.goal.clone()).filter(|goal| !goal.is_empty());
    let mut parts: Vec<String> = goal.or(topic).into_iter().collect();
    match (&tasks, &plan) {
        (Some(tasks), _) => {
            let (all, done) = (tasks.tasks.len(), tasks.count(&TaskStatus::Completed));
            parts.push(format!("{done} of {all} done"));
            let running = tasks.tasks.iter().find(|task| task.status == TaskStatus::InProgress);
            let ready = tasks.ready();
            let next = tasks.tasks.iter().find(|task| ready.contains(&task.id));
            parts.extend(running.map(|task| format!("in progress: {} {}", task.id, task.title)));
            if running.is_none() {
                parts.extend(next.map(|task| format!("ready: {} {}", task.id, task.title)));
            }
        }
        (None, Some(plan)) => parts.push(format!("{} of {} decided", plan.decided(), plan.issues.len())),
        (None, None) => return None,
    }
    Some(parts.join(" · "))
}

/// A cached value, with the input that it was computed from.
#[derive(Default)]
struct Memo<K, V>(Option<(K, V)>);

impl<K: PartialEq, V: Clone> Memo<K, V> {
    /// Returns the cached value if its input is the same, otherwise computes it.
    fn of(&mut self, from: K, make: impl FnOnce() -> V) -> V {
        if let Some((_, value)) = self.0.as_ref().filter(|(kept, _)| *kept == from) {
            return value.clone();
        }
        let value = make();
        self.0 = Some((from, value.clone()));
        value
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct RuleCounts {
    rules: usize,
    disabled: usize,
    errors: usize,
    untrusted: usize,
}

fn count_rules(root: &Path) -> RuleCounts {
    let (files, problems) = validate::project(root);
    let in_files = files.iter().flat_map(|file| &file.problems);
    RuleCounts {
        rules: files.iter().map(|file| file.rules.len()).sum(),
        disabled: files.iter().flat_map(|file| &file.rules).filter(|rule| !rule.enabled).count(),
        untrusted: trust::muted(root).len(),
        errors: in_files.chain(&problems).filter(|problem| Problem::is_error(problem)).count(),
    }
}

/// The stamps of the memory's files, and the number of bytes in the spool.
type MemoryState = (Vec<Option<Stamp>>, u64);

#[derive(Debug, Clone, Copy)]
struct ObservationCounts {
    all: usize,
    today: usize,
    waiting: usize,
}

fn count_observations(today: i64) -> Option<ObservationCounts> {
    let (reader, waiting) = remember::reader_and_waiting().ok()?.unzip();
    let stats = reader.map(|reader| reader.stats(None, clock::timestamp())).transpose().ok()?;
    let days = stats.iter().flat_map(|stats| &stats.by_day);
    Some(ObservationCounts {
        all: stats.as_ref().map_or(0, |stats| stats.observations),
        waiting: waiting.flatten().map_or(0, |waiting| waiting.events),
        today: days.filter(|(day, _)| *day == today).map(|(_, count)| count).sum(),
    })
}

/// Returns what changes when the memory does: its file, its log, and the size of the spool.
fn memory_state() -> MemoryState {
    let Some(database) = paths::database() else { return Default::default() };
    let mut log = database.clone().into_os_string();
    log.push("-wal");
    let stamps = [database, log.into()].iter().map(|path| Stamp::at(path)).collect();
    (stamps, database::open_spool().as_ref().map_or(0, Spool::waiting_bytes))
}

fn hooks(traces: &[Trace]) -> Option<LastHooks> {
    let last = traces.last()?;
    let Latency { p95, count, .. } = why::latency(traces).into_iter().next()?;
    Some(LastHooks { hook: last.hook.name(), at: last.at, p95_us: p95, timed: count })
}

#[cfg(test)]
mod tests {
    use super::Memo;

    #[test]
    fn an_unchanged_input_is_not_computed_again() {
        let mut kept = Memo::default();
        let mut computed = 0;
        let values = [1, 1, 2, 2, 1].map(|from| {
            kept.of(from, || {
                computed += 1;
                from * 10
            })
        });
        assert_eq!((values, computed), ([10, 10, 20, 20, 10], 3));
    }
}
