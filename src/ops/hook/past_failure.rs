//! When something fails as it failed before, says what worked then.

use std::collections::HashSet;
use std::time::Duration;

use super::colleague_remedy::{self, ColleagueSource};
use super::past_text::PastText;
use crate::context::{self, Recurrence};
use crate::journal::marks;
use crate::model::{FAILED_TOOL, FailureRow, Metadata, NewObservation, Observation, ObservationId, Project};
use crate::observations::{self, Circumstances};
use crate::ops::observations::remember;
use crate::ops::observations::salvage::Repair;
use crate::ops::on_time::on_time;
use crate::ops::project;
use crate::ops::turn::Turn;
use crate::recall;
use crate::redact::OwnPatterns;
use crate::store::{Reader, StoreError};
use crate::system::clock;
use crate::system::repository::Worktree;

/// How long a failure waits for a locked database.
const READ_TIMEOUT: Duration = Duration::from_millis(100);
/// A failure is compared with this many earlier ones.
const MAX_COMPARED: usize = 2_000;
/// Of the failures that are alike, this many are searched for a remedy.
const MAX_TRIED: usize = 8;
/// An earlier failure of the same session within this many seconds is part of the same attempt, if it was not overcome.
const SAME_ATTEMPT: i64 = 600;

/// Returns what the agent should know about this failure; `None` if it is new, or nothing can be shown.
pub(super) fn failure(turn: &Turn<'_>) -> Result<Option<PastText>, StoreError> {
    let Some(failure) = observed_failure(turn) else { return Ok(None) };
    // The fix may be part of this turn, or of one that was killed before its observations were stored.
    let budget = turn.budget;
    let horizon =
        Horizon { here: turn.project().cloned(), sees_others: turn.settings.context_other_projects > 0 };
    let colleagues = ColleagueSource::of(turn);
    let (found, fixes) = on_time(budget, move || {
        let reader = remember::reader_within(budget.within(READ_TIMEOUT), Repair::Never)?;
        let found = reader.as_ref().map(|reader| recurrence(reader, &failure, &horizon)).transpose();
        let found = found.map(Option::flatten);
        // What this user has overcome needs no colleague.
        let is_solved = |found: &Option<Recurrence>| found.as_ref().is_some_and(|one| one.remedy.is_some());
        let source = colleagues.filter(|_| found.as_ref().is_ok_and(|found| !is_solved(found)));
        // A copy that cannot be read now is not waited for.
        let fixes = source.and_then(|source| source.fixes_of(reader.as_ref(), &failure).ok());
        reader.into_iter().for_each(Reader::leave_open);
        Ok((found?, fixes.unwrap_or_default()))
    })?;
    let own = found.and_then(|found| own_text(turn, &found));
    Ok(PastText::joined(own, colleague_remedy::after_failure(turn, &fixes)))
}

/// Describes what happened here before; the same text helps once in a session.
fn own_text(turn: &Turn<'_>, found: &Recurrence) -> Option<PastText> {
    let text = context::describe_recurrence(found, turn.project(), &clock::local_times());
    let mark = format!("past failure: {}", found.cause_id().0);
    let timeout = turn.budget.within(marks::TIMEOUT);
    let is_new = marks::set(turn.event.session.as_ref(), &[mark], timeout) == [true];
    let success = found.remedy.as_ref().map(|remedy| remedy.success.id);
    let rows = [found.cause_id()].into_iter().chain(success).collect();
    is_new.then(|| PastText::own(text, rows))
}

/// Returns whether a command failed although it ended with 0.
pub(super) fn is_hidden_failure(turn: &Turn<'_>) -> bool {
    let (tool, result) = (turn.event.tool.as_ref(), turn.event.result.as_ref());
    match &turn.observed {
        // The output was read when the event was observed.
        Some(rows) if !result.is_some_and(|result| result.failed) => rows.iter().any(is_behind_a_pipe),
        _ => tool.is_some_and(|tool| observations::failed_unreported(tool, result)),
    }
}

