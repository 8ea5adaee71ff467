//! Examines the memory: whether the file is whole, what waits in front of it, and what is to be done. What else
//! `nudge doctor` looks at has a file each below.

pub(crate) mod agents;
pub(crate) mod entries;
pub(crate) mod findings;
pub(crate) mod folders;
pub(crate) mod leftovers;
pub(crate) mod program;
pub(crate) mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{nexus, notes, remember};
use crate::config::{clock, paths, settings};
use crate::model::{Integrity, Problem};
use crate::redact::OwnPatterns;
use crate::store::{Reader, Store, StoreError};

/// Nobody who works needs the lock of a project for so long.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);

/// The state of the memory.
#[derive(Debug, Default)]
pub(crate) struct Health {
    pub(crate) database: Option<PathBuf>,
    /// The file with its log; 0 if there is none.
    pub(crate) bytes: u64,
    pub(crate) schema_version: Option<u32>,
    pub(crate) integrity: Option<Integrity>,
    pub(crate) spool_bytes: u64,
    pub(crate) rejected_lines: usize,
    pub(crate) problems: Vec<Problem>,
}

/// Looks at everything and changes nothing.
pub(crate) fn memory() -> Health {
    let mut health = Health { database: paths::database(), ..Health::default() };
    if let Some(spool) = remember::open_spool() {
        health.spool_bytes = spool.waiting_bytes();
        health.rejected_lines = spool.rejected_lines();
    }
    if let Some(path) = health.database.clone() {
        health.bytes =
            files(&path).iter().filter_map(|file| fs::metadata(file).ok()).map(|meta| meta.len()).sum();
        if let Err(error) = look(&path, &mut health) {
            health.problems.push(broken(&error, &path));
        }
    }
    health.problems.extend(damaged(health.database.as_deref()));
    if health.rejected_lines > 0
        && let Some(folder) = paths::spool_dir()
    {
        let problem = Problem::warning(format!("torn lines in the spool: {}", health.rejected_lines));
        let file = folder.join("rejected.jsonl");
        health.problems.push(problem.hint(format!("look at `{}`, and delete it", file.display())));
    }
    health
}

/// Names the damaged databases that were moved out of the way.
fn damaged(database: Option<&Path>) -> Vec<Problem> {
    let Some((folder, name)) = database.and_then(|path| Some((path.parent()?, path.file_name()?))) else {
        return Vec::new();
    };
    let start = format!("{}.damaged-", name.to_string_lossy());
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let kept = names.filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&start) && !name.ends_with("-wal") && !name.ends_with("-shm")
    });
    let problem = |path: PathBuf| {
        let problem =
            Problem::warning("a damaged database was set aside").at(&path.display().to_string(), 0, 0);
        problem.hint("salvage it with `sqlite3 FILE .recover`, or delete it")
    };
    kept.map(problem).collect()
}

/// Returns what is wrong in the settings, their patterns included.
pub(crate) fn settings(root: &Path) -> Vec<Problem> {
    let (settings, mut problems) = settings::load(root);
    let patterns = OwnPatterns::new(&settings.secret_patterns).and_then(|own| own.check());
    if let Err(error) = patterns {
        let problem = Problem::error(format!("a pattern under `redact` does not work: {error}"));
        problems.push(problem.hint("nothing is remembered until it is mended"));
    }
    problems.extend(notes::blindness(&nexus::of_folder(root)));
    problems
}

/// Names the files of plan and tasks that could not be read, and were set aside.
pub(crate) fn broken_state(root: &Path) -> Vec<Problem> {
    let folder = nexus::of_folder(root).path(".nexus/state");
    let mut folders = vec![folder];
    let mut broken = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                folders.push(entry.path());
            } else if entry.file_name().to_string_lossy().contains(".broken-") {
                broken.push(entry.path());
            }
        }
    }
    broken.sort();
    let problem = |path: PathBuf| {
        let problem = Problem::warning("a file of plan and tasks could not be read, and was set aside");
        problem.at(&path.display().to_string(), 0, 0).hint("mend it and move it back, or delete it")
    };
    broken.into_iter().map(problem).collect()
}

/// Says that somebody keeps the project locked, and who.
pub(crate) fn kept_lock(root: &Path) -> Option<Problem> {
    let nexus = nexus::of_folder(root);
    let error = nexus.look_at_lock(LOCK_PATIENCE).err()?;
    let hint = error.hint();
    let problem = Problem::error(error.to_string()).at(&nexus.lock_path().display().to_string(), 0, 0);
    Some(match hint {
        Some(hint) => problem.hint(hint),
        None => problem.hint("give the folder `.nexus/state` to yourself"),
    })
}

/// Mends what can be mended: sets a damaged file aside, or makes the index anew. Returns what was done, in words.
pub(crate) fn repair() -> Result<String, StoreError> {
    let Some(path) = paths::database().filter(|path| path.exists()) else {
        return Ok("there is nothing to repair yet".to_owned());
    };
    let mut health = Health::default();
    match look(&path, &mut health) {
        Err(StoreError::Corrupt(_)) => set_aside(&path),
        Err(error) => Err(error),
        Ok(()) if health.integrity.as_ref().is_some_and(|found| !found.faults.is_empty()) => set_aside(&path),
        Ok(()) => {
            Store::open(&path, remember::PATIENCE)?.rebuild_index()?;
            Ok("the index was made anew".to_owned())
        }
    }
}

fn look(path: &Path, health: &mut Health) -> Result<(), StoreError> {
    let Some(reader) = Reader::open(path, remember::PATIENCE)? else { return Ok(()) };
    health.schema_version = Some(reader.schema_version()?);
    let integrity = reader.integrity()?;
    if !integrity.is_sound() {
        let (what, hint) = match integrity.faults.first() {
            Some(fault) => (format!("the database is damaged: {}", fault.trim()), salvage(path)),
            None => (
                format!("{} observations, but {} in the index", integrity.rows, integrity.indexed),
                "run `nudge doctor --fix`".to_owned(),
            ),
        };
        health.problems.push(Problem::error(what).hint(hint));
    }
    health.integrity = Some(integrity);
    Ok(())
}

fn broken(error: &StoreError, path: &Path) -> Problem {
    let problem = Problem::error(error.to_string()).at(&path.display().to_string(), 0, 0);
    match error {
        StoreError::Corrupt(_) => problem.hint(salvage(path)),
        other => match other.hint() {
            Some(hint) => problem.hint(hint),
            None => problem,
        },
    }
}

fn salvage(path: &Path) -> String {
    format!(
        "`sqlite3 {} .recover` prints what can be read of it; `nudge doctor --fix` sets it aside and starts anew",
        path.display()
    )
}

/// Moves the file away with all that belongs to it; it is never deleted.
fn set_aside(path: &Path) -> Result<String, StoreError> {
    let ending = format!(".damaged-{}", clock::unix_seconds());
    for file in files(path).iter().filter(|file| file.exists()) {
        fs::rename(file, beside(file, &ending))?;
    }
    Ok(format!("the damaged database was set aside as `{}`", beside(path, &ending).display()))
}

/// Returns the database and the files that SQLite keeps beside it.
fn files(path: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|ending| beside(path, ending))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
