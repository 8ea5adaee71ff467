//! Folders and files of ours: whose they are, and whether anybody else can look into them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::config::paths;
use crate::model::Problem;

/// Something of ours that others can look into.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) path: PathBuf,
    is_folder: bool,
    mode: u32,
}

/// Finds what others can look into: the data folder, and what lies in it; the database and its company elsewhere; and
/// the cache, which is not used where others can write to it.
pub(crate) fn open_to_others() -> Vec<Open> {
    all().iter().filter_map(|path| examine(path)).collect()
}

/// Says which of our files and folders are somebody else's: `sudo nudge` leaves such, and then we cannot write.
pub(crate) fn foreign() -> Vec<Problem> {
    let problem = |path: &PathBuf| {
        let problem = Problem::error(format!("this belongs to the user with the number {}", owner(path)?));
        Some(
            problem
                .at(&path.display().to_string(), 0, 0)
                .hint("give it to yourself with `sudo chown`, or move it away"),
        )
    };
    all().iter().filter_map(problem).collect()
}

fn all() -> Vec<PathBuf> {
    let data = paths::data_dir().filter(|folder| folder.is_dir());
    let cache = paths::cache_dir().filter(|folder| folder.is_dir());
    let mut all: Vec<PathBuf> = data.iter().chain(&cache).cloned().collect();
    for folder in data.into_iter().chain(cache).chain(paths::spool_dir()) {
        if !all.contains(&folder) {
            all.push(folder.clone());
        }
        all.extend(fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()));
    }
    if let Some(database) = paths::database() {
        let company = ["db-wal", "db-shm", "trace.jsonl", "trace.old.jsonl"];
        all.extend(company.iter().map(|ending| database.with_extension(ending)));
        all.push(database);
    }
    all.sort();
    all.dedup();
    all
}

/// Says which of our files are not files: hooks do without them, and what they would keep is lost.
pub(crate) fn irregular() -> Vec<Problem> {
    let is_file_name = |path: &PathBuf| {
        let is_cache = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rules-"));
        is_cache
            || path
                .extension()
                .is_some_and(|ending| ["jsonl", "day", "toml"].iter().any(|one| ending == *one))
    };
    let is_irregular = |path: &PathBuf| fs::metadata(path).is_ok_and(|meta| !meta.is_file());
    let problem = |path: PathBuf| {
        let problem = Problem::error("this is not a regular file, so hooks do without it");
        problem.at(&path.display().to_string(), 0, 0).hint("move it away")
    };
    let ours = all().into_iter().chain(paths::user_settings());
    ours.filter(is_file_name).filter(is_irregular).map(problem).collect()
}

pub(crate) fn problems(open: &[Open]) -> Vec<Problem> {
    let problem = |one: &Open| {
        let (what, right) = if one.is_folder { ("folder", "700") } else { ("file", "600") };
        let message = format!("others can look into this {what} (mode {:o}, not {right})", one.mode);
        // In a folder that is closed, an open file harms nobody.
        let problem = if one.is_folder { Problem::error(message) } else { Problem::warning(message) };
        problem.at(&one.path.display().to_string(), 0, 0).hint("run `nudge doctor --fix`")
    };
    open.iter().map(problem).collect()
}

/// Closes what is open; returns what was done, or what could not be.
pub(crate) fn close(open: &[Open]) -> Vec<Result<String, Problem>> {
    let close = |one: &Open| {
        let path = one.path.display().to_string();
        match set_mode(&one.path, if one.is_folder { 0o700 } else { 0o600 }) {
            Ok(()) => Ok(format!("`{path}` is yours alone now")),
            Err(error) => {
                Err(Problem::error(format!("this cannot be closed to others: {error}")).at(&path, 0, 0))
            }
        }
    };
    open.iter().map(close).collect()
}

#[cfg(unix)]
fn examine(path: &Path) -> Option<Open> {
    use std::os::unix::fs::MetadataExt;
    // A link has no rights of its own, and what it leads to was put there by the user.
    let meta = fs::symlink_metadata(path).ok().filter(|meta| !meta.is_symlink())?;
    let mode = meta.mode() & 0o777;
    (mode & 0o077 != 0).then(|| Open { path: path.to_owned(), is_folder: meta.is_dir(), mode })
}

/// Returns whose a file is, if it is not ours.
#[cfg(unix)]
fn owner(path: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let owner = fs::symlink_metadata(path).ok()?.uid();
    (owner != rustix::process::geteuid().as_raw()).then_some(owner)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Elsewhere a folder of the user's is the user's.
#[cfg(not(unix))]
fn examine(_: &Path) -> Option<Open> {
    None
}

#[cfg(not(unix))]
fn owner(_: &Path) -> Option<u32> {
    None
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> std::io::Result<()> {
    Ok(())
}
