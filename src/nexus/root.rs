//! Where the project is whose `.nexus/` is meant.

use std::path::{Path, PathBuf};

/// What the environment says about it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Named {
    /// `NEXUS_PROJECT_ROOT`: this folder and no other.
    pub(crate) project_root: Option<PathBuf>,
    /// `CLAUDE_PROJECT_DIR`, or what else an agent names: the folder it was started in.
    pub(crate) agent_dir: Option<PathBuf>,
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
    let mut within =
        start.ancestors().take_while(|folder| worktree.is_none_or(|top| folder.starts_with(top)));
    let existing = within.find(|folder| folder.join(".nexus").is_dir());
    // Who has no `.nexus` yet gets it where the agent says, else at the top of the repository.
    existing.or(agent_dir).or(worktree).unwrap_or(start).to_owned()
}

#[cfg(test)]
mod tests;
