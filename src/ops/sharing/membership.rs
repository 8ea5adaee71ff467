//! Joining a team, choosing what is shared, and leaving.

use std::collections::BTreeMap;
use std::path::Path;

use super::exchange::{self, Directions, Exchanged};
use super::ground::{self, ExchangeError};
use super::plan::{self, SharePlan, SharedFolder};
use super::{door, look};
use crate::config::settings::{self, TeamSettings};
use crate::config::{env, paths};
use crate::files;
use crate::model::{EventKey, RandomId, ShareLevel, Timestamp};
use crate::ops::observations::database::DATABASE_TIMEOUT;
use crate::ops::observations::remember;
use crate::store::{Extent, Reader, StoreError, TeamCopy, TeamReader};
use crate::system::{clock, project, repository};
use crate::team::{AddressError, TeamAddress, TeamError, password_line};

/// The rows of this many days are counted for the question what to share.
const COUNTED_DAYS: u32 = 30;

/// What a server says to someone who has not joined, and what could be shared with it.
pub(crate) struct Invitation {
    pub(crate) server: String,
    pub(crate) database: String,
    pub(crate) member: String,
    pub(crate) level: String,
    /// Patterns of the projects that the team shares.
    pub(crate) allowed: Vec<String>,
    pub(crate) projects: Vec<CandidateProject>,
    address: TeamAddress,
    epoch: RandomId,
    machine: RandomId,
}

/// A project of this machine that could be shared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CandidateProject {
    pub(crate) name: String,
    pub(crate) key: String,
    pub(crate) is_allowed: bool,
    /// Whether the project's own settings say that nothing of it leaves.
    pub(crate) is_off: bool,
    /// How many rows of the last days would be shared at the level `fixes`.
    pub(crate) rows: usize,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum MembershipError {
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    #[error("the settings cannot be written: {0}")]
    Settings(std::io::Error),
    #[error("`{0}` is not a project of this machine that the team shares")]
    UnknownProject(String),
    #[error("this folder is not in a repository with a remote, so it cannot be shared")]
    NoRemote,
    #[error("{0} of your rows could not be taken back yet")]
    NotTakenBack(usize),
    #[error("no row of a colleague has the number @{0}")]
    UnknownRow(i64),
}

impl From<TeamError> for MembershipError {
    fn from(error: TeamError) -> MembershipError {
        ExchangeError::from(error).into()
    }
}

impl From<StoreError> for MembershipError {
    fn from(error: StoreError) -> MembershipError {
        ExchangeError::from(error).into()
    }
}

impl MembershipError {
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            MembershipError::Address(error) => Some(error.hint().to_owned()),
            MembershipError::Exchange(error) => error.hint(),
            MembershipError::Settings(_) => {
                paths::user_settings().map(|path| format!("change `[team]` in {} yourself", path.display()))
            }
            MembershipError::UnknownProject(_) => Some("`nudge projects` lists yours".to_owned()),
            MembershipError::NoRemote => Some("`git remote add origin URL` gives it one".to_owned()),
            MembershipError::NotTakenBack(_) => Some("nothing was left; run it again later".to_owned()),
            MembershipError::UnknownRow(_) => Some("`nudge search` shows the numbers".to_owned()),
        }
    }
}

/// Asks a server who this user is there, and looks what could be shared. Nothing is told or written.
pub(crate) fn introduce(url: &str) -> Result<Invitation, MembershipError> {
    let address = TeamAddress::parse(url)?;
    let known = remember::reader()?.map(|reader| reader.team_state()).transpose()?.flatten();
    let machine = known.filter(|state| state.url == address.url()).map(|state| state.machine);
    let session = door::connect(url)?;
    let hello = session.hello(machine.map(|machine| machine.0), &[])?;
    let projects = candidates(remember::reader()?.as_ref(), &hello.allowed)?;
    Ok(Invitation {
        server: address.server(),
        database: address.database.clone(),
        member: hello.name,
        level: hello.level,
        allowed: hello.allowed,
        projects,
        address,
        epoch: RandomId(hello.epoch),
        machine: machine.unwrap_or_else(ground::new_id),
    })
}

