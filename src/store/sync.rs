//! What one person's machines exchange: rows of any machine, each with its number there, and what was forgotten.
//!
//! A lot of rows and how far its machine is known are stored in one transaction, so a hole cannot be taken for the end.

use rusqlite::{Connection, OptionalExtension, params};

use super::forget::{IndexRemoval, command, delete_rows};
use super::insert::{InsertSource, Statements};
use super::{MAX_LOG_BYTES, Reader, Result, Store, damage, forgotten, removed, row};
use crate::model::{
    EventKey, KnownMachine, MachineKey, NewObservation, ObservationId, PeerKind, RepositoryId, Selection,
    SessionId, SyncLot, SyncMark, SyncPeer, TakenForgotten, TakenRows, Timestamp,
};

/// Marks of more sent lots than this are not kept: a machine that is further behind is believed.
const MAX_MARKS: i64 = 10_000;

/// A row to send, with its number on its machine and the name that the user gave its project.
#[derive(Debug, PartialEq)]
pub(crate) struct SyncRow {
    pub(crate) number: i64,
    pub(crate) title: Option<String>,
    pub(crate) observation: NewObservation,
}

/// A lot that another machine has sent.
#[derive(Clone, Copy)]
pub(crate) struct IncomingLot<'l> {
    /// Who sent it, and not necessarily who observed it.
    pub(crate) peer: MachineKey,
    pub(crate) lot: &'l SyncLot,
    pub(crate) rows: &'l [(i64, NewObservation)],
    /// Whether it has everything that its machine has at these numbers.
    pub(crate) is_whole: bool,
    /// Whether this machine has left out rows of it.
    pub(crate) is_cut: bool,
}

