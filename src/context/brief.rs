//! A line or two about the state of the project's plan and tasks, for each prompt.

use std::collections::HashSet;

use super::plain;
use crate::model::{Issue, Plan, Task, TaskStatus, Tasks, shortened};

/// Maximum length of a quoted topic or title, in characters.
const MAX_TITLE: usize = 80;
/// Maximum number of tasks that each prompt names by title.
const MAX_TITLES: usize = 3;
/// Maximum number of ids or titles that are named.
const MAX_NAMED: usize = 10;

/// Summarizes the tasks, and names those that are ready.
pub(crate) fn tasks(tasks: &Tasks) -> Option<String> {
    let total = tasks.tasks.len();
    if total == 0 {
        return None;
    }
    let (completed, pending) = (tasks.count(&TaskStatus::Completed), tasks.count(&TaskStatus::Pending));
    let line = format!("Tasks in .nexus: {total} in all, {completed} completed, {pending} pending");
    let in_progress = titles(tasks.tasks.iter().filter(|task| task.status == TaskStatus::InProgress));
    let at_work = if in_progress.is_empty() { String::new() } else { format!(", in progress {in_progress}") };
    let ready: HashSet<u64> = tasks.ready().into_iter().collect();
    let ready = titles(tasks.tasks.iter().filter(|task| ready.contains(&task.id)));
    let next = if completed == total {
        "; the cycle is not closed, nx_task_close archives it".to_owned()
    } else if ready.is_empty() {
        "; none is ready".to_owned()
    } else {
        format!("; ready: {ready}")
    };
    Some(format!("{line}{at_work}{next}."))
}

/// Summarizes the plan, and names what is still undecided.
pub(crate) fn plan(plan: &Plan) -> String {
    let open: Vec<&Issue> = plan.issues.iter().filter(|issue| !issue.is_decided()).collect();
    let line = format!(
        "Plan #{} `{}` in .nexus: {} pending, {} decided",
        plan.id,
        short(&plan.topic),
        open.len(),
        plan.decided()
    );
    let titles = named(open.iter().take(3).map(|issue| format!("#{} {}", issue.id, short(&issue.title))));
    let more = if open.len() > 3 { ", …" } else { "" };
    if open.is_empty() { format!("{line}.") } else { format!("{line}; to decide: {titles}{more}.") }
}

/// Names the tasks that a stopped agent has left open, and those that are pending for its role.
pub(crate) fn left_open<'t>(
    agent: &str,
    left: impl Iterator<Item = &'t Task>,
    pending: impl Iterator<Item = &'t Task>,
) -> Option<String> {
    let title = |task: &Task| format!("#{} {}", task.id, short(&task.title));
    let (left, pending) = (named(left.map(title)), named(pending.map(title)));
    let left = (!left.is_empty()).then(|| {
        format!("its tasks are not completed: {left}. Check what is done and set their status with nx_task_update.")
    });
    // These may be meant for another agent with the role, so they do not count as left open.
    let pending = (!pending.is_empty()).then(|| format!("tasks of its role are still pending: {pending}."));
    let parts: Vec<String> = left.into_iter().chain(pending).collect();
    (!parts.is_empty())
        .then(|| format!("The agent `{}` has stopped, and {}", short(agent), parts.join(" And ")))
}

/// Summarizes what is left to do at the end of a turn or a session; `None` if nothing is left.
pub(crate) fn unfinished(tasks: &Tasks) -> Option<String> {
    let open = tasks.tasks.iter().filter(|task| task.status != TaskStatus::Completed);
    match (tasks.tasks.len(), open.clone().count()) {
        (0, _) => None,
        (_, 0) => Some(
            "All tasks of the cycle are completed, but it is not closed: `nudge task close` moves it to the history."
                .to_owned(),
        ),
        (total, left) => Some(format!(
            "{left} of {total} tasks are not completed: {}. Continue with them (`[run]`), or close the cycle with `nudge task close`, \
             which asks what becomes of them.",
            titles(open)
        )),
    }
}

/// Shortens a foreign text so that it fits into one line.
pub(super) fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    shortened(&plain(line), MAX_TITLE).into_owned()
}

/// Names tasks by number and title: the first ones, and how many more there are.
fn titles<'t>(tasks: impl Iterator<Item = &'t Task>) -> String {
    let tasks: Vec<&Task> = tasks.collect();
    let more = tasks.len().saturating_sub(MAX_TITLES);
    let mut names: Vec<String> =
        tasks.iter().take(MAX_TITLES).map(|task| format!("#{} {}", task.id, short(&task.title))).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

fn named(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests;
