//! Remembers events: an observation of each goes to the spool at once, and from there into the database.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::clean_up;
use super::salvage::{self, Recovery, Repair};
use crate::config::paths;
use crate::config::settings::Settings;
use crate::model::{Event, Outcome, Problem, Project, Recorded, Timestamp, Topic};
use crate::observations::{self, Circumstances, RuleWord};
use crate::ops::hook::SecretPatterns;
use crate::ops::secret_patterns;
use crate::redact::{OwnPatterns, redact};
use crate::store::{Drained, Extent, Reader, Spool, Store, StoreError};
use crate::system::clock;
use crate::system::repository::{self, Worktree};

/// How long a reader waits for the database.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Spools what is worth remembering of an event, and of what we said to it.
pub(crate) fn spool(
    event: &Event,
    said: &Outcome,
    settings: &Settings,
    own: SecretPatterns<'_>,
) -> Result<Recorded, Problem> {
    if !settings.remember {
        return Ok(Recorded::Off);
    }
    let Some(spool) = open_spool() else {
        return Ok(Recorded::Dropped("there is no folder to keep anything in".to_owned()));
    };
    // What one bad pattern would have hidden must not be stored, and what the others hide must not be lost.
    let own = own.map_err(|error| {
        Problem::error(format!("nothing is remembered: a pattern under `redact` is not a regex: {error}"))
            .by_event()
            .about(Topic::Privacy)
    })?;
    let rule = match said {
        Outcome::Pass => None,
        Outcome::Guide(message) => Some(RuleWord::Guided(message.clone())),
        Outcome::Block(message) => Some(RuleWord::Blocked(message.clone())),
    };
    let worktree = Worktree::find(&event.cwd);
    let circumstances = Circumstances {
        now: now(),
        project: repository::project_of(worktree.as_ref(), &event.cwd, settings.project_name.as_deref())
            .map(without_secrets),
        root: worktree.as_ref().map(|worktree| worktree.root),
        branch: worktree.as_ref().and_then(Worktree::branch),
        rule,
    };
    let observed = observations::observe(event, &circumstances, own);
    spool.append(&observed).map_err(|error| {
        // A disk that takes a part of a line and one that takes nothing are the same problem, which is said once.
        let is_full = error.kind() == io::ErrorKind::StorageFull;
        let why = if is_full { "the disk is full".to_owned() } else { error.to_string() };
        Problem::error(format!("an event could not be remembered: {why}"))
            .hint("is there room on the disk, and may the data folder be written?")
            .by_event()
            .about(Topic::Memory)
    })?;
    Ok(if observed.is_empty() { Recorded::Nothing } else { Recorded::Observations(observed.len()) })
}

/// Spools an event that nobody answers.
pub(crate) fn record(event: &Event, settings: &Settings) -> Result<Recorded, Problem> {
    let own = secret_patterns::of(settings);
    spool(event, &Outcome::Pass, settings, own.as_ref().map_err(String::as_str))
}

/// Brings what waits in the spool into the database, waiting so long for its lock.
pub(crate) fn drain(patience: Duration, extent: Extent) -> Result<Drained, StoreError> {
    drain_and_keep(patience, extent, Repair::Brief).map(|(drained, _)| drained)
}

/// The same, and leaves nothing in the database's log: a session ends, so nobody waits.
pub(crate) fn drain_at_end(patience: Duration) -> Result<Drained, StoreError> {
    let (drained, store) = drain_and_keep(patience, Extent::Batch, Repair::Brief)?;
    store.iter().for_each(Store::empty_log);
    Ok(drained)
}

/// The same, for a caller that must know: a damaged database is an error, although what waits was stored in a new one.
pub(crate) fn drain_or_say_damaged(patience: Duration) -> Result<Drained, StoreError> {
    let drain = || drain_once(patience, Extent::All).map(|(drained, _)| drained);
    let error = match drain() {
        Err(error) => error,
        drained => return drained,
    };
    let Some(path) = paths::database() else { return Err(error) };
    match salvage::recover(&path, error.clone(), Repair::Whole) {
        Recovery::TryAgain { moved_away: false } => drain(),
        Recovery::TryAgain { moved_away: true } => drain().and(Err(error)),
        Recovery::Failed(error) => Err(error),
    }
}

/// Drains, and again if the database was damaged; hands the database on if it was opened for that.
fn drain_and_keep(
    patience: Duration,
    extent: Extent,
    repair: Repair,
) -> Result<(Drained, Option<Store>), StoreError> {
    match (drain_once(patience, extent), paths::database()) {
        (Err(error), Some(path)) => match salvage::recover(&path, error, repair) {
            Recovery::TryAgain { .. } => drain_once(patience, extent),
            Recovery::Failed(error) => Err(error),
        },
        (drained, _) => drained,
    }
}

