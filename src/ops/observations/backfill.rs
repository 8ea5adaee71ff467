//! Reads what agents wrote down before nudge was there, or while its hooks were not.
//!
//! Transcripts are read on all cores and stored by one writer: those of the last days first, because somebody may ask for
//! them while the rest is still read, and otherwise the oldest first, because a fork repeats the beginning of the session
//! that it comes from, and the older one keeps it. What was read is noted in the same transaction as the rows, so a run
//! that is killed continues where it was.

mod catch_up;
mod find;
mod lines;
mod opencode_files;
pub(crate) mod past;
mod past_place;
mod pipeline;
mod read;
mod records;
mod rows;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub(crate) use self::catch_up::catch_up;
use self::find::{FoundTranscript, ToRead};
pub(crate) use self::past_place::PastPlaces;
use self::pipeline::Writer;
use crate::config::{env, paths, settings};
use crate::harness::{AGENTS, Agent, InstallPlace};
use crate::model::{Backfilled, EventKey, InstallScope, SourceState, Timestamp, UnknownRecords};
use crate::ops::observations::database::DATABASE_TIMEOUT;
use crate::ops::observations::remember;
use crate::ops::{here, project};
use crate::store::{Extent, Reader, Store, StoreError};
use crate::system::clock;

/// What to read.
#[derive(Debug, Clone, Default)]
pub(crate) struct BackfillRequest {
    /// The agents; all of them if empty.
    pub(crate) agents: Vec<&'static Agent>,
    pub(crate) since: Option<Timestamp>,
    /// Only sessions that began in the project of this folder.
    pub(crate) only_in: Option<PathBuf>,
    /// Count, and store nothing.
    pub(crate) is_dry: bool,
    /// Leave the other cores to the session that has just begun.
    pub(crate) is_in_background: bool,
}

/// What was written in this many days is read first.
const RECENT_DAYS: u32 = 7;

/// A thread is worth its start if it has this many files to look at.
const MIN_SHARE: usize = 100;

/// What a run found, by agent.
#[derive(Debug, Default)]
pub(crate) struct BackfillReport {
    pub(crate) agents: Vec<AgentReport>,
    /// Transcripts that could not be read, and why.
    pub(crate) failed: Vec<(String, String)>,
    pub(crate) unknown: Vec<UnknownRecords>,
    /// Events that were left out because retention would delete them.
    pub(crate) expired: usize,
}

/// What a run found of one agent.
#[derive(Debug)]
pub(crate) struct AgentReport {
    pub(crate) agent: &'static Agent,
    /// The transcripts on the disk, and those with something new.
    pub(crate) transcripts: usize,
    pub(crate) read: usize,
    /// The bytes of those.
    pub(crate) bytes: u64,
    pub(crate) count: Backfilled,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum BackfillError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the database has no place: there is no home folder")]
    Homeless,
}

/// Transcripts of an agent on this machine.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) agent: &'static Agent,
    pub(crate) transcripts: usize,
    pub(crate) bytes: u64,
    /// Those that were never read, and the last change of the oldest one of them.
    pub(crate) unread: usize,
    pub(crate) oldest_unread: Option<Timestamp>,
}

/// Counts the transcripts of each agent that has some, without reading them.
pub(crate) fn survey() -> Vec<Survey> {
    let known = known_sources().unwrap_or_default();
    let surveys = AGENTS.iter().map(|agent| {
        let found = find_all(agent);
        let unread: Vec<&FoundTranscript> =
            found.iter().filter(|one| !known.contains_key(&one.key)).collect();
        Survey {
            agent,
            transcripts: found.len(),
            bytes: found.iter().map(FoundTranscript::bytes).sum(),
            unread: unread.len(),
            oldest_unread: unread.iter().map(|one| one.modified_at()).min(),
        }
    });
    surveys.filter(|survey| survey.transcripts > 0).collect()
}

fn known_sources() -> Result<HashMap<EventKey, SourceState>, StoreError> {
    let Some(path) = paths::database() else { return Ok(HashMap::new()) };
    let reader = Reader::open(&path, DATABASE_TIMEOUT)?;
    reader.map_or_else(|| Ok(HashMap::new()), |reader| reader.sources())
}

fn find_all(agent: &'static Agent) -> Vec<FoundTranscript> {
    let Some(home) = paths::home_dir() else { return Vec::new() };
    let here = env::current_dir();
    let place = InstallPlace {
        reach: InstallScope::User,
        program: "nudge",
        tools: None,
        home: &home,
        project: &here,
        moved: env::folder,
        exists: std::path::Path::exists,
    };
    find::find(agent, &place)
}

