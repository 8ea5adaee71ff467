//! Removes what has been kept long enough: on request, and once a day when a session starts.

use std::time::Duration;

use super::remember;
use crate::config::{day, paths, settings};
use crate::model::{ObservationType, Retention};
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
    let Some(mut store) = remember::store()? else { return Ok(None) };
    let counts = store.gc(&retention, remember::now(), usize::MAX)?;
    Ok(Some(expired(counts, &retention)))
}

/// Does the same once a day, in passing: a session is starting, so nothing here may take long or fail loudly.
pub(crate) fn daily() {
    let Some(path) = paths::database().filter(|path| path.exists()) else { return };
    if !day::first("gc") {
        return;
    }
    // What fails today is tried again tomorrow, and `nudge doctor` says what is wrong with the database.
    let removed = Store::open(&path, DAILY_PATIENCE)
        .and_then(|mut store| store.gc(&retention(), remember::now(), DAILY_MOST))
        .unwrap_or_default();
    if removed.iter().map(|(_, count)| count).sum::<usize>() == DAILY_MOST {
        day::again("gc");
    }
}

/// A repository that somebody else has written must not empty the memory, so these are the user's own.
fn retention() -> Retention {
    settings::load_user().0.retention
}

fn expired(counts: Vec<(ObservationType, usize)>, retention: &Retention) -> Vec<Expired> {
    let days = |kind| retention.days.iter().find(|(one, _)| *one == kind).and_then(|(_, days)| *days);
    counts.into_iter().map(|(obs_type, count)| Expired { obs_type, count, days: days(obs_type) }).collect()
}
