//! The store: one SQLite file with everything that was observed, and all SQL of the program.
//!
//! Methods speak `model`. What a question means (`query`), how identifiers fall into parts (`words`) and how hits are
//! ranked (`rank`) are pure functions beside it; what to keep, show or forget is decided above.

mod ages;
mod cells;
mod clean;
mod context;
mod damage;
mod error;
mod expire;
mod export;
mod failures;
mod forget;
mod insert;
mod mark;
mod migrate;
mod note;
mod open;
mod pages;
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
mod suspicion;
mod words;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod plans;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

pub(crate) use ages::{Ages, ClockDoubt, DAY};
pub(crate) use clean::OldRows;
pub(crate) use damage::Judgement;
pub(crate) use error::StoreError;
pub(crate) use expire::{Copy, Reach};
pub(crate) use note::{DamageKind, DamageNote, damage_notes, damaged_files, delete_damaged};
#[cfg(test)]
use removed::count as count_copies;
pub(crate) use salvage::Which;
pub(crate) use spool::{Drained, Extent, Spool};

use crate::files;

type Result<T> = std::result::Result<T, StoreError>;

/// A door to the memory that only looks; it answers while others write.
#[derive(Debug)]
pub(crate) struct Reader {
    connection: Connection,
}

/// A door to the memory that may change it, and look too.
#[derive(Debug)]
pub(crate) struct Store {
    reader: Reader,
    path: PathBuf,
    /// The file that was opened; another one may get its name.
    identity: Option<files::Identity>,
    patience: Duration,
}

/// So many bytes of log take about as long to read as to open the file.
const MOST_LOG: u64 = 1 << 20;

impl Deref for Store {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}

impl Store {
    /// Goes on with looking only.
    pub(crate) fn into_reader(self) -> Reader {
        self.reader
    }

    /// Runs a change in one transaction that takes the write lock at once: a transaction that read first would fail
    /// under concurrency, however long it were ready to wait.
    fn write<T>(&mut self, change: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let transaction =
            self.reader.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        // The file was damaged and moved away meanwhile: what is written to it now would be lost with it.
        if files::identity(&self.path) != self.identity {
            return Err(StoreError::Busy);
        }
        let outcome = change(&transaction)?;
        transaction.commit()?;
        Ok(outcome)
    }

    /// Empties the write-ahead log when it has grown and nobody reads from it: who opens the file next reads it all.
    fn bound_log(&self) {
        if std::fs::metadata(beside(&self.path, "-wal")).is_ok_and(|meta| meta.len() > MOST_LOG) {
            self.empty_log();
        }
    }

    /// Moves everything from the log into the file, unless another process reads or writes.
    ///
    /// One flipped bit in the log loses all that comes after it; in the file it loses one page.
    pub(crate) fn empty_log(&self) {
        // Without patience: that somebody is in the way is no failure, and the next one tries again.
        let connection = &self.reader.connection;
        drop(connection.busy_timeout(Duration::ZERO));
        drop(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        drop(connection.busy_timeout(self.patience));
    }
}

/// Returns the path of a file beside the database, whose name begins with that of the database.
fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Returns the database, its log and its shared memory.
fn side_files(database: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|ending| beside(database, ending))
}
