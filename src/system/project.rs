//! Finds the project of an event from its folders, not from the folder of the process.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use super::repository::{self, GitEntry, Worktree};
use crate::config::{env, paths};
use crate::files;
use crate::model::{OWN_BOARD, Project};

/// Files and folders that mark the root of a project; so does a `.git`.
pub(super) const RULE_MARKS: [&str; 3] = [".nudge.yaml", ".nudge.yml", ".nudge"];

const NEXUS: &str = ".nexus";

/// Where plan, tasks and notes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NexusPlace {
    /// The folder whose `.nexus/` has what is in git: history, notes, context, guidance.
    pub(crate) root: PathBuf,
    /// The folder whose `.nexus/state` has plan and tasks: the same, or its counterpart in the main worktree.
    pub(crate) board: PathBuf,
}

/// A linked worktree, and the folder that has the board of all worktrees.
struct Counterpart {
    top: PathBuf,
    shared: PathBuf,
}

impl Counterpart {
    fn of(worktree: Option<(&Path, bool)>) -> Option<Counterpart> {
        let (top, _) = worktree.filter(|(_, git_is_dir)| !git_is_dir)?;
        Some(Counterpart { top: top.to_owned(), shared: Worktree::at(top, false).shared_root()? })
    }

    /// Returns the folder that corresponds to one of the worktree.
    fn of_folder(&self, folder: &Path) -> Option<PathBuf> {
        let within = folder.strip_prefix(&self.top).ok()?;
        Some(if within.as_os_str().is_empty() { self.shared.clone() } else { self.shared.join(within) })
    }
}

/// Where an event happens: the folders that its project is made of. The folders above the event are searched once.
pub(crate) struct ProjectPlace {
    /// The folder that the agent says it was started in, if that folder exists.
    agent_dir: Option<PathBuf>,
    cwd: PathBuf,
    root: PathBuf,
    /// Whether the root has a rule mark; the folders below it that were searched have none.
    is_marked: bool,
    /// The nearest folder with a `.git` at or above the one where the search started.
    git: Option<(PathBuf, GitEntry)>,
    worktree: OnceCell<Option<Worktree>>,
}

impl ProjectPlace {
    /// Searches from the folder that the agent names, which may be any folder of the project, or else from its `cwd`.
    ///
    /// A link counts as it is, and is not followed: what it leads to is not ours to touch yet.
    pub(crate) fn find(agent_dir: Option<&Path>, cwd: &Path) -> ProjectPlace {
        let agent_dir = agent_dir.filter(|path| path.is_dir()).map(Path::to_owned);
        let start = agent_dir.as_deref().unwrap_or(cwd);
        let (mut root, mut is_marked, mut git) = (None, false, None);
        for folder in start.ancestors() {
            if root.is_none() && has_rule_mark(folder) {
                (root, is_marked) = (Some(folder), true);
            }
            if let Some(entry) = GitEntry::of(folder) {
                git = Some((folder.to_owned(), entry));
                root = root.or(Some(folder));
                break;
            }
        }
        let root = root.unwrap_or(start).to_owned();
        ProjectPlace { agent_dir, cwd: cwd.to_owned(), root, is_marked, git, worktree: OnceCell::new() }
    }

    /// Returns the root of the project's rules and settings: the nearest marked folder, else where the search started.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder that the user's own rules see the project from: the root of the git worktree.
    ///
    /// A repository cannot contain a `.git`, but it can contain a `.nudge.yaml` in any folder, and with it move the root
    /// of its own rules. It must not move the root of the user's. Without git, the outermost marked folder counts; the
    /// home folder is not a project just because something in it has our name.
    pub(crate) fn root_for_user_rules(&self) -> &Path {
        let outermost = || {
            let home = paths::home_dir();
            let in_home = self.root.ancestors().take_while(|folder| home.as_deref() != Some(*folder));
            in_home.filter(|folder| has_rule_mark(folder)).last()
        };
        self.git.as_ref().map(|(folder, _)| folder.as_path()).or_else(outermost).unwrap_or(&self.root)
    }

    /// Returns the git worktree that the event's `cwd` is in.
    pub(crate) fn worktree(&self) -> Option<&Worktree> {
        let find = || self.worktree_top(&self.cwd).map(|(top, is_dir)| Worktree::at(top, is_dir));
        self.worktree.get_or_init(find).as_ref()
    }

    /// Returns the address of the repository; see `repository::remote`.
    pub(crate) fn remote(&self) -> String {
        repository::remote_of(self.worktree(), &self.cwd)
    }

    /// Returns the project of the memory: the repository of the event's `cwd`; outside git, the nearest folder with a
    /// rule mark, else the project of the folder that the agent names, else `cwd` itself.
    pub(crate) fn project(&self, named: Option<&str>) -> Option<Project> {
        if let Some(worktree) = self.worktree() {
            return repository::project_of(Some(worktree), &self.cwd, named);
        }
        let home = paths::home_dir();
        let mut below_home = self.cwd.ancestors().take_while(|folder| home.as_deref() != Some(*folder));
        if let Some(marked) = below_home.find(|folder| has_rule_mark(folder)) {
            return repository::project_of(None, marked, named);
        }
        let agent_dir = self.agent_dir.as_deref().filter(|folder| home.as_deref() != Some(*folder));
        let Some(agent_dir) = agent_dir else { return repository::project_of(None, &self.cwd, named) };
        let worktree = self.worktree_top(agent_dir).map(|(top, is_dir)| Worktree::at(top, is_dir));
        repository::project_of(worktree.as_ref(), &self.root, named)
    }

