//! Checks the memory: whether the file is intact, what is not stored yet, and what to do. Everything else that
//! `nudge doctor` checks has its own file below.

pub(crate) mod agent_place;
pub(crate) mod agents;
pub(crate) mod entries;
pub(crate) mod findings;
pub(crate) mod fix;
pub(crate) mod folders;
pub(crate) mod leftovers;
pub(crate) mod program;
pub(crate) mod report;
pub(crate) mod server;
pub(crate) mod transcripts;
mod trust;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::machines;
use super::nexus::{self, notes};
use super::observations::{database, salvage};
use super::secret_patterns;
use crate::config::{paths, settings};
use crate::model::{DAY, Integrity, Problem, SyncPeer, Topic, counted};
use crate::store::{self, DamageNote, Judgement, Reader, Store, StoreError};
use crate::system::clock;

/// How long to wait for a project's lock; no running process needs it for longer.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// A machine that is away for longer than this is reported.
const MAX_AWAY_SECONDS: i64 = 7 * DAY;

const SALVAGE: &str = "`nudge doctor --fix` moves it away and restores what can be read";

/// The state of the memory.
#[derive(Debug, Default)]
pub(crate) struct Health {
    pub(crate) database: Option<PathBuf>,
    /// The size of the file with its log; 0 if it does not exist.
    pub(crate) bytes: u64,
    pub(crate) schema_version: Option<u32>,
    pub(crate) integrity: Option<Integrity>,
    pub(crate) spool_bytes: u64,
    pub(crate) rejected_lines: usize,
    pub(crate) problems: Vec<Problem>,
}

