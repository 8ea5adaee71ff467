//! Brings the memories of one person's machines together, without a server: over ssh, or by files in a folder that
//! something else carries.
//!
//! Each machine numbers its rows, and knows up to which number it has those of every other one. Two that meet send each
//! other what is missing, also of third machines. What one has forgotten, the others forget.

mod exchange;
mod exclude;
mod folder;
mod intake;
mod lines;
mod outgoing;
mod ssh;
mod watch;

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use self::exclude::Exclusion;
use super::observations::{database, remember, salvage};
use super::secret_patterns;
use crate::config::{paths, settings};
use crate::files;
use crate::model::{MachineKey, PeerKind, Retention, SyncPeer, Timestamp};
use crate::redact::OwnPatterns;
use crate::store::{Extent, Reader, Store, StoreError};
use crate::system::clock;

pub(crate) use exchange::answer;
pub(crate) use folder::exchange_files;
pub(crate) use ssh::visit;

/// How long a process waits for another one of this machine that exchanges rows.
const LOCK_TIMEOUT: Duration = Duration::from_secs(20);

/// How an exchange is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SyncOptions {
    /// Count what would be sent and brought, and change nothing.
    pub(crate) is_dry: bool,
    /// Send and ask for everything once more, whatever the other machine is known to have.
    pub(crate) again: bool,
    /// Whether somebody can be asked for a password.
    pub(crate) has_person: bool,
    /// The other machine may be silent for this long.
    pub(crate) timeout: Duration,
}

/// What an exchange came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct SyncCounts {
    /// Rows that are new on the other machine. For files, those that were written.
    pub(crate) sent: usize,
    /// Rows that are new here.
    pub(crate) brought: usize,
    /// Rows that were here already, or are forgotten here.
    pub(crate) known: usize,
    /// Rows that were deleted here because another machine has forgotten them, and there because this one has.
    pub(crate) deleted: usize,
    pub(crate) deleted_there: usize,
    /// Rows of excluded projects, and rows that are older than what is kept here.
    pub(crate) excluded: usize,
    pub(crate) expired: usize,
    /// Lines that are not rows, and lots that were left for the next time.
    pub(crate) unreadable: usize,
    pub(crate) postponed: usize,
}

/// The result of one exchange.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SyncReport {
    pub(crate) counts: SyncCounts,
    /// The machine that was met; a folder has several.
    pub(crate) machines: Vec<MachineKey>,
    /// Whether this machine was found to be a copy, and has taken a key of its own.
    pub(crate) renewed: bool,
    /// What was wrong but did not end the exchange.
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum SyncError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a pattern under `redact` is not a regex: {0}")]
    Pattern(String),
    #[error("`sync.exclude` is not understood")]
    Exclude,
    #[error("the database has no place: there is no home folder")]
    Homeless,
    #[error("another sync is running on this machine")]
    Busy,
    #[error("the other machine is busy: {0}")]
    BusyThere(String),
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    #[error("`{0}` is not a host: it begins with `-`")]
    NotAHost(String),
    #[error("`ssh` is not installed")]
    NoSsh,
    #[error("there is no `nudge` on the other machine, or not in a usual place")]
    NoProgram,
    #[error("the other machine did not begin the exchange: {0}")]
    NoGreeting(String),
    #[error("the nudge on the other machine is {0}, which is too old for this one")]
    OlderThere(String),
    #[error("the nudge on the other machine is {0}, and this one is too old for it")]
    OlderHere(String),
    #[error("it went wrong on the other machine: {0}")]
    There(String),
    #[error("the other machine sent something wrong: {0}")]
    Protocol(&'static str),
    #[error("the connection ended too early")]
    Cut,
    #[error("the folder cannot be used: {0}")]
    Folder(String),
    #[error("this is not a folder")]
    NotAFolder,
    #[error("a file cannot be written: {0}")]
    Write(String),
    /// This machine is a copy of another one; it has a new key now, and the exchange begins again.
    #[error("this machine has the key of another one")]
    Renewed,
}

impl SyncError {
    /// Returns what the user can do about it, if anything.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            SyncError::Store(error) => error.hint(),
            SyncError::Exclude => Some("it must be a list of names, folders or addresses: `nudge settings`"),
            SyncError::Busy | SyncError::BusyThere(_) => Some("try again in a moment"),
            SyncError::Unreachable(_) | SyncError::Cut => {
                Some("nothing is lost: the next `nudge sync` continues")
            }
            SyncError::NoSsh => Some("install OpenSSH, or exchange files: `nudge sync file FOLDER`"),
            SyncError::NoProgram => Some("install nudge there, or name it: `--remote /path/to/nudge`"),
            SyncError::NoGreeting(_) => Some("check what `ssh HOST nudge --version` prints"),
            SyncError::OlderThere(_) => Some("update nudge there"),
            SyncError::OlderHere(_) => Some("update nudge here"),
            SyncError::Protocol(_) => Some("update nudge on both machines; nothing wrong was stored"),
            SyncError::Folder(_) => Some("name a folder that exists; is the disk mounted?"),
            SyncError::NotAFolder => {
                Some("name the folder that something carries to the other machines, not a file in it")
            }
            SyncError::Write(_) => Some("check that the disk has room and that the folder is writable"),
            _ => None,
        }
    }

    /// Returns whether the command line names something that can never be visited.
    pub(crate) fn is_usage(&self) -> bool {
        matches!(self, SyncError::NotAFolder | SyncError::NotAHost(_))
    }

    /// Returns whether the same may succeed later, without anybody doing anything.
    pub(crate) fn is_temporary(&self) -> bool {
        matches!(
            self,
            SyncError::Busy
                | SyncError::BusyThere(_)
                | SyncError::Unreachable(_)
                | SyncError::Cut
                | SyncError::Folder(_)
                | SyncError::Store(StoreError::Busy | StoreError::Stuck)
        )
    }
}

