//! The project that observations belong to, under the name that its settings give it, and without secrets.

use std::path::Path;

use crate::config::settings::{self, Settings};
use crate::model::Project;
use crate::redact::{OwnPatterns, redact};
use crate::system::project::ProjectPlace;
use crate::system::repository;

/// Returns the project that a folder is in.
pub(crate) fn of_folder(cwd: &Path) -> Option<Project> {
    let place = ProjectPlace::find(None, cwd);
    let (settings, _) = settings::load(place.root());
    of_place(&place, &settings)
}

/// Returns the project of a place whose settings are known.
pub(crate) fn of_place(place: &ProjectPlace, settings: &Settings) -> Option<Project> {
    let named = settings.project_name.as_deref();
    repository::project_of(place.worktree(), place.cwd(), named).map(without_secrets)
}

/// Returns the project of a folder that is in no worktree, which may be gone.
pub(crate) fn of_past_folder(folder: &Path, settings: &Settings) -> Option<Project> {
    repository::project_of(None, folder, settings.project_name.as_deref()).map(without_secrets)
}

/// Redacts a project: it is named after a folder or a remote address, and either may contain a secret.
fn without_secrets(project: Project) -> Project {
    let none = OwnPatterns::default();
    let all = format!("{}\n{}", project.name, project.root.as_deref().unwrap_or_default());
    if redact(&all, &none).kinds.is_empty() {
        return project;
    }
    let clean = |text: String| redact(&text, &none).text.into_owned();
    Project { name: clean(project.name), root: project.root.map(clean) }
}
