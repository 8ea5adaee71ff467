//! What is known about the folders of earlier sessions, some of which are gone.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::config::settings::{self, Settings};
use crate::model::Project;
use crate::ops::{project, secret_patterns};
use crate::redact::OwnPatterns;
use crate::system::project::ProjectPlace;

/// What is known about a folder of an earlier session.
pub(crate) struct PastPlace {
    pub(crate) project: Option<Project>,
    pub(crate) root: Option<PathBuf>,
    /// The name of a linked git worktree.
    pub(crate) worktree: Option<String>,
    /// The patterns for secrets; `None` if nothing is to be remembered of this place.
    pub(crate) own: Option<OwnPatterns>,
    /// Why nothing may be stored until the settings are fixed.
    pub(crate) unreadable: Option<String>,
    pub(crate) is_gone: bool,
}

/// The folders that were looked up so far.
#[derive(Default)]
pub(crate) struct PastPlaces(HashMap<PathBuf, PastPlace>);

impl PastPlaces {
    /// Returns what is known about a folder of a session that began in `folder`.
    pub(crate) fn of(&mut self, cwd: &Path, folder: Option<&Path>) -> &PastPlace {
        if !self.0.contains_key(cwd) {
            self.0.insert(cwd.to_owned(), PastPlace::of(cwd, folder));
        }
        &self.0[cwd]
    }
}

impl PastPlace {
    fn of(cwd: &Path, folder: Option<&Path>) -> PastPlace {
        // The transcript does not say where.
        if cwd.as_os_str().is_empty() {
            let (own, unreadable) = patterns(&settings::load(Path::new("")).0);
            return PastPlace { project: None, root: None, worktree: None, own, unreadable, is_gone: false };
        }
        let is_gone = !cwd.is_dir();
        let place = ProjectPlace::find(None, cwd);
        let (settings, _) = settings::load(place.root());
        let (own, unreadable) = patterns(&settings);
        if let Some(worktree) = place.worktree() {
            let project = project::of_place(&place, &settings)
                .map(|project| project::identified(project, &place, &settings));
            let (root, name) = (Some(worktree.root.to_owned()), worktree.linked_name());
            return PastPlace { project, root, worktree: name, own, unreadable, is_gone };
        }
        // The agent may have been in a folder below the one that it began in, and both are gone.
        let base = folder.filter(|folder| is_gone && cwd.starts_with(folder)).unwrap_or(cwd);
        let project = project::of_past_folder(base, &settings);
        let root = project.as_ref().and_then(|project| project.root.as_deref()).map(PathBuf::from);
        PastPlace { project, root, worktree: None, own, unreadable, is_gone }
    }
}

/// Returns the patterns for secrets if something is to be remembered, and why they cannot be read.
fn patterns(settings: &Settings) -> (Option<OwnPatterns>, Option<String>) {
    match secret_patterns::of(settings) {
        Ok(own) => (Some(own).filter(|_| settings.remember), None),
        Err(why) => (None, Some(why)),
    }
}
