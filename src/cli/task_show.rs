//! One task in full, and what closing, reopening and removing say.

use super::output::{BOLD, CYAN, DIM, Failure, Out, counted, say};
use super::rows::{one_line, plain};
use super::task_board;
use crate::api::nexus::{ClosedWire, NamedTaskWire, RemovedWire, ReopenedWire, TaskShownWire};

/// Maximum number of characters of a line.
const MAX_CHARS: usize = 100;

pub(crate) fn task(shown: &TaskShownWire, out: &mut Out) -> Result<(), Failure> {
    let task = &shown.task;
    let word = if shown.ready { "ready" } else { task_board::word(&task.status) };
    out.line(format_args!("{BOLD}task {}: {}{BOLD:#}  {CYAN}{word}{CYAN:#}", task.id, plain(&task.title)))?;
    let context = Some(&task.context).filter(|context| **context != task.title);
    let added = task.created_at.as_deref().map(at);
    let texts = [
        ("context", context),
        ("approach", task.approach.as_ref()),
        ("acceptance", task.acceptance.as_ref()),
        ("risk", task.risk.as_ref()),
        ("owner", task.owner.as_ref()),
        ("agent", task.owner_agent_id.as_ref()),
        ("added", added.as_ref()),
    ];
    for (name, text) in texts {
        let Some(text) = text else { continue };
        let shown = plain(text);
        let mut lines = shown.lines();
        out.line(format_args!("  {DIM}{name:<11}{DIM:#}{}", lines.next().unwrap_or_default()))?;
        lines.try_for_each(|line| out.line(format_args!("  {:<11}{line}", "")))?;
    }
    for (name, others) in [("waits for", &shown.waits_for), ("blocks", &shown.waited_for_by)] {
        if !others.is_empty() {
            out.line(format_args!("  {DIM}{name:<11}{DIM:#}{}", named(others)))?;
        }
    }
    Ok(())
}

/// Returns a time of a state file as people write it.
fn at(time: &str) -> String {
    time.chars().take(16).collect::<String>().replace('T', " ")
}

fn named(tasks: &[NamedTaskWire]) -> String {
    let names = tasks.iter().map(|task| format!("{} {}", task.id, one_line(&task.title, MAX_CHARS)));
    names.collect::<Vec<_>>().join(", ")
}

pub(crate) fn say_removed(removed: &RemovedWire) -> Result<(), Failure> {
    say(format_args!("removed task {}: {}", removed.task.id, one_line(&removed.task.title, MAX_CHARS)));
    if !removed.released.is_empty() {
        let ids: Vec<String> = removed.released.iter().map(ToString::to_string).collect();
        say(format_args!("no longer waiting for it: {}", ids.join(", ")));
    }
    Ok(())
}

pub(crate) fn say_closed(closed: &ClosedWire) -> Result<(), Failure> {
    let (decisions, tasks) =
        (counted(closed.archived.decisions, "decision"), counted(closed.archived.tasks, "task"));
    say(format_args!("closed on {}: {decisions}, {tasks}", one_line(&closed.branch, MAX_CHARS)));
    if !closed.carried.is_empty() {
        say(format_args!("{} stayed on the board", counted(closed.carried.len(), "open task")));
    }
    if !closed.left_open.is_empty() {
        let open = counted(closed.left_open.len(), "task");
        say(format_args!("{open} went to the history unfinished; `nudge task reopen` opens the cycle again"));
    }
    say(format_args!(
        "the history has {} now; commit `.nexus` to share it",
        counted(closed.total_cycles, "cycle")
    ));
    Ok(())
}

pub(crate) fn say_reopened(reopened: &ReopenedWire) -> Result<(), Failure> {
    let plan = if reopened.plan { "the plan and " } else { "" };
    let (tasks, at) = (counted(reopened.tasks, "task"), at(&reopened.cycle));
    say(format_args!("open again: {plan}{tasks} of the cycle of {at}"));
    Ok(())
}
