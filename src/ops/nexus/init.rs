//! Sets a project up: the folders of `.nexus/`, and a first rule file.

use std::io;
use std::path::{Path, PathBuf};

use crate::config::paths;
use crate::files;
use crate::model::OWN_BOARD;
use crate::nexus::{Nexus, NexusError};
use crate::ops::{nexus, trust};
use crate::system::{rule_files, rule_levels};

/// What was created and what existed before, as paths relative to the project's root.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InitReport {
    pub(crate) project: PathBuf,
    /// The folder that has the board: the project, or the main worktree.
    pub(crate) board: PathBuf,
    /// Whether what was made can be committed.
    pub(crate) is_in_git: bool,
    pub(crate) made: Vec<String>,
    pub(crate) found: Vec<String>,
}

/// What is set up besides the folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InitOptions {
    pub(crate) with_rules: bool,
    /// This worktree does not share the board of the others.
    pub(crate) own_board: bool,
}

/// Why a folder is not set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InitError {
    #[error("`{0}` is a folder of projects, not a project")]
    TooWide(PathBuf),
    #[error(transparent)]
    Nexus(#[from] NexusError),
    #[error("cannot write `.nudge.yaml`: {0}")]
    Rules(io::Error),
}

impl InitError {
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            InitError::TooWide(_) => Some("change to a project's folder, and try again"),
            InitError::Nexus(_) | InitError::Rules(_) => None,
        }
    }
}

/// The folder of plans, tasks and notes.
pub(crate) const NEXUS_FOLDER: &str = ".nexus";

/// The setting of a clone that comes with the folder.
pub(crate) use super::history::DRIVER_NAME;

/// The rule file that is created.
pub(crate) const RULE_FILE: &str = rule_files::FIRST;

/// The packs that the first rule file uses: what is lost for good, what must stay secret, and the guard itself.
pub(crate) const FIRST_PACKS: [&str; 4] = ["git", "files", "secrets", "self"];

/// The first rule file: packs that are on, and one disabled rule as an example.
fn first_rules() -> String {
    format!(
        r#"# What agents must not do here, and what they should know; `nudge validate` checks this file.
version: 1
# Rules that come with nudge: `nudge rules` lists them, `nudge rules show NAME` explains one,
# `nudge rules disable NAME` switches one off, `nudge rules packs` lists more packs.
packs: [{}]
rules:
  - name: no-debug-output
    # An example: `nudge rules enable no-debug-output` switches it on.
    enabled: false
    on: {{ hook: PreToolUse, tool: Write|Edit, file: "**/*.ts" }}
    match: {{ content: 'console\.(log|debug)' }}
    action: interrupt
    message: "Use the logger instead of `{{{{ matched }}}}` (line {{{{ lines }}}})."
"#,
        FIRST_PACKS.join(", ")
    )
}

/// Sets up the project that a folder is in; existing files are not changed.
pub(crate) fn init(cwd: &Path, options: InitOptions) -> Result<InitReport, InitError> {
    let mut nexus = nexus::of_folder(cwd);
    let project = nexus.project().to_owned();
    let is_home = paths::home_dir().is_some_and(|home| same(&home, &project));
    if is_home || project.parent().is_none() {
        return Err(InitError::TooWide(project));
    }
    let is_worktree = nexus.is_shared();
    if options.own_board && is_worktree {
        nexus = Nexus::of(&project);
    }
    let (made, found) = nexus.make(nexus::LOCK_TIMEOUT)?;
    let mut done = InitReport {
        board: nexus.board().to_owned(),
        is_in_git: project.ancestors().any(|folder| folder.join(".git").exists()),
        project,
        made: owned(&made),
        found: owned(&found),
    };
    if options.own_board && is_worktree {
        nexus.lock(nexus::LOCK_TIMEOUT)?.set_own_board()?;
        done.made.push(OWN_BOARD.to_owned());
    }
    // Outside of git there is nothing to merge, and a git that does not work is reported by `nudge doctor`.
    let merging = nexus::history::set_up_merging(&nexus).unwrap_or_default();
    done.made.extend(owned(&merging));
    match rule_files::discover(&rule_levels::of_folder(&done.project), None).files.first() {
        Some(file) => done.found.push(file.shown.clone()),
        None if options.with_rules => {
            rule_files::write_first(&done.project, &first_rules()).map_err(InitError::Rules)?;
            trust::mark_seen(&done.project.join(RULE_FILE));
            done.made.push(RULE_FILE.to_owned());
        }
        None => {}
    }
    Ok(done)
}

/// Returns whether a project has a `.nexus/`, and nothing in it that introduces the project to agents.
pub(crate) fn lacks_context(cwd: &Path) -> bool {
    let nexus = nexus::of_folder(cwd);
    let is_document = |entry: io::Result<std::fs::DirEntry>| {
        entry.is_ok_and(|entry| Path::new(&entry.file_name()).extension().is_some_and(|end| end == "md"))
    };
    let documents = std::fs::read_dir(nexus.path(".nexus/context"));
    nexus.exists() && !documents.is_ok_and(|mut documents| documents.any(is_document))
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Returns whether two paths lead to the same folder.
fn same(one: &Path, other: &Path) -> bool {
    let resolved = |path: &Path| files::canonical(path).unwrap_or_else(|_| path.to_owned());
    resolved(one) == resolved(other)
}
