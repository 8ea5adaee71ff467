//! Keeps what an agent was told, and finds out at the end of the session whether it helped.

use super::database::open_spool;
use crate::model::{
    DAY, Hook, Observation, ObservationId, ObservationType, SessionId, Told, ToldOutcome, ToldPart,
};
use crate::ops::turn::Turn;
use crate::recall;
use crate::store::{Store, StoreError, ToldRow};
use crate::system::clock::now_ms;

/// Some agents never report the end of a session: after this many milliseconds it counts as over.
const OVER_AFTER_MS: i64 = DAY * 1_000;
/// At most this many of these sessions are looked at when another one ends.
const MAX_OVER: usize = 3;
/// The name of the part that comes from the memory.
const PAST: &str = "past";

/// Spools what this event tells the agent. A hook must not fail because of it, so a failure is ignored.
pub(crate) fn spool(turn: &Turn<'_>, rows: &[ObservationId]) {
    let (Some(session), Some(spool)) = (&turn.event.session, open_spool()) else { return };
    if !turn.settings.remember || turn.trace.parts.is_empty() {
        return;
    }
    let parts = turn.trace.parts.iter().map(|(part, chars)| {
        let rows = if part.name() == PAST { rows.to_vec() } else { Vec::new() };
        ToldPart { part: part.name().to_owned(), chars: *chars, rows }
    });
    let told = Told {
        at_ms: now_ms(),
        session: session.clone(),
        harness: turn.event.harness.to_owned(),
        hook: turn.event.hook.name().to_owned(),
        parts: parts.collect(),
    };
    drop(spool.append_told(&told));
}

/// Finds out what a session that ends did about what it was told, and the same for a few that ended without a word.
pub(crate) fn judge(store: &mut Store, ended: Option<&SessionId>) -> Result<(), StoreError> {
    let over = store.unjudged_sessions(now_ms() - OVER_AFTER_MS, MAX_OVER)?;
    for session in ended.into_iter().chain(&over) {
        let rows = store.unjudged_rows(session)?;
        if rows.is_empty() {
            continue;
        }
        let done = store.session(session)?;
        let ids: Vec<ObservationId> = rows.iter().map(|row| row.observation).collect();
        let known = store.get(&ids)?;
        let judged = rows.into_iter().map(|row| {
            let told = known.iter().find(|one| one.id == row.observation);
            let start = first_after(&done, &row);
            // A row that was forgotten meanwhile says nothing.
            let outcome =
                told.map_or(ToldOutcome::Unknown, |told| recall::told_outcome(told, &done[start..]));
            (row, outcome)
        });
        let judged: Vec<_> = judged.collect();
        store.judge_told(&judged, now_ms())?;
    }
    Ok(())
}

/// Returns where the rows of a session begin that came after an answer. Rows have whole seconds, so those of the same
/// second count; but not the failure that was answered.
fn first_after(done: &[Observation], row: &ToldRow) -> usize {
    let start = done.partition_point(|one| one.timestamp.0 * 1_000 + 999 < row.at_ms);
    let answered = |one: &Observation| {
        one.obs_type == ObservationType::CommandError && one.timestamp.0 * 1_000 <= row.at_ms
    };
    let is_answer = row.hook == Hook::PostToolUseFailure.name() || row.hook == Hook::PostToolUse.name();
    let failure = done.iter().rposition(answered).filter(|_| is_answer);
    failure.map_or(start, |at| start.max(at + 1))
}
