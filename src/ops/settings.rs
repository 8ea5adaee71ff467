//! The settings that apply in a project, and where they come from.

use std::path::Path;

use crate::config::paths;
use crate::config::settings::{self, KEYS};
use crate::model::Problem;

/// Every setting with its value here.
pub(crate) struct SettingsOverview {
    /// The files that are read, whether they exist or not.
    pub(crate) files: Vec<String>,
    pub(crate) settings: Vec<ShownSetting>,
    pub(crate) problems: Vec<Problem>,
}

/// One setting; a key with a placeholder may have several values, or none.
pub(crate) struct ShownSetting {
    pub(crate) key: &'static str,
    pub(crate) about: &'static str,
    pub(crate) values: Vec<(String, String)>,
}

/// Reads the settings that apply in a project.
pub(crate) fn overview(root: &Path) -> SettingsOverview {
    let (settings, problems) = settings::load(root);
    let files = paths::user_settings().into_iter().chain([settings::project_file(root)]);
    let shown = KEYS.iter().map(|(key, about)| ShownSetting { key, about, values: settings.shown(key) });
    SettingsOverview {
        files: files.map(|path| path.display().to_string()).collect(),
        settings: shown.collect(),
        problems,
    }
}