/// Checks everything and changes nothing.
pub(crate) fn memory() -> Health {
    let mut health = Health { database: paths::database(), ..Health::default() };
    if let Some(spool) = database::open_spool() {
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
    health.problems.extend(transcripts::problems());
    health.problems.extend(no_spool_folder());
    health.problems.extend(unreached_machines());
    #[cfg(feature = "team")]
    health.problems.extend(quiet_team());
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

/// Reports machines that were not reached for a week: a sync that stopped is otherwise noticed by nobody.
fn unreached_machines() -> Vec<Problem> {
    let now = clock::timestamp();
    let peers = machines::peers().unwrap_or_default();
    let is_away = |peer: &&SyncPeer| {
        peer.problem.is_some() && peer.reached_at.is_none_or(|at| now.since(at) > MAX_AWAY_SECONDS)
    };
    let problem = |peer: &SyncPeer| {
        let since = peer.reached_at.map_or("was never reached".to_owned(), |at| {
            format!("was not reached for {}", counted((now.since(at) / DAY) as usize, "day"))
        });
        let why = peer.problem.as_deref().unwrap_or_default();
        let remove = format!("`nudge sync {} {} --remove` no longer visits it", peer.kind.name(), peer.name);
        Problem::warning(format!("`{}` {since}: {why}", peer.name)).hint(remove)
    };
    peers.iter().filter(is_away).map(problem).collect()
}

/// Returns why no rows move between this machine and the team's server.
#[cfg(feature = "team")]
fn quiet_team() -> Option<Problem> {
    let trouble = super::sharing::overview::overview().ok()??.trouble()?;
    let problem = Problem::warning(format!("the team: {trouble}"));
    Some(
        problem
            .hint("nothing is lost; `nudge team status` says when rows last moved, `nudge sync` tries now"),
    )
}

/// Returns a problem if the spool's path is not a folder.
fn no_spool_folder() -> Option<Problem> {
    let folder = paths::spool_dir()?;
    fs::metadata(&folder).ok().filter(|meta| !meta.is_dir())?;
    let problem = Problem::error("this is not a folder, so no event can be remembered");
    Some(
        problem.at(&folder.display().to_string(), 0, 0).hint("move it away; nudge creates the folder itself"),
    )
}

/// Reports what happened to the memory, and which damaged files are kept.
fn damaged(database: Option<&Path>) -> Vec<Problem> {
    let Some(database) = database else { return Vec::new() };
    let notes = store::damage_notes(database);
    let files = store::damaged_files(database);
    let delete = "`nudge forget --damaged` deletes what is left of it, and this message";
    let noted = notes.iter().map(|note| {
        let problem = Problem::warning(salvage::describe(note, database));
        problem.hint(if note.is_finished() { delete } else { "`nudge doctor --fix` restores the rest" })
    });
    let is_unnoted = |file: &&PathBuf| !notes.iter().any(|note| note.file(database) == **file);
    let unnoted = files.iter().filter(is_unnoted).map(|file| {
        let problem =
            Problem::warning("a damaged database was set aside").at(&file.display().to_string(), 0, 0);
        problem.hint("`nudge doctor --fix` restores what can be read from it")
    });
    noted.chain(unnoted).collect()
}

/// Returns what is wrong in the settings, including their patterns.
pub(crate) fn settings(root: &Path) -> Vec<Problem> {
    let (settings, mut problems) = settings::load(root);
    // Settings that cannot be read are already a problem.
    let patterns = secret_patterns::of(&settings).and_then(|own| own.check());
    if let Err(error) = patterns
        && settings.unknown_because.is_none()
    {
        let problem = Problem::error(format!("a pattern under `redact` does not work: {error}"));
        problems.push(problem.hint("nothing is remembered until it is fixed"));
    }
    problems.extend(notes::blindness(&nexus::of_folder(root)));
    problems.extend(nexus::team::catalogue().err());
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
        problem.at(&path.display().to_string(), 0, 0).hint("fix it and move it back, or delete it")
    };
    broken
        .into_iter()
        .map(problem)
        .chain(nexus::check::check(&nexus::of_folder(root)))
        .chain(merging(root))
        .collect()
}

/// Says if git cannot merge the history by its cycles.
fn merging(root: &Path) -> Option<Problem> {
    let nexus = nexus::of_folder(root);
    // A project without a history has nothing to merge.
    if !nexus.exists() || !nexus.path(".nexus/history.json").exists() {
        return None;
    }
    let setup = nexus::history::merge_setup(&nexus);
    let text = match (setup.attributes, setup.driver?) {
        (true, true) => return None,
        (false, _) => {
            "git merges `.nexus/history.json` line by line, and two branches that close a cycle conflict"
        }
        (true, false) => {
            "this clone has no merge driver for `.nexus/history.json`, and two closed cycles conflict"
        }
    };
    Some(
        Problem::note(text)
            .about(Topic::Plan)
            .hint("`nudge doctor --fix` or `nudge nexus merge-driver` sets it"),
    )
}

/// Returns a problem if another process keeps the project locked, and says which one.
pub(crate) fn kept_lock(root: &Path) -> Option<Problem> {
    let nexus = nexus::of_folder(root);
    let error = nexus.look_at_lock(LOCK_TIMEOUT).err()?;
    let hint = error.hint();
    let problem = Problem::error(error.to_string()).at(&nexus.lock_path().display().to_string(), 0, 0);
    Some(match hint {
        Some(hint) => problem.hint(hint),
        None => problem.hint("make yourself the owner of the folder `.nexus/state`"),
    })
}

/// Repairs what can be repaired: moves a damaged file away, restores what can be read, or rebuilds the index. Returns
/// a description of what was done.
pub(crate) fn repair() -> Result<String, StoreError> {
    let Some(path) = paths::database() else { return Ok("there is nothing to repair yet".to_owned()) };
    if path.exists() {
        let mut health = Health::default();
        let is_damaged = match look(&path, &mut health) {
            Err(error) if Store::is_suspicious(&path, &error) => true,
            Err(error) => return Err(error),
            Ok(()) => health.integrity.as_ref().is_some_and(|found| !found.faults.is_empty()),
        };
        if is_damaged && let Judgement::Unreadable(message) = judge(&path) {
            return Err(StoreError::Unreadable(message));
        }
    }
    if path.exists() {
        // Opening the file notices what a damaged log has lost.
        drop(Store::open(&path, database::DATABASE_TIMEOUT)?);
    }
    let finished: Vec<DamageNote> =
        store::damage_notes(&path).into_iter().filter(DamageNote::is_finished).collect();
    salvage::finish(&path)?;
    let notes = store::damage_notes(&path);
    let new = notes.iter().filter(|note| !finished.contains(note));
    let done: Vec<String> = new.map(|note| salvage::describe(note, &path)).collect();
    if !done.is_empty() {
        return Ok(done.join("\n"));
    }
    if !path.exists() {
        return Ok("there is nothing to repair yet".to_owned());
    }
    Store::open(&path, database::DATABASE_TIMEOUT)?.rebuild_index()?;
    Ok("the index was rebuilt".to_owned())
}

fn judge(path: &Path) -> Judgement {
    Store::judge(path, u64::MAX, database::DATABASE_TIMEOUT, clock::timestamp())
}

fn look(path: &Path, health: &mut Health) -> Result<(), StoreError> {
    if !Store::has_known_format(path) {
        return Err(StoreError::Corrupt("its header is not valid".to_owned()));
    }
    let Some(reader) = Reader::open(path, database::DATABASE_TIMEOUT)? else { return Ok(()) };
    health.schema_version = Some(reader.schema_version()?);
    let integrity = reader.integrity()?;
    if !integrity.is_sound() {
        let (what, hint) = match integrity.faults.first() {
            Some(fault) => (format!("the database is damaged: {}", fault.trim()), SALVAGE.to_owned()),
            None => (
                format!("{} observations, but {} in the index", integrity.rows, integrity.indexed),
                "run `nudge doctor --fix`".to_owned(),
            ),
        };
        health.problems.push(Problem::error(what).hint(hint));
    }
    health.integrity = Some(integrity);
    if let Some((first, last)) = reader.unnoticed_loss(path)? {
        let problem =
            Problem::error(format!("observations #{first} to #{last} are missing: the log was damaged"));
        health.problems.push(problem.hint("`nudge doctor --fix` restores what can be read"));
    }
    Ok(())
}

fn broken(error: &StoreError, path: &Path) -> Problem {
    let looks_different =
        matches!(error, StoreError::Newer { .. } | StoreError::Foreign | StoreError::ReadOnly(_));
    if looks_different && Store::is_suspicious(path, error) {
        let problem = Problem::error("the database is damaged: its header contradicts its content");
        return problem.at(&path.display().to_string(), 0, 0).hint(SALVAGE);
    }
    let problem = Problem::error(error.to_string()).at(&path.display().to_string(), 0, 0);
    match error.hint() {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
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
