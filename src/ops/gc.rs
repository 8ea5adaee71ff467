//! Removes what has been kept long enough: on request, and once a day when a session starts.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::{clean_up, remember};
use crate::config::budget::Budget;
use crate::config::{day, paths, settings, trace};
use crate::model::{ObservationType, Retention, Trace};
use crate::store::{Store, StoreError};

/// A session that starts waits no longer than this for the database.
const DAILY_PATIENCE: Duration = Duration::from_millis(100);

/// More than this would be felt; the next session that starts goes on with it.
const DAILY_MOST: usize = 1_000;

/// How many observations of one type went, or would go, and after how many days they do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expired {
    pub(crate) obs_type: ObservationType,
    pub(crate) count: usize,
    pub(crate) days: Option<u32>,
}

/// Returns what would be removed; `None` if nothing was ever remembered.
pub(crate) fn plan() -> Result<Option<Vec<Expired>>, StoreError> {
    let retention = retention();
    let Some(reader) = remember::reader()? else { return Ok(None) };
    let counts = reader.would_expire(&retention, remember::now())?;
    Ok(Some(expired(counts, &retention)))
}

/// Removes it, and gives the room back.
pub(crate) fn run() -> Result<Option<Vec<Expired>>, StoreError> {
    let retention = retention();
    clean_up::all()?;
    let Some(mut store) = remember::store()? else { return Ok(None) };
    let counts = store.gc(&retention, remember::now(), usize::MAX)?;
    Ok(Some(expired(counts, &retention)))
}

/// Removes lines of the trace that are too old or say too much, or only counts them; returns how many.
///
/// A line tells of all sorts of observations, so it goes as soon as the first of them would.
pub(crate) fn trace(dry_run: bool) -> io::Result<usize> {
    let (settings, now) = (settings::load_user().0, remember::now());
    let days = settings.retention.days.iter().filter_map(|(_, days)| *days).min();
    let oldest = days.map_or(0, |days| now.0.saturating_sub(i64::from(days) * 86_400)).max(0);
    let oldest = u64::try_from(oldest).unwrap_or_default() * 1_000;
    let kept = |trace: Trace| {
        let trace = if settings.remember { trace } else { unnamed(trace) };
        (trace.at >= oldest).then_some(trace)
    };
    if !dry_run {
        return trace::revise(kept);
    }
    let changes = |trace: &Trace| kept(trace.clone()).as_ref() != Some(trace);
    let found = trace::read();
    Ok(found.torn + found.traces.iter().filter(|trace| changes(trace)).count())
}

/// Where nothing is to be remembered any more, takes out of the trace what was named before.
pub(crate) fn unname(root: &Path) {
    let project = super::trace::shown_project(root);
    let kept = |trace: Trace| Some(if trace.project == project { unnamed(trace) } else { trace });
    // It is tried again when the next session starts.
    drop(trace::revise(kept));
}

fn unnamed(trace: Trace) -> Trace {
    Trace { target: None, problems: Vec::new(), ..trace }
}

/// Does the same once a day, in passing: a session is starting, so nothing here may take long or fail loudly.
pub(crate) fn daily(budget: Budget) {
    // Without the settings nobody knows what is to be kept.
    if budget.is_over() || settings::load_user().0.unknown_because.is_some() || !day::first("gc") {
        return;
    }
    drop(trace(false));
    let Some(path) = paths::database().filter(|path| path.exists()) else { return };
    // What fails today is tried again tomorrow, and `nudge doctor` says what is wrong with the database.
    let removed = Store::open(&path, budget.within(DAILY_PATIENCE))
        .and_then(|mut store| {
            clean_up::in_passing(&mut store);
            store.gc(&retention(), remember::now(), DAILY_MOST)
        })
        .unwrap_or_default();
    if removed.iter().map(|(_, count)| count).sum::<usize>() == DAILY_MOST {
        day::again("gc");
    }
}

/// A repository that somebody else has written must not empty the memory, so these are the user's own.
fn retention() -> Retention {
    let settings = settings::load_user().0;
    if settings.unknown_because.is_none() {
        return settings.retention;
    }
    // Without the settings nobody knows what is to be kept, so everything is.
    let days = settings.retention.days.into_iter().map(|(kind, _)| (kind, None));
    Retention { days: days.collect() }
}

fn expired(counts: Vec<(ObservationType, usize)>, retention: &Retention) -> Vec<Expired> {
    let days = |kind| retention.days.iter().find(|(one, _)| *one == kind).and_then(|(_, days)| *days);
    counts.into_iter().map(|(obs_type, count)| Expired { obs_type, count, days: days(obs_type) }).collect()
}
