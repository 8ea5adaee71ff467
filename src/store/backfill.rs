//! Storing what transcripts say: each event once, whether a hook, an earlier run or another transcript brought it first.

use std::collections::{HashMap, HashSet};

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::insert::Statements;
use super::{Reader, Result, Store, damage, forgotten, mark};
use crate::model::{
    Backfilled, EventKey, ObservationType, Pairing, PastRow, SourcePart, SourceRank, SourceState, Timestamp,
    UnknownRecords,
};

/// A hook and a transcript report the same event within this many seconds.
const PAIR_SECONDS: i64 = 30;
/// Events that are rare are the same within this many seconds.
const RARE_PAIR_SECONDS: i64 = 60;

/// What a run remembers from one transaction to the next.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// The rows that were recognised: each stands for one event.
    rows: HashSet<i64>,
    /// The sessions that a source which knows everything has rows of.
    whole: HashSet<String>,
    /// The last one of them that was added: most rows belong to it.
    last_whole: Option<String>,
}

/// The log of a run may grow to this size before it is emptied: each time waits for the disk twice.
const MAX_BULK_LOG: u64 = 64 << 20;
/// Keys are hashes, so every row changes pages all over the indexes: these are kept in memory.
const BULK_CACHE: &str = "PRAGMA cache_size = -49152; PRAGMA wal_autocheckpoint = 0";