impl Invitation {
    /// Returns whether the bytes are encrypted on their way; only servers on this machine are reached without that.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.address.is_encrypted()
    }

    /// Returns the project of this machine that a person means.
    pub(crate) fn find(&self, word: &str) -> Result<&CandidateProject, MembershipError> {
        let found = self.projects.iter().find(|project| project.key == word || project.name == word);
        found.filter(|found| found.is_allowed).ok_or_else(|| MembershipError::UnknownProject(word.to_owned()))
    }

    /// Returns the projects that the team shares.
    pub(crate) fn shared(&self) -> impl Iterator<Item = &CandidateProject> {
        self.projects.iter().filter(|project| project.is_allowed)
    }

    /// Joins: writes the choices down. Rows of other projects of the team are read; from `since` on, rows leave.
    pub(crate) fn accept(
        &self,
        choices: &[(String, ShareLevel)],
        since: Option<Timestamp>,
    ) -> Result<(), MembershipError> {
        let _lock = ground::lock()?;
        let mut projects = choices.to_vec();
        for project in self.shared() {
            if !projects.iter().any(|(key, _)| *key == project.key) {
                projects.push((project.key.clone(), ShareLevel::Off));
            }
        }
        let url = self.address.url();
        // The password that was good for this, so that the next exchange has it too.
        if let Some(password) = self.address.password.clone().or_else(env::postgres_password) {
            keep_password(&self.address, &password).map_err(MembershipError::Settings)?;
        }
        settings::write_team(Some(&url), &projects).map_err(MembershipError::Settings)?;
        let mut store = ground::open_store()?;
        // What happened before this moment does not leave, also if it is not stored yet.
        remember::drain(DATABASE_TIMEOUT, Extent::All)?;
        let known = store.team_state()?;
        if known.is_none_or(|known| known.url != url || known.epoch.is_some_and(|epoch| epoch != self.epoch))
        {
            ground::delete_copy()?;
            store.begin_team(&url, self.machine)?;
        }
        store.set_team_rest(None)?;
        let now = clock::timestamp();
        for (key, level) in &projects {
            store.choose(key, *level, now)?;
            if let Some(since) = since.filter(|_| *level > ShareLevel::Off) {
                store.share_since(key, since)?;
            }
        }
        Ok(())
    }
}

fn keep_password(address: &TeamAddress, password: &str) -> std::io::Result<()> {
    let Some(path) = door::secret_file() else { return Ok(()) };
    if let Some(folder) = path.parent() {
        files::make_private_dir(folder)?;
    }
    if !path.exists() {
        drop(files::private_file().append(true).create(true).open(&path)?);
    }
    files::replace(&path, &[password_line(address, password).as_bytes()])
}

/// Returns the projects of this machine that have a remote, with how many rows could be shared. This folder is one of them
/// even if nothing has happened in it yet.
fn candidates(reader: Option<&Reader>, allowed: &[String]) -> Result<Vec<CandidateProject>, MembershipError> {
    let mut folders: BTreeMap<String, Vec<SharedFolder>> = BTreeMap::new();
    let mut found: BTreeMap<String, CandidateProject> = BTreeMap::new();
    let plan = SharePlan {
        url: String::new(),
        team: TeamSettings { projects: Vec::new(), ..settings::Settings::default().team },
        job_project: None,
    };
    let mut roots: Vec<String> = match reader {
        Some(reader) => reader.project_folders()?.into_iter().map(|(_, root)| root).collect(),
        None => Vec::new(),
    };
    let here = project::root(None, &env::current_dir()).display().to_string();
    if !roots.contains(&here) {
        roots.push(here);
    }
    for root in roots {
        let keys = repository::remote_keys(Path::new(&root));
        // A fork has the team's address as another remote.
        let key = keys.iter().find(|key| is_allowed(key, allowed)).or(keys.first());
        let Some(key) = key.cloned() else { continue };
        let mut wanted = plan.clone();
        wanted.team.projects = vec![(key.clone(), ShareLevel::Fixes)];
        let mut these = match reader {
            Some(reader) => plan::folders(reader, &wanted)?,
            None => Vec::new(),
        };
        these.retain(|folder| folder.root == root);
        let name = Path::new(&root)
            .file_name()
            .map_or_else(|| root.clone(), |name| name.to_string_lossy().into_owned());
        let is_off = plan::level_of_folder(Path::new(&root), ShareLevel::Fixes) == ShareLevel::Off;
        let entry = found.entry(key.clone()).or_insert_with(|| CandidateProject {
            name,
            is_allowed: is_allowed(&key, allowed),
            key: key.clone(),
            is_off: true,
            rows: 0,
        });
        entry.is_off &= is_off;
        folders.entry(key).or_default().extend(these);
    }
    let since = clock::timestamp().minus_days(COUNTED_DAYS);
    for (key, candidate) in &mut found {
        let folders = folders.get(key).map(Vec::as_slice).unwrap_or_default();
        if let Some(reader) = reader {
            candidate.rows = look::new_rows(reader, folders, key, (since, 0), 0)?.len();
        }
    }
    let mut found: Vec<CandidateProject> = found.into_values().collect();
    found.sort_by_key(|project| (!project.is_allowed, std::cmp::Reverse(project.rows), project.key.clone()));
    Ok(found)
}

