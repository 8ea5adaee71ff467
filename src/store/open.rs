//! Opening the file: private, in write-ahead mode, migrated. Several processes may open a new file at the same time.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::connection::{configure, keep_log};
use super::migrate::{self, APPLICATION_ID, MIGRATIONS, Migration};
use super::schema::{self, Schema};
use super::suspicion::has_magic;
use super::{Reader, Result, Store, StoreError, beside, damage, mark, room};
use crate::files::{self, Identity, make_private_dir, private_file, slashes};

/// The pause between two attempts where SQLite itself does not wait.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// This many statements stay prepared: a server runs the same queries again and again.
const MAX_STATEMENTS: usize = 64;

impl Store {
    /// Opens the file, creates it if it does not exist, and waits up to `timeout` for a lock, now and later.
    pub(crate) fn open(path: &Path, timeout: Duration) -> Result<Store> {
        Store::open_with(path, timeout, MIGRATIONS)
    }

    pub(super) fn open_with(path: &Path, timeout: Duration, migrations: &[Migration]) -> Result<Store> {
        // Switching to write-ahead mode returns "busy" immediately where waiting could be a deadlock, so we wait
        // ourselves, and only here: nested waits multiply.
        let mut rest = timeout;
        loop {
            match connect(path, migrations) {
                Err(StoreError::Busy) if !rest.is_zero() => {
                    std::thread::sleep(POLL_INTERVAL.min(rest));
                    rest = rest.saturating_sub(POLL_INTERVAL);
                }
                outcome => {
                    let (connection, identity) = outcome?;
                    connection.busy_timeout(rest)?;
                    let reader = Reader { connection };
                    return Ok(Store { reader, path: path.to_owned(), identity, lock_timeout: rest });
                }
            }
        }
    }
}

impl Reader {
    /// Opens the file read-only; returns `None` if nothing has been stored yet.
    pub(crate) fn open(path: &Path, timeout: Duration) -> Result<Option<Reader>> {
        match fs::metadata(path) {
            Ok(meta) if !meta.is_file() => return Err(StoreError::NotAFile),
            Ok(meta) if meta.len() > 0 => refuse_other_file(path)?,
            _ => return Ok(None),
        }
        room::check(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        match Reader::over(Connection::open_with_flags(path, flags)?, path, timeout) {
            // If the side files cannot be created, nobody is writing either. With a log, the file alone is incomplete.
            Err(StoreError::ReadOnly(message)) if has_no_log(path) => {
                let address = immutable_uri(path).ok_or(StoreError::ReadOnly(message))?;
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                Reader::over(Connection::open_with_flags(address, flags)?, path, timeout)
            }
            opened => opened,
        }
    }

    /// Keeps few pages in RAM, for a server that opens the file for every question: the system has them too.
    pub(crate) fn keep_little(&self) -> Result<()> {
        Ok(self.connection.execute_batch("PRAGMA cache_size = -512")?)
    }

    fn over(connection: Connection, path: &Path, timeout: Duration) -> Result<Option<Reader>> {
        connection.busy_timeout(timeout)?;
        configure(&connection)?;
        match migrate::version(&connection, MIGRATIONS)? {
            // Another process is creating it.
            0 => Ok(None),
            version if (version as usize) < MIGRATIONS.len() => {
                drop(connection);
                Store::open(path, timeout)?;
                Reader::open(path, timeout)
            }
            _ => {
                connection.set_prepared_statement_cache_capacity(MAX_STATEMENTS);
                Ok(Some(Reader { connection }))
            }
        }
    }
}

fn has_no_log(path: &Path) -> bool {
    fs::metadata(beside(path, "-wal")).map_or(true, |meta| meta.len() == 0)
}

/// Returns SQLite's URI for a file that nobody changes; it is read without locks and side files.
fn immutable_uri(path: &Path) -> Option<String> {
    path.to_str()?;
    let start = if cfg!(windows) { "file:///" } else { "file:" };
    let path = slashes(path).replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Some(format!("{start}{path}?immutable=1"))
}

/// Opens the file and migrates it, without waiting for any lock.
fn connect(path: &Path, migrations: &[Migration]) -> Result<(Connection, Option<Identity>)> {
    make_private(path)?;
    room::check(path)?;
    let identity = files::identity(path);
    // Read this first: what another process stores meanwhile must not look like a loss.
    let mark = mark::read(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::ZERO)?;
    configure(&connection)?;
    connection.set_prepared_statement_cache_capacity(MAX_STATEMENTS);
    let version = migrate::version(&connection, migrations)?;
    if version == 0 {
        damage::notice_total_loss(&connection, path, mark)?;
        // The order matters: once the file has a first page, `auto_vacuum` can no longer be enabled.
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    }
    if version == 0 || (version as usize) < migrations.len() {
        connection.execute_batch("PRAGMA journal_mode = WAL")?;
    }
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON")?;
    // Closing the last connection does not empty the log: every hook would pay for what the next writer does anyway.
    keep_log(&connection)?;
    // One flipped bit makes a lower version of a number: a migration that was run before would fail, or harm.
    let is_older = (1..migrations.len() as u32).contains(&version);
    if is_older && schema::check(&connection, migrations, true)? == Schema::Damaged {
        return Err(StoreError::Corrupt("its version does not fit its tables".to_owned()));
    }
    if (version as usize) < migrations.len() {
        migrate::run(&mut connection, path, migrations)?;
    }
    debug_assert_eq!(APPLICATION_ID, migrate::application_id(&connection)?);
    damage::notice_loss(&connection, path, mark)?;
    // If it was moved away while it was opened, the next attempt finds the new one.
    if files::identity(path) == identity { Ok((connection, identity)) } else { Err(StoreError::Busy) }
}

/// Creates the folder and the file so that only their owner can read them; SQLite gives its side files the same mode.
fn make_private(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() && meta.len() == 0 => return Ok(()),
        Ok(meta) if meta.is_file() => return refuse_other_file(path),
        Ok(_) => return Err(StoreError::NotAFile),
        Err(_) => {}
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        make_private_dir(folder)?;
    }
    // While a damaged file is moved away, no new one is created: their side files have the same names.
    let _lock = damage::lock(path, Duration::ZERO).map_err(|error| match error.kind() {
        std::io::ErrorKind::WouldBlock => StoreError::Busy,
        _ => error.into(),
    })?;
    private_file().append(true).create(true).open(path)?;
    Ok(())
}

/// Refuses a file that is not a database and that nudge has never used.
fn refuse_other_file(path: &Path) -> Result<()> {
    if damage::is_ours(path) || has_magic(path) { Ok(()) } else { Err(StoreError::NotADatabase) }
}

#[cfg(test)]
mod tests;
