//! Removes nudge from this machine: its entries in agents' files, its data, cache, runtime files and settings.
//!
//! Files in repositories are only named: they are yours, and may be committed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::hints::stop;
use super::nexus::team;
use super::observations::memory;
use super::setup::{self, Agent, PreparedAgent, SetupPlan, Workplace};
use crate::api::uninstall::RemovedPlaceWire;
use crate::config::paths;
use crate::harness::AGENTS;
use crate::journal::setup_journal;
use crate::model::{InstallScope, Problem};
use crate::peers;
use crate::system::programs;

/// What the user wants to keep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    pub(crate) memory: bool,
    pub(crate) settings: bool,
}

/// Everything that would be removed, and what would be left.
pub(crate) struct Uninstall {
    pub(crate) agents: Vec<DisconnectedAgent>,
    pub(crate) places: Vec<RemovedPlace>,
    /// What stays because the user wants it.
    pub(crate) kept: Vec<PathBuf>,
    /// Files in repositories that nudge or the user made for it.
    pub(crate) in_repositories: Vec<PathBuf>,
    /// This program, and the command that removes it.
    pub(crate) program: Option<(PathBuf, String)>,
}

/// An agent that has entries of nudge for the user.
pub(crate) struct DisconnectedAgent {
    pub(crate) agent: &'static Agent,
    pub(crate) plan: SetupPlan,
    prepared: PreparedAgent,
}

/// A file or folder that is removed.
pub(crate) struct RemovedPlace {
    pub(crate) what: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

impl RemovedPlace {
    fn of(what: &'static str, path: PathBuf) -> Option<RemovedPlace> {
        let meta = fs::symlink_metadata(&path).ok()?;
        let bytes = if meta.is_dir() { size(&path) } else { meta.len() };
        Some(RemovedPlace { what, path, bytes })
    }

