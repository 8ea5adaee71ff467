//! Suspicion: which errors are a reason to look for damage. Whether a file is damaged is decided elsewhere.

use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::migrate::MIGRATIONS;
use super::pages::MAGIC;
use super::schema::{self, Schema};
use super::{Result, Store, StoreError, mark, open};
use crate::files::{open_regular, private_file};

/// A look at the schema is not worth waiting for.
const TIMEOUT: Duration = Duration::from_millis(20);
/// The part of the header that says which programs can read and write the file.
const START: usize = 20;

impl Store {
    /// Says whether an error at opening the file is a reason to look for damage.
    ///
    /// A newer version, another program and a file that cannot be written are not, except where our mark is beside the
    /// file: a single flipped bit makes a file of ours look like each of them.
    pub(crate) fn is_suspicious(path: &Path, error: &StoreError) -> bool {
        match error {
            StoreError::Corrupt(_) | StoreError::Other(_) => true,
            StoreError::Newer { .. } | StoreError::Foreign => has_damaged_schema(path),
            StoreError::ReadOnly(_) => mark::read(path) > 0 && !Store::has_known_format(path),
            _ => false,
        }
    }

    /// Says whether an error of a question is a reason to look for damage; most of them come from the question.
    pub(crate) fn is_suspicious_answer(path: &Path, error: &StoreError) -> bool {
        match error {
            StoreError::Corrupt(_) => true,
            StoreError::Other(_) => has_damaged_schema(path),
            _ => false,
        }
    }

    /// Says whether SQLite can know the file's format; a file that is not a database has none.
    ///
    /// It closes the file, so the process must not have it open: it would lose its locks.
    pub(crate) fn has_known_format(path: &Path) -> bool {
        let is_known = |start: [u8; START]| (1..=2).contains(&start[18]) && (1..=2).contains(&start[19]);
        start_of(path).is_none_or(|start| !start.starts_with(MAGIC) || is_known(start))
    }
}

fn has_damaged_schema(path: &Path) -> bool {
    let look = || -> Result<Schema> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(TIMEOUT)?;
        open::configure(&connection)?;
        schema::check(&connection, MIGRATIONS, true)
    };
    mark::read(path) > 0 && look() == Ok(Schema::Damaged)
}

pub(super) fn has_magic(path: &Path) -> bool {
    start_of(path).is_some_and(|start| start.starts_with(MAGIC))
}

fn start_of(path: &Path) -> Option<[u8; START]> {
    let mut start = [0; START];
    let mut file = open_regular(path, private_file().read(true)).ok()?;
    io::Read::read_exact(&mut file, &mut start).ok().map(|()| start)
}
