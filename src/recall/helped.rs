//! Whether it helped to tell a session about a row, and which rows are told less because they never help.

use super::causes::alike;
use super::deed::command;
use super::remedy::is_success_of;
use crate::model::{FailureRow, Observation, ObservationType, TellRecord, ToldOutcome};

/// A row that this many sessions were told about, none of which it concerned, is told no more.
///
/// Of ten rows that are told at a start, about three concern the session: after six misses in a row, chance alone
/// explains it in one case of ten.
const MAX_MISSES: usize = 6;

/// Returns whether a row was told so often without concerning anybody that it is left out.
pub(crate) fn is_tired(record: TellRecord) -> bool {
    record.concerned == 0 && record.told >= MAX_MISSES
}

/// Returns what a session did about a row that it was told; `later` is what it did afterwards.
pub(crate) fn told_outcome(told: &Observation, later: &[Observation]) -> ToldOutcome {
    if !later.iter().any(is_action) {
        return ToldOutcome::Unknown;
    }
    match told.obs_type {
        ObservationType::FileEdit | ObservationType::FileWrite | ObservationType::FileRead => {
            let is_same = |row: &Observation| row.file_path.is_some() && row.file_path == told.file_path;
            if later.iter().any(is_same) { ToldOutcome::Used } else { ToldOutcome::Unused }
        }
        ObservationType::CommandError => failure_outcome(told, later),
        ObservationType::Command | ObservationType::McpCall => {
            let is_like = |row: &Observation| command(row) == command(told) || is_success_of(row, told);
            if later.iter().any(is_like) { ToldOutcome::Used } else { ToldOutcome::Unused }
        }
        _ => ToldOutcome::Unknown,
    }
}

fn failure_outcome(told: &Observation, later: &[Observation]) -> ToldOutcome {
    let failures: Vec<FailureRow> = later.iter().filter_map(failure_row).collect();
    let is_met = failure_row(told).is_some_and(|told| !alike(&told, &failures).is_empty());
    let touched = |row: &Observation| row.file_path.is_some() && row.file_path == told.file_path;
    if is_met {
        ToldOutcome::Met
    } else if later.iter().any(|row| is_success_of(row, told) || touched(row)) {
        ToldOutcome::Avoided
    } else {
        ToldOutcome::Unused
    }
}

fn failure_row(row: &Observation) -> Option<FailureRow> {
    (row.obs_type == ObservationType::CommandError).then_some(())?;
    Some(FailureRow {
        id: row.id,
        timestamp: row.timestamp,
        session_id: row.session_id.clone(),
        program: row.program.clone(),
        signature: row.signature.clone()?,
    })
}

fn is_action(row: &Observation) -> bool {
    !matches!(
        row.obs_type,
        ObservationType::SessionStart
            | ObservationType::SessionEnd
            | ObservationType::UserPrompt
            | ObservationType::Outcome
            | ObservationType::Summary
    )
}

#[cfg(test)]
mod tests;
