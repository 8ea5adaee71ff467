//! `team.db`: the copy of colleagues' rows, beside the database. Hooks read it without waiting, and only after a failure
//! that is new here, so that what comes in never makes an agent wait.
//!
//! Rows and the place up to which they were read change in one transaction. The file can be deleted at any time: it is
//! then brought again.

use std::path::Path;
use std::time::Duration;

use rusqlite::{
    CachedStatement, Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, params,
};

use super::connection::configure;
use super::{Reader, Result, StoreError, row, side_files, words};
use crate::files;
use crate::model::{
    ArrivedCount, ArrivedLot, ArrivedRow, ColleagueHit, ColleagueRow, DAY, EventKey, LotPlace,
    ObservationType, RandomId, RowAuthor, Search, Timestamp,
};

const SCHEMA: &str = include_str!("../../migrations/team_copy.sql");
/// Raised with every change of the schema: an older file is brought again.
const VERSION: u32 = 3;
/// "Nudt".
const APPLICATION_ID: u32 = 0x4e75_6474;
/// In the list of what was dropped: by an admin, whoever told it.
const BY_ADMIN: i64 = 0;
/// As many rows as this are deleted in one transaction.
const MAX_BATCH: usize = 1_000;

/// The copy, for the process that exchanges rows.
pub(crate) struct TeamCopy {
    connection: Connection,
}

/// The copy, for searching; nothing waits for it.
pub(crate) struct TeamReader {
    pub(super) reader: Reader,
}

/// How far a project was read, and how much came today.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct CopiedProject {
    pub(crate) place: Option<LotPlace>,
    /// Rows that came on this day.
    pub(crate) came_today: usize,
    /// Rows that were left on the server.
    pub(crate) left_out: usize,
}

/// How large the copy is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct CopySize {
    pub(crate) rows: usize,
    pub(crate) people: usize,
    pub(crate) bytes: u64,
    pub(crate) left_out: usize,
}

impl TeamCopy {
    /// Opens the copy of a server's rows; whatever else has this name is deleted.
    pub(crate) fn open(path: &Path, epoch: RandomId, timeout: Duration) -> Result<TeamCopy> {
        match TeamCopy::open_existing(path, timeout) {
            Ok(Some(copy)) if copy.epoch().ok().flatten() == Some(epoch) => return Ok(copy),
            Err(error @ (StoreError::Busy | StoreError::Full(_) | StoreError::ReadOnly(_))) => {
                return Err(error);
            }
            _ => delete_team_copy(path)?,
        }
        TeamCopy::create(path, epoch, timeout)
    }

