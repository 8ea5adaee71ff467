//! Deletes notes: first a plan with a reason for each, then, with consent, one commit per deletion.
//!
//! Only `.nexus/memory/` is considered. Automatic deletion is disabled by default, runs only on request, and never at
//! the end of a cycle: nobody expects a file to be deleted because a task was closed.

use super::{NoteError, lock, settings};
use crate::harness;
use crate::model::{History, Problem, Timestamp};
use crate::nexus::git::Repository;
use crate::nexus::notes::MEMORY;
use crate::nexus::removal::{Removal, RemovalError};
use crate::nexus::{HISTORY, Nexus, access};
use crate::notes::{self, Advice, NotesPlan, PlannedNote, Policy, Signals, Usage};
use crate::ops::nexus::own_harnesses;
use crate::system::clock;

/// The result of deleting notes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Cleared {
    /// The note that has the texts of the others now.
    pub(crate) merged_into: Option<String>,
    pub(crate) removed: Vec<(String, Removal)>,
    pub(crate) refused: Vec<(String, RemovalError)>,
    /// The commits do not belong to any branch.
    pub(crate) detached: bool,
    /// How many access records of missing notes were dropped.
    pub(crate) pruned: usize,
}

/// Returns what could be done with each note, and why.
pub(crate) fn plan(nexus: &Nexus) -> Result<NotesPlan, NoteError> {
    let notes = nexus.notes()?;
    // A history that cannot be read counts no cycle, so fewer notes are proposed.
    let history: History = nexus.read(HISTORY).ok().flatten().unwrap_or_default();
    let closed = history.cycles.iter().filter_map(|cycle| clock::from_iso(cycle["completed_at"].as_str()?));
    // Outside of git nobody knows how old a note is, and then it is not proposed.
    let changed_at = Repository::of(&nexus.path(MEMORY)).and_then(|repository| repository.changed());
    let changed_at = changed_at.unwrap_or_default().into_iter().map(|(name, at)| (name, Timestamp(at)));
    let usage =
        Usage { reads: super::reads(nexus), closed_at: closed.collect(), changed_at: changed_at.collect() };
    Ok(notes::plan(&notes, &usage, clock::timestamp(), &policy(nexus)))
}

/// Returns the entries whose removal the plan proposes.
pub(crate) fn proposed(plan: &NotesPlan) -> Vec<PlannedNote> {
    plan.entries.iter().filter(|entry| entry.advice == Advice::Remove).cloned().collect()
}

/// Returns the entries of these names, all of them or none.
pub(crate) fn chosen(plan: &NotesPlan, names: &[String]) -> Result<Vec<PlannedNote>, NoteError> {
    let find = |name: &String| {
        let entry = plan.entries.iter().find(|entry| entry.name == *name);
        entry.cloned().ok_or_else(|| NoteError::NotFound(name.clone()))
    };
    names.iter().map(find).collect()
}

/// Returns the entries that may be deleted without consent: automatic deletion is enabled, and all signals agree.
pub(crate) fn automatic(nexus: &Nexus, plan: &NotesPlan) -> Result<Vec<PlannedNote>, NoteError> {
    if !settings(nexus).notes.auto_delete {
        return Err(NoteError::AutomaticOff);
    }
    match policy(nexus).signals.count() {
        count if count < Signals::FEWEST => return Err(NoteError::TooFewSignals(count)),
        _ => {}
    }
    match blind_harness(nexus) {
        Some(name) => Err(NoteError::BlindHarness(name)),
        None => Ok(plan.entries.iter().filter(|entry| entry.automatic).cloned().collect()),
    }
}

/// Returns a problem if automatic deletion is enabled but cannot work here.
pub(crate) fn blindness(nexus: &Nexus) -> Option<Problem> {
    let name = blind_harness(nexus).filter(|_| settings(nexus).notes.auto_delete)?;
    let refused = NoteError::BlindHarness(name);
    let problem = Problem::warning(format!("notes are not deleted automatically: {refused}"));
    Some(problem.hint(refused.hint().unwrap_or_default()))
}

/// Returns an agent that works here and does not report its reads.
fn blind_harness(nexus: &Nexus) -> Option<String> {
    let is_blind = |name: &String| harness::by_id(name).is_some_and(|agent| !agent.sees_reads);
    access::harnesses(nexus).into_iter().find(is_blind)
}

/// Deletes notes, each in its own commit; a note that cannot be deleted is returned with the reason.
pub(crate) fn clear(nexus: &Nexus, entries: &[PlannedNote]) -> Result<Cleared, NoteError> {
    let mut cleared = Cleared::default();
    if !nexus.exists() {
        return Ok(cleared);
    }
    if !entries.is_empty() {
        let repository = Repository::of(&nexus.path(MEMORY))?;
        repository.hold_quiet()?;
        cleared.detached = repository.is_detached()?;
        for entry in entries {
            let reasons: Vec<String> = entry.reasons.iter().map(ToString::to_string).collect();
            // Locked for one note at a time: an agent's hooks wait for the lock.
            let _locked = lock(nexus)?;
            match repository.remove(&entry.name, &reasons.join("; ")) {
                Ok(removal) => cleared.removed.push((entry.name.clone(), removal)),
                Err(error) => cleared.refused.push((entry.name.clone(), error)),
            }
        }
    }
    cleared.pruned = lock(nexus)?.prune_accesses(&own_harnesses())?;
    Ok(cleared)
}

fn policy(nexus: &Nexus) -> Policy {
    let notes = settings(nexus).notes;
    Policy {
        stale_days: notes.stale_days,
        signals: Signals { days: notes.auto_days, cycles: notes.auto_cycles, reads: notes.auto_reads },
    }
}