/// Reads everything new. `progress` is called with the bytes of all that is to be read, then with those that were read.
pub(crate) fn run(
    request: &BackfillRequest,
    progress: &mut dyn FnMut(Progress),
) -> Result<BackfillReport, BackfillError> {
    let path = paths::database().ok_or(BackfillError::Homeless)?;
    let (settings, _) = settings::load(&here::root(&env::current_dir()));
    let since = request.since.unwrap_or(Timestamp(0));
    // What hooks have spooled comes first, or the same events would be stored from the transcript.
    remember::drain(DATABASE_TIMEOUT, Extent::All)?;
    let mut writer = if request.is_dry {
        Writer::dry(Reader::open(&path, DATABASE_TIMEOUT)?)
    } else {
        Writer::new(Store::open(&path, DATABASE_TIMEOUT)?)?
    };
    let known = writer.sources()?;
    let roots = known_roots(&writer)?;
    let mut report = BackfillReport::default();
    let (mut all, mut seen) = (Vec::new(), HashSet::new());
    let agents = if request.agents.is_empty() { AGENTS } else { &request.agents };
    for agent in agents.iter().filter(|agent| agent.transcripts.is_some()) {
        let found = find_all(agent);
        seen.extend(found.iter().map(|one| one.key));
        let transcripts = found.len();
        let new = to_read(found, &Known { sources: &known, roots: &roots }, since, request);
        let bytes = new.iter().map(|one| one.found.bytes() - one.from.min(one.found.bytes())).sum();
        let count = Backfilled::default();
        report.agents.push(AgentReport { agent, transcripts, read: new.len(), bytes, count });
        all.extend(new);
    }
    let now = clock::timestamp();
    let recent = recent_starts(&all, now);
    // What a later transcript repeats belongs to the earlier one. Before all, the sources that know most.
    all.sort_by_cached_key(|one| {
        let is_old = !recent.contains(&one.first_ms);
        (one.found.rank(), is_old, one.first_ms, one.found.path.clone())
    });
    let first_rank = all.first().map(|one| one.found.rank());
    let urgent =
        all.iter().take_while(|one| Some(one.found.rank()) == first_rank && recent.contains(&one.first_ms));
    progress(Progress::Total(report.agents.iter().map(|agent| agent.bytes).sum()));
    let only_in = request.only_in.as_deref().and_then(project::of_folder).and_then(|project| project.root);
    let run = pipeline::Run {
        sources: &all,
        retention: &settings.retention,
        urgent: urgent.count(),
        is_in_background: request.is_in_background,
        since,
        now,
        only_in: only_in.as_deref(),
        expired: AtomicUsize::new(0),
    };
    let counts = pipeline::run(&run, &mut writer, progress)?;
    report.expired = run.expired.load(Ordering::Relaxed);
    report.failed = counts.failed;
    for (harness, count) in counts.rows {
        let agent = report.agents.iter_mut().find(|agent| agent.agent.id == harness);
        agent.into_iter().for_each(|agent| agent.count += count.clone());
    }
    report.unknown = writer.finish(&gone(&known, &seen, request), run.now)?;
    Ok(report)
}

/// Returns when the sessions of the last days began; a fork begins with the record that its older session begins with, so
/// both are among them.
fn recent_starts(all: &[ToRead], now: Timestamp) -> HashSet<i64> {
    let recent = all.iter().filter(|one| one.found.modified_at() >= now.minus_days(RECENT_DAYS));
    recent.map(|one| one.first_ms).collect()
}

/// How far a run is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Progress {
    Total(u64),
    Read(u64),
}

/// What earlier runs and hooks know.
struct Known<'k> {
    sources: &'k HashMap<EventKey, SourceState>,
    /// The folders of projects.
    roots: &'k [PathBuf],
}

/// Returns the folders of all projects that are known: some agents name a session's folder only by a hash of its path.
fn known_roots(writer: &Writer) -> Result<Vec<PathBuf>, StoreError> {
    let here = env::current_dir();
    let mut roots: Vec<PathBuf> = vec![here::root(&here), here];
    roots.extend(writer.project_roots()?.into_iter().map(PathBuf::from));
    Ok(roots)
}

fn to_read(
    found: Vec<FoundTranscript>,
    known: &Known<'_>,
    since: Timestamp,
    request: &BackfillRequest,
) -> Vec<ToRead> {
    let here = request.only_in.as_deref().and_then(project::of_folder);
    let mut roots: BTreeMap<PathBuf, bool> = BTreeMap::new();
    let mut is_here = |folder: Option<&PathBuf>| {
        let Some(here) = &here else { return request.only_in.is_none() };
        let Some(folder) = folder else { return false };
        *roots
            .entry(folder.clone())
            .or_insert_with(|| project::of_folder(folder).is_some_and(|there| there.root == here.root))
    };
    let recent: Vec<_> = found.into_iter().filter(|one| one.modified_at() >= since).collect();
    let threads = if request.is_in_background { 1 } else { pipeline::threads() };
    let new = compare_all(recent, known, since, threads).into_iter();
    // A database has sessions of all projects; only those that are wanted are stored.
    new.filter(|one| one.found.form().is_database() || is_here(one.folder.as_ref())).collect()
}

/// Compares transcripts with what was read before; returns those with something new, in the same order.
fn compare_all(
    found: Vec<FoundTranscript>,
    known: &Known<'_>,
    since: Timestamp,
    threads: usize,
) -> Vec<ToRead> {
    let compare = |some: Vec<FoundTranscript>| -> Vec<ToRead> {
        some.into_iter().filter_map(|one| one.compare(known.sources, since, known.roots)).collect()
    };
    let share = found.len().div_ceil(threads).max(MIN_SHARE);
    let mut rest = found;
    thread::scope(|scope| {
        let mut others = Vec::new();
        while rest.len() > share {
            let some = rest.split_off(rest.len() - share);
            others.push(scope.spawn(move || compare(some)));
        }
        let mut new = compare(rest);
        for other in others.into_iter().rev() {
            new.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        new
    })
}

/// Returns the transcripts that were read before and no longer exist.
fn gone(
    known: &HashMap<EventKey, SourceState>,
    seen: &HashSet<EventKey>,
    request: &BackfillRequest,
) -> Vec<EventKey> {
    if !request.agents.is_empty() || request.is_dry {
        return Vec::new();
    }
    known.keys().filter(|key| !seen.contains(key)).copied().collect()
}
