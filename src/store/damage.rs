//! Damage: deciding whether a file is damaged, and moving it away if it is. Nothing is deleted and nothing overwritten.
//!
//! An error of SQLite is only a suspicion, because SQLite reports a disk that fails to read as a damaged file. One
//! process at a time decides, under a lock beside the database: it reads all bytes itself, checks the file with a fresh
//! connection, and does both again before it moves anything. A new file is created under the same lock, so that the
//! side files of a new database are never mistaken for those of the old one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::migrate::MIGRATIONS;
use super::note::{DamageKind, DamageNote};
use super::pages::Pages;
use super::schema::{self, Schema};
use super::suspicion::has_magic;
use super::{Reader, Result, Store, StoreError, beside, cells, connection, mark, side_files};
use crate::files::{self, open_regular, private_file};
use crate::model::Timestamp;

/// The result of checking a suspicious file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// The file is intact, or another process has already replaced it.
    Whole,
    /// It could not be decided: the file is in use, or too large for this caller.
    Undecided,
    /// The disk fails, not the file.
    Unreadable(String),
    /// The file was damaged and has been renamed to this path.
    MovedAway(PathBuf),
}

/// The size of SQLite's pages, so that each of its reads is repeated exactly.
const READ_SIZE: usize = 4096;
/// The table with the highest ids is among the first pages of a database.
const FIRST_PAGES: u32 = 64;

impl Store {
    /// Decides whether a file is damaged, and moves it away if it is.
    ///
    /// A file that is larger than `max_bytes` is judged by its first bytes alone.
    pub(crate) fn judge(path: &Path, max_bytes: u64, timeout: Duration, now: Timestamp) -> Judgement {
        if !is_ours(path) {
            return Judgement::Undecided;
        }
        let Ok(_lock) = lock(path, timeout) else { return Judgement::Undecided };
        match fs::metadata(path) {
            Ok(meta) if meta.len() == 0 => return Judgement::Whole,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Judgement::Whole,
            _ => {}
        }
        // Check twice: a read error that happens once must not move an intact file.
        let mut last = None;
        for _ in 0..2 {
            // Close it before reading the file: closing a file releases all locks that the process has on it.
            drop(last.take());
            if bytes(path) > max_bytes && has_magic(path) {
                return Judgement::Undecided;
            }
            if let Err(error) = read_files(path) {
                return Judgement::Unreadable(error.kind().to_string());
            }
            let look = if Store::has_known_format(path) { look(path, timeout) } else { Look::Damaged(None) };
            match look {
                Look::Whole => return Judgement::Whole,
                Look::Undecided => return Judgement::Undecided,
                Look::Damaged(connection) => last = connection,
            }
        }
        // On Windows a file that is open cannot be moved.
        let _connection = last.filter(|_| cfg!(unix));
        move_away(path, now).map_or(Judgement::Undecided, Judgement::MovedAway)
    }
}

/// Returns whether nudge has used the file: its mark is beside it, or it has our name.
///
/// `NUDGE_DB` may name any file by mistake, or because a repository sets the environment of an agent.
pub(super) fn is_ours(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "nudge.db") || mark::read(path) > 0
}

/// Takes the lock under which files are judged, moved away and created.
pub(super) fn lock(path: &Path, timeout: Duration) -> io::Result<File> {
    let mut options = private_file();
    options.read(true).write(true).create(true);
    files::lock(&beside(path, ".lock"), &options, timeout)
}

/// Returns the size of the file and its log.
fn bytes(path: &Path) -> u64 {
    side_files(path).iter().take(2).filter_map(|file| fs::metadata(file).ok()).map(|meta| meta.len()).sum()
}

/// Reads all bytes of the file and its log. A disk that fails is not a damaged file.
fn read_files(path: &Path) -> io::Result<()> {
    for (index, file) in side_files(path).iter().take(2).enumerate() {
        match open_regular(file, private_file().read(true)) {
            Err(error) if index > 0 && error.kind() == io::ErrorKind::NotFound => {}
            opened => read_all(&opened?)?,
        }
    }
    Ok(())
}

