//! The store: one SQLite file with everything that was observed, and all SQL of the program.
//!
//! Methods take and return `model` types. Parsing queries (`query`), splitting identifiers (`words`) and ranking hits
//! (`rank`) are pure functions beside them. What to keep, show or forget is decided by the callers.

mod ages;
mod backfill;
mod cells;
mod clean;
mod connection;
mod context;
mod cursor;
mod damage;
mod error;
mod expire;
mod export;
mod failures;
mod foreign;
mod forget;
mod forgotten;
mod imported;
mod insert;
mod machine;
mod mark;
mod migrate;
mod note;
mod open;
mod opencode;
mod pages;
mod projects;
mod query;
mod rank;
mod recent;
mod removed;
mod room;
mod row;
mod salvage;
mod schema;
mod search;
mod sessions;
mod spool;
mod stats;
mod streams;
mod summaries;
mod suspicion;
mod sync;
mod team_copy;
mod team_failures;
mod told;
mod viewed;
mod words;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod plans;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

pub(crate) use ages::{Ages, ClockDoubt};
pub(crate) use backfill::Pairs;
pub(crate) use clean::OldRows;
pub(crate) use cursor::read_cursor;
pub(crate) use damage::Judgement;
pub(crate) use error::StoreError;
pub(crate) use expire::{Copy, ExpireLimit};
pub(crate) use foreign::read_table;
pub(crate) use insert::row_texts;
pub(crate) use note::{DamageKind, DamageNote, damage_notes, damaged_files, delete_damaged};
pub(crate) use opencode::read_opencode;
pub(crate) use query::{LookedFor, explain_query, widened};
#[cfg(test)]
use removed::count as count_copies;
pub(crate) use salvage::SalvageScope;
pub(crate) use spool::{Drained, Extent, Spool};
pub(crate) use streams::ShareScope;
pub(crate) use sync::{IncomingLot, SyncRow};
pub(crate) use team_copy::{CopySize, TeamCopy, TeamReader, delete_team_copy};
pub(crate) use team_failures::Colleagues;
pub(crate) use told::ToldRow;

use crate::files;

type Result<T> = std::result::Result<T, StoreError>;

/// A read-only connection to the database; it works while other processes write.
#[derive(Debug)]
pub(crate) struct Reader {
    connection: Connection,
}

/// A connection that can read and write the database.
#[derive(Debug)]
pub(crate) struct Store {
    reader: Reader,
    path: PathBuf,
    /// The file that was opened; later another file may have its name.
    identity: Option<files::Identity>,
    lock_timeout: Duration,
}

/// Reading a log of this size takes about as long as opening the file.
const MAX_LOG_BYTES: u64 = 1 << 20;

/// Stops the query that runs, from another thread.
pub(crate) struct Interrupter(rusqlite::InterruptHandle);

impl Interrupter {
    pub(crate) fn interrupt(&self) {
        self.0.interrupt();
    }
}

impl Reader {
    pub(crate) fn interrupter(&self) -> Interrupter {
        Interrupter(self.connection.get_interrupt_handle())
    }

    /// Leaves the connection open until the process ends, which is about to happen: closing it would first free
    /// everything piece by piece, and an agent waits for that.
    pub(crate) fn leave_open(self) {
        std::mem::forget(self);
    }
}

impl Deref for Store {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}

impl Store {
    /// Gives up write access.
    pub(crate) fn into_reader(self) -> Reader {
        self.reader
    }

    /// Runs a change in one transaction that takes the write lock immediately. A transaction that reads first would
    /// fail under concurrency, however long it waited.
    fn write<T>(&mut self, change: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let transaction =
            self.reader.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        // The file was damaged and has been moved away: anything written to it now would be lost with it.
        if files::identity(&self.path) != self.identity {
            return Err(StoreError::Busy);
        }
        let outcome = change(&transaction)?;
        transaction.commit()?;
        Ok(outcome)
    }

    /// Writes everything that was committed to the disk; once this returns, a power cut does not lose it.
    ///
    /// In write-ahead mode a commit is otherwise on the disk only after the next checkpoint.
    pub(crate) fn sync(&self) -> Result<()> {
        let log = beside(&self.path, "-wal");
        match files::open_regular(&log, files::private_file().read(true).write(true)) {
            // A checkpoint syncs the file before it deletes the log.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            opened => opened?.sync_data().map_err(|error| StoreError::Full(error.kind().to_string()))?,
        }
        if !is_name_synced(&self.path, &log) {
            files::sync_folder_of(&log);
        }
        // The file was damaged and has been moved away, so the log may belong to another one.
        if files::identity(&self.path) != self.identity {
            return Err(StoreError::Busy);
        }
        // Rows that a power cut may lose are not marked: they are still in the spool, so nothing would be missing.
        mark::raise(&self.path, self.last_id()?);
        Ok(())
    }

    /// Returns the highest id that was ever assigned.
    pub(crate) fn last_id(&self) -> Result<i64> {
        damage::last_id(&self.reader.connection)
    }

    /// Empties the write-ahead log when it has grown and nobody reads from it: the next process to open the file has to
    /// read all of it.
    fn bound_log(&self, max_bytes: u64) {
        if std::fs::metadata(beside(&self.path, "-wal")).is_ok_and(|meta| meta.len() > max_bytes) {
            self.empty_log();
        }
    }

    /// Moves everything from the log into the file, unless another process reads or writes.
    ///
    /// One flipped bit in the log loses all that comes after it; in the file it loses one page.
    pub(crate) fn empty_log(&self) {
        // Do not wait: if another process is in the way, that is not a failure, and the next call tries again.
        let connection = &self.reader.connection;
        drop(connection.busy_timeout(Duration::ZERO));
        drop(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        drop(connection.busy_timeout(self.lock_timeout));
    }
}

/// Returns whether the folder was written to the disk since the log was created.
///
/// The mark is only raised after that, or when a damaged database is moved away, and then the next log is newer.
fn is_name_synced(database: &Path, log: &Path) -> bool {
    let created = std::fs::metadata(log).and_then(|meta| meta.created());
    created.ok().zip(mark::raised_at(database)).is_some_and(|(created, raised)| created < raised)
}

/// Returns the path of a file beside the database: the database's path with this ending.
fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Returns the database, its log and its shared memory.
fn side_files(database: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|ending| beside(database, ending))
}
