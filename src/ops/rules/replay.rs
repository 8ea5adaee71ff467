//! Tries today's rules on the calls of the past: how often they would have fired, and on what.
//!
//! Calls come from the agents' transcripts, which have their whole input, and where those are gone from the memory,
//! which has commands. Files are read on all cores; what is kept of a call that no rule fires on is a number.

mod choose;
mod past_call;
mod remembered;
mod report;
mod tally;
mod trier;

use std::collections::HashSet;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

pub(crate) use self::choose::{RuleChoice, chosen_rules};
use self::past_call::PastCalls;
pub(crate) use self::report::stops;
pub(crate) use self::tally::Firing;
pub(crate) use self::tally::PastOutcome;
use self::tally::ReplayTally;
use self::trier::{PackedLevels, RuleTrier};
use crate::model::{Project, SourceRank, Timestamp};
use crate::ops::observations::backfill::past::{self, PastRequest, PastSource};
use crate::ops::project;
use crate::rules::Rule;
use crate::store::StoreError;
use crate::system::clock;

/// What is replayed.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplayRequest {
    pub(crate) rules: Vec<Rule>,
    /// The root of the project that the rules were loaded for; `None` for the rules of one file.
    pub(crate) root: Option<PathBuf>,
    pub(crate) since: Timestamp,
    /// Only sessions in the project of this folder.
    pub(crate) only_in: Option<PathBuf>,
    /// A folder that has the agents' folders in it, instead of the user's home. The memory is then not asked.
    pub(crate) home: Option<PathBuf>,
    /// Also count the shell commands that worked, which means to look at the output of every command.
    pub(crate) counts_successes: bool,
    /// Set by another thread when nobody wants the result any more.
    pub(crate) is_over: Arc<AtomicBool>,
}

impl ReplayRequest {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// What a replay found.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    pub(crate) tally: ReplayTally,
    pub(crate) transcripts: usize,
    pub(crate) bytes: u64,
    /// Transcripts that could not be read, and why.
    pub(crate) unreadable: Vec<(String, String)>,
}

/// How far a replay is, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplayProgress {
    pub(crate) total: u64,
    pub(crate) read: u64,
}

const MAX_THREADS: usize = 8;
/// How often progress is reported.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// What all threads share.
struct SharedRun<'r> {
    request: &'r ReplayRequest,
    packed: PackedLevels,
    /// The only project that is wanted.
    project: Option<Project>,
    /// The transcript that each record was first seen in.
    seen_records: past_call::SeenRecords,
    /// The sessions that a better source has told everything about.
    known_sessions: HashSet<String>,
    now: Timestamp,
    read: AtomicU64,
    unreadable: Mutex<Vec<(String, String)>>,
}

/// Tries the rules on everything that is wanted. `progress` is called now and then.
pub(crate) fn run(
    request: &ReplayRequest,
    progress: &mut dyn FnMut(ReplayProgress),
) -> Result<Replayed, StoreError> {
    let wanted = PastRequest {
        since: request.since,
        only_in: request.only_in.clone(),
        home: request.home.clone(),
        roots: if request.home.is_none() { remembered::roots()? } else { Vec::new() },
    };
    let sources = past::sources(&wanted);
    let total = sources.iter().map(PastSource::bytes).sum();
    progress(ReplayProgress { total, read: 0 });
    let mut shared = SharedRun {
        request,
        packed: PackedLevels::new(&request.rules, request.root.as_deref()),
        project: request.only_in.as_deref().and_then(project::of_folder),
        seen_records: past_call::SeenRecords::default(),
        known_sessions: HashSet::new(),
        now: clock::timestamp(),
        read: AtomicU64::new(0),
        unreadable: Mutex::default(),
    };
    let mut tally = ReplayTally::default();
    // A source that knows less about a session counts only if no better one has the session.
    for rank in [SourceRank::Whole, SourceRank::Partial, SourceRank::LastResort] {
        let of_rank: Vec<(usize, &PastSource)> =
            sources.iter().enumerate().filter(|(_, source)| source.rank() == rank).collect();
        let found = read_all(&shared, &of_rank, total, progress);
        shared.known_sessions.extend(found.sessions.iter().cloned());
        tally.add(found);
    }
    if request.home.is_none() {
        remembered::replay(&shared, &mut tally)?;
    }
    tally.finish();
    let unreadable = shared.unreadable.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Replayed { tally, transcripts: sources.len(), bytes: total, unreadable })
}

/// Reads transcripts on all cores.
fn read_all(
    shared: &SharedRun<'_>,
    sources: &[(usize, &PastSource)],
    total: u64,
    progress: &mut dyn FnMut(ReplayProgress),
) -> ReplayTally {
    let threads = thread::available_parallelism().map_or(1, usize::from).clamp(1, MAX_THREADS);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut calls = PastCalls::new(shared, RuleTrier::new(&shared.packed));
        while let Some((number, source)) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
            if shared.request.is_over() {
                break;
            }
            read_one(shared, &mut calls, *number, source);
        }
        calls.tally
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(sources.len())).map(|_| scope.spawn(work)).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            thread::park_timeout(PROGRESS_INTERVAL);
            progress(ReplayProgress { total, read: shared.read.load(Ordering::Relaxed) });
        }
        let mut tally = ReplayTally::default();
        for worker in workers {
            tally.add(worker.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
        }
        tally
    })
}

fn read_one(shared: &SharedRun<'_>, calls: &mut PastCalls<'_>, number: usize, source: &PastSource) {
    calls.begin(number, source);
    let read = || source.read(shared.now, &mut |event| calls.take(event));
    // A transcript that breaks a reader must not cost the others.
    let why = match panic::catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(unreadable)) => {
            calls.tally.unreplayed.unreadable_records += unreadable;
            None
        }
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("its content is not what the reader expects".to_owned()),
    };
    shared.read.fetch_add(source.bytes(), Ordering::Relaxed);
    if let Some(why) = why {
        let name = name_of(source.path());
        shared.unreadable.lock().unwrap_or_else(PoisonError::into_inner).push((name, why));
    }
}

/// Returns the name that a transcript is shown with.
fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
