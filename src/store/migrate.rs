//! Migrations: how a file of any earlier version becomes one of the current version. Released ones never change.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use super::{Result, StoreError, mark};

/// One step from a version of the schema to the next.
pub(super) struct Migration {
    pub(super) sql: &'static str,
    /// Whether it changes stored rows, so that a copy of the file is kept first.
    pub(super) rewrites: bool,
}

pub(super) const MIGRATIONS: &[Migration] = &[
    Migration { sql: include_str!("../../migrations/0001_observations.sql"), rewrites: false },
    // No copy is kept of rows that are about to be cleaned.
    Migration { sql: include_str!("../../migrations/0002_cleaning.sql"), rewrites: false },
    Migration { sql: include_str!("../../migrations/0003_recall.sql"), rewrites: false },
    Migration { sql: include_str!("../../migrations/0004_backfill.sql"), rewrites: false },
    Migration { sql: include_str!("../../migrations/0005_projects.sql"), rewrites: false },
    Migration { sql: include_str!("../../migrations/0006_told.sql"), rewrites: false },
    Migration { sql: include_str!("../../migrations/0007_summaries.sql"), rewrites: false },
    Migration { sql: include_str!("../../migrations/0008_machines.sql"), rewrites: false },
    Migration { sql: include_str!("../../migrations/0009_streams.sql"), rewrites: false },
];

/// "Nudg": shows `file` and nudge whose database this is.
pub(super) const APPLICATION_ID: u32 = 0x4e75_6467;

/// Returns the file's version, 0 for an empty file; refuses a file of another program or a newer version.
pub(super) fn version(connection: &Connection, migrations: &[Migration]) -> Result<u32> {
    // Read everything in one transaction: between two reads, another process may have created the file.
    let _transaction = connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose()?;
    let version = number(connection, "user_version")?;
    let application = application_id(connection)?;
    let tables = |connection: &Connection| {
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, u32>(0))
    };
    if application != APPLICATION_ID && (application != 0 || version != 0 || tables(connection)? > 0) {
        return Err(StoreError::Foreign);
    }
    // The tables, the application id and the version are written together.
    if application == APPLICATION_ID && version == 0 {
        return Err(StoreError::Corrupt("it has lost its version".to_owned()));
    }
    let known = migrations.len() as u32;
    if version > known { Err(StoreError::Newer { found: version, known }) } else { Ok(version) }
}

pub(super) fn application_id(connection: &Connection) -> Result<u32> {
    number(connection, "application_id")
}

/// Reads a number from the file's header; one that a flipped bit has made negative counts as too large.
fn number(connection: &Connection, name: &str) -> Result<u32> {
    let number: i64 = connection.pragma_query_value(None, name, |row| row.get(0))?;
    Ok(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Brings the file up to date.
pub(super) fn run(connection: &mut Connection, path: &Path, migrations: &[Migration]) -> Result<()> {
    let found = version(connection, migrations)?;
    let missing = &migrations[found as usize..];
    if missing.is_empty() {
        return Ok(());
    }
    if found > 0 && missing.iter().any(|migration| migration.rewrites) {
        back_up(connection, path, found)?;
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it while this one waited for the lock.
    let found = version(&transaction, migrations)?;
    for migration in &migrations[found as usize..] {
        transaction.execute_batch(migration.sql)?;
    }
    if found == 0 {
        // The ids of an earlier file, which was damaged or deleted, are not used again.
        let sql = "INSERT INTO sqlite_sequence (name, seq) SELECT 'observations', ?1 WHERE ?1 > 0";
        transaction.execute(sql, [mark::read(path)])?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", migrations.len() as u32)?;
    transaction.commit()?;
    Ok(())
}

/// Keeps a copy beside the file; if two processes do so at once, their copies are the same, and the last one stays.
fn back_up(connection: &Connection, path: &Path, version: u32) -> Result<()> {
    let copy = backup_path(path, version);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::NamedTempFile::new_in(folder)?;
    connection.execute("VACUUM INTO ?1", [file.path().to_string_lossy()])?;
    file.persist(copy).map_err(|error| error.error)?;
    Ok(())
}

fn backup_path(path: &Path, version: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".v{version}.backup"));
    name.into()
}

/// Returns the copies that migrations left beside the file.
pub(super) fn backups(path: &Path) -> Vec<PathBuf> {
    (1..=MIGRATIONS.len() as u32)
        .map(|version| backup_path(path, version))
        .filter(|copy| copy.exists())
        .collect()
}
