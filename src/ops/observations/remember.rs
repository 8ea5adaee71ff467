//! Remembers events: an observation of each is spooled at once, and stored in the database later.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::clean_up;
use super::database::{DATABASE_TIMEOUT, open_spool};
use super::salvage::{self, Recovery, Repair};
use super::told;
use crate::config::paths;
use crate::journal::marks;
use crate::model::{
    Event, Fate, Hook, NewObservation, Problem, Project, REFUSAL, Recorded, RefusedCall, RepositoryId,
    SessionId, Timestamp, Topic, Trace, refusal_id,
};
use crate::observations::{self, Circumstances, RuleWord};
use crate::ops::project;
use crate::ops::turn::Turn;
use crate::redact::OwnPatterns;
use crate::store::{Drained, Extent, Reader, Store, StoreError};
use crate::system::repository::Worktree;
use crate::system::{clock, target};

/// A turn is looked for in this many bytes at the end of a transcript.
const MAX_TURN_BYTES: u64 = 512 << 10;

/// Spools what is worth remembering of an event and of the answer to it, and leaves it in the turn.
pub(crate) fn spool(turn: &mut Turn<'_>, rule: Option<RuleWord>) -> Result<Recorded, Problem> {
    if !turn.settings.remember {
        return Ok(Recorded::Off);
    }
    let Some(spool) = open_spool() else {
        return Ok(Recorded::Dropped("there is no folder to keep anything in".to_owned()));
    };
    // What a broken pattern would have hidden must not be stored, and what the other patterns hide must not be lost.
    let own = turn.secrets().map_err(|error| {
        Problem::error(format!("nothing is remembered: a pattern under `redact` is not a regex: {error}"))
            .by_event()
            .about(Topic::Privacy)
    })?;
    let worktree = turn.place.worktree();
    // Some sessions begin without an event of their own: the first line of a file says what the project is, for the rest.
    let identify = |project: Project| match project.repository {
        None if spool.is_at_beginning() => project::identified(project, &turn.place, &turn.settings),
        _ => project,
    };
    let circumstances = Circumstances {
        now: clock::timestamp(),
        project: turn.project().cloned().map(identify),
        root: turn.root_of_paths(),
        branch: worktree.and_then(Worktree::branch),
        worktree: worktree.and_then(Worktree::linked_name),
        rule_name: rule.as_ref().and_then(|rule| rule_name(&turn.trace, rule)),
        rule,
        took_ms: turn.took_ms,
    };
    let mut observed = observations::observe(&turn.event, &circumstances, own);
    if turn.event.hook == Hook::Stop {
        observed.extend(refusals(turn, &circumstances, own));
    }
    spool.append(&observed).map_err(|error| {
        // A disk that takes a part of a line and one that takes nothing are the same problem, which is shown once.
        let is_full = error.kind() == io::ErrorKind::StorageFull;
        let why = if is_full { "the disk is full".to_owned() } else { error.to_string() };
        Problem::error(format!("an event could not be remembered: {why}"))
            .hint("check that the disk has room and that the data folder is writable")
            .by_event()
            .about(Topic::Memory)
    })?;
    let count = observed.len();
    turn.observed = Some(observed);
    Ok(if count == 0 { Recorded::Nothing } else { Recorded::Observations(count) })
}

/// Returns what the user said when refusing calls of this turn, which only the transcript has; each once.
fn refusals(turn: &Turn<'_>, at: &Circumstances<'_>, own: &OwnPatterns) -> Vec<NewObservation> {
    let end = turn.event.transcript.as_deref().and_then(|path| target::read_tail(path, MAX_TURN_BYTES));
    let refused = end.map(|end| (turn.agent.refusals)(&end)).unwrap_or_default();
    if refused.is_empty() {
        return Vec::new();
    }
    let marks: Vec<String> = refused.iter().map(|one| format!("refusal {}", one.tool_use_id)).collect();
    let fresh = marks::set(turn.event.session.as_ref(), &marks, turn.budget.within(marks::TIMEOUT));
    let fresh = refused.into_iter().zip(fresh).filter(|(_, is_new)| *is_new);
    let rows = fresh.flat_map(|(RefusedCall { tool_use_id, words, at_ms, call }, _)| {
        let event = Event {
            hook: Hook::UserPromptSubmit,
            harness: turn.event.harness,
            session: turn.event.session.clone(),
            cwd: turn.event.cwd.clone(),
            prompt: Some(words),
            prompt_id: Some(refusal_id(&tool_use_id)),
            tool: call,
            ..Event::default()
        };
        let now = if at_ms > 0 { Timestamp(at_ms / 1_000) } else { at.now };
        let at = Circumstances { now, rule: None, rule_name: None, took_ms: None, ..at.clone() };
        let mut rows = observations::observe(&event, &at, own);
        for row in &mut rows {
            let facts = &mut row.metadata.get_or_insert_default().0;
            facts.insert("kind".to_owned(), REFUSAL.into());
            facts.insert("tool_use_id".to_owned(), tool_use_id.as_str().into());
        }
        rows
    });
    rows.collect()
}

