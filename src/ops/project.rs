//! The project that observations belong to, under the name that its settings give it, and without secrets.

use std::collections::HashMap;
use std::path::Path;

use crate::config::settings::{self, Settings};
use crate::model::{Observation, Project, RepositoryId};
use crate::redact::{OwnPatterns, redact};
use crate::system::project::ProjectPlace;
use crate::system::repository::{self, Worktree};

/// Returns the project that a folder is in, with what identifies it.
pub(crate) fn of_folder(cwd: &Path) -> Option<Project> {
    let place = ProjectPlace::find(None, cwd);
    let (settings, _) = settings::load(place.root());
    of_place(&place, &settings).map(|project| identified(project, &place, &settings))
}

/// Returns the project of a place whose settings are known.
pub(crate) fn of_place(place: &ProjectPlace, settings: &Settings) -> Option<Project> {
    place.project(settings.project_name.as_deref()).map(without_secrets)
}

/// Adds what identifies a project in other folders: two small files of its repository are read for that.
pub(crate) fn identified(project: Project, place: &ProjectPlace, settings: &Settings) -> Project {
    let is_private = settings.is_private || settings.unknown_because.is_some();
    let found = place.worktree().filter(|_| !is_private).map(Worktree::repository_id).unwrap_or_default();
    // A redacted address could stand for two repositories.
    let is_clean = |text: &String| redact(text, &OwnPatterns::default()).kinds.is_empty();
    let repository = RepositoryId { origin: found.origin.filter(is_clean), birth: found.birth, is_private };
    Project { repository: Some(repository), ..project }
}

/// Returns the project of a folder that is in no worktree, which may be gone.
pub(crate) fn of_past_folder(folder: &Path, settings: &Settings) -> Option<Project> {
    repository::project_of(None, folder, settings.project_name.as_deref()).map(without_secrets)
}

/// Returns whether sessions of other projects may see what happened in this folder; nobody knows what the settings of a
/// folder that is gone forbade.
pub(crate) fn may_be_told_elsewhere(root: &Path) -> bool {
    let (settings, _) = settings::load(root);
    root.is_dir() && !settings.is_private && settings.unknown_because.is_none()
}

/// Returns whether a folder says that it is kept apart, or its settings cannot be read: no other project sees what
/// happened there, even if it asks.
pub(crate) fn is_kept_apart(root: &Path) -> bool {
    let (settings, _) = settings::load(root);
    root.is_dir() && (settings.is_private || settings.unknown_because.is_some())
}

/// Leaves out rows of folders that are kept apart, for a caller in a project.
pub(crate) fn keep_apart(rows: &mut Vec<Observation>, here: Option<&Project>) {
    let mut known: HashMap<String, bool> = HashMap::new();
    rows.retain(|row| {
        let Some(root) = &row.project_root else { return true };
        let is_here = here.is_some_and(|here| row.is_of(here));
        is_here || !*known.entry(root.clone()).or_insert_with(|| is_kept_apart(Path::new(root)))
    });
}

/// Redacts a project: it is named after a folder or a remote address, and either may contain a secret.
fn without_secrets(project: Project) -> Project {
    let none = OwnPatterns::default();
    let all = format!("{}\n{}", project.name, project.root.as_deref().unwrap_or_default());
    if redact(&all, &none).kinds.is_empty() {
        return project;
    }
    let clean = |text: String| redact(&text, &none).text.into_owned();
    Project { name: clean(project.name), root: project.root.map(clean), ..project }
}