impl Reader {
    /// Returns what is known about each transcript that was read.
    pub(crate) fn sources(&self) -> Result<HashMap<EventKey, SourceState>> {
        let mut statement = self.connection.prepare(
            "SELECT key, device, inode, size, modified, read_to, resume_at, head, tail, records, reader, since,
                 agent_version
             FROM sources",
        )?;
        let rows = statement.query_map([], |row| {
            let state = SourceState {
                device: row.get(1)?,
                inode: row.get(2)?,
                size: row.get(3)?,
                modified: row.get(4)?,
                read_to: row.get(5)?,
                resume_at: row.get(6)?,
                head: row.get(7)?,
                tail: row.get(8)?,
                records: row.get(9)?,
                reader: row.get(10)?,
                since: Timestamp(row.get(11)?),
                agent_version: row.get(12)?,
            };
            Ok((EventKey(row.get(0)?), state))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the folders of all projects.
    pub(crate) fn project_roots(&self) -> Result<Vec<String>> {
        let mut statement =
            self.connection.prepare("SELECT DISTINCT root FROM projects WHERE root IS NOT NULL")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the types of records that no reader knows.
    pub(crate) fn unknown_records(&self) -> Result<Vec<UnknownRecords>> {
        let mut statement = self.connection.prepare(
            "SELECT harness, kind, sum(count), max(agent_version)
             FROM unknown_records JOIN sources ON sources.id = unknown_records.source
             GROUP BY harness, kind ORDER BY harness, 3 DESC, kind",
        )?;
        let rows = statement.query_map([], |row| {
            let (harness, kind) = (row.get(0)?, row.get(1)?);
            Ok(UnknownRecords { harness, kind, count: row.get(2)?, agent_version: row.get(3)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns how many of these rows `backfill` would store.
    pub(crate) fn would_backfill(&self, rows: &[PastRow], pairs: &mut Pairs) -> Result<Backfilled> {
        let mut known = KnownEvents::prepare(&self.connection)?;
        let mut count = Backfilled::default();
        for row in rows {
            match known.find(row, pairs)? {
                Some(KnownBy::Forgotten) => count.forgotten += 1,
                Some(KnownBy::Row) => count.known += 1,
                None => count.count_stored(row.observation.obs_type),
            }
        }
        Ok(count)
    }
}

impl Store {
    /// Stores parts of transcripts, with how far they were read, in one transaction.
    pub(crate) fn backfill(&mut self, parts: &[SourcePart], pairs: &mut Pairs) -> Result<Backfilled> {
        let (count, last) = self.write(|connection| {
            let mut statements = Statements::prepare(connection)?;
            let mut known = KnownEvents::prepare(connection)?;
            let mut records = Records::prepare(connection)?;
            let mut count = Backfilled::default();
            for part in parts {
                let (source, is_new) = source_id(connection, part)?;
                for row in &part.rows {
                    known.make_way(row, pairs)?;
                    statements.is_fresh_session = known.is_fresh(row);
                    if records.is_copy(source, row)? {
                        count.copies += 1;
                        continue;
                    }
                    match known.find(row, pairs)? {
                        Some(KnownBy::Forgotten) => count.forgotten += 1,
                        // The last state of a list counts, whoever brings it.
                        Some(KnownBy::Row) if row.observation.is_list() => {
                            statements.store_past(row)?;
                            count.known += 1;
                        }
                        Some(KnownBy::Row) => {
                            // The hook ran before the command had ended; the transcript knows how.
                            if known.remove_unfinished(row)? {
                                statements.store_past(row)?;
                            }
                            count.known += 1;
                        }
                        None if statements.store_past(row)? => {
                            count.count_stored(row.observation.obs_type);
                        }
                        // The same file was read again within minutes.
                        None => count.known += 1,
                    }
                }
                count_unknown(connection, source, part, is_new)?;
                if let Some(state) = &part.state {
                    set_state(connection, source, state)?;
                }
            }
            Ok((count, damage::last_id(connection)?))
        })?;
        mark::raise(&self.path, last);
        self.bound_log(MAX_BULK_LOG);
        Ok(count)
    }

    /// Prepares for many transactions, one after the other.
    pub(crate) fn begin_bulk(&self) -> Result<()> {
        Ok(self.reader.connection.execute_batch(BULK_CACHE)?)
    }

    /// Notes which transcripts of an agent no longer exist; their rows stay.
    pub(crate) fn note_gone(&mut self, keys: &[EventKey], now: Timestamp) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        self.write(|connection| {
            let mut gone = connection
                .prepare_cached("UPDATE sources SET gone_at = ?2 WHERE key = ?1 AND gone_at IS NULL")?;
            for key in keys {
                gone.execute((key.0, now.0))?;
            }
            Ok(())
        })
    }
}

/// Why an event is not stored.
enum KnownBy {
    Row,
    Forgotten,
}

/// Looks up whether an event is stored or forgotten.
struct KnownEvents<'c> {
    by_key: CachedStatement<'c>,
    forgotten: CachedStatement<'c>,
    like: CachedStatement<'c>,
    remove_unfinished: CachedStatement<'c>,
    same_text: CachedStatement<'c>,
    has_calls: CachedStatement<'c>,
    has_more: CachedStatement<'c>,
    has_partial: CachedStatement<'c>,
    remove_partial: CachedStatement<'c>,
    has_forgotten: bool,
    has_rows: CachedStatement<'c>,
    /// A session that had no rows when this transaction came to it. Nobody else can store one before it ends.
    fresh: Option<String>,
}

/// The types of rows that come from tools.
const CALLS: &str =
    "('command', 'command_error', 'file_read', 'file_write', 'file_edit', 'search', 'mcp_call')";

impl<'c> KnownEvents<'c> {
    fn prepare(connection: &'c Connection) -> Result<KnownEvents<'c>> {
        Ok(KnownEvents {
            by_key: connection.prepare_cached("SELECT 1 FROM observations WHERE event_key = ?1")?,
            forgotten: connection.prepare_cached(forgotten::IS_FORGOTTEN)?,
            like: connection.prepare_cached(
                "SELECT id FROM observations
                 WHERE session_id = ?1 AND timestamp BETWEEN ?2 AND ?3 AND obs_type = ?4
                     AND (?5 IS NULL OR content = ?5) AND metadata ->> '$.origin' IS NULL
                 ORDER BY abs(timestamp - ?6)",
            )?,
            remove_unfinished: connection.prepare_cached(
                "DELETE FROM observations
                 WHERE event_key = ?1 AND obs_type = 'command' AND NOT pinned
                     AND metadata ->> '$.exit_code' IS NULL AND metadata ->> '$.origin' IS NULL",
            )?,
            same_text: connection.prepare_cached(
                "SELECT id FROM observations
                 WHERE session_id = ?1 AND obs_type = ?2 AND (?3 IS NULL OR content = ?3) ORDER BY timestamp, id",
            )?,
            has_calls: connection.prepare_cached(&format!(
                "SELECT 1 FROM observations
                 WHERE session_id = ?1 AND obs_type IN {CALLS} AND metadata ->> '$.source_rank' IS NULL"
            ))?,
            has_more: connection.prepare_cached(
                "SELECT 1 FROM observations WHERE session_id = ?1 AND metadata ->> '$.source_rank' IS NULL",
            )?,
            has_partial: connection.prepare_cached(
                "SELECT 1 FROM observations WHERE session_id = ?1 AND metadata ->> '$.source_rank' IS NOT NULL",
            )?,
            remove_partial: connection.prepare_cached(
                "DELETE FROM observations
                 WHERE session_id = ?1 AND metadata ->> '$.source_rank' IS NOT NULL AND NOT pinned",
            )?,
            has_forgotten: connection.prepare_cached("SELECT 1 FROM forgotten")?.exists([])?,
            has_rows: connection.prepare_cached("SELECT 1 FROM observations WHERE session_id = ?1")?,
            fresh: None,
        })
    }

    /// Removes what a source that knows less has stored of a session, when one that knows everything brings it.
    fn make_way(&mut self, row: &PastRow, pairs: &mut Pairs) -> Result<()> {
        let session = &row.observation.session_id.0;
        if pairs.last_whole.as_ref() == Some(session) {
            return Ok(());
        }
        let is_new = !matches!(row.pairing, Pairing::Rank(_)) && !pairs.whole.contains(session);
        if is_new {
            pairs.whole.insert(session.clone());
            pairs.last_whole = Some(session.clone());
            if !self.has_rows.exists([session])? {
                self.fresh = Some(session.clone());
                return Ok(());
            }
            // A statement that may delete makes FTS5 write out its buffer, even if there is nothing to delete.
            if self.has_partial.exists([session])? {
                self.remove_partial.execute([session])?;
            }
        }
        Ok(())
    }

    /// Returns whether all rows of this row's session come from this transaction.
    fn is_fresh(&self, row: &PastRow) -> bool {
        self.fresh.as_ref() == Some(&row.observation.session_id.0)
    }

    /// Finds an event of a source that has neither ids nor exact times.
    fn find_ranked(&mut self, row: &PastRow, rank: SourceRank, pairs: &mut Pairs) -> Result<Option<KnownBy>> {
        let new = &row.observation;
        let session = &new.session_id.0;
        if rank == SourceRank::LastResort && self.has_more.exists([session])? {
            return Ok(Some(KnownBy::Row));
        }
        let content = Some(&new.content).filter(|_| new.obs_type != ObservationType::SessionStart);
        let found =
            self.same_text.query_map(params![session, new.obs_type.name(), content], |row| row.get(0))?;
        for id in found {
            if pairs.rows.insert(id?) {
                return Ok(Some(KnownBy::Row));
            }
        }
        let is_text = matches!(
            new.obs_type,
            ObservationType::UserPrompt | ObservationType::Outcome | ObservationType::SessionStart
        );
        Ok((!is_text && self.has_calls.exists([session])?).then_some(KnownBy::Row))
    }

    /// Removes what a hook stored of a command that had not ended yet, if the row says how it ended.
    fn remove_unfinished(&mut self, row: &PastRow) -> Result<bool> {
        let has_end =
            row.observation.metadata.as_ref().is_some_and(|facts| facts.0.contains_key("exit_code"));
        if !has_end {
            return Ok(false);
        }
        let mut removed = 0;
        for key in row.observation.event_key.iter().chain(&row.other_keys) {
            removed += self.remove_unfinished.execute([key.0])?;
        }
        Ok(removed > 0)
    }

    fn find(&mut self, row: &PastRow, pairs: &mut Pairs) -> Result<Option<KnownBy>> {
        let keys = row.observation.event_key.iter().chain(&row.other_keys);
        for key in keys {
            if self.by_key.exists([key.0])? {
                return Ok(Some(KnownBy::Row));
            }
            if self.has_forgotten && self.forgotten.exists([key.0])? {
                return Ok(Some(KnownBy::Forgotten));
            }
        }
        let (window, content) = match row.pairing {
            Pairing::Key => return Ok(None),
            Pairing::Content => (PAIR_SECONDS, Some(&row.observation.content)),
            Pairing::Time => (RARE_PAIR_SECONDS, None),
            Pairing::Rank(rank) => return self.find_ranked(row, rank, pairs),
        };
        let by_minute = Some(&row.observation).filter(|_| self.has_forgotten).map(forgotten::minute_keys);
        for key in by_minute.into_iter().flatten() {
            if self.forgotten.exists([key.0])? {
                return Ok(Some(KnownBy::Forgotten));
            }
        }
        // A hook has stored nothing of it.
        if self.is_fresh(row) {
            return Ok(None);
        }
        let at = row.observation.timestamp.0;
        let found = self.like.query_map(
            params![
                row.observation.session_id.0,
                at - window,
                at + window,
                row.observation.obs_type.name(),
                content,
                at
            ],
            |row| row.get(0),
        )?;
        for id in found {
            if pairs.rows.insert(id?) {
                return Ok(Some(KnownBy::Row));
            }
        }
        Ok(None)
    }
}

/// Which transcript a record was first seen in.
struct Records<'c> {
    find: CachedStatement<'c>,
    add: CachedStatement<'c>,
}

impl<'c> Records<'c> {
    fn prepare(connection: &'c Connection) -> Result<Records<'c>> {
        Ok(Records {
            find: connection.prepare_cached("SELECT source FROM source_records WHERE id = ?1")?,
            add: connection.prepare_cached(
                "INSERT INTO source_records (id, source) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            )?,
        })
    }

    /// Returns whether another transcript has contributed one of the row's records; if not, this one does.
    fn is_copy(&mut self, source: i64, row: &PastRow) -> Result<bool> {
        // Most rows come from one record, and most records are new.
        if let [id] = row.record_ids.as_slice()
            && self.add.execute((id, source))? > 0
        {
            return Ok(false);
        }
        for id in &row.record_ids {
            let seen: Option<i64> = self.find.query_row([id], |row| row.get(0)).optional()?;
            if seen.is_some_and(|seen| seen != source) {
                return Ok(true);
            }
        }
        for id in &row.record_ids {
            self.add.execute((id, source))?;
        }
        Ok(false)
    }
}

/// Returns the number of a transcript, and whether it is a new one, which gets one.
fn source_id(connection: &Connection, part: &SourcePart) -> Result<(i64, bool)> {
    let find = "SELECT id FROM sources WHERE key = ?1";
    if let Some(id) = connection.prepare_cached(find)?.query_row([part.key.0], |row| row.get(0)).optional()? {
        return Ok((id, false));
    }
    let add =
        "INSERT INTO sources (key, harness, device, inode, size, modified, read_to, resume_at, head, tail,
             records, reader, since)
         VALUES (?1, ?2, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0)";
    connection.prepare_cached(add)?.execute((part.key.0, part.harness))?;
    Ok((connection.last_insert_rowid(), true))
}

fn count_unknown(connection: &Connection, source: i64, part: &SourcePart, is_new: bool) -> Result<()> {
    if part.is_start && !is_new {
        connection.prepare_cached("DELETE FROM unknown_records WHERE source = ?1")?.execute([source])?;
    }
    let add = "INSERT INTO unknown_records (source, kind, count) VALUES (?1, ?2, ?3)
         ON CONFLICT (source, kind) DO UPDATE SET count = count + excluded.count";
    for (kind, count) in &part.unknown {
        connection.prepare_cached(add)?.execute((source, kind, count))?;
    }
    Ok(())
}

fn set_state(connection: &Connection, source: i64, state: &SourceState) -> Result<()> {
    let set = "UPDATE sources SET device = ?2, inode = ?3, size = ?4, modified = ?5, read_to = ?6, resume_at = ?7,
             head = ?8, tail = ?9, records = ?10, reader = ?11, since = ?12, agent_version = ?13, gone_at = NULL
         WHERE id = ?1";
    connection.prepare_cached(set)?.execute(params![
        source,
        state.device,
        state.inode,
        state.size,
        state.modified,
        state.read_to,
        state.resume_at,
        state.head,
        state.tail,
        state.records,
        state.reader,
        state.since.0,
        state.agent_version,
    ])?;
    Ok(())
}