/// Returns the name of the rule that decided; a gate of the project is not a rule.
fn rule_name(trace: &Trace, rule: &RuleWord) -> Option<String> {
    let decided = |fate: &Fate| match rule {
        RuleWord::Blocked(_) => matches!(fate, Fate::Blocked | Fate::AskRefused),
        RuleWord::Guided(_) => fate.fired(),
    };
    trace.rules.iter().find(|tried| decided(&tried.fate)).map(|tried| tried.rule.clone())
}

/// Moves what is in the spool into the database; waits up to `timeout` for its lock.
pub(crate) fn drain(timeout: Duration, extent: Extent) -> Result<Drained, StoreError> {
    drain_and_keep(timeout, extent, Repair::Brief).map(|(drained, _)| drained)
}

/// Drains what a hook has time for, for a process that ends right after it.
pub(crate) fn drain_and_leave_open(timeout: Duration) -> Result<Drained, StoreError> {
    let (drained, store) = drain_and_keep(timeout, Extent::Batch, Repair::Brief)?;
    if let Some(store) = store {
        store.into_reader().leave_open();
    }
    Ok(drained)
}

/// Drains like `drain`, and leaves nothing in the database's log: a session ends, so nobody waits.
pub(crate) fn drain_at_end(timeout: Duration, session: Option<&SessionId>) -> Result<Drained, StoreError> {
    let (drained, mut store) = drain_and_keep(timeout, Extent::Batch, Repair::Brief)?;
    if let Some(store) = &mut store {
        // Whether something helped can also be found out later.
        drop(told::judge(store, session));
        store.empty_log();
    }
    Ok(drained)
}

/// Drains like `drain`, but a damaged database is an error, even if the events were stored in a new one.
pub(crate) fn drain_or_say_damaged(timeout: Duration) -> Result<Drained, StoreError> {
    let drain = || drain_once(timeout, Extent::All).map(|(drained, _)| drained);
    let error = match drain() {
        Err(error) => error,
        drained => return drained,
    };
    let Some(path) = paths::database() else { return Err(error) };
    match salvage::recover(&path, error.clone(), Repair::Whole) {
        Recovery::TryAgain { moved_away: false } => drain(),
        Recovery::TryAgain { moved_away: true } => drain().and(Err(error)),
        Recovery::Failed(error) => Err(error),
    }
}

/// Drains, and retries if the database was damaged; returns the database if it was opened for that.
fn drain_and_keep(
    timeout: Duration,
    extent: Extent,
    repair: Repair,
) -> Result<(Drained, Option<Store>), StoreError> {
    match (drain_once(timeout, extent), paths::database()) {
        (Err(error), Some(path)) => match salvage::recover(&path, error, repair) {
            Recovery::TryAgain { .. } => drain_once(timeout, extent),
            Recovery::Failed(error) => Err(error),
        },
        (drained, _) => drained,
    }
}

fn drain_once(timeout: Duration, extent: Extent) -> Result<(Drained, Option<Store>), StoreError> {
    let (Some(spool), Some(path)) = (open_spool(), paths::database()) else { return Ok(Default::default()) };
    if !spool.has_lines() {
        return Ok(Default::default());
    }
    let mut store = Store::open(&path, timeout)?;
    let last_folder = store.last_folder()?;
    let drained = spool.drain_into(&mut store, extent)?;
    identify_since(&mut store, last_folder)?;
    clean_up::some(&mut store);
    Ok((drained, Some(store)))
}

/// Notes what identifies the folders in which something has happened for the first time, unless their events said so.
fn identify_since(store: &mut Store, last_folder: i64) -> Result<(), StoreError> {
    for folder in store.unidentified_since(last_folder)? {
        let found = folder.root.as_deref().and_then(|root| project::of_folder(Path::new(root)));
        // What is there now may be under another name.
        let repository = found.filter(|found| found.root == folder.root).and_then(|found| found.repository);
        if let Some(repository) = repository.filter(|found| *found != RepositoryId::default()) {
            store.identify(&Project { repository: Some(repository), ..folder })?;
        }
    }
    Ok(())
}

