//! The tasks as a board: what can begin, what is being done, what waits for what, what is done.

use anstyle::Style;

use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, YELLOW, counted, say};
use super::rows::one_line;
use crate::api::nexus::TaskListWire;
use crate::model::{Task, TaskStatus, Tasks};

/// Maximum number of characters of a title.
const MAX_CHARS: usize = 90;

/// Shows the listed tasks, in groups that depend on all tasks.
pub(crate) fn show(tasks: Option<&Tasks>, listed: &TaskListWire, out: &mut Out) -> Result<(), Failure> {
    let (Some(tasks), TaskListWire::Tasks { tasks: listed, more, .. }) =
        (tasks.filter(|tasks| !tasks.tasks.is_empty()), listed)
    else {
        say("there are no tasks: `nudge task add` adds one");
        return Ok(());
    };
    let done = format!("{} of {} done", tasks.count(&TaskStatus::Completed), tasks.tasks.len());
    let goal = if tasks.goal.is_empty() { "no goal" } else { &tasks.goal };
    out.line(format_args!("{BOLD}{}{BOLD:#}  {DIM}{done}{DIM:#}", one_line(goal, MAX_CHARS)))?;
    for group in TaskGroup::ALL {
        let of_group: Vec<&Task> = listed.iter().filter(|task| group == TaskGroup::of(task, tasks)).collect();
        if of_group.is_empty() {
            continue;
        }
        let style = group.style();
        out.line(format_args!("\n{style}{}{style:#}", group.name()))?;
        of_group.into_iter().try_for_each(|task| out.row(line(task, group, tasks)))?;
    }
    if let Some(more) = more {
        say(format_args!("{}: `--limit` shows more", counted(*more, "more task")));
    }
    Ok(())
}

/// Returns a status as a person says it.
pub(crate) fn word(status: &TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "pending",
        TaskStatus::InProgress => "in progress",
        TaskStatus::Completed => "done",
        TaskStatus::Other(_) => "changed",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TaskGroup {
    Ready,
    InProgress,
    Blocked,
    Done,
    /// Of a newer version, in whose words we only repeat it.
    Other,
}

impl TaskGroup {
    const ALL: [TaskGroup; 5] =
        [TaskGroup::Ready, TaskGroup::InProgress, TaskGroup::Blocked, TaskGroup::Done, TaskGroup::Other];

    fn of(task: &Task, tasks: &Tasks) -> TaskGroup {
        match task.status {
            TaskStatus::Pending if tasks.waits_for(task).is_empty() => TaskGroup::Ready,
            TaskStatus::Pending => TaskGroup::Blocked,
            TaskStatus::InProgress => TaskGroup::InProgress,
            TaskStatus::Completed => TaskGroup::Done,
            TaskStatus::Other(_) => TaskGroup::Other,
        }
    }

    fn name(self) -> &'static str {
        match self {
            TaskGroup::Ready => "ready",
            TaskGroup::InProgress => "in progress",
            TaskGroup::Blocked => "blocked",
            TaskGroup::Done => "done",
            TaskGroup::Other => "other",
        }
    }

    fn style(self) -> Style {
        match self {
            TaskGroup::Ready => GREEN,
            TaskGroup::InProgress => CYAN.bold(),
            TaskGroup::Blocked => YELLOW,
            TaskGroup::Done | TaskGroup::Other => DIM,
        }
    }
}

fn line(task: &Task, group: TaskGroup, tasks: &Tasks) -> String {
    let owner = task.owner.as_deref().map(|owner| format!("  {CYAN}{}{CYAN:#}", one_line(owner, MAX_CHARS)));
    let why = match &task.status {
        TaskStatus::Other(status) => Some(one_line(status, MAX_CHARS)),
        _ if group == TaskGroup::Blocked => Some(format!("by {}", waits(task, tasks))),
        _ => None,
    };
    let why = why.map(|why| format!("  {DIM}{why}{DIM:#}"));
    let (dim, title) =
        (if group == TaskGroup::Done { DIM } else { Style::new() }, one_line(&task.title, MAX_CHARS));
    format!("  {:>2}  {dim}{title}{dim:#}{}{}", task.id, owner.unwrap_or_default(), why.unwrap_or_default())
}

fn waits(task: &Task, tasks: &Tasks) -> String {
    let name = |id: &u64| {
        let is_there = tasks.tasks.iter().any(|task| task.id == *id);
        if is_there { id.to_string() } else { format!("{id}, which does not exist") }
    };
    tasks.waits_for(task).iter().map(name).collect::<Vec<_>>().join(", ")
}
