//! Recovers from a damaged memory: checks a suspicious file, restores what can be read, and reports what happened.

use std::path::Path;
use std::time::Duration;

use super::database;
use crate::config::paths;
use crate::model::{Problem, Topic};
use crate::store::{self, DamageKind, DamageNote, Judgement, Reader, SalvageScope, Store, StoreError};
use crate::system::clock;

/// How much a caller does about damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Nothing: an agent is in the middle of its work.
    Never,
    /// Only what is quick: a turn or a session starts or ends.
    Brief,
    /// All of it: a person or a server asked.
    Whole,
}

/// Maximum size of a file that a hook checks, which takes about a tenth of a second; commands and servers check all.
const MAX_BRIEF_CHECK: u64 = 16 << 20;
/// How long a hook restores rows.
const BRIEF_SALVAGE: Duration = Duration::from_secs(1);
/// How long a query restores rows before it answers with what is there; the next one continues.
const WHOLE_SALVAGE: Duration = Duration::from_secs(5);
const BRIEF_TIMEOUT: Duration = Duration::from_millis(50);

impl Repair {
    fn timeout(self) -> Duration {
        if self == Repair::Whole { database::DATABASE_TIMEOUT } else { BRIEF_TIMEOUT }
    }
}

/// What to do after an error.
pub(crate) enum Recovery {
    /// Try again: the file is intact, or a new one can be created.
    TryAgain { moved_away: bool },
    /// Give up; this is what is wrong.
    Failed(StoreError),
}

/// Checks whether an error means that the file is damaged; if so, moves it away and starts to restore its rows.
pub(crate) fn recover(database: &Path, error: StoreError, repair: Repair) -> Recovery {
    if repair == Repair::Never || !Store::is_suspicious(database, &error) {
        return Recovery::Failed(error);
    }
    let max_bytes = if repair == Repair::Whole { u64::MAX } else { MAX_BRIEF_CHECK };
    match Store::judge(database, max_bytes, repair.timeout(), clock::timestamp()) {
        Judgement::Whole => Recovery::TryAgain { moved_away: false },
        Judgement::MovedAway(_) => {
            advance(repair);
            Recovery::TryAgain { moved_away: true }
        }
        Judgement::Undecided => Recovery::Failed(error),
        Judgement::Unreadable(message) => Recovery::Failed(StoreError::Unreadable(message)),
    }
}

/// Checks a file of up to `max_bytes` that can be opened, and starts to recover it if it is damaged.
pub(crate) fn check(database: &Path, max_bytes: u64) {
    // A file that cannot be opened is judged by its error; a file of another program or version is left alone.
    if !matches!(Reader::open(database, BRIEF_TIMEOUT), Ok(Some(_))) {
        return;
    }
    if let Judgement::MovedAway(_) = Store::judge(database, max_bytes, BRIEF_TIMEOUT, clock::timestamp()) {
        advance(Repair::Brief);
    }
}

/// Continues to restore what can be read from damaged files.
pub(crate) fn advance(repair: Repair) {
    let limit = if repair == Repair::Whole { WHOLE_SALVAGE } else { BRIEF_SALVAGE };
    let Some(database) = paths::database().filter(|_| repair != Repair::Never) else { return };
    let watch = clock::stopwatch();
    // A failure is retried by the next process, and `nudge doctor` shows the progress.
    drop(Store::salvage(&database, SalvageScope::Noted, repair.timeout(), &|| watch() > limit));
}

/// Restores everything at once, also from files that an earlier version set aside.
pub(crate) fn finish(database: &Path) -> Result<bool, StoreError> {
    Store::salvage(database, SalvageScope::All, database::DATABASE_TIMEOUT, &|| false)
}

/// Returns what happened to the memory and has not been reported yet; each event is reported once.
pub(crate) fn news() -> Vec<Problem> {
    let Some(database) = paths::database() else { return Vec::new() };
    let notes = store::damage_notes(&database);
    let fresh = notes.iter().filter(|note| note.claim_telling(&database));
    fresh.map(|note| Problem::error(describe(note, &database)).by_event().about(Topic::Memory)).collect()
}

/// Returns everything that is on record about damage to the memory, in sentences.
pub(crate) fn history() -> Vec<String> {
    let Some(database) = paths::database() else { return Vec::new() };
    store::damage_notes(&database).iter().map(|note| describe(note, &database)).collect()
}

/// Describes in a sentence what happened, and what was done about it.
pub(crate) fn describe(note: &DamageNote, database: &Path) -> String {
    let file = note.file(database);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let progress = match (note.is_finished(), note.lost()) {
        (false, _) => format!("{} so far, and more are being brought back", brought_back(note.restored)),
        (true, 0) => brought_back(note.restored),
        (true, lost) => {
            // Duplicate events used up ids without becoming observations.
            let up_to = if note.kind == DamageKind::Database { "" } else { "up to " };
            format!("{}, {up_to}{lost} could not be read", brought_back(note.restored))
        }
    };
    match note.kind {
        DamageKind::Database => format!("the memory was damaged and moved to `{name}`; {progress}"),
        DamageKind::Log { first, last } => {
            format!("the end of the memory's log was damaged or lost (#{first} to #{last}); {progress}")
        }
    }
}

fn brought_back(count: u64) -> String {
    let plural = if count == 1 { " was" } else { "s were" };
    format!("{count} observation{plural} brought back")
}
