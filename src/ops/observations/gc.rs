//! Deletes expired observations: on request, and once a day when a session starts.

use std::cell::Cell;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::{clean_up, database, remember, salvage};
use crate::config::{paths, settings};
use crate::journal::{day, trace};
use crate::model::{DAY, Inserted, ObservationType, Problem, Retention, Timestamp, Topic, Trace};
use crate::ops::on_time::on_time;
use crate::store::{Ages, ClockDoubt, Copy, ExpireLimit, Extent, Store, StoreError};
use crate::system::budget::Budget;
use crate::system::clock;

/// How long a new session waits for the database.
const DAILY_TIMEOUT: Duration = Duration::from_millis(100);

/// Maximum number of observations deleted when a session starts, so that nobody notices; the next session continues.
const MAX_DAILY: usize = 1_000;

/// Maximum size of a file that is checked when a session starts: this takes less than half a second once a day. Larger
/// files are checked by `nudge doctor`, and whenever a query hits the damage.
const MAX_DAILY_CHECK: u64 = 64 << 20;

/// A pause in the work ages lines of the trace by at most this many seconds.
const MAX_TRACE_GAP: i64 = 14 * DAY;

/// How many observations of one type were or would be deleted, and after how many days they expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expired {
    pub(crate) obs_type: ObservationType,
    pub(crate) count: usize,
    pub(crate) days: Option<u32>,
}

/// What would be deleted.
#[derive(Debug)]
pub(crate) struct ExpireProposal {
    pub(crate) expired: Vec<Expired>,
    /// Why the clock looks wrong, if it does.
    pub(crate) doubt: Option<String>,
}

/// Returns what would be deleted; `None` if nothing was ever remembered.
pub(crate) fn plan() -> Result<Option<ExpireProposal>, StoreError> {
    let retention = retention();
    let Some(reader) = remember::reader()? else { return Ok(None) };
    let counts = reader.would_expire(&retention, clock::timestamp())?;
    let doubt = reader.clock_doubt(clock::timestamp())?.map(describe_doubt);
    Ok(Some(ExpireProposal { expired: expired(counts, &retention), doubt }))
}

/// Deletes expired observations, and frees the space on disk.
pub(crate) fn run(copy: Copy) -> Result<Option<Vec<Expired>>, StoreError> {
    let retention = retention();
    let Some(path) = paths::database() else { return Ok(None) };
    // On a full disk, waiting events cannot be stored before something is deleted.
    let is_full = match remember::drain(database::DATABASE_TIMEOUT, Extent::All) {
        Err(StoreError::Full(_)) if path.exists() => true,
        drained => drained.map(|_| false)?,
    };
    if !path.exists() {
        return Ok(None);
    }
    if !is_full {
        remember::clean_all()?;
    }
    let mut store = Store::open(&path, database::DATABASE_TIMEOUT)?;
    let removed =
        store.gc(&retention, clock::timestamp(), ExpireLimit::Everything, copy, clean_up::cleaner())?;
    Ok(Some(expired(removed.counts, &retention)))
}

/// Restores what was deleted within the last week; `None` if nothing was ever remembered.
pub(crate) fn restore() -> Result<Option<Inserted>, StoreError> {
    let Some(mut store) = remember::store()? else { return Ok(None) };
    store.restore().map(Some)
}

/// Deletes lines of the trace that are too old or say too much, or only counts them; returns how many.
///
/// A line may be about any type of observation, so it expires with the type that expires first.
pub(crate) fn trace(dry_run: bool) -> io::Result<usize> {
    let settings = settings::load_user().0;
    let days = settings.retention.days.iter().filter_map(|(_, days)| *days).min();
    let found = trace::read();
    let seconds = |trace: &Trace| Timestamp(i64::try_from(trace.at / 1_000).unwrap_or(i64::MAX));
    let lines = (0..).zip(&found.traces).map(|(number, trace)| (number, seconds(trace)));
    let last = days.and_then(|days| Ages::new(lines, clock::timestamp(), MAX_TRACE_GAP).older_than(days));
    let number = Cell::new(0);
    let kept = |trace: Trace| {
        let is_old = last.is_some_and(|last| number.replace(number.get() + 1) <= last);
        let trace = if settings.remember { trace } else { without_names(trace) };
        (!is_old).then_some(trace)
    };
    if !dry_run {
        return trace::revise(kept);
    }
    let changes = |trace: &Trace| kept(trace.clone()).as_ref() != Some(trace);
    Ok(found.torn + found.traces.iter().filter(|trace| changes(trace)).count())
}