impl Reader {
    /// Returns every other machine of which rows were ever here.
    pub(crate) fn known_machines(&self) -> Result<Vec<KnownMachine>> {
        let sql = "SELECT key, upto, mark, forgotten, has_gaps,
                 max(upto, coalesce((SELECT max(upto) FROM sync_places WHERE origin = origins.id), 0))
             FROM origins ORDER BY id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(KnownMachine {
                key: MachineKey(row.get(0)?),
                upto: row.get(1)?,
                mark: row.get::<_, Option<[u8; 8]>>(2)?.map(SyncMark),
                forgotten: row.get(3)?,
                has_gaps: row.get(4)?,
                reached: row.get(5)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns how far a machine has passed on the rows of another one, with gaps.
    pub(crate) fn place(&self, peer: MachineKey, machine: MachineKey) -> Result<i64> {
        let sql = "SELECT upto FROM sync_places WHERE peer = (SELECT id FROM origins WHERE key = ?1)
             AND origin = (SELECT id FROM origins WHERE key = ?2)";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row((peer.0, machine.0), |row| row.get(0)).optional()?.unwrap_or(0))
    }

    /// Returns the highest number of a row of this machine.
    pub(crate) fn own_upto(&self) -> Result<i64> {
        damage::last_id(&self.connection)
    }

    /// Returns the highest number in the list of what was forgotten here.
    pub(crate) fn forgotten_upto(&self) -> Result<i64> {
        let sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'forgotten'";
        Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
    }

    /// Returns whether this machine has sent its rows up to this number with this mark.
    pub(crate) fn has_sent(&self, upto: i64, mark: SyncMark) -> Result<bool> {
        let (count, oldest): (i64, i64) = self.connection.query_row(
            "SELECT count(*), coalesce(min(upto), 0) FROM sync_marks",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let sql = "SELECT 1 FROM sync_marks WHERE upto = ?1 AND mark = ?2";
        let is_known = self.connection.prepare_cached(sql)?.exists((upto, mark.0))?;
        Ok(is_known || count >= MAX_MARKS && upto < oldest)
    }

    /// Returns up to `max` rows of this machine with numbers after `after`, up to `upto`.
    pub(crate) fn own_rows(&self, after: i64, upto: i64, max: usize) -> Result<Vec<SyncRow>> {
        let condition = "id > ?1 AND id <= ?2 AND coalesce(origin, 0) = 0 ORDER BY id LIMIT ?3";
        self.sync_rows("id", condition, params![after, upto, max])
    }

    /// Returns up to `max` rows of another machine with numbers after `after`, up to `upto`.
    pub(crate) fn rows_of(
        &self,
        machine: MachineKey,
        after: i64,
        upto: i64,
        max: usize,
    ) -> Result<Vec<SyncRow>> {
        let condition = "origin = (SELECT id FROM origins WHERE key = ?4) AND origin > 0
             AND origin_seq > ?1 AND origin_seq <= ?2 ORDER BY origin_seq LIMIT ?3";
        self.sync_rows("origin_seq", condition, params![after, upto, max, machine.0])
    }

    fn sync_rows(
        &self,
        number: &str,
        condition: &str,
        params: impl rusqlite::Params,
    ) -> Result<Vec<SyncRow>> {
        let sql = format!(
            "SELECT {}, {number}, (SELECT name FROM projects WHERE id = observed.project_id),
                 (SELECT birth FROM project_identities WHERE id = observed.project_id)
             FROM observed WHERE {condition}",
            row::COLUMNS
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params, |found| {
            let mut observation = row::observation(found)?.seen;
            // A title is what this machine calls the project; the name is the same everywhere.
            let title = std::mem::replace(&mut observation.project, row::optional_text(found, 17)?);
            let birth = row::optional_text(found, 18)?;
            if birth.is_some() {
                observation.repository.get_or_insert_with(RepositoryId::default).birth = birth;
            }
            Ok(SyncRow { number: found.get(16)?, title, observation })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns whether a row of another machine is to be stored: it is neither here nor forgotten, or it is newer than
    /// what is here of it.
    pub(crate) fn wants(&self, machine: MachineKey, number: i64, key: EventKey) -> Result<bool> {
        let sql = "SELECT coalesce(origins.key = ?2 AND origin_seq < ?3, 0) FROM observations
             LEFT JOIN origins ON origins.id = observations.origin WHERE event_key = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found: Option<bool> =
            statement.query_row(params![key.0, machine.0, number], |row| row.get(0)).optional()?;
        match found {
            Some(is_older) => Ok(is_older),
            None => Ok(!self.connection.prepare_cached(forgotten::IS_FORGOTTEN)?.exists([key.0])?),
        }
    }

    /// Returns the session and the time of each row that has one of these keys.
    pub(crate) fn moments_of(&self, keys: &[EventKey]) -> Result<Vec<(SessionId, Timestamp)>> {
        let ids = forgotten::rows_of(&self.connection, keys)?;
        self.selected_moments(&Selection::Ids(ids.into_iter().map(ObservationId).collect()))
    }

    /// Returns with whom rows were exchanged, in the order in which they were met.
    pub(crate) fn sync_peers(&self) -> Result<Vec<SyncPeer>> {
        let sql =
            "SELECT kind, name, remote, tried_at, reached_at, sent_at, sent, brought_at, brought, problem
             FROM sync_peers ORDER BY id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let time =
            |row: &rusqlite::Row<'_>, column| row.get::<_, Option<i64>>(column).map(|at| at.map(Timestamp));
        let rows = statement.query_map([], |row| {
            let kind = match row::text(row, 0)?.as_str() {
                "ssh" => PeerKind::Ssh,
                "file" => PeerKind::File,
                _ => PeerKind::Caller,
            };
            Ok(SyncPeer {
                kind,
                name: row::text(row, 1)?,
                remote: row::optional_text(row, 2)?,
                tried_at: time(row, 3)?,
                reached_at: time(row, 4)?,
                sent_at: time(row, 5)?,
                sent: row.get(6)?,
                brought_at: time(row, 7)?,
                brought: row.get(8)?,
                problem: row::optional_text(row, 9)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Store {
    /// Returns the mark of this machine's rows up to a number, which are about to be sent.
    pub(crate) fn mark_sent(&mut self, upto: i64) -> Result<SyncMark> {
        let find = "SELECT mark FROM sync_marks WHERE upto = ?1";
        let known = |connection: &Connection| -> Result<Option<SyncMark>> {
            Ok(connection
                .prepare_cached(find)?
                .query_row([upto], |row| row.get(0).map(SyncMark))
                .optional()?)
        };
        if let Some(mark) = known(&self.reader.connection)? {
            return Ok(mark);
        }
        self.write(|connection| {
            let mut bytes = [0; 8];
            getrandom::fill(&mut bytes).expect("the system has a source of random numbers");
            let sql = "INSERT INTO sync_marks (upto, mark) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            connection.prepare_cached(sql)?.execute((upto, bytes))?;
            let sql = "DELETE FROM sync_marks WHERE upto <
                 (SELECT upto FROM sync_marks ORDER BY upto DESC LIMIT 1 OFFSET ?1)";
            connection.prepare_cached(sql)?.execute([MAX_MARKS - 1])?;
            Ok(known(connection)?.unwrap_or(SyncMark(bytes)))
        })
    }

    /// Stores what is new of a lot, with how far its machine is known now, in one transaction.
    pub(crate) fn take_lot(&mut self, incoming: &IncomingLot<'_>) -> Result<TakenRows> {
        let IncomingLot { peer, lot, rows, is_whole, is_cut } = *incoming;
        let taken = self.write(|connection| {
            let origin = origin_id(connection, lot.machine)?;
            let mut statements = Statements::prepare(connection)?;
            let mut taken = TakenRows::default();
            for (number, new) in rows {
                let key = forgotten::key_of(new);
                if connection.prepare_cached(forgotten::IS_FORGOTTEN)?.exists([key.0])? {
                    taken.forgotten += 1;
                    continue;
                }
                remove_older(connection, origin, *number, new)?;
                let source = InsertSource::Machine { origin, number: *number };
                if statements.store(None, new, source)? { taken.stored += 1 } else { taken.known += 1 }
            }
            if is_whole {
                let sql = "UPDATE origins SET upto = ?2, mark = ?3 WHERE id = ?1 AND upto < ?2";
                connection.prepare_cached(sql)?.execute(params![
                    origin,
                    lot.upto,
                    lot.mark.map(|mark| mark.0)
                ])?;
            } else {
                let sql = "INSERT INTO sync_places (peer, origin, upto) VALUES (?1, ?2, ?3)
                     ON CONFLICT DO UPDATE SET upto = max(upto, excluded.upto)";
                let peer = origin_id(connection, peer)?;
                connection.prepare_cached(sql)?.execute([peer, origin, lot.upto])?;
            }
            if is_cut || !is_whole {
                let sql = "UPDATE origins SET has_gaps = 1 WHERE id = ?1";
                connection.prepare_cached(sql)?.execute([origin])?;
            }
            Ok(taken)
        })?;
        if taken.stored > 0 {
            self.sync()?;
            self.bound_log(MAX_LOG_BYTES);
        }
        Ok(taken)
    }

    /// Forgets what another machine has forgotten, up to a number of its list, in one transaction.
    pub(crate) fn take_forgotten(
        &mut self,
        peer: MachineKey,
        keys: &[EventKey],
        upto: i64,
    ) -> Result<TakenForgotten> {
        self.write(|connection| {
            let mut new = Vec::new();
            for key in keys {
                if forgotten::add(connection, *key)? {
                    new.push(*key);
                }
            }
            let ids = if new.is_empty() { Vec::new() } else { forgotten::rows_of(connection, &new)? };
            if !ids.is_empty() {
                delete_rows(connection, &ids)?;
            }
            if !new.is_empty() {
                connection.execute("UPDATE machine SET unscrubbed = 1", [])?;
            }
            let peer = origin_id(connection, peer)?;
            let sql = "UPDATE origins SET forgotten = max(forgotten, ?2) WHERE id = ?1";
            connection.prepare_cached(sql)?.execute([peer, upto])?;
            Ok(TakenForgotten { new: new.len(), deleted: ids.len() })
        })
    }

    /// Removes from all files what other machines have forgotten; returns whether no reader was in the way.
    pub(crate) fn scrub_taken(&mut self) -> Result<bool> {
        let sql = "SELECT coalesce(max(unscrubbed), 0) FROM machine";
        if !self.connection.query_row(sql, [], |row| row.get::<_, bool>(0))? {
            return Ok(true);
        }
        let copies = removed::count(&self.path);
        // The copies cannot be searched, and the words of expired rows may still be in the index.
        removed::clear(&self.path)?;
        if copies > 0 {
            self.write(|connection| command(connection, "optimize", 0))?;
        }
        self.delete(&[], IndexRemoval::Overwrite)?;
        let is_scrubbed = self.scrub()?;
        if is_scrubbed {
            self.write(|connection| Ok(connection.execute("UPDATE machine SET unscrubbed = 0", [])?))?;
        }
        Ok(is_scrubbed)
    }

    /// Notes what an attempt to exchange rows with someone came to; counts of 0 leave the last movement as it is.
    pub(crate) fn note_peer(&mut self, peer: &SyncPeer, machine: Option<MachineKey>) -> Result<()> {
        let time = |at: Option<Timestamp>| at.map(|at| at.0);
        self.write(|connection| {
            let sql =
                "INSERT INTO sync_peers (kind, name, remote, machine, tried_at, reached_at, sent_at, sent,
                     brought_at, brought, problem)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
                 ON CONFLICT (kind, name) DO UPDATE SET remote = coalesce(excluded.remote, remote),
                     machine = coalesce(excluded.machine, machine), tried_at = excluded.tried_at,
                     reached_at = coalesce(excluded.reached_at, reached_at),
                     sent_at = coalesce(excluded.sent_at, sent_at),
                     sent = iif(excluded.sent_at IS NULL, sent, excluded.sent),
                     brought_at = coalesce(excluded.brought_at, brought_at),
                     brought = iif(excluded.brought_at IS NULL, brought, excluded.brought),
                     problem = excluded.problem";
            connection.prepare_cached(sql)?.execute(params![
                peer.kind.name(),
                peer.name,
                peer.remote,
                machine.map(|machine| machine.0),
                time(peer.tried_at),
                time(peer.reached_at),
                time(peer.sent_at),
                peer.sent,
                time(peer.brought_at),
                peer.brought,
                peer.problem,
            ])?;
            Ok(())
        })
    }

    /// Forgets with whom rows were exchanged; returns whether it was known.
    pub(crate) fn remove_peer(&mut self, kind: PeerKind, name: &str) -> Result<bool> {
        let sql = "DELETE FROM sync_peers WHERE kind = ?1 AND name = ?2";
        self.write(|connection| Ok(connection.execute(sql, (kind.name(), name))? > 0))
    }
}

/// Removes an earlier state of a row, which its machine has replaced. A list is joined with what is here of it.
fn remove_older(connection: &Connection, origin: i64, number: i64, new: &NewObservation) -> Result<()> {
    let Some(key) = new.event_key.filter(|_| !new.is_list()) else { return Ok(()) };
    let older = "FROM observations WHERE event_key = ?1 AND origin = ?2 AND origin_seq < ?3 AND NOT pinned";
    let params = params![key.0, origin, number];
    // A statement that may delete makes FTS5 write out its buffer, even if there is nothing to delete.
    if connection.prepare_cached(&format!("SELECT 1 {older}"))?.exists(params)? {
        connection.prepare_cached(&format!("DELETE {older}"))?.execute(params)?;
    }
    Ok(())
}

/// Returns the number that a machine has here; a new one gets one.
fn origin_id(connection: &Connection, machine: MachineKey) -> Result<i64> {
    let find = "SELECT id FROM origins WHERE key = ?1";
    if let Some(id) = connection.prepare_cached(find)?.query_row([machine.0], |row| row.get(0)).optional()? {
        return Ok(id);
    }
    connection.prepare_cached("INSERT INTO origins (key) VALUES (?1)")?.execute([machine.0])?;
    Ok(connection.last_insert_rowid())
}

#[cfg(test)]
mod tests;
