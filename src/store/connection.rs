//! How every connection to the database is set up.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, FileControl};

use super::Result;

/// Makes a connection leave the log as it is when it is closed.
pub(super) fn keep_log(connection: &Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.file_control(Some("main"), FileControl::PersistWal(&mut 1))?;
    Ok(())
}

/// Makes a connection careful with what a damaged or manipulated file may contain.
pub(super) fn configure(connection: &Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // Otherwise every statement over a table with a partial index is compiled a second time once its values are known.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch("PRAGMA cell_size_check = ON")?;
    Ok(())
}
