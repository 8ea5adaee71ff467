//! Where the project is whose `.nexus/` is meant.

use std::path::{Path, PathBuf};

/// What others say about it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Named {
    /// `NEXUS_PROJECT_ROOT`: this folder and no other.
    pub(crate) project_root: Option<PathBuf>,
    /// `CLAUDE_PROJECT_DIR`, or what else an agent names: the folder it was started in.
    pub(crate) agent_dir: Option<PathBuf>,
    /// Where the rules of the project are, or else the current folder.
    pub(crate) rules_dir: PathBuf,
    /// The user's home: what lies there is no project of the folders in it.
    pub(crate) home: Option<PathBuf>,
}

/// Returns the folder that has, or would get, the `.nexus/`.
///
/// One that is there already wins, from the agent's folder upwards: an agent that is started in a folder of the project
/// works on the same plan as a person at its root.
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
    // Who has no `.nexus` yet gets it where the agent says, else at the top of the repository, else beside the rules.
    existing.or(agent_dir).or(worktree).unwrap_or(&named.rules_dir).to_owned()
}

#[cfg(test)]
mod tests;