/// Events that are safe in the spool, and why they are not in the database.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{} not in the memory yet: {why}", describe_count(*.events))]
pub(crate) struct Waiting {
    pub(crate) events: usize,
    pub(crate) why: StoreError,
}

fn describe_count(events: usize) -> String {
    if events == 1 { "1 event is".to_owned() } else { format!("{events} events are") }
}

/// Drains the spool and opens the memory for reading; `None` if nothing was ever remembered.
pub(crate) fn reader() -> Result<Option<Reader>, StoreError> {
    Ok(reader_and_waiting()?.map(|(reader, _)| reader))
}

/// Opens the memory like `reader`, and returns which events could not be stored.
pub(crate) fn reader_and_waiting() -> Result<Option<(Reader, Option<Waiting>)>, StoreError> {
    salvage::advance(Repair::Whole);
    let (reader, failed) = open_reader(DATABASE_TIMEOUT, Extent::All, Repair::Whole)?;
    let events = || open_spool().map_or(0, |spool| spool.waiting_events());
    let waiting = failed.map(|why| Waiting { events: events(), why }).filter(|waiting| waiting.events > 0);
    Ok(reader.map(|reader| (reader, waiting)))
}

/// Opens the memory for a hook, which waits neither for the disk nor long for the database, and drains only a part of
/// the spool.
pub(crate) fn reader_within(timeout: Duration, repair: Repair) -> Result<Option<Reader>, StoreError> {
    Ok(open_reader(timeout, Extent::Unsynced, repair)?.0)
}

/// Returns the memory, and why the spool could not be drained; takes no longer than `timeout` in all.
fn open_reader(
    timeout: Duration,
    extent: Extent,
    repair: Repair,
) -> Result<(Option<Reader>, Option<StoreError>), StoreError> {
    let watch = clock::stopwatch();
    let drained = drain_and_keep(timeout, extent, repair);
    // Opening the file again would read its whole log and the schema a second time.
    if let Ok((drained, Some(store))) = drained {
        let failed = (drained.skipped > 0).then_some(StoreError::SpoolLocked);
        return Ok((Some(store.into_reader()), failed));
    }
    // That took seconds, and opening the file would take as long again.
    if let Err(StoreError::Stuck) = drained {
        return Err(StoreError::Stuck);
    }
    let Some(path) = paths::database() else { return Ok((None, None)) };
    let open = || Reader::open(&path, timeout.saturating_sub(watch()));
    let opened = open().or_else(|error| match salvage::recover(&path, error, repair) {
        Recovery::TryAgain { .. } => open(),
        Recovery::Failed(error) => Err(error),
    });
    match opened? {
        // If the spool cannot be drained, the reader still answers with what is stored.
        Some(reader) => Ok((Some(reader), drained.err())),
        None => drained.map(|_| (None, None)),
    }
}

/// Redacts all rows of older versions, also those that are still in the spool.
pub(crate) fn clean_all() -> Result<(), StoreError> {
    let Some(path) = paths::database().filter(|path| path.exists()) else { return Ok(()) };
    let mut store = Store::open(&path, DATABASE_TIMEOUT)?;
    if !store.has_old_rows()? {
        return Ok(());
    }
    drain(DATABASE_TIMEOUT, Extent::All)?;
    clean_up::all(&mut store)
}

/// Opens the memory for writing; `None` if nothing was ever remembered.
pub(crate) fn store() -> Result<Option<Store>, StoreError> {
    let Some(path) = paths::database() else { return Ok(None) };
    drain_and_keep(DATABASE_TIMEOUT, Extent::All, Repair::Whole)?;
    if !path.exists() {
        return Ok(None);
    }
    let open = || Store::open(&path, DATABASE_TIMEOUT).map(Some);
    open().or_else(|error| match salvage::recover(&path, error, Repair::Whole) {
        Recovery::TryAgain { .. } => open(),
        Recovery::Failed(error) => Err(error),
    })
}

/// Counts what is not counted yet, for the viewer and for statistics; `is_over` is asked now and then. Returns whether
/// everything is counted.
pub(crate) fn summarize(is_over: impl Fn() -> bool) -> Result<bool, StoreError> {
    let Some(path) = paths::database().filter(|path| path.exists()) else { return Ok(true) };
    let mut store = Store::open(&path, DATABASE_TIMEOUT)?;
    match store.summarize(is_over) {
        // Another process writes: the counts of before are good enough, and the next question counts again.
        Err(StoreError::Busy) => Ok(false),
        done => done,
    }
}