/// Counts rows while they move, for a person who waits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter(Arc<AtomicUsize>);

impl Meter {
    pub(crate) fn rows(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, rows: usize) {
        self.0.fetch_add(rows, Ordering::Relaxed);
    }
}

/// This machine, ready to exchange rows.
struct LocalMachine {
    key: MachineKey,
    store: Store,
    exclusion: Exclusion,
    retention: Retention,
    patterns: OwnPatterns,
    /// The time, unless the clock contradicts what is stored: then nothing is too old.
    now: Option<Timestamp>,
    renewed: bool,
}

impl LocalMachine {
    /// Opens the memory. What hooks have spooled is in it, rows of older versions are cleaned, and nothing is left to
    /// restore from a damaged file: a row that came back later would have a number that the others are past.
    fn open() -> Result<LocalMachine, SyncError> {
        let (settings, _) = settings::load_user();
        let patterns = secret_patterns::of(&settings).map_err(SyncError::Pattern)?;
        let entries = settings.sync_exclude.ok_or(SyncError::Exclude)?;
        let exclusion = Exclusion::new(&entries, paths::home_dir().as_deref());
        let path = paths::database().ok_or(SyncError::Homeless)?;
        // Opening finds out whether the file is damaged, and repairs it.
        drop(remember::reader()?);
        if !salvage::finish(&path)? {
            return Err(SyncError::Busy);
        }
        remember::drain(database::DATABASE_TIMEOUT, Extent::All)?;
        remember::clean_all()?;
        let mut store = Store::open(&path, database::DATABASE_TIMEOUT)?;
        let now = clock::timestamp();
        let key = store.own_machine_key(now)?;
        let now = store.clock_doubt(now)?.is_none().then_some(now);
        let retention = settings.retention;
        Ok(LocalMachine { key, store, exclusion, retention, patterns, now, renewed: false })
    }

    /// Takes a new key, because another folder has the same one.
    fn renew(&mut self) -> Result<(), SyncError> {
        self.key = self.store.renew_machine_key(clock::timestamp())?;
        self.renewed = true;
        Ok(())
    }

    /// Returns whether what another machine has of this one was not sent by this folder.
    fn is_copy(&self, has: &lines::HasWire) -> Result<bool, SyncError> {
        if has.upto > self.store.own_upto()? || has.forgotten > self.store.forgotten_upto()? {
            return Ok(true);
        }
        Ok(match has.mark {
            Some(mark) => !self.store.has_sent(has.upto, mark)?,
            None => false,
        })
    }
}

/// Takes the lock that one process has while it exchanges rows.
fn lock(timeout: Duration) -> Result<File, SyncError> {
    let path = paths::sync_lock().ok_or(SyncError::Homeless)?;
    if let Some(folder) = path.parent() {
        files::make_private_dir(folder).map_err(StoreError::from)?;
    }
    let mut options = files::private_file();
    options.read(true).write(true).create(true);
    files::lock(&path, &options, timeout).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => SyncError::Busy,
        _ => StoreError::from(error).into(),
    })
}

/// Notes what an attempt came to, so that `nudge status` can say when rows last moved.
pub(crate) fn note(
    kind: PeerKind,
    name: &str,
    remote: Option<&str>,
    outcome: &Result<SyncReport, SyncError>,
) {
    let Some(Ok(mut store)) = paths::database().map(|path| Store::open(&path, database::DATABASE_TIMEOUT))
    else {
        return;
    };
    let now = clock::timestamp();
    let counts = outcome.as_ref().map(|report| report.counts).unwrap_or_default();
    let moved = |rows: usize| (rows > 0).then_some(now);
    let peer = SyncPeer {
        kind,
        name: name.to_owned(),
        remote: remote.map(str::to_owned),
        tried_at: Some(now),
        reached_at: outcome.is_ok().then_some(now),
        sent_at: moved(counts.sent + counts.deleted_there),
        sent: counts.sent,
        brought_at: moved(counts.brought + counts.deleted),
        brought: counts.brought,
        problem: outcome.as_ref().err().map(ToString::to_string),
    };
    let machine = outcome.as_ref().ok().and_then(|report| report.machines.first().copied());
    // If this cannot be noted, the rows have moved all the same.
    drop(store.note_peer(&peer, machine));
}

/// Returns with whom rows were exchanged; empty if nothing was ever remembered.
pub(crate) fn peers() -> Result<Vec<SyncPeer>, StoreError> {
    let Some(path) = paths::database() else { return Ok(Vec::new()) };
    match Reader::open(&path, database::DATABASE_TIMEOUT)? {
        Some(reader) => reader.sync_peers(),
        None => Ok(Vec::new()),
    }
}

/// Forgets a host or a folder; returns whether it was known.
pub(crate) fn remove_peer(kind: PeerKind, name: &str) -> Result<bool, StoreError> {
    match remember::store()? {
        Some(mut store) => store.remove_peer(kind, name),
        None => Ok(false),
    }
}
