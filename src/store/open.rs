//! Opening the file: private, in write-ahead mode, brought up to date; four processes may do it at once on a new file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, FileControl, OpenFlags};

use super::migrate::{self, APPLICATION_ID, MIGRATIONS, Migration};
use super::{Reader, Result, Store, StoreError};
use crate::files::{make_private_dir, private_file, slashes};
use crate::model::Timestamp;

/// How long a process sleeps between two tries where SQLite itself does not wait.
const NAP: Duration = Duration::from_millis(5);

/// So many statements stay prepared: a server asks the same questions again and again.
const STATEMENTS: usize = 64;

impl Store {
    /// Opens the file, makes it if there is none, and waits at most so long for a lock, now and later.
    pub(crate) fn open(path: &Path, patience: Duration) -> Result<Store> {
        Store::open_with(path, patience, MIGRATIONS)
    }

    pub(super) fn open_with(path: &Path, patience: Duration, migrations: &[Migration]) -> Result<Store> {
        make_private(path)?;
        // Turning to write-ahead mode answers "busy" at once where waiting could be a deadlock, so we wait ourselves.
        let mut naps = patience.as_millis() / NAP.as_millis();
        loop {
            match connect(path, patience, migrations) {
                Err(StoreError::Busy) if naps > 0 => {
                    naps -= 1;
                    std::thread::sleep(NAP);
                }
                outcome => {
                    let reader = Reader { connection: outcome? };
                    return Ok(Store { reader, path: path.to_owned(), patience });
                }
            }
        }
    }
}

impl Store {
    /// Moves a damaged file out of the way with its side files, so that a new one can be made; nothing is deleted.
    pub(crate) fn set_aside(path: &Path, now: Timestamp) -> std::io::Result<PathBuf> {
        let kept = |ending: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".damaged-{}{ending}", now.0));
            PathBuf::from(name)
        };
        for ending in ["-wal", "-shm"] {
            let mut side = path.as_os_str().to_owned();
            side.push(ending);
            drop(fs::rename(side, kept(ending)));
        }
        fs::rename(path, kept("")).map(|()| kept(""))
    }
}

impl Reader {
    /// Opens the file to look only; there is nothing to look at before somebody has stored something.
    pub(crate) fn open(path: &Path, patience: Duration) -> Result<Option<Reader>> {
        if fs::metadata(path).map_or(true, |meta| meta.len() == 0) {
            return Ok(None);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        match Reader::over(Connection::open_with_flags(path, flags)?, path, patience) {
            // Where the side files cannot be made, nobody is writing either; with a log, the file is not all.
            Err(StoreError::ReadOnly(words)) if has_no_log(path) => {
                let address = still(path).ok_or(StoreError::ReadOnly(words))?;
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                Reader::over(Connection::open_with_flags(address, flags)?, path, patience)
            }
            opened => opened,
        }
    }

    fn over(connection: Connection, path: &Path, patience: Duration) -> Result<Option<Reader>> {
        connection.busy_timeout(patience)?;
        match migrate::version(&connection, MIGRATIONS)? {
            // Somebody is just making it.
            0 => Ok(None),
            version if (version as usize) < MIGRATIONS.len() => {
                drop(connection);
                Store::open(path, patience)?;
                Reader::open(path, patience)
            }
            _ => {
                connection.set_prepared_statement_cache_capacity(STATEMENTS);
                Ok(Some(Reader { connection }))
            }
        }
    }
}

fn has_no_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(log).map_or(true, |meta| meta.len() == 0)
}

/// Returns the address of a file that nobody changes, as SQLite has it; it is read without locks and side files.
fn still(path: &Path) -> Option<String> {
    path.to_str()?;
    let start = if cfg!(windows) { "file:///" } else { "file:" };
    let path = slashes(path).replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Some(format!("{start}{path}?immutable=1"))
}

fn connect(path: &Path, patience: Duration, migrations: &[Migration]) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    let version = migrate::version(&connection, migrations)?;
    if version == 0 {
        // The order matters: once there is a first page, a file can no longer learn to shrink.
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    }
    if version == 0 || (version as usize) < migrations.len() {
        connection.execute_batch("PRAGMA journal_mode = WAL")?;
    }
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON")?;
    // The last one to leave does not tidy up: that would cost every hook what the next writer does in passing.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.file_control(Some("main"), FileControl::PersistWal(&mut 1))?;
    migrate::run(&mut connection, path, migrations)?;
    debug_assert_eq!(APPLICATION_ID, migrate::application_id(&connection)?);
    Ok(connection)
}

/// Makes folder and file so that only their owner can look in; SQLite gives its side files the same mode.
fn make_private(path: &Path) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        make_private_dir(folder)?;
    }
    private_file().append(true).create(true).open(path)?;
    Ok(())
}

#[cfg(test)]
mod tests;
