//! Cleans what older versions have left: they derived texts before secrets were taken out of them.
//!
//! Rows are cleaned a few at a time where a hook has the database open anyway, and all at once by a server or a command.

use std::time::Duration;

use super::remember;
use crate::config::{paths, settings};
use crate::model::NewObservation;
use crate::observations;
use crate::ops::hook::trace;
use crate::ops::problems;
use crate::redact::OwnPatterns;
use crate::store::{Extent, OldRows, Store, StoreError};

/// So many rows are cleaned by one hook.
const IN_PASSING: usize = 250;
/// So many rows are cleaned in one transaction where there is time.
const AT_ONCE: usize = 1_000;
/// Between two transactions others get their turn.
const PAUSE: Duration = Duration::from_millis(2);

/// Cleans a few old rows; what fails is tried again next time.
pub(crate) fn in_passing(store: &mut Store) {
    drop(step(store, IN_PASSING));
}

/// Cleans all old rows.
pub(crate) fn all() -> Result<(), StoreError> {
    let Some(path) = paths::database().filter(|path| path.exists()) else { return Ok(()) };
    let mut store = Store::open(&path, remember::PATIENCE)?;
    if !store.has_old_rows()? {
        return Ok(());
    }
    // What an older version has spooled has to be cleaned, too.
    remember::drain(remember::PATIENCE, Extent::All)?;
    while step(&mut store, AT_ONCE)? == OldRows::Left {
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Returns the function that cleans a row.
///
/// Nobody knows which project's patterns a row was written with, so these are the user's.
pub(crate) fn cleaner() -> impl Fn(NewObservation) -> NewObservation {
    let own = OwnPatterns::new(&settings::load_user().0.secret_patterns).unwrap_or_default();
    move |row| observations::cleaned(row, &own)
}

fn step(store: &mut Store, most: usize) -> Result<OldRows, StoreError> {
    if !store.has_old_rows()? {
        return Ok(OldRows::None);
    }
    // Nobody knows which project's patterns a row was written with, so these are the user's.
    let own = OwnPatterns::new(&settings::load_user().0.secret_patterns).unwrap_or_default();
    let found = store.clean_old_rows(most, |row| observations::cleaned(row, &own))?;
    if found == OldRows::AllClean {
        trace::clean_kept(&own)?;
        problems::clean_kept(&own)?;
        remember::open_spool().map_or(Ok(()), |spool| spool.clean_rejected())?;
        store.end_cleaning()?;
    }
    Ok(found)
}
