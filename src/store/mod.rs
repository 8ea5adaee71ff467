//! The store: one SQLite file with everything that was observed, and all SQL of the program.
//!
//! Methods speak `model`. What a question means (`query`), how identifiers fall into parts (`words`) and how hits are
//! ranked (`rank`) are pure functions beside it; what to keep, show or forget is decided above.

mod ages;
mod context;
mod error;
mod expire;
mod export;
mod failures;
mod forget;
mod insert;
mod migrate;
mod open;
mod query;
mod rank;
mod recent;
mod removed;
mod row;
mod search;
mod sessions;
mod spool;
mod stats;
mod words;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod plans;

use std::ops::Deref;
use std::path::PathBuf;
use std::time::Duration;

use rusqlite::Connection;

pub(crate) use ages::{Ages, ClockDoubt, DAY};
pub(crate) use error::StoreError;
pub(crate) use expire::{Copy, Reach};
#[cfg(test)]
use removed::count as count_copies;
pub(crate) use spool::{Drained, Extent, Spool};

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
        let outcome = change(&transaction)?;
        transaction.commit()?;
        Ok(outcome)
    }

    /// Empties the write-ahead log when it has grown and nobody reads from it: who opens the file next reads it all.
    fn bound_log(&self) {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        if std::fs::metadata(log).is_ok_and(|meta| meta.len() > MOST_LOG) {
            // Without patience: that somebody is in the way is no failure, and the next one tries again.
            let connection = &self.reader.connection;
            drop(connection.busy_timeout(Duration::ZERO));
            drop(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
            drop(connection.busy_timeout(self.patience));
        }
    }
}