/// Returns whether one of the team's patterns names a project; `*` stands for any text.
fn is_allowed(key: &str, patterns: &[String]) -> bool {
    patterns.iter().any(|pattern| {
        let mut parts = pattern.split('*');
        let Some(mut rest) = key.strip_prefix(parts.next().unwrap_or_default()) else { return false };
        let parts: Vec<&str> = parts.collect();
        let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
        for part in middle {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(last)
    })
}

/// The project of a folder, as a team knows it.
pub(crate) struct SharedHere {
    pub(crate) key: String,
    pub(crate) level: ShareLevel,
    /// Whether the project's own settings say that nothing of it leaves.
    pub(crate) is_off_here: bool,
}

/// Returns how much of the project in this folder is shared.
pub(crate) fn shared_here() -> Result<SharedHere, MembershipError> {
    let plan = plan::load().ok_or(ExchangeError::NoTeam)?;
    let root = project::root(None, &env::current_dir());
    let keys = repository::remote_keys(&root);
    let chosen = keys.iter().find(|key| plan.team.projects.iter().any(|(known, _)| known == *key));
    let key = chosen.or(keys.first()).cloned().ok_or(MembershipError::NoRemote)?;
    let (settings, _) = settings::load(&root);
    let level = plan.team.level(&key);
    let is_off_here = level > ShareLevel::Off && plan::level_in(&settings, level) == ShareLevel::Off;
    Ok(SharedHere { level, key, is_off_here })
}

/// Shares the project in this folder at another level, from now on.
pub(crate) fn share_here(level: ShareLevel) -> Result<SharedHere, MembershipError> {
    let here = shared_here()?;
    let (settings, _) = settings::load_user();
    let url = settings.team.url.clone().ok_or(ExchangeError::NoTeam)?;
    let projects = settings.team.with_level(&here.key, level);
    settings::write_team(Some(&url), &projects).map_err(MembershipError::Settings)?;
    ground::open_store()?.choose(&here.key, level, clock::timestamp())?;
    shared_here()
}

/// What happens to the rows that were shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaving {
    KeepRows,
    TakeBack,
}

/// Leaves the team: the copy here is deleted, and own rows stay there or are taken back first.
pub(crate) fn leave(leaving: Leaving) -> Result<Exchanged, MembershipError> {
    plan::load().ok_or(ExchangeError::NoTeam)?;
    let mut done = Exchanged::default();
    if leaving == Leaving::TakeBack {
        ground::open_store()?.take_everything_back()?;
        loop {
            let some = exchange::run(Directions::TakeBack)?;
            done.taken_back += some.taken_back;
            match some.waiting {
                0 => break,
                _ if some.has_moved() => {}
                waiting => return Err(MembershipError::NotTakenBack(waiting)),
            }
        }
    }
    let _lock = ground::lock()?;
    settings::write_team(None, &[]).map_err(MembershipError::Settings)?;
    ground::open_store()?.leave_team()?;
    ground::delete_copy()?;
    if let Some(path) = door::secret_file().filter(|path| path.exists()) {
        std::fs::remove_file(path).map_err(MembershipError::Settings)?;
    }
    Ok(done)
}

/// Takes a colleague's row from everybody, as an admin; returns how many rows of it the server had.
pub(crate) fn drop_row(number: i64) -> Result<i64, MembershipError> {
    let plan = plan::load().ok_or(ExchangeError::NoTeam)?;
    let (key, project) = row_key(number)?;
    let dropped = door::connect(&plan.url)?.drop_row(&project, key)?;
    hide_row(number)?;
    Ok(dropped)
}

/// Hides a colleague's row on this machine.
pub(crate) fn hide_row(number: i64) -> Result<(), MembershipError> {
    let (key, _) = row_key(number)?;
    let _lock = ground::lock()?;
    let mut store = ground::open_store()?;
    store.hide_row(key)?;
    if let Some(path) = paths::team_copy() {
        TeamCopy::remove_from(&path, &[key], DATABASE_TIMEOUT)?;
    }
    Ok(())
}

fn row_key(number: i64) -> Result<(EventKey, String), MembershipError> {
    let unknown = || MembershipError::UnknownRow(number);
    let reader = paths::team_copy().and_then(|path| TeamReader::open(&path)).ok_or_else(unknown)?;
    let row = reader.get(&[number])?.into_iter().next().ok_or_else(unknown)?;
    let project = row.observation.project.clone().unwrap_or_default();
    Ok((row.author.event_key.ok_or_else(unknown)?, project))
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn patterns_of_a_team_name_projects() {
        for (pattern, key, expected) in [
            ("github.com/acme/*", "github.com/acme/shop", true),
            ("github.com/acme/*", "github.com/acme/a/b", true),
            ("github.com/acme/*", "github.com/acmes/shop", false),
            ("github.com/acme/shop", "github.com/acme/shop", true),
            ("github.com/acme/shop", "github.com/acme/shopping", false),
            ("*", "anything", true),
            ("*/shop", "github.com/acme/shop", true),
            ("git*/acme/*shop", "gitlab.com/acme/the-shop", true),
            ("git*/acme/*shop", "gitlab.com/acme/the-shops", false),
        ] {
            assert_eq!(is_allowed(key, &[pattern.to_owned()]), expected, "{pattern} {key}");
        }
        assert!(!is_allowed("x", &[]));
    }
}
