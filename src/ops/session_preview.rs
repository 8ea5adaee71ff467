//! What a new session would see, for `nudge context`.

use std::path::Path;

use super::hook::session_context;
use crate::config::settings::{self, Settings};
pub(crate) use crate::context::{Chosen, ContextLimits, Rendered};
use crate::context::{brief, snapshot};
use crate::model::{TaskOutlines, Tasks};
use crate::nexus::TASKS;
use crate::ops::nexus;
use crate::store::StoreError;
use crate::system::project;

/// The context of a new session.
pub(crate) struct SessionPreview {
    pub(crate) rendered: Rendered,
    pub(crate) limits: ContextLimits,
    /// What it sees of the project's tasks, notes, documents and guidance, besides what is remembered.
    pub(crate) project: Option<String>,
    /// Why nothing is remembered, if nothing is.
    pub(crate) why_empty: String,
}

/// Composes what a session sees that starts in this folder, in this way.
pub(crate) fn preview(folder: &Path, source: &str) -> Result<SessionPreview, StoreError> {
    let (settings, _) = settings::load(&project::root(None, folder));
    let limits = session_context::limits(&settings, Some(source));
    let rendered = session_context::in_folder(folder, &limits, &settings)?.unwrap_or_default();
    let project = of_project(folder);
    let why_empty = why_empty(&settings, project.is_some());
    Ok(SessionPreview { rendered, limits, project, why_empty })
}

/// Returns what the start of a session says about `.nexus/`.
fn of_project(folder: &Path) -> Option<String> {
    let nexus = nexus::of_folder(folder);
    let tasks = nexus.read::<TaskOutlines>(TASKS).ok().flatten().map(Tasks::from);
    let tasks = tasks.as_ref().and_then(brief::tasks);
    let parts = [tasks, snapshot::knowledge(&nexus.knowledge())];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (nexus.exists() && !parts.is_empty()).then(|| parts.join("\n"))
}

/// Says why nothing of the memory is shown; with nothing of the project either, a session sees nothing at all.
fn why_empty(settings: &Settings, sees_project: bool) -> String {
    let reason = if !settings.remember {
        "`observations.enabled` is false"
    } else if settings.context_budget == 0 {
        "`context.budget` is 0"
    } else {
        "nothing is remembered of this project yet"
    };
    let what = if sees_project { "of the memory, a session sees nothing" } else { "a session sees nothing" };
    format!("{what}: {reason}")
}
