//! The store: one SQLite file with everything that was observed, and all SQL of the program.
//!
//! Methods speak `model`. What a question means (`query`), how identifiers fall into parts (`words`) and how hits are
//! ranked (`rank`) are pure functions beside it; what to keep, show or forget is decided above.

mod context;
mod error;
mod export;
mod failures;
mod forget;
mod insert;
mod migrate;
mod open;
mod query;
mod rank;
mod recent;
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

use rusqlite::Connection;

pub(crate) use error::StoreError;
pub(crate) use spool::{Drained, Spool};

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
}

impl Deref for Store {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}

impl Store {
    /// Runs a change in one transaction that takes the write lock at once: a transaction that read first would fail
    /// under concurrency, however long it were ready to wait.
    fn write<T>(&mut self, change: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let transaction =
            self.reader.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let outcome = change(&transaction)?;
        transaction.commit()?;
        Ok(outcome)
    }
}