/// Removes targets and problems from the traces of a project in which nothing is to be remembered any more.
pub(crate) fn remove_names_from_trace(root: &Path) {
    let project = crate::ops::trace::shown_project(root);
    let kept = |trace: Trace| Some(if trace.project == project { without_names(trace) } else { trace });
    // A failure is retried when the next session starts.
    drop(trace::revise(kept));
}

fn without_names(trace: Trace) -> Trace {
    Trace { target: None, problems: Vec::new(), ..trace }
}

/// Deletes some expired observations once a day. A session is starting, so this must not take long or fail loudly.
///
/// Returns a problem if nothing is deleted because the clock contradicts the memory.
pub(crate) fn daily(budget: Budget) -> Option<Problem> {
    // Without the settings nobody knows what to keep.
    if budget.is_over() || settings::load_user().0.unknown_because.is_some() || !day::first("gc") {
        return None;
    }
    drop(trace(false));
    let path = paths::database().filter(|path| path.exists())?;
    // A failure is retried tomorrow, and `nudge doctor` says what is wrong with the database.
    let doubt = on_time(budget, move || expire(&path, budget)).ok()?;
    doubt.and_then(|doubt| {
        let hint = "check the date of this machine; `nudge gc` removes old observations by hand";
        let problem = || Problem::warning(describe_doubt(doubt)).hint(hint).by_event().about(Topic::Clock);
        // The clock may look wrong for months.
        day::is_news("clock", &format!("{doubt:?}")).then(problem)
    })
}

/// Deletes some expired observations, unless the clock looks wrong.
fn expire(path: &Path, budget: Budget) -> Result<Option<ClockDoubt>, StoreError> {
    // Nothing is deleted or copied from a file that may be damaged.
    salvage::check(path, MAX_DAILY_CHECK);
    let mut store = Store::open(path, budget.within(DAILY_TIMEOUT))?;
    if let Some(doubt) = store.clock_doubt(clock::timestamp())? {
        // Sessions that were only read from transcripts may be long ago, whatever the clock says.
        let is_evidence = !matches!(doubt, ClockDoubt::Ahead { .. }) || store.has_rows_of_hooks()?;
        return Ok(is_evidence.then_some(doubt));
    }
    clean_up::some(&mut store);
    let reach = ExpireLimit::Some(MAX_DAILY);
    let removed = store.gc(&retention(), clock::timestamp(), reach, Copy::Kept, clean_up::cleaner())?;
    let count: usize = removed.counts.iter().map(|(_, count)| count).sum();
    if removed.is_partial && count == MAX_DAILY {
        day::again("gc");
    }
    Ok(None)
}

fn describe_doubt(doubt: ClockDoubt) -> String {
    let date = |at: Timestamp| clock::iso_day(at.0.div_euclid(DAY));
    let today = date(clock::timestamp());
    match doubt {
        ClockDoubt::Ahead { newest } => format!(
            "old observations are not removed automatically today: the clock says {today}, and the newest observation is from {}",
            date(newest)
        ),
        ClockDoubt::Behind { last } => format!(
            "old observations are not removed automatically today: the clock says {today}, and the last observation is from {}",
            date(last)
        ),
    }
}

/// Returns the user's own retention: a repository that somebody else has written must not empty the memory.
fn retention() -> Retention {
    let settings = settings::load_user().0;
    if settings.unknown_because.is_none() {
        return settings.retention;
    }
    // Without the settings nobody knows what to keep, so everything is kept.
    let days = settings.retention.days.into_iter().map(|(kind, _)| (kind, None));
    Retention { days: days.collect() }
}

fn expired(counts: Vec<(ObservationType, usize)>, retention: &Retention) -> Vec<Expired> {
    let days = |kind| retention.days.iter().find(|(one, _)| *one == kind).and_then(|(_, days)| *days);
    counts.into_iter().map(|(obs_type, count)| Expired { obs_type, count, days: days(obs_type) }).collect()
}