fn drain_once(patience: Duration, extent: Extent) -> Result<(Drained, Option<Store>), StoreError> {
    let (Some(spool), Some(path)) = (open_spool(), paths::database()) else { return Ok(Default::default()) };
    if spool.waiting_bytes() == 0 {
        return Ok(Default::default());
    }
    let mut store = Store::open(&path, patience)?;
    let drained = spool.drain_into(&mut store, extent)?;
    clean_up::in_passing(&mut store);
    Ok((drained, Some(store)))
}

/// Events that are safe in the spool, and why they are not in the database.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{} not in the memory yet: {why}", wait(*.events))]
pub(crate) struct Waiting {
    pub(crate) events: usize,
    pub(crate) why: StoreError,
}

fn wait(events: usize) -> String {
    if events == 1 { "1 event waits and is".to_owned() } else { format!("{events} events wait and are") }
}

/// Opens the memory to look, with everything in it that waits; `None` if nothing was ever remembered.
pub(crate) fn reader() -> Result<Option<Reader>, StoreError> {
    Ok(reader_and_rest()?.map(|(reader, _)| reader))
}

/// The same, and says what could not be brought in.
pub(crate) fn reader_and_rest() -> Result<Option<(Reader, Option<Waiting>)>, StoreError> {
    salvage::advance(Repair::Whole);
    let (reader, failed) = open_reader(PATIENCE, Extent::All, Repair::Whole)?;
    let events = || open_spool().map_or(0, |spool| spool.waiting_events());
    let waiting = failed.map(|why| Waiting { events: events(), why }).filter(|waiting| waiting.events > 0);
    Ok(reader.map(|reader| (reader, waiting)))
}

/// The same for a hook, which cannot wait long and brings in only some of what waits.
pub(crate) fn reader_within(patience: Duration, repair: Repair) -> Result<Option<Reader>, StoreError> {
    Ok(open_reader(patience, Extent::Batch, repair)?.0)
}

/// Returns the memory, and why what waits could not be brought in; the whole takes no longer than `patience`.
fn open_reader(
    patience: Duration,
    extent: Extent,
    repair: Repair,
) -> Result<(Option<Reader>, Option<StoreError>), StoreError> {
    let watch = clock::stopwatch();
    let drained = drain_and_keep(patience, extent, repair);
    // To open the file alone would be to read the whole log beside it, and the schema: once is enough.
    if let Ok((drained, Some(store))) = drained {
        let failed = (drained.skipped > 0).then_some(StoreError::SpoolLocked);
        return Ok((Some(store.into_reader()), failed));
    }
    // That took seconds, and to open the file would take as long again.
    if let Err(StoreError::Stuck) = drained {
        return Err(StoreError::Stuck);
    }
    let Some(path) = paths::database() else { return Ok((None, None)) };
    let open = || Reader::open(&path, patience.saturating_sub(watch()));
    let opened = open().or_else(|error| match salvage::recover(&path, error, repair) {
        Recovery::TryAgain { .. } => open(),
        Recovery::Failed(error) => Err(error),
    });
    match opened? {
        // A reader that cannot bring in what waits still answers with what is there.
        Some(reader) => Ok((Some(reader), drained.err())),
        None => drained.map(|_| (None, None)),
    }
}

/// Opens the memory to change it; `None` if nothing was ever remembered.
pub(crate) fn store() -> Result<Option<Store>, StoreError> {
    let Some(path) = paths::database() else { return Ok(None) };
    drain_and_keep(PATIENCE, Extent::All, Repair::Whole)?;
    if !path.exists() {
        return Ok(None);
    }
    let open = || Store::open(&path, PATIENCE).map(Some);
    open().or_else(|error| match salvage::recover(&path, error, Repair::Whole) {
        Recovery::TryAgain { .. } => open(),
        Recovery::Failed(error) => Err(error),
    })
}

/// Returns the project of a folder, as it is named there.
pub(crate) fn project(cwd: &Path, settings: &Settings) -> Option<Project> {
    repository::project(cwd, settings.project_name.as_deref()).map(without_secrets)
}

/// A project is named after a folder or an address, and either may contain a secret.
fn without_secrets(project: Project) -> Project {
    let none = OwnPatterns::default();
    let all = format!("{}\n{}", project.name, project.root.as_deref().unwrap_or_default());
    if redact(&all, &none).kinds.is_empty() {
        return project;
    }
    let clean = |text: String| redact(&text, &none).text.into_owned();
    Project { name: clean(project.name), root: project.root.map(clean) }
}

pub(crate) fn now() -> Timestamp {
    Timestamp(i64::try_from(clock::unix_seconds()).unwrap_or(i64::MAX))
}

pub(crate) fn open_spool() -> Option<Spool> {
    paths::spool_dir().map(Spool::new)
}
