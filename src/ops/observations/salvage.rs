//! Recovers from a damaged memory: decides about a suspicion, brings back what can be read, and says what happened.

use std::path::Path;
use std::time::Duration;

use super::remember;
use crate::config::paths;
use crate::model::{Problem, Topic};
use crate::store::{self, DamageKind, DamageNote, Judgement, Reader, Store, StoreError, Which};
use crate::system::clock;

/// How much a caller does about damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Nothing: an agent is in the middle of its work.
    Never,
    /// What takes a moment: a turn or a session begins or ends.
    Brief,
    /// All of it: a person or a server asked.
    Whole,
}

/// A check of this many bytes takes about a tenth of a second; larger files are left to commands and servers.
const MAX_BRIEF_CHECK: u64 = 16 << 20;
/// How long a hook brings rows back.
const BRIEF_SALVAGE: Duration = Duration::from_secs(1);
/// How long a question waits until what is there is shown; the next one continues.
const WHOLE_SALVAGE: Duration = Duration::from_secs(5);
const BRIEF_TIMEOUT: Duration = Duration::from_millis(50);

impl Repair {
    fn timeout(self) -> Duration {
        if self == Repair::Whole { remember::PATIENCE } else { BRIEF_TIMEOUT }
    }
}

/// What came of an error.
pub(crate) enum Recovery {
    /// It is worth trying again: the file is whole, or a new one can be made.
    TryAgain { moved_away: bool },
    /// This is what is wrong.
    Failed(StoreError),
}

/// Looks whether an error means that the file is damaged, moves it away then, and begins to bring back its rows.
pub(crate) fn recover(database: &Path, error: StoreError, repair: Repair) -> Recovery {
    if repair == Repair::Never || !Store::is_suspicious(database, &error) {
        return Recovery::Failed(error);
    }
    let max_bytes = if repair == Repair::Whole { u64::MAX } else { MAX_BRIEF_CHECK };
    match Store::judge(database, max_bytes, repair.timeout(), remember::now()) {
        Judgement::Whole => Recovery::TryAgain { moved_away: false },
        Judgement::MovedAway(_) => {
            advance(repair);
            Recovery::TryAgain { moved_away: true }
        }
        Judgement::Undecided => Recovery::Failed(error),
        Judgement::Unreadable(words) => Recovery::Failed(StoreError::Unreadable(words)),
    }
}

/// Checks a file of up to `max_bytes` that can be opened, and recovers it if it is damaged.
pub(crate) fn check(database: &Path, max_bytes: u64) {
    // What cannot be opened is judged by its error; a file of another program or version is not ours to check.
    if !matches!(Reader::open(database, BRIEF_TIMEOUT), Ok(Some(_))) {
        return;
    }
    if let Judgement::MovedAway(_) = Store::judge(database, max_bytes, BRIEF_TIMEOUT, remember::now()) {
        advance(Repair::Brief);
    }
}

/// Continues to bring back what can be read of damaged files.
pub(crate) fn advance(repair: Repair) {
    let limit = if repair == Repair::Whole { WHOLE_SALVAGE } else { BRIEF_SALVAGE };
    let Some(database) = paths::database().filter(|_| repair != Repair::Never) else { return };
    let watch = clock::stopwatch();
    // What fails now is tried again by the next one, and `nudge doctor` says how far it has come.
    drop(Store::salvage(&database, Which::Noted, repair.timeout(), &|| watch() > limit));
}

/// Brings back everything at once, also from files that an earlier version set aside.
pub(crate) fn finish(database: &Path) -> Result<bool, StoreError> {
    Store::salvage(database, Which::All, remember::PATIENCE, &|| false)
}

/// Returns what happened to the memory and was not said yet; it is said once.
pub(crate) fn news() -> Vec<Problem> {
    let Some(database) = paths::database() else { return Vec::new() };
    let notes = store::damage_notes(&database);
    let fresh = notes.iter().filter(|note| note.claim_telling(&database));
    fresh.map(|note| Problem::error(describe(note, &database)).by_event().about(Topic::Memory)).collect()
}

/// Returns everything that happened to the memory and is still on record, in sentences.
pub(crate) fn history() -> Vec<String> {
    let Some(database) = paths::database() else { return Vec::new() };
    store::damage_notes(&database).iter().map(|note| describe(note, &database)).collect()
}

/// Says in a sentence what happened, and what was done about it.
pub(crate) fn describe(note: &DamageNote, database: &Path) -> String {
    let file = note.file(database);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let progress = match (note.is_finished(), note.lost()) {
        (false, _) => format!("{} so far, and more are being brought back", brought_back(note.restored)),
        (true, 0) => brought_back(note.restored),
        (true, lost) => {
            // Numbers of events that came twice were given to no observation.
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
