//! Every path of the program outside a project.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use directories::{BaseDirs, ProjectDirs};

use crate::files;

/// Returns the folder of the user's own rules, as the RFC defines it.
pub(crate) fn user_config_dir() -> Option<PathBuf> {
    static FOLDERS: OnceLock<Option<ProjectDirs>> = OnceLock::new();
    absolute(FOLDERS.get_or_init(|| ProjectDirs::from("com", "attunehq", "nudge")).as_ref()?.config_dir())
}

/// Returns the folder for data that must last, such as problems and session marks.
pub(crate) fn data_dir() -> Option<PathBuf> {
    absolute(folders()?.data_dir())
}

/// Returns the folder for data that can be recreated.
pub(crate) fn cache_dir() -> Option<PathBuf> {
    absolute(folders()?.cache_dir())
}

/// Returns the database of observations.
pub(crate) fn database() -> Option<PathBuf> {
    super::env::database().or_else(|| data_dir().map(|folder| folder.join("nudge.db")))
}

/// Returns the file whose lock the server has that reads earlier sessions.
pub(crate) fn backfill_lock() -> Option<PathBuf> {
    database().map(|path| path.with_extension("backfill.lock"))
}

/// Returns the copy of colleagues' rows, beside the database.
pub(crate) fn team_copy() -> Option<PathBuf> {
    database().map(|path| path.with_file_name(beside(&path, "team.db")))
}

/// Returns the file whose lock the process has that exchanges rows with a team's server.
pub(crate) fn sync_lock() -> Option<PathBuf> {
    database().map(|path| path.with_extension("sync.lock"))
}

/// Returns the name of a file beside the database; one with a name of its own has neighbours with that name.
fn beside(database: &Path, name: &str) -> String {
    match database.file_stem().and_then(|stem| stem.to_str()) {
        Some(stem) if stem != "nudge" => format!("{stem}.{name}"),
        _ => name.to_owned(),
    }
}

/// Returns the folder of the spool, beside the database.
pub(crate) fn spool_dir() -> Option<PathBuf> {
    database().map(|path| path.with_extension("spool"))
}

/// Returns the trace file of hooks, beside the database.
pub(crate) fn trace() -> Option<PathBuf> {
    database().map(|path| path.with_extension("trace.jsonl"))
}

/// Returns the file of pauses, which exists only while there are some.
pub(crate) fn pauses() -> Option<PathBuf> {
    data_dir().map(|folder| folder.join("paused.json"))
}

/// Returns the file of what `nudge learn` is not to propose again.
pub(crate) fn declined() -> Option<PathBuf> {
    data_dir().map(|folder| folder.join("declined.json"))
}

/// Returns the candidates for the runtime folder of servers, in order of preference.
pub(crate) fn runtime_dirs() -> Vec<PathBuf> {
    if let Some(folder) = super::env::runtime_dir() {
        // A relative folder would be a different one for each server.
        return vec![std::path::absolute(&folder).unwrap_or(folder)];
    }
    let local = if cfg!(windows) {
        BaseDirs::new().map(|dirs| dirs.data_local_dir().join("nudge"))
    } else {
        Some(PathBuf::from("/tmp/nudge"))
    };
    let last = data_dir().map(|folder| folder.join("runtime"));
    local.into_iter().chain(private_runtime_dirs()).chain(last).collect()
}

/// Returns the folders that are used if another user has `/tmp/nudge`.
#[cfg(unix)]
fn private_runtime_dirs() -> Vec<PathBuf> {
    let uid = rustix::process::geteuid().as_raw();
    // A job without the variable must find the servers of a session that has it.
    let session = super::env::folder("XDG_RUNTIME_DIR").or_else(|| {
        let folder = PathBuf::from(format!("/run/user/{uid}"));
        folder.is_dir().then_some(folder)
    });
    let session = session.map(|folder| folder.join("nudge"));
    session.into_iter().chain([PathBuf::from(format!("/tmp/nudge-{uid}"))]).collect()
}

#[cfg(not(unix))]
fn private_runtime_dirs() -> Vec<PathBuf> {
    Vec::new()
}

/// Returns the user's settings.
pub(crate) fn user_settings() -> Option<PathBuf> {
    folders().map(|dirs| dirs.config_dir().join("config.toml"))
}

pub(crate) fn home_dir() -> Option<PathBuf> {
    static HOME: OnceLock<Option<BaseDirs>> = OnceLock::new();
    absolute(HOME.get_or_init(BaseDirs::new).as_ref()?.home_dir())
}

/// Returns the program's folders, computed once: computing them each time takes an eighth of a hook's time.
fn folders() -> Option<&'static ProjectDirs> {
    static FOLDERS: OnceLock<Option<ProjectDirs>> = OnceLock::new();
    FOLDERS.get_or_init(|| ProjectDirs::from("", "", "nudge")).as_ref()
}

/// A relative home would be a different one in each folder.
fn absolute(path: &Path) -> Option<PathBuf> {
    path.is_absolute().then(|| path.to_owned())
}

/// Checks that a folder can be written to.
pub(crate) fn try_writing(path: &Path) -> io::Result<()> {
    files::make_private_dir(path)?;
    let mut file = tempfile::NamedTempFile::new_in(path)?;
    // A full disk accepts new names, but no bytes.
    file.write_all(&[0; 4096])?;
    file.as_file().sync_all()
}
