//! What an agent needs again after its context was compacted, as stored on disk.

use std::collections::HashSet;

use super::brief::{self, short};
use crate::model::{AgentStatus, IssueStatus, Knowledge, Mode, Plan, Task, TaskStatus, Tasks, TrackedAgent};

/// Maximum numbers of listed items; the others are counted.
const MAX_ISSUES: usize = 20;
const MAX_TASKS: usize = 30;
const MAX_DECISIONS: usize = 20;
const MAX_FILES: usize = 50;
const MAX_AGENTS: usize = 20;

pub(crate) fn mode(mode: &Mode) -> String {
    let auto = if mode.auto { ":auto" } else { "" };
    format!("This session is in the mode `[{}{auto}]`, set by the user's tag.", mode.mode.name())
}

/// Lists goal and decisions, then the tasks with their status: what is being done and what is ready come first.
pub(crate) fn tasks(tasks: &Tasks) -> Option<String> {
    let ready: HashSet<u64> = tasks.ready().into_iter().collect();
    let rank = |task: &Task| match task.status {
        TaskStatus::InProgress => 0,
        TaskStatus::Pending if ready.contains(&task.id) => 1,
        TaskStatus::Pending | TaskStatus::Other(_) => 2,
        TaskStatus::Completed => 3,
    };
    let mut sorted: Vec<&Task> = tasks.tasks.iter().collect();
    sorted.sort_by_key(|task| rank(task));
    let rows = sorted.into_iter().map(|task| {
        let owner = task.owner.as_ref().map_or(String::new(), |owner| format!(" ({})", short(owner)));
        let status = if rank(task) == 1 { "ready".to_owned() } else { task_status(&task.status) };
        format!("#{} {status}: {}{owner}", task.id, short(&task.title))
    });
    let head = brief::tasks(tasks)?;
    let goal = (!tasks.goal.is_empty()).then(|| format!("Goal: {}", short(&tasks.goal)));
    let decided = (!tasks.decisions.is_empty()).then(|| {
        let decisions = tasks.decisions.iter().map(|decision| short(decision));
        list("Decisions that apply to all tasks:", decisions, MAX_DECISIONS, "nx_context")
    });
    let listed = list(&head, rows, MAX_TASKS, "nx_task_list");
    Some([goal, decided, Some(listed)].into_iter().flatten().collect::<Vec<_>>().join("\n"))
}

/// Lists the issues of the plan with their status.
pub(crate) fn plan(plan: &Plan) -> String {
    let rows = plan.issues.iter().map(|issue| {
        let decision = issue.decision.as_ref().map_or(String::new(), |text| format!(" → {}", short(text)));
        format!("#{} {}: {}{decision}", issue.id, issue_status(&issue.status), short(&issue.title))
    });
    list(&brief::plan(plan), rows, MAX_ISSUES, "nx_plan_status")
}

/// Lists the subagents of the session.
pub(crate) fn agents(agents: &[TrackedAgent]) -> Option<String> {
    let rows = agents.iter().map(|agent| {
        let status = match agent.status {
            Some(AgentStatus::Completed) => "completed",
            _ => "running",
        };
        let id = agent.agent_id.as_ref().filter(|_| agent.agent_name.is_some());
        let id = id.map_or(String::new(), |id| format!(" ({})", short(id)));
        let files = agent.touched().len();
        let wrote = if files > 0 { format!(", wrote {files} files") } else { String::new() };
        format!("{}{id}: {status}{wrote}", short(agent.shown()))
    });
    (!agents.is_empty()).then(|| list("Agents of this session:", rows, MAX_AGENTS, "the tracker"))
}

/// Lists the files with knowledge about the project; `None` if there are none.
pub(crate) fn knowledge(knowledge: &Knowledge) -> Option<String> {
    let mut room = MAX_FILES;
    let mut lines = Vec::new();
    for (folder, names) in knowledge.folders() {
        let shown: Vec<String> = names.iter().take(room).map(|name| short(name)).collect();
        let more = names.len() - shown.len();
        room -= shown.len();
        let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
        match (shown.is_empty(), more) {
            (true, 0) => {}
            (true, more) => lines.push(format!("{folder}: {more} files")),
            (false, _) => lines.push(format!("{folder}: {}{rest}", shown.join(", "))),
        }
    }
    (!lines.is_empty()).then(|| {
        format!("Knowledge of this project in `.nexus/`; read what concerns the task:\n{}", lines.join("\n"))
    })
}

fn list(head: &str, rows: impl ExactSizeIterator<Item = String>, max: usize, ask: &str) -> String {
    let more = rows.len().saturating_sub(max);
    let mut lines: Vec<String> = rows.take(max).map(|row| format!("- {row}")).collect();
    if more > 0 {
        lines.push(format!("- {more} more: ask {ask}"));
    }
    lines.insert(0, head.to_owned());
    lines.join("\n")
}

fn task_status(status: &TaskStatus) -> String {
    match status {
        TaskStatus::Pending => "pending".to_owned(),
        TaskStatus::InProgress => "in progress".to_owned(),
        TaskStatus::Completed => "completed".to_owned(),
        TaskStatus::Other(word) => short(word),
    }
}

fn issue_status(status: &IssueStatus) -> String {
    match status {
        IssueStatus::Pending => "pending".to_owned(),
        IssueStatus::Decided => "decided".to_owned(),
        IssueStatus::Other(word) => short(word),
    }
}

#[cfg(test)]
mod tests;
