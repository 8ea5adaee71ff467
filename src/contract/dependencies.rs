//! Which task may wait for which: for tasks that exist, and never in a circle.

use std::collections::BTreeSet;

use super::agents::{AGENTS, agent};
use crate::model::{Task, Tasks};

/// Why a task cannot wait for these tasks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DependencyFlaw {
    #[error("task {0} cannot wait for itself")]
    Itself(u64),
    #[error("there is no task {0} to wait for")]
    Absent(u64),
    #[error("tasks would wait for each other: {}", circle(.0))]
    Circle(Vec<u64>),
}

/// Checks what a task waits for, among the other tasks of the board.
pub(crate) fn check_dependencies(tasks: &Tasks, id: u64, deps: &[u64]) -> Result<(), DependencyFlaw> {
    if deps.contains(&id) {
        return Err(DependencyFlaw::Itself(id));
    }
    let exists = |id: &u64| tasks.tasks.iter().any(|task| task.id == *id);
    if let Some(absent) = deps.iter().find(|dep| !exists(dep)) {
        return Err(DependencyFlaw::Absent(*absent));
    }
    let mut path = vec![id];
    let mut seen = BTreeSet::new();
    match deps.iter().any(|dep| leads_to(tasks, *dep, id, (&mut path, &mut seen))) {
        true => Err(DependencyFlaw::Circle(path)),
        false => Ok(()),
    }
}

/// Finds the tasks that wait for each other, each circle once.
pub(crate) fn find_circles(tasks: &Tasks) -> Vec<Vec<u64>> {
    let mut found: Vec<Vec<u64>> = Vec::new();
    for task in &tasks.tasks {
        if found.iter().any(|circle| circle.contains(&task.id)) {
            continue;
        }
        let (mut path, mut seen) = (vec![task.id], BTreeSet::new());
        if task.deps.iter().any(|dep| leads_to(tasks, *dep, task.id, (&mut path, &mut seen))) {
            found.push(path);
        }
    }
    found
}

/// Searches the way from a task to another along what it waits for; `path` is that way if there is one.
fn leads_to(tasks: &Tasks, from: u64, to: u64, way: (&mut Vec<u64>, &mut BTreeSet<u64>)) -> bool {
    // The way is searched without recursion: a board may be one long chain.
    let (path, seen) = way;
    let deps_of = |id: u64| {
        let task: Option<&Task> = tasks.tasks.iter().find(|task| task.id == id);
        task.map(|task| task.deps.clone()).unwrap_or_default()
    };
    let start = path.len();
    let mut stack = vec![(from, 1)];
    while let Some((id, depth)) = stack.pop() {
        path.truncate(start + depth - 1);
        if id == to {
            return true;
        }
        if !seen.insert(id) {
            continue;
        }
        path.push(id);
        stack.extend(deps_of(id).into_iter().rev().map(|dep| (dep, depth + 1)));
    }
    path.truncate(start);
    false
}

fn circle(ids: &[u64]) -> String {
    let names: Vec<String> = ids.iter().chain(ids.first()).map(ToString::to_string).collect();
    names.join(" → ")
}

/// Maximum number of letters in which a misspelt role differs.
const MAX_TYPOS: usize = 2;

/// Returns the role that an owner was probably meant to be; `None` for a role, and for a name of its own.
pub(crate) fn misspelt_role(owner: &str) -> Option<&'static str> {
    let name = owner.trim().to_lowercase();
    // `tester2` and `engineer-a` are names that somebody chose.
    if agent(owner).is_some() || !name.chars().all(char::is_alphabetic) {
        return None;
    }
    let roles = AGENTS.iter().map(|agent| (strsim::damerau_levenshtein(&name, agent.id), agent.id));
    let (typos, role) = roles.min()?;
    let is_near = typos <= MAX_TYPOS.min(role.len() / 3);
    is_near.then_some(role)
}

#[cfg(test)]
mod tests;