    /// Returns the folder that has `.nexus/`, or in which it would be created, and the one that has its board.
    ///
    /// `NEXUS_PROJECT_ROOT` names one folder for both.
    pub(crate) fn nexus(&self) -> NexusPlace {
        match env::nexus_project_root() {
            Some(root) => NexusPlace { board: root.clone(), root },
            None => self.find_nexus(paths::home_dir().as_deref()),
        }
    }

    /// The worktrees of a repository share the board of the main one, unless one of them has a board of its own.
    fn find_nexus(&self, home: Option<&Path>) -> NexusPlace {
        let shared = Counterpart::of(self.worktree_top(self.start()));
        let root = self.existing_or_new_nexus(home, shared.as_ref()).to_owned();
        let board =
            shared.filter(|_| !root.join(OWN_BOARD).exists()).and_then(|shared| shared.of_folder(&root));
        NexusPlace { board: board.unwrap_or_else(|| root.clone()), root }
    }

    /// An existing `.nexus/` wins, searched from the agent's folder upwards: an agent that is started in a subfolder
    /// works on the same plan as a person at the project's root. That of the user's home does not apply to projects below.
    fn existing_or_new_nexus(&self, home: Option<&Path>, shared: Option<&Counterpart>) -> &Path {
        let start = self.start();
        let worktree = self.worktree_top(start).map(|(top, _)| top);
        let is_beyond = |folder: &Path| {
            let is_home = home == Some(folder) && folder != start;
            is_home || worktree.is_some_and(|top| !folder.starts_with(top))
        };
        let mut within = start.ancestors().take_while(|folder| !is_beyond(folder));
        let has_nexus = |folder: &Path| folder.join(NEXUS).is_dir();
        let existing = within.find(|folder| {
            has_nexus(folder)
                || shared.and_then(|shared| shared.of_folder(folder)).is_some_and(|it| has_nexus(&it))
        });
        // A new `.nexus` is created in the agent's folder, else at the top of the repository, else beside the rules.
        existing.or(self.agent_dir.as_deref()).or(worktree).unwrap_or(&self.root)
    }

    /// Returns the folder that the agent is in now.
    pub(super) fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Returns the folder where the search started.
    pub(super) fn start(&self) -> &Path {
        self.agent_dir.as_deref().unwrap_or(&self.cwd)
    }

    /// Returns the nearest folder whose `.git` exists, and whether that is a folder; links are followed.
    fn worktree_top<'f>(&self, from: &'f Path) -> Option<(&'f Path, bool)> {
        from.ancestors().find_map(|folder| Some((folder, self.git_entry(folder)?.is_dir(folder)?)))
    }

    /// Returns the `.git` of a folder, without looking again where the search has looked.
    pub(super) fn git_entry(&self, folder: &Path) -> Option<GitEntry> {
        let is_searched = self.start().starts_with(folder)
            && self.git.as_ref().is_none_or(|(last, _)| folder.starts_with(last));
        if !is_searched {
            return GitEntry::of(folder);
        }
        self.git.as_ref().filter(|(last, _)| last == folder).map(|(_, entry)| *entry)
    }

    /// Returns whether a folder has a rule mark, without looking again where the search has looked.
    pub(super) fn has_rule_mark(&self, folder: &Path) -> bool {
        let is_searched = self.start().starts_with(folder) && folder.starts_with(&self.root);
        if is_searched { self.is_marked && folder == self.root } else { has_rule_mark(folder) }
    }
}

/// A checkout of a repository: its top, and the folder that all checkouts of the repository share.
pub(super) struct Checkout {
    top: PathBuf,
    repository: PathBuf,
}

impl Checkout {
    fn of(path: &Path) -> Option<Checkout> {
        let (top, entry) = path.ancestors().find_map(|folder| Some((folder, GitEntry::of(folder)?)))?;
        let repository = match entry.is_dir(top)? {
            true => files::canonical(top).ok()?,
            false => Worktree::at(top, false).shared_root()?,
        };
        Some(Checkout { top: top.to_owned(), repository })
    }

    /// Returns whether two folders with a `.git` are worktrees of one repository.
    pub(super) fn are_of_one_repository(one: &Path, other: &Path) -> bool {
        let (Some(one), Some(other)) = (Checkout::of(one), Checkout::of(other)) else { return false };
        one.repository == other.repository
    }

    /// Returns whether a folder with a `.git` is a submodule of the repository in an outer one.
    pub(super) fn is_submodule(inner: &Path, outer: &Path) -> bool {
        let worktree = |top: &Path| Some(Worktree::at(top, GitEntry::of(top)?.is_dir(top)?));
        let (Some(inner), Some(outer)) = (worktree(inner), worktree(outer)) else { return false };
        inner.is_submodule_of(&outer)
    }
}

/// Returns where a file would be in a project, relative to it, if it is in another worktree of the same repository.
pub(crate) fn in_other_worktree(path: &Path, project: &Path) -> Option<PathBuf> {
    let (own, other) = (Checkout::of(project)?, Checkout::of(path)?);
    if own.top == other.top || own.repository != other.repository {
        return None;
    }
    let within = path.strip_prefix(&other.top).ok()?.strip_prefix(project.strip_prefix(&own.top).ok()?);
    within.ok().map(Path::to_owned)
}

/// Returns the root of the project that a folder is in.
pub(crate) fn root(agent_dir: Option<&Path>, cwd: &Path) -> PathBuf {
    ProjectPlace::find(agent_dir, cwd).root
}

/// Returns the folder that the user's own rules see this project from.
pub(crate) fn root_for_user_rules(root: &Path) -> &Path {
    let place = ProjectPlace::find(None, root);
    root.ancestors().find(|folder| *folder == place.root_for_user_rules()).unwrap_or(root)
}

fn has_rule_mark(folder: &Path) -> bool {
    RULE_MARKS.iter().any(|mark| folder.join(mark).symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests;
