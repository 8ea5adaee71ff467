//! The files of the memory: the database, and the spool in front of it.

use std::time::Duration;

use crate::config::paths;
use crate::store::Spool;

/// How long a reader waits for the database.
pub(crate) const DATABASE_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the spool; `None` if there is no home folder.
pub(crate) fn open_spool() -> Option<Spool> {
    paths::spool_dir().map(Spool::new)
}
