//! Suspicion: which errors are a reason to check for damage. `damage` decides whether a file is damaged.

use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::migrate::MIGRATIONS;
use super::pages::MAGIC;
use super::schema::{self, Schema};
use super::{Result, Store, StoreError, connection, mark};
use crate::files::{open_regular, private_file};

/// Checking the schema is not worth a longer wait.
const TIMEOUT: Duration = Duration::from_millis(20);
/// The length of the part of the header that says which versions of SQLite can read and write the file.
const HEADER_START: usize = 20;

impl Store {
    /// Returns whether an error from opening the file is a reason to check for damage.
    ///
    /// A newer version, another program's file and a read-only file are not, unless our mark is beside the file: a
    /// single flipped bit can make a nudge database look like each of them.
    pub(crate) fn is_suspicious(path: &Path, error: &StoreError) -> bool {
        match error {
            StoreError::Corrupt(_) | StoreError::Other(_) => true,
            StoreError::Newer { .. } | StoreError::Foreign => has_damaged_schema(path),
            StoreError::ReadOnly(_) => mark::read(path) > 0 && !Store::has_known_format(path),
            _ => false,
        }
    }

    /// Returns whether an error from a query is a reason to check for damage; most of them are caused by the query.
    pub(crate) fn is_suspicious_answer(path: &Path, error: &StoreError) -> bool {
        match error {
            StoreError::Corrupt(_) => true,
            StoreError::Other(_) => has_damaged_schema(path),
            _ => false,
        }
    }

    /// Returns whether SQLite may know the file's format; it is also true for a file that is not a database.
    ///
    /// This closes the file, so the process must not have it open: it would lose its locks.
    pub(crate) fn has_known_format(path: &Path) -> bool {
        let is_known =
            |start: [u8; HEADER_START]| (1..=2).contains(&start[18]) && (1..=2).contains(&start[19]);
        start_of(path).is_none_or(|start| !start.starts_with(MAGIC) || is_known(start))
    }
}

fn has_damaged_schema(path: &Path) -> bool {
    let look = || -> Result<Schema> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(TIMEOUT)?;
        connection::configure(&connection)?;
        schema::check(&connection, MIGRATIONS, true)
    };
    mark::read(path) > 0 && look() == Ok(Schema::Damaged)
}

pub(super) fn has_magic(path: &Path) -> bool {
    start_of(path).is_some_and(|start| start.starts_with(MAGIC))
}

fn start_of(path: &Path) -> Option<[u8; HEADER_START]> {
    let mut start = [0; HEADER_START];
    let mut file = open_regular(path, private_file().read(true)).ok()?;
    io::Read::read_exact(&mut file, &mut start).ok().map(|()| start)
}
