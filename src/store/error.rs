//! The errors of the store, in the kinds that callers distinguish. No message contains a path.

use rusqlite::{ErrorCode, ffi};

use super::query::QueryError;

/// Why an operation on the store failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("the database is busy: another process holds its lock")]
    Busy,
    /// SQLite has tried for seconds, whatever timeout it was given.
    #[error("the database is busy: a process was stopped while it held a lock")]
    Stuck,
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    #[error("the database cannot be written: {0}")]
    ReadOnly(String),
    #[error("the database cannot be read: {0}")]
    Unreadable(String),
    #[error("the database cannot grow: {0}")]
    Full(String),
    #[error(
        "the database is of version {found}, and this program knows only up to {known}: it was written by a newer nudge"
    )]
    Newer { found: u32, known: u32 },
    #[error("the file is a database of another program")]
    Foreign,
    #[error("there is something else where the database should be: it is not a regular file")]
    NotAFile,
    #[error("there is something else where the database should be: it is not a database")]
    NotADatabase,
    #[error("another process keeps a file of the spool locked")]
    SpoolLocked,
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error("anchor observation not found")]
    AnchorNotFound,
    #[error("the question was interrupted")]
    Interrupted,
    #[error("the database failed: {0}")]
    Other(String),
}

impl StoreError {
    /// Returns what the user can do about it, if anything.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            StoreError::Busy => Some("try again in a moment"),
            StoreError::Stuck => Some("look for a `nudge` that is stopped, and continue or end it"),
            StoreError::Corrupt(_) => {
                Some("`nudge doctor --fix` moves it away and restores what can be read")
            }
            StoreError::ReadOnly(_) => Some("check who owns the data folder and whether it may be written"),
            StoreError::Unreadable(_) => Some("check the disk; nothing was changed, and it is tried again"),
            StoreError::Full(_) => Some("free some space on the disk, or run `nudge gc`"),
            StoreError::Newer { .. } => Some("upgrade nudge"),
            StoreError::Foreign | StoreError::NotADatabase => Some("check what `NUDGE_DB` names"),
            StoreError::NotAFile => Some("move it away; nudge makes a new database"),
            StoreError::SpoolLocked => {
                Some("look for a process that has a file in `nudge.spool` open, and end it")
            }
            StoreError::Query(_)
            | StoreError::AnchorNotFound
            | StoreError::Interrupted
            | StoreError::Other(_) => None,
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        let message = message(&error);
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
            Some(ErrorCode::FileLockingProtocolFailed) => StoreError::Stuck,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Corrupt(message),
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                StoreError::ReadOnly(message)
            }
            Some(ErrorCode::OperationInterrupted) => StoreError::Interrupted,
            // SQLite has never written such a version number.
            Some(ErrorCode::Unknown) if message.starts_with("unsupported file format") => {
                StoreError::Corrupt(message)
            }
            // Reaching a limit on the size of files appears as a failed write.
            Some(ErrorCode::DiskFull) => StoreError::Full(message),
            Some(ErrorCode::SystemIoFailure) if is_write(&error) => StoreError::Full(message),
            Some(ErrorCode::SystemIoFailure) => StoreError::Unreadable(message),
            _ => StoreError::Other(message),
        }
    }
}

fn is_write(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(code, Some(ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_TRUNCATE))
}

/// Returns SQLite's message without the path and the statement that rusqlite may add.
fn message(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(code, Some(text)) if !text.contains(['/', '\\']) => {
            format!("{text} (code {})", code.extended_code)
        }
        rusqlite::Error::SqliteFailure(code, _) => ffi::code_to_str(code.extended_code).trim().to_owned(),
        rusqlite::Error::SqlInputError { error, msg, .. } => format!("{msg} (code {})", error.extended_code),
        rusqlite::Error::FromSqlConversionFailure(column, kind, _) => {
            format!("a value of type {kind} in column {column} is not valid")
        }
        other => other.to_string(),
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> StoreError {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::FileTooLarge => {
                StoreError::Full(error.kind().to_string())
            }
            kind => StoreError::ReadOnly(kind.to_string()),
        }
    }
}
