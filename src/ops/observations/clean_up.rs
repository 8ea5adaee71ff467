//! Redacts rows of older versions, which derived texts before they removed secrets.
//!
//! A hook that has the database open anyway cleans a few rows; a server or a command cleans all of them.

use std::time::Duration;

use super::database::open_spool;
use crate::config::settings;
use crate::model::NewObservation;
use crate::observations;
use crate::ops::problems;
use crate::ops::trace;
use crate::redact::OwnPatterns;
use crate::store::{OldRows, Store, StoreError};

/// Maximum number of rows that one hook cleans.
const MAX_PER_HOOK: usize = 250;
/// Maximum number of rows cleaned in one transaction when there is time.
const MAX_PER_TRANSACTION: usize = 1_000;
/// Lets other processes use the database between two transactions.
const PAUSE: Duration = Duration::from_millis(2);

/// Cleans a few old rows; a failure is retried next time.
pub(super) fn some(store: &mut Store) {
    drop(step(store, MAX_PER_HOOK));
}

/// Cleans all old rows.
pub(super) fn all(store: &mut Store) -> Result<(), StoreError> {
    while step(store, MAX_PER_TRANSACTION)? == OldRows::Left {
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Returns the function that cleans a row.
///
/// Nobody knows which project's patterns a row was written with, so the user's are used.
pub(super) fn cleaner() -> impl Fn(NewObservation) -> NewObservation {
    let own = OwnPatterns::new(&settings::load_user().0.secret_patterns).unwrap_or_default();
    move |row| observations::cleaned(row, &own)
}

fn step(store: &mut Store, max: usize) -> Result<OldRows, StoreError> {
    if !store.has_old_rows()? {
        return Ok(OldRows::None);
    }
    // Nobody knows which project's patterns a row was written with, so the user's are used.
    let own = OwnPatterns::new(&settings::load_user().0.secret_patterns).unwrap_or_default();
    let found = store.clean_old_rows(max, |row| observations::cleaned(row, &own))?;
    if found == OldRows::AllClean {
        store.clean_copies(|row| observations::cleaned(row, &own))?;
        trace::clean_kept(&own)?;
        problems::clean_kept(&own)?;
        open_spool().map_or(Ok(()), |spool| spool.clean_rejected())?;
        store.end_cleaning()?;
    }
    Ok(found)
}
