//! Finds the project whose `.nexus/` is used.

use std::path::{Path, PathBuf};

/// The folders that the environment and the agent name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Named {
    /// `NEXUS_PROJECT_ROOT`: this folder and no other.
    pub(crate) project_root: Option<PathBuf>,
    /// `CLAUDE_PROJECT_DIR` or another agent's variable: the folder that the agent was started in.
    pub(crate) agent_dir: Option<PathBuf>,
    /// The folder with the project's rules, else the current folder.
    pub(crate) rules_dir: PathBuf,
    /// The user's home: its `.nexus/` does not apply to projects below it.
    pub(crate) home: Option<PathBuf>,
}

/// Returns the folder that has `.nexus/`, or in which it would be created.
///
/// An existing one wins, searched from the agent's folder upwards: an agent that is started in a subfolder works on the
/// same plan as a person at the project's root.
pub(crate) fn find(named: &Named, cwd: &Path) -> PathBuf {
    if let Some(root) = &named.project_root {
        return root.clone();
    }
    let agent_dir = named.agent_dir.as_deref().filter(|folder| folder.is_dir());
    let start = agent_dir.unwrap_or(cwd);
    let worktree = start.ancestors().find(|folder| folder.join(".git").exists());
    let is_beyond = |folder: &Path| {
        let is_home = named.home.as_deref() == Some(folder) && folder != start;
        is_home || worktree.is_some_and(|top| !folder.starts_with(top))
    };
    let mut within = start.ancestors().take_while(|folder| !is_beyond(folder));
    let existing = within.find(|folder| folder.join(".nexus").is_dir());
    // A new `.nexus` is created in the agent's folder, else at the top of the repository, else beside the rules.
    existing.or(agent_dir).or(worktree).unwrap_or(&named.rules_dir).to_owned()
}

#[cfg(test)]
mod tests;
