//! Nudge's folders and files: who owns them, and whether other users can access them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::config::paths;
use crate::model::Problem;

/// A file or folder of nudge that other users can access.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) path: PathBuf,
    is_folder: bool,
    mode: u32,
}

/// Finds what other users can access: the data folder and its contents, the database and its files if elsewhere, and
/// the cache, which is not used if other users can write to it.
pub(crate) fn open_to_others() -> Vec<Open> {
    all().iter().filter_map(|path| examine(path)).collect()
}

/// Reports files and folders that belong to another user, which makes them unwritable: `sudo nudge` leaves such files.
pub(crate) fn foreign() -> Vec<Problem> {
    let problem = |path: &PathBuf| {
        let problem = Problem::error(format!("this belongs to another user (uid {})", owner(path)?));
        Some(
            problem
                .at(&path.display().to_string(), 0, 0)
                .hint("take ownership with `sudo chown`, or move it away"),
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
        let siblings = ["db-wal", "db-shm", "trace.jsonl", "trace.old.jsonl"];
        all.extend(siblings.iter().map(|ending| database.with_extension(ending)));
        all.push(database);
    }
    all.sort();
    all.dedup();
    all
}

/// Reports nudge's files that are not regular files: hooks cannot use them, so what they would store is lost.
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
        let problem = Problem::error("this is not a regular file, so hooks cannot use it");
        problem.at(&path.display().to_string(), 0, 0).hint("move it away")
    };
    let ours = all().into_iter().chain(paths::user_settings());
    ours.filter(is_file_name).filter(is_irregular).map(problem).collect()
}

pub(crate) fn problems(open: &[Open]) -> Vec<Problem> {
    let problem = |one: &Open| {
        let (what, right) = if one.is_folder { ("folder", "700") } else { ("file", "600") };
        let message = format!("other users can access this {what} (mode {:o}, not {right})", one.mode);
        // In a private folder, an open file does no harm.
        let problem = if one.is_folder { Problem::error(message) } else { Problem::warning(message) };
        problem.at(&one.path.display().to_string(), 0, 0).hint("run `nudge doctor --fix`")
    };
    open.iter().map(problem).collect()
}

/// Makes open files and folders private; returns what was done, or what failed.
pub(crate) fn close(open: &[Open]) -> Vec<Result<String, Problem>> {
    let close = |one: &Open| {
        let path = one.path.display().to_string();
        match set_mode(&one.path, if one.is_folder { 0o700 } else { 0o600 }) {
            Ok(()) => Ok(format!("`{path}` is private now")),
            Err(error) => {
                Err(Problem::error(format!("this cannot be made private: {error}")).at(&path, 0, 0))
            }
        }
    };
    open.iter().map(close).collect()
}

#[cfg(unix)]
fn examine(path: &Path) -> Option<Open> {
    use std::os::unix::fs::MetadataExt;
    // A link has no permissions of its own, and the user chose what it leads to.
    let meta = fs::symlink_metadata(path).ok().filter(|meta| !meta.is_symlink())?;
    let mode = meta.mode() & 0o777;
    (mode & 0o077 != 0).then(|| Open { path: path.to_owned(), is_folder: meta.is_dir(), mode })
}

/// Returns the uid of a file's owner, if it is another user.
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

/// On other systems, the user's folders are private.
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