    pub(crate) fn to_wire(&self) -> RemovedPlaceWire {
        RemovedPlaceWire { what: self.what, path: self.path.clone(), bytes: self.bytes }
    }
}

/// Finds everything of nudge on this machine, and changes nothing.
pub(crate) fn plan(folder: &Path, kept: Kept) -> Result<Uninstall, Problem> {
    let workplace = Workplace::find(folder)?.with_team(team::team()?);
    let mut agents = Vec::new();
    for agent in AGENTS.iter().copied() {
        let prepared = workplace.prepare(agent, InstallScope::User);
        let plan = setup::plan_undo(&prepared.connection)?;
        if !plan.changes.is_empty() {
            agents.push(DisconnectedAgent { agent, plan, prepared });
        }
    }
    let mut places = Vec::new();
    let mut stays = Vec::new();
    let data = paths::data_dir().filter(|folder| folder.is_dir());
    if kept.memory {
        // The memory, its trace and the like stay; what belongs to the program goes.
        let own = data.iter().flat_map(|data| ["setup", "paused.json"].map(|name| data.join(name)));
        places.extend(own.filter_map(|path| RemovedPlace::of("records of setup", path)));
        stays.extend(data.iter().cloned());
    } else {
        places.extend(data.iter().cloned().filter_map(|path| RemovedPlace::of("memory and data", path)));
    }
    let elsewhere = memory_elsewhere(data.as_deref());
    if kept.memory {
        stays.extend(elsewhere.into_iter().filter(|path| path.exists()));
    } else {
        places.extend(elsewhere.into_iter().filter_map(|path| RemovedPlace::of("memory", path)));
    }
    places.extend(paths::cache_dir().and_then(|path| RemovedPlace::of("cache", path)));
    places.extend(runtime_files().into_iter().filter_map(|path| RemovedPlace::of("runtime", path)));
    let settings = settings_folders().into_iter().filter(|folder| Some(folder) != data.as_ref());
    if kept.settings {
        stays.extend(settings.filter(|folder| folder.exists()));
    } else {
        places.extend(settings.filter_map(|path| RemovedPlace::of("your settings and rules", path)));
    }
    // On some systems settings and data are in one folder.
    let shared =
        paths::user_settings().filter(|file| data.as_ref().is_some_and(|data| file.starts_with(data)));
    if let Some(file) = shared.filter(|file| file.exists() && kept.settings && !kept.memory) {
        let problem = Problem::error("settings and memory are in the same folder");
        let hint = "keep both (`--keep-memory --keep-settings`), or copy your settings away first";
        return Err(problem.at(&file.display().to_string(), 0, 0).hint(hint));
    }
    let undone: Vec<PathBuf> =
        agents.iter().flat_map(|one| &one.plan.changes).map(|change| change.path.clone()).collect();
    Ok(Uninstall {
        agents,
        places,
        kept: stays,
        in_repositories: in_repositories(&undone),
        program: program(),
    })
}

/// Disconnects the agents; nothing else is removed if that fails, since the copies of their files are still needed.
pub(crate) fn disconnect(found: &mut Uninstall) -> Result<(), Problem> {
    for one in &mut found.agents {
        let connection = &one.prepared.connection;
        setup::apply(&mut one.plan, InstallScope::User, || setup::plan_undo(connection))?;
    }
    Ok(())
}

/// Stops the servers of this user's runtime folder, and returns how many.
pub(crate) fn stop_servers() -> usize {
    // Each time another server may take over; agents have a handful of them.
    (0..MAX_SERVERS).take_while(|_| stop::stop(None).is_ok()).count()
}

const MAX_SERVERS: usize = 32;

/// Removes the places; returns what could not be removed.
pub(crate) fn remove(places: &[RemovedPlace]) -> Vec<Problem> {
    let mut left = Vec::new();
    for place in places {
        let is_folder = fs::symlink_metadata(&place.path).is_ok_and(|meta| meta.is_dir());
        let removed = if is_folder { fs::remove_dir_all(&place.path) } else { fs::remove_file(&place.path) };
        if let Err(error) = removed
            && error.kind() != io::ErrorKind::NotFound
        {
            let problem = Problem::error(format!("this could not be removed: {error}"));
            left.push(problem.at(&place.path.display().to_string(), 0, 0));
        }
    }
    // The runtime folder itself, if nothing of others is in it.
    for folder in paths::runtime_dirs() {
        drop(fs::remove_dir(folder));
    }
    left
}

/// Returns the files of a database that the user has put somewhere else; only those that nudge makes.
fn memory_elsewhere(data: Option<&Path>) -> Vec<PathBuf> {
    let database = paths::database().filter(|path| data.is_none_or(|data| !path.starts_with(data)));
    let Some(database) = database else { return Vec::new() };
    let name = database.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // What the store writes beside it: its log, locks, and what was damaged once.
    let is_ours = |file: &str| {
        let rest = file.strip_prefix(&name);
        rest.is_some_and(|rest| {
            ["", "-wal", "-shm", ".lock", ".mark", ".salvage.lock"].contains(&rest)
                || [".damaged-", ".salvage-"].iter().any(|start| rest.starts_with(start))
        })
    };
    let beside = fs::read_dir(database.parent().unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = beside
        .filter(|entry| entry.file_name().to_str().is_some_and(is_ours))
        .map(|entry| entry.path())
        .collect();
    let endings = ["spool", "reserve", "removed", "trace.jsonl", "trace.old.jsonl"];
    files.extend(endings.map(|ending| database.with_extension(ending)));
    // The copy of colleagues' rows, and the lock of the process that brings them.
    files.extend(paths::sync_lock());
    if let Some(copy) = paths::team_copy() {
        files.extend(["", "-wal", "-shm"].map(|ending| PathBuf::from(format!("{}{ending}", copy.display()))));
    }
    files
}

/// Returns the files of servers. The folder may be one that the user has chosen, so that its other files stay.
fn runtime_files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        paths::runtime_dirs().iter().flat_map(|folder| peers::own_files(folder)).collect();
    files.sort();
    files.dedup();
    files
}

fn settings_folders() -> Vec<PathBuf> {
    let settings = paths::user_settings().and_then(|file| Some(file.parent()?.to_owned()));
    let mut folders: Vec<PathBuf> = settings.into_iter().chain(paths::user_config_dir()).collect();
    folders.dedup();
    folders
}

/// Returns the rule files, plans and agents' files in repositories, as far as the memory and setup know them.
fn in_repositories(undone: &[PathBuf]) -> Vec<PathBuf> {
    let projects =
        memory::open().ok().flatten().and_then(|memory| memory.projects().ok()).unwrap_or_default();
    let roots = projects.iter().flat_map(|project| &project.roots).map(PathBuf::from);
    let names = [".nudge.yaml", ".nudge.yml", ".nudge", ".nexus"];
    let mut files: Vec<PathBuf> = roots.flat_map(|root| names.map(|name| root.join(name))).collect();
    let (records, _) = setup_journal::look();
    let is_left = |path: &PathBuf| !undone.iter().any(|file| file == path || real(file) == *path);
    files.extend(records.into_iter().map(|record| record.path).filter(is_left));
    files.retain(|path| path.exists());
    files.sort();
    files.dedup();
    files
}

fn real(path: &Path) -> PathBuf {
    crate::journal::agent_files::real(path)
}

/// Returns this program, and what removes it: who installed it shows in its path.
fn program() -> Option<(PathBuf, String)> {
    let path = programs::own_path()?;
    let text = path.to_string_lossy().replace('\\', "/");
    let command = if text.contains("/.cargo/bin/") {
        "cargo uninstall nudge".to_owned()
    } else if text.contains("/Cellar/") || text.contains("/homebrew/") || text.contains("/linuxbrew/") {
        "brew uninstall nudge".to_owned()
    } else if text.contains("/node_modules/") {
        "npm uninstall --global nudge-agents".to_owned()
    } else {
        format!("rm {}", crate::model::quoted(&path.to_string_lossy()))
    };
    Some((path, command))
}

/// Returns the bytes of all files in a folder; links are not followed.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Some((entry.metadata().ok()?, entry.path())))
        .map(|(meta, path)| if meta.is_dir() { size(&path) } else { meta.len() })
        .sum()
}
