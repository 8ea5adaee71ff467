//! What every step of an exchange stands on: the session, the time that is left, the lock, and why it may end early.

use std::fs::File;
use std::time::Duration;

use super::plan::{SharePlan, SharedFolder};
use crate::config::paths;
use crate::files;
use crate::model::{RandomId, Timestamp};
use crate::ops::observations::database;
use crate::peers;
use crate::store::{self, Store, StoreError};
use crate::system::clock;
use crate::team::{TeamAddress, TeamError, TeamHello, TeamSession};

/// How long an exchange may take; then it ends where it is, and the next one continues.
const MAX_EXCHANGE: Duration = Duration::from_secs(60);
/// How long an exchange waits for one that is running.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// What the steps of an exchange need.
pub(super) struct Exchange<'e> {
    pub(super) session: &'e TeamSession,
    pub(super) hello: TeamHello,
    pub(super) machine: RandomId,
    pub(super) plan: &'e SharePlan,
    pub(super) folders: &'e [SharedFolder],
    pub(super) deadline: Deadline,
    pub(super) now: Timestamp,
}

/// Why an exchange ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExchangeError {
    #[error("no team is joined: nothing leaves this machine")]
    NoTeam,
    #[error("the address is that of another server")]
    AnotherServer,
    #[error("the team's server speaks only newer protocols: update nudge; your own memory works as ever")]
    TooNew,
    #[error("another process is exchanging rows")]
    Running,
    #[error("nothing is exchanged until the settings change: {0}")]
    Rests(String),
    #[error("nothing may leave: {0}")]
    Pattern(String),
    #[error("the database has no place: there is no home folder")]
    Homeless,
    #[error(transparent)]
    Team(#[from] TeamError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the lock cannot be taken: {0}")]
    Lock(#[from] std::io::Error),
}

impl ExchangeError {
    /// Returns whether trying again later is all there is to do.
    pub(crate) fn is_temporary(&self) -> bool {
        match self {
            ExchangeError::Team(error) => error.is_temporary(),
            ExchangeError::Running | ExchangeError::Store(StoreError::Busy) => true,
            _ => false,
        }
    }

    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            ExchangeError::NoTeam => Some("`nudge team join URL` joins one".to_owned()),
            ExchangeError::Running => Some("it does the same; try again in a moment".to_owned()),
            ExchangeError::Rests(_) => Some("`nudge team join URL` begins again".to_owned()),
            ExchangeError::Pattern(_) => Some("fix the pattern, or ask an admin of the team".to_owned()),
            ExchangeError::Team(error) => Some(error.hint().to_owned()),
            ExchangeError::Store(error) => error.hint().map(str::to_owned),
            ExchangeError::AnotherServer
            | ExchangeError::TooNew
            | ExchangeError::Homeless
            | ExchangeError::Lock(_) => None,
        }
    }
}

/// The time that an exchange has left.
pub(super) struct Deadline {
    passed: Box<dyn Fn() -> Duration>,
}

impl Deadline {
    pub(super) fn begin() -> Deadline {
        Deadline { passed: Box::new(clock::stopwatch()) }
    }

    /// Returns whether there is time for another call, and limits it to that.
    pub(super) fn allows(&self, session: &TeamSession) -> bool {
        let rest = MAX_EXCHANGE.saturating_sub((self.passed)());
        session.limit_calls(rest);
        rest > Duration::from_secs(1)
    }
}

/// Returns the address without a password.
pub(super) fn address_of(plan: &SharePlan) -> String {
    TeamAddress::parse(&plan.url).map_or_else(|_| plan.url.clone(), |address| address.url())
}

/// Takes the lock that one exchanging process has at a time.
pub(crate) fn lock() -> Result<File, ExchangeError> {
    let path = paths::sync_lock().ok_or(ExchangeError::Homeless)?;
    if let Some(folder) = path.parent() {
        files::make_private_dir(folder)?;
    }
    let mut options = files::private_file();
    options.create(true).truncate(false).write(true);
    files::lock(&path, &options, LOCK_TIMEOUT).map_err(|error| match error.kind() {
        std::io::ErrorKind::WouldBlock => ExchangeError::Running,
        _ => error.into(),
    })
}

pub(crate) fn open_store() -> Result<Store, ExchangeError> {
    let path = paths::database().ok_or(ExchangeError::Homeless)?;
    Ok(Store::open(&path, database::DATABASE_TIMEOUT)?)
}

/// Deletes the copy of colleagues' rows.
pub(crate) fn delete_copy() -> Result<(), StoreError> {
    paths::team_copy().map_or(Ok(()), |path| store::delete_team_copy(&path))
}

/// Returns 128 random bits.
pub(crate) fn new_id() -> RandomId {
    peers::id().parse().unwrap_or(RandomId([0; 16]))
}
