//! How a failure was overcome: what was done between it and the success that followed.

use crate::model::{Observation, ObservationType};
use crate::shell::{self, Doing};

/// At most this many steps are shown: the last before the success, where the remedy is.
const SHOWN_STEPS: usize = 5;
/// A success this many prompts later belongs to other work.
const MAX_PROMPTS: usize = 3;

/// What followed a failure until it was overcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Remedy {
    /// Edits and commands between the failure and the success, in chronological order.
    pub(crate) steps: Vec<Observation>,
    pub(crate) success: Observation,
    /// What the agent said at the end of that turn.
    pub(crate) outcome: Option<Observation>,
}

impl Remedy {
    /// Returns whether anything was done differently: if not, the command simply worked when it was run again.
    pub(crate) fn is_visible(&self, failure: &Observation) -> bool {
        !self.steps.is_empty() || command(&self.success) != command(failure)
    }
}

/// Finds how a failure was overcome in the rows of its session that came after it, in chronological order.
pub(crate) fn remedy(failure: &Observation, after: Vec<Observation>) -> Option<Remedy> {
    let exact = after.iter().position(|row| is_success_of(row, failure));
    let turn_end =
        after.iter().position(|row| row.obs_type == ObservationType::UserPrompt).unwrap_or(after.len());
    let prompts =
        |end: usize| after[..end].iter().filter(|row| row.obs_type == ObservationType::UserPrompt).count();
    let exact = exact.filter(|at| prompts(*at) <= MAX_PROMPTS);
    // Another program may have brought it about: `go vet` where `go build` failed.
    let kin = || after[..turn_end].iter().position(|row| is_kin(row, failure));
    let at = exact.or_else(kin)?;
    let outcome = after[at..]
        .iter()
        .take_while(|row| row.obs_type != ObservationType::UserPrompt)
        .find(|row| row.obs_type == ObservationType::Outcome);
    let outcome = outcome.cloned();
    let mut steps: Vec<Observation> =
        after[..at].iter().filter(|row| is_step(row, failure)).cloned().collect();
    let hidden = steps.len().saturating_sub(SHOWN_STEPS);
    Some(Remedy { steps: steps.split_off(hidden), success: after[at].clone(), outcome })
}

/// Returns whether a row is a success of the program that failed.
pub(crate) fn is_success_of(row: &Observation, failure: &Observation) -> bool {
    if !matches!(row.obs_type, ObservationType::Command | ObservationType::McpCall) || row.is_unfinished() {
        return false;
    }
    let Some(program) = failure.program.as_deref() else { return false };
    row.program.as_deref() == Some(program) || row.programs().any(|one| one == program)
}

/// Returns whether a row is a success of a related program on the same thing.
fn is_kin(row: &Observation, failure: &Observation) -> bool {
    if row.obs_type != ObservationType::Command || row.is_unfinished() {
        return false;
    }
    let family =
        |row: &Observation| row.program.as_deref().and_then(|name| name.split(' ').next()).map(str::to_owned);
    let telling = |row: &Observation| -> Vec<String> {
        let words = shell::parts(command(row)).into_iter().flat_map(|part| part.words.into_iter().skip(1));
        words.filter(|word| word.len() > 4 && !word.starts_with('-')).collect()
    };
    let words = telling(failure);
    family(row) == family(failure) && !only_looks(row) && telling(row).iter().any(|word| words.contains(word))
}

/// Returns whether a row is part of what was done: an edit, or a command that does something.
fn is_step(row: &Observation, failure: &Observation) -> bool {
    match row.obs_type {
        ObservationType::FileEdit | ObservationType::FileWrite => true,
        ObservationType::Command => !only_looks(row) && command(row) != command(failure),
        _ => false,
    }
}

/// Returns whether a command only looks at what is there.
pub(crate) fn only_looks(row: &Observation) -> bool {
    shell::parts(command(row)).iter().all(|part| shell::doing(part) != Doing::Acting)
}

/// Returns the command of a row, or its whole content if it is no command.
pub(crate) fn command(row: &Observation) -> &str {
    row.metadata.as_ref().and_then(|metadata| metadata.command()).unwrap_or(&row.content)
}

#[cfg(test)]
mod tests;
