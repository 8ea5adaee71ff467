//! How a failure was overcome: what was done between it and the success that followed.

use super::missing_program;
use crate::model::{Observation, ObservationType};
use crate::shell::{self, Doing};

/// At most this many steps are shown: the last before the success, where the remedy is.
const SHOWN_STEPS: usize = 5;
/// A success this many prompts later belongs to other work.
const MAX_PROMPTS: usize = 3;
/// An argument of fewer characters than this, or an option, says nothing about what a command is for.
const MIN_ARGUMENT: usize = 2;

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

    /// Returns whether a command made the difference, rather than an edit: it can be run in the first place.
    pub(crate) fn is_by_command(&self, failure: &Observation) -> bool {
        let last = self.steps.last().map(|step| step.obs_type);
        self.is_visible(failure) && last.is_none_or(|kind| kind == ObservationType::Command)
    }
}

/// Finds how a failure was overcome in the rows of its session that came after it, in chronological order.
pub(crate) fn remedy(failure: &Observation, after: &[Observation]) -> Option<Remedy> {
    let is_prompt = Observation::is_prompt;
    let turn_end = after.iter().position(is_prompt).unwrap_or(after.len());
    let in_turn = after[..turn_end].iter().position(|row| is_success_of(row, failure));
    // Another program may have brought it about: `go vet` where `go build` failed.
    let kin = || after[..turn_end].iter().position(|row| is_kin(row, failure));
    // A later turn may have been about something else, so only the same command counts.
    let later = || {
        let prompts = |end: usize| after[..end].iter().filter(|row| is_prompt(row)).count();
        let at = after.iter().position(|row| is_success_of(row, failure) && is_alike(row, failure))?;
        (prompts(at) <= MAX_PROMPTS && !only_looks(failure)).then_some(at)
    };
    let substitute = || {
        failure.signature.as_deref().and_then(missing_program)?;
        after[..turn_end].iter().position(|row| is_substitute(row, failure))
    };
    let at = in_turn.or_else(kin).or_else(substitute).or_else(later)?;
    let outcome = after[at..].iter().take_while(|row| !is_prompt(row));
    let outcome = outcome.clone().find(|row| row.obs_type == ObservationType::Outcome).cloned();
    let steps = after[..at.min(turn_end)].iter().filter(|row| is_step(row, failure));
    let mut steps: Vec<Observation> = steps.cloned().collect();
    let hidden = steps.len().saturating_sub(SHOWN_STEPS);
    Some(Remedy { steps: steps.split_off(hidden), success: after[at].clone(), outcome })
}

/// Returns whether two commands have most of their words in common.
fn is_alike(row: &Observation, failure: &Observation) -> bool {
    let words = |row: &Observation| -> Vec<String> {
        shell::parts(command(row)).into_iter().flat_map(|part| part.words).collect()
    };
    let (one, two) = (words(row), words(failure));
    let common = one.iter().filter(|word| two.contains(word)).count();
    common * 2 > one.len().max(two.len())
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

/// Returns whether a row is a success of another program that was given the same arguments, where the one that failed is
/// not installed: `python3 x.py` after `python x.py`.
fn is_substitute(row: &Observation, failure: &Observation) -> bool {
    if row.obs_type != ObservationType::Command
        || row.is_unfinished()
        || only_looks(row) && !only_looks(failure)
    {
        return false;
    }
    let missing = failure.signature.as_deref().and_then(missing_program);
    let parts = shell::parts(command(failure));
    let Some(part) = parts.iter().find(|part| part.words.first().map(String::as_str) == missing) else {
        return false;
    };
    let arguments = &part.words[1..];
    let is_telling = |word: &&String| word.len() >= MIN_ARGUMENT && !word.starts_with('-');
    shell::parts(command(row)).iter().any(|other| {
        let common = arguments.iter().filter(|word| other.words.contains(word));
        common.clone().any(|word| is_telling(&word)) && common.count() * 2 > arguments.len()
    })
}

/// Returns whether a row is part of what was done: an edit, or a command that does something.
fn is_step(row: &Observation, failure: &Observation) -> bool {
    match row.obs_type {
        ObservationType::FileEdit | ObservationType::FileWrite => true,
        // A subagent that ran meanwhile is stored as a command, and is not one.
        ObservationType::Command => {
            row.metadata.as_ref().is_some_and(|metadata| metadata.command().is_some())
                && !only_looks(row)
                && command(row) != command(failure)
        }
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
