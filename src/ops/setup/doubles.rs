//! Other connections of an agent, beside the one that setup writes: every event, or every tool, would appear twice.

use std::path::{Path, PathBuf};

use crate::journal::agent_files;
use crate::model::{Connection, Problem};
use crate::wiring;

/// Returns what else already connects the agent: every event would arrive twice.
pub(crate) fn connected_elsewhere(connection: &Connection) -> Vec<String> {
    let own = |path: &PathBuf| {
        let path = agent_files::real(path);
        connection.files.iter().find(|file| agent_files::real(&file.path) == path)
    };
    let mut found = Vec::new();
    for path in &connection.elsewhere {
        let Ok(Some(text)) = agent_files::read(path) else { continue };
        if wiring::has_plugin(&text) {
            found.push(format!("the plugin that `{}` enables", path.display()));
        }
        match own(path) {
            Some(file) if wiring::connects_beside(&text, &file.content) => {
                found.push(format!("a hook in `{}` that setup did not write", path.display()));
            }
            None if wiring::connects(&text) => found.push(format!("`{}`", path.display())),
            _ => {}
        }
    }
    found
}

/// Removes the project's files from a user's connection, and returns those that connect the agent there.
///
/// What a repository contains must not keep the user from being connected everywhere else.
pub(crate) fn leave_project_aside(user: &mut Connection, project: &Path, home: &Path) -> Vec<String> {
    // If the home folder is a project, or is in one, its files are still the user's.
    if home.starts_with(project) {
        return Vec::new();
    }
    let is_users = |path: &PathBuf| {
        !path.starts_with(project) || user.files.iter().any(|file| file.path.parent() == path.parent())
    };
    let (elsewhere, in_project) = user.elsewhere.iter().cloned().partition(is_users);
    let (also_reads, _): (Vec<PathBuf>, Vec<PathBuf>) = user.also_reads.iter().cloned().partition(is_users);
    let in_project = Connection { elsewhere: in_project, ..user.clone() };
    (user.elsewhere, user.also_reads) = (elsewhere, also_reads);
    connected_elsewhere(&in_project)
}

/// Returns the files that connect other agents, and that this agent reads too.
pub(crate) fn connected_by_others(connection: &Connection) -> Vec<String> {
    let connects = |path: &&PathBuf| {
        agent_files::read(path).is_ok_and(|text| text.is_some_and(|text| wiring::connects(&text)))
    };
    connection.also_reads.iter().filter(connects).map(|path| format!("`{}`", path.display())).collect()
}

/// Reports nudge servers that the agent also starts under other names.
pub(crate) fn other_servers(connection: &Connection) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in &connection.files {
        let Ok(Some(text)) = agent_files::read(&file.path) else { continue };
        for name in wiring::other_servers(&text, &file.content) {
            let problem = Problem::warning(format!("`{name}` also starts the nudge server"));
            let problem = problem.at(&file.path.display().to_string(), 0, 0);
            problems.push(problem.hint("its tools appear twice; remove that entry"));
        }
    }
    problems
}