/// Reads with the same system calls as SQLite on Unix, so that a fault that affects only those is found here too.
fn read_all(file: &File) -> io::Result<()> {
    let mut buffer = [0; READ_SIZE];
    let mut at = 0;
    loop {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(file, &mut buffer, at);
        #[cfg(not(unix))]
        let read = io::Read::read(&mut &*file, &mut buffer);
        match read {
            Ok(0) => return Ok(()),
            Ok(read) => at += read as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

enum Look {
    Whole,
    Undecided,
    /// With the connection that keeps other processes from writing, if it could be opened.
    Damaged(Option<Connection>),
}

/// Checks the file with a fresh connection, and with the write lock if possible.
fn look(path: &Path, timeout: Duration) -> Look {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).map_err(StoreError::from);
    let connection = match opened.and_then(|connection| {
        connection.busy_timeout(timeout)?;
        connection::configure(&connection)?;
        // Closing it must neither change the damaged file nor delete a log: by then the log may belong to another file.
        connection::keep_log(&connection)?;
        Ok(connection)
    }) {
        Ok(connection) => connection,
        Err(StoreError::Corrupt(_)) => return Look::Damaged(None),
        Err(_) => return Look::Undecided,
    };
    let locked = connection.execute_batch("BEGIN IMMEDIATE").map_err(StoreError::from);
    match locked.and_then(|()| is_whole(&connection, path)) {
        Ok(true) => Look::Whole,
        Ok(false) | Err(StoreError::Corrupt(_)) => Look::Damaged(Some(connection)),
        Err(_) => Look::Undecided,
    }
}

fn is_whole(connection: &Connection, path: &Path) -> Result<bool> {
    let check: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if check != "ok" {
        return Ok(false);
    }
    Ok(schema::check(connection, MIGRATIONS, mark::read(path) > 0)? == Schema::Plausible)
}

/// Moves the database with its side files to a unique name.
fn move_away(path: &Path, now: Timestamp) -> Option<PathBuf> {
    let name = unique_name(now);
    let kept = beside(path, &format!(".damaged-{name}"));
    let highest =
        Pages::open(Some(path), &beside(path, "-wal")).map_or(0, |mut pages| highest_id(&mut pages));
    mark::raise(path, highest);
    let pairs = side_files(path).into_iter().zip(side_files(&kept));
    let pairs: Vec<(PathBuf, PathBuf)> = pairs.filter(|(from, _)| from.exists()).collect();
    // With a second name for each file, nothing is lost if the process is killed here.
    if pairs.iter().all(|(from, to)| fs::hard_link(from, to).is_ok()) {
        DamageNote::new(name, now, DamageKind::Database).save(path).ok()?;
        // The database first: a process that finds it without its log would create a new log and write to it.
        for (from, _) in &pairs {
            fs::remove_file(from).ok()?;
        }
    } else {
        // Some file systems have no hard links. The target has a random name, so nothing is overwritten.
        for (from, to) in pairs.iter().filter(|(_, to)| !to.exists()) {
            fs::rename(from, to).ok()?;
        }
        for (from, _) in pairs.iter().filter(|(from, to)| from.exists() && to.exists()) {
            fs::remove_file(from).ok()?;
        }
        DamageNote::new(name, now, DamageKind::Database).save(path).ok()?;
    }
    Some(kept)
}

/// Returns a unique ending for the names of damaged files.
fn unique_name(now: Timestamp) -> String {
    let mut random = [0; 4];
    // Without it, the time and the process id are still different for every process that takes the lock.
    let _ = getrandom::fill(&mut random);
    format!("{}-{}-{:08x}", now.0, std::process::id(), u32::from_be_bytes(random))
}

/// Returns the highest id that a damaged file says it has assigned.
fn highest_id(pages: &mut Pages) -> i64 {
    let mut highest = 0;
    let numbers = (2..=FIRST_PAGES.min(pages.last())).chain(pages.logged());
    for number in numbers.collect::<Vec<u32>>() {
        let Some(page) = pages.read(number) else { continue };
        for row in cells::table_rows(pages, &page) {
            if let [cells::CellValue::Text(table), cells::CellValue::Integer(id)] = row.values.as_slice()
                && table == "observations"
            {
                highest = highest.max(*id);
            }
        }
    }
    highest
}

/// Detects that the log has lost its end, keeps a copy of it, and continues with ids that were never used.
///
/// `mark` must have been read before the connection looked at the file: another process may have stored more since.
pub(super) fn notice_loss(connection: &Connection, path: &Path, mark: i64) -> Result<()> {
    if mark == 0 || last_id(connection)? >= mark {
        return Ok(());
    }
    // Nothing may be written before the copy is made: that would overwrite what is left in the log.
    let _lock = lock(path, Duration::ZERO).map_err(|_| StoreError::Busy)?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let noticed = note_loss(connection, path);
    connection.execute_batch(if noticed.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    noticed
}

/// Does the same for a file that has lost everything, including its schema, and is about to be recreated.
pub(super) fn notice_total_loss(connection: &Connection, path: &Path, mark: i64) -> Result<()> {
    let has_bytes = |file: &Path| fs::metadata(file).is_ok_and(|meta| meta.len() > 0);
    // A user who deletes the database but not its log wants to keep neither.
    if mark == 0 || !has_bytes(path) || !has_bytes(&beside(path, "-wal")) {
        return Ok(());
    }
    let _lock = lock(path, Duration::ZERO).map_err(|_| StoreError::Busy)?;
    let kind = DamageKind::Log { first: 1, last: mark };
    if super::damage_notes(path).iter().any(|note| note.kind == kind) {
        return Ok(());
    }
    keep_log_copy(connection, path, 1, mark)
}

/// Copies the log before anything is written to it, and records which observations it has lost.
fn keep_log_copy(connection: &Connection, path: &Path, first: i64, last: i64) -> Result<()> {
    let now: i64 = connection.query_row("SELECT unixepoch()", [], |row| row.get(0))?;
    let now = Timestamp(now);
    let note = DamageNote::new(unique_name(now), now, DamageKind::Log { first, last });
    let log = beside(path, "-wal");
    if fs::metadata(&log).is_ok_and(|meta| meta.len() > 0) {
        let mut copy = private_file().write(true).create_new(true).open(note.file(path))?;
        io::copy(&mut open_regular(&log, private_file().read(true))?, &mut copy)?;
        copy.sync_all()?;
    }
    note.save(path)?;
    Ok(())
}

fn note_loss(connection: &Connection, path: &Path) -> Result<()> {
    let (mark, last) = (mark::read(path), last_id(connection)?);
    if last >= mark {
        return Ok(());
    }
    keep_log_copy(connection, path, last + 1, mark)?;
    connection.execute("UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'observations'", [mark])?;
    if connection.changes() == 0 {
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('observations', ?1)", [mark])?;
    }
    Ok(())
}

impl Reader {
    /// Returns the first and the last id of observations that were stored and are missing now.
    pub(crate) fn unnoticed_loss(&self, path: &Path) -> Result<Option<(i64, i64)>> {
        // The order matters: another process may store more in between.
        let mark = mark::read(path);
        let last = last_id(&self.connection)?;
        Ok((last < mark).then_some((last + 1, mark)))
    }
}

/// Returns the highest id that the database knows it has assigned.
pub(super) fn last_id(connection: &Connection) -> Result<i64> {
    let sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'observations'";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}
