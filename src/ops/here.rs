//! Where a command is run: its folder, and the project of that folder.

use std::path::{Path, PathBuf};

use crate::config::{env, paths};
use crate::files;
use crate::system::{project, target};

/// Returns the folder that the command is run in; `None` if it was deleted.
pub(crate) fn folder() -> Option<PathBuf> {
    env::working_dir()
}

/// Returns the folder as the user's shell shows it, with its links.
pub(crate) fn shown_folder() -> Option<PathBuf> {
    env::shown_dir()
}

/// Returns the folder that the command is run in; the root folder if it was deleted.
pub(crate) fn folder_or_root() -> PathBuf {
    env::current_dir()
}

/// Returns the root of the project of a folder.
pub(crate) fn root(folder: &Path) -> PathBuf {
    project::root(None, folder)
}

/// Returns the folder that is meant by a path from here, such as `.` or `../web`; `None` if it is a name.
pub(crate) fn named_folder(word: &str) -> Option<String> {
    let is_path = word.starts_with('.') || word.contains(std::path::is_separator);
    let folder = files::canonical(Path::new(word)).ok().filter(|folder| is_path && folder.is_dir())?;
    folder.to_str().map(str::to_owned)
}

/// Returns a path as people write it: `~` for the home folder.
pub(crate) fn short_path(path: &Path) -> String {
    let below = paths::home_dir().and_then(|home| Some(path.strip_prefix(home).ok()?.display().to_string()));
    match below.as_deref() {
        Some("") => "~".to_owned(),
        Some(rest) => format!("~/{rest}"),
        None => path.display().to_string(),
    }
}

/// Returns a path without `.` and `..`.
pub(crate) fn normalised(path: &Path) -> PathBuf {
    target::normalise(path)
}