fn is_behind_a_pipe(row: &NewObservation) -> bool {
    row.metadata.as_ref().is_some_and(|facts| facts.0.contains_key("failed"))
}

/// Returns the observation of a failure that can be compared with others.
fn observed_failure(turn: &Turn<'_>) -> Option<NewObservation> {
    if !turn.settings.remember {
        return None;
    }
    // A look that failed has no way out but another look, which its message names already.
    let is_look = |one: &NewObservation| one.metadata.as_ref().and_then(Metadata::kind) == Some(FAILED_TOOL);
    let is_compared = |one: &NewObservation| one.signature.is_some() && !is_look(one);
    if let Some(rows) = &turn.observed {
        return rows.iter().find(|row| is_compared(row)).cloned();
    }
    let none = OwnPatterns::default();
    let worktree = turn.place.worktree();
    let circumstances = Circumstances {
        now: clock::timestamp(),
        root: turn.root_of_paths(),
        branch: worktree.and_then(Worktree::branch),
        ..Circumstances::default()
    };
    let observed = observations::observe(&turn.event, &circumstances, turn.secrets().unwrap_or(&none));
    observed.into_iter().find(is_compared)
}

/// Whose failures a session is told.
struct Horizon {
    here: Option<Project>,
    /// Whether those of other projects too.
    sees_others: bool,
}

impl Horizon {
    fn includes(&self, earlier: &Observation) -> bool {
        let is_here = self
            .here
            .as_ref()
            .is_some_and(|here| earlier.is_of(here) || earlier.project.as_deref() == Some(&here.name));
        let is_apart =
            || earlier.project_root.as_deref().is_some_and(|root| project::is_kept_apart(root.as_ref()));
        is_here || self.sees_others && !is_apart()
    }
}

/// Finds the best precedent of a failure: one that was overcome, or one that keeps coming back.
fn recurrence(
    reader: &Reader,
    failure: &NewObservation,
    horizon: &Horizon,
) -> Result<Option<Recurrence>, StoreError> {
    let Some(signature) = &failure.signature else { return Ok(None) };
    let known = reader.failures(None, MAX_COMPARED)?;
    let own = failure.event_key.map(|key| reader.id_of(key)).transpose()?.flatten();
    let known: Vec<FailureRow> = known.into_iter().filter(|one| Some(one.id) != own).collect();
    let new = FailureRow {
        id: ObservationId(i64::MAX),
        timestamp: failure.timestamp,
        session_id: failure.session_id.clone(),
        program: failure.program.clone(),
        signature: signature.clone(),
    };
    let alike = recall::alike(&new, &known);
    let sessions = alike.iter().map(|(_, one)| &one.session_id).collect::<HashSet<_>>().len();
    let mut without_remedy: Option<Observation> = None;
    let command =
        failure.metadata.as_ref().and_then(|metadata| metadata.command()).unwrap_or(&failure.content);
    for (likeness, one) in alike.iter().take(MAX_TRIED) {
        let Some((earlier, after)) = reader.failure_and_after(one.id)? else { continue };
        if earlier.is_failed_look() || !horizon.includes(&earlier) {
            continue;
        }
        if *likeness <= recall::ONLY_THE_SAME_WORDS && recall::command(&earlier) != command {
            continue;
        }
        let remedy = recall::remedy(&earlier, &after);
        // What this session met a moment ago and has not overcome, its agent is still working on.
        let age = failure.timestamp.since(earlier.timestamp);
        if remedy.is_none() && earlier.session_id == failure.session_id && age < SAME_ATTEMPT {
            continue;
        }
        if remedy.is_some() {
            return Ok(Some(Recurrence { earlier, remedy, times: alike.len(), sessions }));
        }
        without_remedy.get_or_insert(earlier);
    }
    // A cause without a way out is worth a line only if it keeps coming back.
    let keeps_coming = sessions > 1;
    Ok(without_remedy.filter(|_| keeps_coming).map(|earlier| Recurrence {
        earlier,
        remedy: None,
        times: alike.len(),
        sessions,
    }))
}
