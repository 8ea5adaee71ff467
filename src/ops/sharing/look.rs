//! Looks for rows that have become shareable since the last look, and gives them numbers.

use std::collections::BTreeMap;

use super::plan::{SharePlan, SharedFolder};
use crate::model::{Observation, ShareLevel, Timestamp};
use crate::recall::shareable;
use crate::store::{Reader, ShareScope, Store, StoreError};

/// Adds what is new to the streams; returns how many rows that is.
pub(super) fn look(
    store: &mut Store,
    plan: &SharePlan,
    folders: &[SharedFolder],
    now: Timestamp,
) -> Result<usize, StoreError> {
    let mut found = 0;
    for (key, level) in &plan.team.projects {
        // What happens while the project's own settings close it stays here, also after they open it again.
        let mut own =
            folders.iter().filter(|folder| folder.key == *key).map(|folder| folder.level).peekable();
        let is_closed = own.peek().is_some() && own.all(|level| level == ShareLevel::Off);
        let level = if is_closed { ShareLevel::Off } else { *level };
        store.choose(key, level, plan.first_since(key, now))?;
        let Some(stream) = store.stream(key)? else { continue };
        // Read first: what is stored meanwhile is looked at the next time.
        let upto = store.last_id()?;
        let rows = new_rows(store, folders, key, (stream.since, stream.after), stream.looked)?;
        let keys: Vec<_> = rows.iter().filter_map(|row| Some((row.id.0, row.event_key?))).collect();
        found += store.append_to_stream(stream.id, &keys)?;
        if upto > stream.looked {
            store.set_looked(stream.id, upto)?;
        }
    }
    store.append_forgotten()?;
    Ok(found)
}

/// Returns the rows of a project that may leave, of all sessions with rows that nobody has looked at. Some may have left.
pub(super) fn new_rows(
    reader: &Reader,
    folders: &[SharedFolder],
    key: &str,
    (since, after): (Timestamp, i64),
    looked: i64,
) -> Result<Vec<Observation>, StoreError> {
    let mut by_level: BTreeMap<ShareLevel, Vec<i64>> = BTreeMap::new();
    for folder in folders.iter().filter(|folder| folder.key == key && folder.level > ShareLevel::Off) {
        by_level.entry(folder.level).or_default().push(folder.id);
    }
    let mut found = Vec::new();
    for (level, ids) in by_level {
        let scope = ShareScope { folders: &ids, since, after };
        for session in reader.sessions_after(&scope, looked)? {
            let rows = reader.rows_to_share(&scope, &session)?;
            found.extend(shareable(level, &rows).into_iter().cloned());
        }
    }
    Ok(found)
}
