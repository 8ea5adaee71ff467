//! The list of what the user has forgotten: keys of events, never their text. It is numbered, so that other machines can
//! ask for what is new, and everything that stores rows asks it.

use rusqlite::Connection;

use super::{Reader, Result, row};
use crate::model::{EventKey, NewObservation};

pub(super) const IS_FORGOTTEN: &str = "SELECT 1 FROM forgotten WHERE key = ?1";

impl Reader {
    /// Returns up to `max` keys of what was forgotten after this number, each with its number, oldest first.
    pub(crate) fn forgotten_since(&self, number: i64, max: usize) -> Result<Vec<(i64, EventKey)>> {
        let sql = "SELECT number, key FROM forgotten WHERE number > ?1 ORDER BY number LIMIT ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map((number, max), |row| Ok((row.get(0)?, EventKey(row.get(1)?))))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// Keeps the keys of rows that are about to be forgotten; `ids` is a JSON array.
pub(super) fn keep(connection: &Connection, ids: &str) -> Result<()> {
    let keys = "INSERT INTO forgotten (key)
         SELECT event_key FROM observations
         WHERE id IN (SELECT value FROM json_each(?1)) AND event_key IS NOT NULL
         ON CONFLICT DO NOTHING";
    connection.prepare_cached(keys)?.execute([ids])?;
    let sql = "SELECT session_id, obs_type, timestamp FROM observations
         WHERE id IN (SELECT value FROM json_each(?1)) AND metadata ->> '$.tool_use_id' IS NULL";
    let mut rows = connection.prepare_cached(sql)?;
    let rows = rows.query_map([ids], |row| {
        let (session, kind): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(minute_key(&session, &kind, row.get::<_, i64>(2)? / 60))
    })?;
    for key in rows {
        add(connection, key?)?;
    }
    Ok(())
}

/// Returns the rows that have one of these keys, or were forgotten by when they happened.
pub(super) fn rows_of(connection: &Connection, keys: &[EventKey]) -> Result<Vec<i64>> {
    let mut ids = Vec::new();
    let mut find = connection.prepare_cached("SELECT id FROM observations WHERE event_key = ?1")?;
    for key in keys {
        let found = find.query_map([key.0], |row| row.get(0))?;
        ids.extend(found.collect::<rusqlite::Result<Vec<i64>>>()?);
    }
    // Only rows of old exports have no key.
    let sql = "SELECT id, session_id, obs_type, timestamp FROM observations WHERE event_key IS NULL";
    let mut keyless = connection.prepare_cached(sql)?;
    let found = keyless.query_map([], |row| {
        let (session, kind): (String, String) = (row::text(row, 1)?, row::text(row, 2)?);
        Ok((row.get::<_, i64>(0)?, minute_key(&session, &kind, row.get::<_, i64>(3)? / 60)))
    })?;
    for row in found {
        let (id, key) = row?;
        ids.extend(keys.contains(&key).then_some(id));
    }
    Ok(ids)
}

/// Adds a key to the list; returns whether it is new.
pub(super) fn add(connection: &Connection, key: EventKey) -> Result<bool> {
    let sql = "INSERT INTO forgotten (key) VALUES (?1) ON CONFLICT DO NOTHING";
    Ok(connection.prepare_cached(sql)?.execute([key.0])? > 0)
}

/// Returns what a row may be forgotten by: its key, or else when it happened.
pub(super) fn key_of(row: &NewObservation) -> EventKey {
    let by_minute = || minute_key(&row.session_id.0, row.obs_type.name(), row.timestamp.0 / 60);
    row.event_key.unwrap_or_else(by_minute)
}

/// Identifies an event without an id by when it happened: a hash of a text could be guessed.
fn minute_key(session: &str, kind: &str, minute: i64) -> EventKey {
    EventKey::of(["minute", session, kind, &minute.to_string()])
}

pub(super) fn minute_keys(row: &NewObservation) -> [EventKey; 3] {
    let minute = row.timestamp.0 / 60;
    [minute - 1, minute, minute + 1].map(|minute| minute_key(&row.session_id.0, row.obs_type.name(), minute))
}

#[cfg(test)]
mod tests;