    fn open_existing(path: &Path, timeout: Duration) -> Result<Option<TeamCopy>> {
        if !path.exists() {
            return Ok(None);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        set_up(&connection, timeout)?;
        if !is_current(&connection)? {
            return Ok(None);
        }
        Ok(Some(TeamCopy { connection }))
    }

    fn create(path: &Path, epoch: RandomId, timeout: Duration) -> Result<TeamCopy> {
        drop(files::private_file().append(true).create(true).open(path)?);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")?;
        set_up(&connection, timeout)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(SCHEMA)?;
        transaction.execute("INSERT INTO copy_of (one, epoch) VALUES (1, ?1)", [epoch.0])?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.commit()?;
        Ok(TeamCopy { connection })
    }

    fn epoch(&self) -> Result<Option<RandomId>> {
        let mut statement = self.connection.prepare_cached("SELECT epoch FROM copy_of")?;
        Ok(statement.query_row([], |row| row.get(0).map(RandomId)).optional()?)
    }

    /// Returns how far a project was read.
    pub(crate) fn project(&self, key: &str, now: Timestamp) -> Result<CopiedProject> {
        let sql = "SELECT place, mark, day, came, left_out FROM projects WHERE name = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement.query_row([key], |row| {
            let mark = row.get::<_, Option<[u8; 16]>>(1)?.map(RandomId);
            let number = row.get(0)?;
            let is_today = row.get::<_, i64>(2)? == now.0.div_euclid(DAY);
            Ok(CopiedProject {
                place: mark.map(|push| LotPlace { number, push }),
                came_today: if is_today { row.get(3)? } else { 0 },
                left_out: row.get(4)?,
            })
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    /// Returns the projects that are here.
    pub(crate) fn projects(&self) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached("SELECT name FROM projects ORDER BY name")?;
        let rows = statement.query_map([], |row| row::text(row, 0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Stores lots and moves the place behind them, in one transaction.
    ///
    /// `clean` removes what should never have been sent; rows whose key is hidden here are left out.
    pub(crate) fn receive(
        &mut self,
        key: &str,
        lots: &[ArrivedLot],
        now: Timestamp,
        me: &str,
        clean: impl Fn(&str) -> String,
        is_hidden: impl Fn(EventKey) -> bool,
    ) -> Result<ArrivedCount> {
        let Some(last) = lots.last() else { return Ok(ArrivedCount::default()) };
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let project = project_id(&transaction, key)?;
        let mut arrival = Arrival::prepare(&transaction, project)?;
        for lot in lots {
            let person = lot.member_id;
            keep_person(&transaction, lot)?;
            arrival.is_mine = lot.member == me;
            for row in &lot.rows {
                arrival.take(lot, person, row, &clean, &is_hidden)?;
            }
        }
        let count = arrival.count;
        drop(arrival);
        let sql =
            "UPDATE projects SET place = ?2, mark = ?3, came = CASE WHEN day = ?4 THEN came ELSE 0 END + ?5,
             day = ?4, numbers = numbers + ?5 WHERE id = ?1";
        let came = lots.iter().map(|lot| lot.rows.len()).sum::<usize>();
        let day = now.0.div_euclid(DAY);
        transaction.prepare_cached(sql)?.execute(params![
            project,
            last.place.number,
            last.place.push.0,
            day,
            came
        ])?;
        transaction.commit()?;
        Ok(count)
    }

    /// Returns how many numbers of a project were read or left out.
    pub(crate) fn read_numbers(&self, key: &str) -> Result<usize> {
        let sql = "SELECT numbers FROM projects WHERE name = ?1";
        let found = self.connection.prepare_cached(sql)?.query_row([key], |row| row.get(0)).optional()?;
        Ok(found.unwrap_or_default())
    }

    /// Continues at a later place, and notes how many rows were left on the server.
    pub(crate) fn jump(&mut self, key: &str, place: LotPlace, left_out: usize) -> Result<()> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let project = project_id(&transaction, key)?;
        let sql = "UPDATE projects SET place = ?2, mark = ?3, left_out = left_out + ?4,
             numbers = numbers + ?4 WHERE id = ?1";
        transaction.execute(sql, params![project, place.number, place.push.0, left_out])?;
        Ok(transaction.commit()?)
    }

    /// Deletes the rows and the place of a project: it is no longer ours to see, or has to be brought again.
    pub(crate) fn forget_project(&mut self, key: &str) -> Result<()> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let project = project_id(&transaction, key)?;
        for sql in [
            "DELETE FROM observations WHERE project_id = ?1",
            "DELETE FROM dropped WHERE project_id = ?1",
            "DELETE FROM unknown_records WHERE project_id = ?1",
            "DELETE FROM projects WHERE id = ?1",
        ] {
            transaction.execute(sql, [project])?;
        }
        delete_idle_people(&transaction)?;
        transaction.commit()?;
        self.scrub()
    }

    /// Deletes the oldest rows of a project: those before a time, and those that are too many. Returns how many.
    pub(crate) fn trim(&mut self, key: &str, oldest: Timestamp, keep: usize) -> Result<usize> {
        let sql = "SELECT id FROM projects WHERE name = ?1";
        let known = self.connection.prepare_cached(sql)?.query_row([key], |row| row.get(0)).optional()?;
        let Some(project): Option<i64> = known else { return Ok(0) };
        let sql = "SELECT received, id FROM observations WHERE project_id = ?1
             ORDER BY received DESC, id DESC LIMIT 1 OFFSET ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let too_many = statement.query_row(params![project, keep], |row| Ok((row.get(0)?, row.get(1)?)));
        let (received, id): (i64, i64) = too_many.optional()?.unwrap_or((i64::MIN, 0));
        drop(statement);
        let sql = "SELECT id FROM observations
             WHERE project_id = ?1 AND (received < ?2 OR (received, id) <= (?3, ?4))";
        let mut statement = self.connection.prepare_cached(sql)?;
        let ids = statement.query_map((project, oldest.0, received, id), |row| row.get(0))?;
        let ids = ids.collect::<rusqlite::Result<Vec<i64>>>()?;
        drop(statement);
        for some in ids.chunks(MAX_BATCH) {
            let list = format!("[{}]", some.iter().map(i64::to_string).collect::<Vec<_>>().join(","));
            let sql = "DELETE FROM observations WHERE id IN (SELECT value FROM json_each(?1))";
            self.connection.execute(sql, [list])?;
        }
        Ok(ids.len())
    }

    /// Deletes rows by their keys, in every project, from the copy that is there; returns how many there were.
    pub(crate) fn remove_from(path: &Path, keys: &[EventKey], timeout: Duration) -> Result<usize> {
        match TeamCopy::open_existing(path, timeout)? {
            Some(mut copy) if !keys.is_empty() => copy.remove(keys),
            _ => Ok(0),
        }
    }

    fn remove(&mut self, keys: &[EventKey]) -> Result<usize> {
        let mut removed = 0;
        for key in keys {
            let sql = "DELETE FROM observations WHERE event_key = ?1";
            removed += self.connection.prepare_cached(sql)?.execute([key.0])?;
        }
        if removed > 0 {
            self.scrub()?;
        }
        Ok(removed)
    }

    /// Removes what deleted rows may have left in the file and its log.
    pub(crate) fn scrub(&self) -> Result<()> {
        let mut vacuum = self.connection.prepare("PRAGMA incremental_vacuum")?;
        let mut pages = vacuum.query([])?;
        while pages.next()?.is_some() {}
        drop(pages);
        drop(vacuum);
        drop(self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        Ok(())
    }
}

impl TeamReader {
    /// Opens the copy for reading, without waiting; `None` if there is none, or none that can be read now.
    pub(crate) fn open(path: &Path) -> Option<TeamReader> {
        if !path.exists() {
            return None;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).ok()?;
        connection.busy_timeout(Duration::ZERO).ok()?;
        configure(&connection).ok()?;
        is_current(&connection).ok().filter(|is_current| *is_current)?;
        Some(TeamReader { reader: Reader { connection } })
    }

    /// Returns the hits of a search, the best first, each with its author.
    pub(crate) fn search(&self, search: &Search, now: Timestamp) -> Result<Vec<ColleagueHit>> {
        let hits = self.reader.search(search, now)?;
        let with_author = hits.into_iter().map(|hit| {
            let author = self.author(hit.id.0)?;
            Ok(author.map(|author| ColleagueHit { hit, author }))
        });
        Ok(with_author.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// Returns whole rows by their numbers.
    pub(crate) fn get(&self, numbers: &[i64]) -> Result<Vec<ColleagueRow>> {
        let mut rows = Vec::new();
        for number in numbers {
            let found = row::first(&self.reader.connection, "WHERE id = ?1", [number])?;
            if let (Some(observation), Some(author)) = (found, self.author(*number)?) {
                rows.push(ColleagueRow { observation, author });
            }
        }
        Ok(rows)
    }

    fn author(&self, number: i64) -> Result<Option<RowAuthor>> {
        let sql =
            "SELECT people.name, is_ci, event_key FROM observations JOIN people ON people.id = person_id
             WHERE observations.id = ?1";
        let mut statement = self.reader.connection.prepare_cached(sql)?;
        let found = statement.query_row([number], |row| {
            let event_key = row.get::<_, Option<[u8; 16]>>(2)?.map(EventKey);
            Ok(RowAuthor { name: row::text(row, 0)?, is_ci: row.get(1)?, event_key })
        });
        Ok(found.optional()?)
    }

    /// Returns how large the copy is; rows of this member are not counted as a colleague's.
    pub(crate) fn size(&self, me: Option<&str>) -> Result<CopySize> {
        let count = |sql: &str| self.reader.connection.query_row(sql, [], |row| row.get::<_, usize>(0));
        let sql = "SELECT count(*), count(DISTINCT person_id) FROM observations JOIN people ON people.id = person_id
             WHERE people.name IS NOT ?1";
        let (rows, people) =
            self.reader.connection.query_row(sql, [me], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let bytes = count("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")?;
        Ok(CopySize {
            rows,
            people,
            bytes: bytes as u64,
            left_out: count("SELECT coalesce(sum(left_out), 0) FROM projects")?,
        })
    }
}

/// Deletes the copy and what SQLite keeps beside it.
pub(crate) fn delete_team_copy(path: &Path) -> Result<()> {
    for file in side_files(path) {
        match std::fs::remove_file(file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

fn set_up(connection: &Connection, timeout: Duration) -> Result<()> {
    connection.busy_timeout(timeout)?;
    configure(connection)?;
    connection.set_prepared_statement_cache_capacity(64);
    // A power cut may lose the last lots together with their place, and they are brought again.
    Ok(connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON")?)
}

fn is_current(connection: &Connection) -> Result<bool> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let is_ours = number("application_id")? == i64::from(APPLICATION_ID);
    Ok(is_ours && number("user_version")? == i64::from(VERSION))
}

fn project_id(connection: &Connection, key: &str) -> Result<i64> {
    let sql = "INSERT INTO projects (name) VALUES (?1) ON CONFLICT DO NOTHING";
    connection.prepare_cached(sql)?.execute([key])?;
    let sql = "SELECT id FROM projects WHERE name = ?1";
    Ok(connection.prepare_cached(sql)?.query_row([key], |row| row.get(0))?)
}

fn keep_person(connection: &Connection, lot: &ArrivedLot) -> Result<()> {
    let sql = "INSERT INTO people (id, name, is_ci) VALUES (?1, ?2, ?3)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, is_ci = excluded.is_ci, removed = 0
             WHERE (name, is_ci, removed) <> (excluded.name, excluded.is_ci, 0)";
    connection.prepare_cached(sql)?.execute(params![lot.member_id, lot.member, lot.is_ci])?;
    Ok(())
}

fn delete_idle_people(connection: &Connection) -> Result<()> {
    let sql = "DELETE FROM people WHERE NOT EXISTS (SELECT 1 FROM observations WHERE person_id = people.id)
         AND NOT EXISTS (SELECT 1 FROM dropped WHERE person_id = people.id)
         AND NOT EXISTS (SELECT 1 FROM unknown_records WHERE person_id = people.id)";
    connection.execute(sql, [])?;
    Ok(())
}

/// Takes the rows of one transaction.
struct Arrival<'c> {
    project: i64,
    /// Whether the lot is of this user, whose rows are not counted as a colleague's.
    is_mine: bool,
    insert: CachedStatement<'c>,
    index: CachedStatement<'c>,
    is_dropped: CachedStatement<'c>,
    connection: &'c Connection,
    count: ArrivedCount,
}

impl<'c> Arrival<'c> {
    fn prepare(connection: &'c Connection, project: i64) -> Result<Arrival<'c>> {
        Ok(Arrival {
            project,
            is_mine: false,
            insert: connection.prepare_cached(
                "INSERT INTO observations (timestamp, received, session_id, project_id, person_id, obs_type, content,
                     file_path, metadata, event_key, program, signature, parts)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT DO NOTHING",
            )?,
            index: connection.prepare_cached(
                "INSERT INTO observations_fts (rowid, content, file_path, parts, tags) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?,
            is_dropped: connection.prepare_cached(
                "SELECT 1 FROM dropped WHERE project_id = ?1 AND event_key = ?2 AND person_id IN (?3, ?4)",
            )?,
            connection,
            count: ArrivedCount::default(),
        })
    }

    fn take(
        &mut self,
        lot: &ArrivedLot,
        person: i64,
        row: &ArrivedRow,
        clean: &impl Fn(&str) -> String,
        is_hidden: &impl Fn(EventKey) -> bool,
    ) -> Result<()> {
        match (row.kind.as_str(), row.event_key) {
            ("observation", Some(key)) if is_hidden(key) => Ok(()),
            ("observation", Some(key)) => match row.obs_type.as_deref().and_then(|name| name.parse().ok()) {
                Some(obs_type) => self.store(lot, person, row, key, obs_type, clean),
                // A newer program may know this type; tags of the index are made of it, so it is not taken on trust.
                None => self.keep(lot, person, row, "observation"),
            },
            ("drop", Some(key)) => self.take_back(person, key, row.by_admin),
            // Only an admin's word about somebody else counts; the server checks that too.
            ("purge", _) if row.by_admin => self.purge(row),
            ("removed", _) if row.by_admin => self.note_removal(row),
            ("observation" | "drop" | "purge" | "removed" | "gone", _) => Ok(()),
            (kind, _) => self.keep(lot, person, row, kind),
        }
    }

    fn store(
        &mut self,
        lot: &ArrivedLot,
        person: i64,
        row: &ArrivedRow,
        key: EventKey,
        obs_type: ObservationType,
        clean: &impl Fn(&str) -> String,
    ) -> Result<()> {
        if self.is_dropped.exists(params![self.project, key.0, person, BY_ADMIN])? {
            return Ok(());
        }
        let optional = |text: &Option<String>| text.as_deref().map(clean);
        let (content, file_path) = (optional(&row.content).unwrap_or_default(), optional(&row.file_path));
        let parts = words::parts([Some(content.as_str()), file_path.as_deref()].into_iter().flatten());
        let session = row.session.map(|session| format!("{:032x}", u128::from_be_bytes(session)));
        let facts = row.facts.as_ref().map(|facts| clean(&serde_json::to_string(facts).unwrap_or_default()));
        // Cleaning may have changed a fact so that it is no longer JSON; then there are none.
        let facts = facts.filter(|facts| serde_json::from_str::<serde_json::Value>(facts).is_ok());
        let obs_type = obs_type.name();
        let inserted = self.insert.execute(params![
            lot.shown_time(row.at).0,
            lot.received.0,
            session.unwrap_or_default(),
            self.project,
            person,
            obs_type,
            content,
            file_path,
            facts,
            key.0,
            optional(&row.program),
            optional(&row.signature),
            parts,
        ]);
        let is_stored = match inserted {
            Ok(count) => count > 0,
            // One row that does not fit must not keep everything behind it from coming.
            Err(rusqlite::Error::SqliteFailure(error, _)) if error.code == ErrorCode::ConstraintViolation => {
                self.count.unreadable += 1;
                false
            }
            Err(error) => return Err(error.into()),
        };
        if is_stored {
            let id = self.connection.last_insert_rowid();
            let tags = format!("t{obs_type} p{}", self.project);
            self.index.execute(params![id, content, file_path, parts, tags])?;
            self.count.stored += usize::from(!self.is_mine);
        }
        Ok(())
    }

    fn take_back(&mut self, person: i64, key: EventKey, by_admin: bool) -> Result<()> {
        let by = if by_admin { BY_ADMIN } else { person };
        let sql = "INSERT INTO dropped (project_id, event_key, person_id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
        self.connection.prepare_cached(sql)?.execute(params![self.project, key.0, by])?;
        let sql = "DELETE FROM observations WHERE event_key = ?2 AND project_id = ?1 AND (?3 = 0 OR person_id = ?3)";
        let dropped = self.connection.prepare_cached(sql)?.execute(params![self.project, key.0, by])?;
        self.count.deleted += dropped;
        self.count.dropped += if self.is_mine { 0 } else { dropped };
        Ok(())
    }

    /// Deletes all rows of the person that the record names.
    fn purge(&mut self, row: &ArrivedRow) -> Result<()> {
        let person = row.facts.as_ref().and_then(|facts| facts.get("member")?.as_i64());
        let sql = "DELETE FROM observations WHERE project_id = ?1 AND person_id = ?2";
        let dropped = self.connection.prepare_cached(sql)?.execute(params![self.project, person])?;
        self.count.deleted += dropped;
        self.count.dropped += dropped;
        Ok(())
    }

    /// Notes that a person is no longer a member; their rows stay.
    fn note_removal(&mut self, row: &ArrivedRow) -> Result<()> {
        let person = row.facts.as_ref().and_then(|facts| facts.get("member")?.as_i64());
        self.connection.prepare_cached("UPDATE people SET removed = 1 WHERE id = ?1")?.execute([person])?;
        Ok(())
    }

    fn keep(&mut self, lot: &ArrivedLot, person: i64, row: &ArrivedRow, kind: &str) -> Result<()> {
        let record = serde_json::json!({
            "at": row.at, "obs_type": row.obs_type, "event_key": row.event_key, "content": row.content,
            "program": row.program, "signature": row.signature, "file_path": row.file_path, "facts": row.facts,
        });
        let sql = "INSERT INTO unknown_records (project_id, place, number, person_id, kind, record)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING";
        let number = lot.place.number;
        self.connection.prepare_cached(sql)?.execute(params![
            self.project,
            number,
            row.number,
            person,
            kind,
            record.to_string()
        ])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
