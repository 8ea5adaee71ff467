//! How a failure was overcome: what was done between it and the success that followed.

use super::deed::{command, only_looks};
use super::likeness::{Corpus, SAME_CAUSE};
use super::missing_program;
use super::steps::{is_edit, steps};
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
    let sibling = || after[..turn_end].iter().position(|row| is_sibling(row, failure));
    let at = in_turn.or_else(kin).or_else(substitute).or_else(sibling).or_else(later)?;
    let outcome = after[at..].iter().take_while(|row| !is_prompt(row));
    let outcome = outcome.clone().find(|row| row.obs_type == ObservationType::Outcome).cloned();
    let steps = steps_to(failure, after, at);
    let shown = steps[steps.len().saturating_sub(SHOWN_STEPS)..].iter().copied().cloned().collect();
    Some(Remedy { steps: shown, success: after[at].clone(), outcome })
}

/// Returns what was done until a failure was gone: until the success, or until the command failed in another way before.
fn steps_to<'r>(failure: &Observation, after: &'r [Observation], success: usize) -> Vec<&'r Observation> {
    let until = gone_at(failure, &after[..success]).unwrap_or(success);
    let turn_end = after[..until].iter().position(Observation::is_prompt);
    let first_turn = steps(failure, &after[..turn_end.unwrap_or(until)]);
    let Some(turn_end) = turn_end else { return first_turn };
    // The turn ended with the failure, so what changed a file in the turn of the success put it right.
    let own_turn = after[..until].iter().rposition(Observation::is_prompt).unwrap_or(turn_end);
    let own = steps(failure, &after[own_turn..until]);
    if own.iter().any(|row| is_edit(row)) { own } else { first_turn }
}

/// Returns where the command that failed was run again and failed in another way, after something was done: the failure
/// was gone by then, and what was done later put the other one right.
fn gone_at(failure: &Observation, until_success: &[Observation]) -> Option<usize> {
    let signature = failure.signature.as_deref()?;
    let is_again = |row: &Observation| {
        row.obs_type == ObservationType::CommandError
            && row.program == failure.program
            && is_alike(row, failure)
    };
    let is_same = |row: &Observation| {
        let other = row.signature.as_deref().unwrap_or(signature);
        // A run that lists several failures may list the same one further down.
        other.lines().any(|line| signature.lines().any(|one| one == line))
            || Corpus::new([signature, other]).likeness(0, 1) >= SAME_CAUSE
    };
    let last = until_success.iter().rposition(|row| is_again(row) && is_same(row)).map_or(0, |at| at + 1);
    let found = until_success[last..].iter().position(is_again).map(|at| last + at)?;
    (!steps(failure, &until_success[..found]).is_empty()).then_some(found)
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

/// Programs that do each other's work: where one fails, another does the same with the same words.
const SIBLINGS: [&[&str]; 9] = [
    &["npm", "pnpm", "yarn", "bun"],
    &["npx", "pnpx", "bunx"],
    &["pip", "pip3", "uv"],
    &["python", "python3", "py"],
    &["mvn", "mvnw"],
    &["gradle", "gradlew"],
    &["docker-compose", "docker"],
    &["docker", "podman", "nerdctl"],
    &["make", "gmake", "nmake"],
];
/// Words between a program and its task that siblings write or leave out.
const CONNECTING: [&str; 4] = ["run", "pip", "compose", "-m"];
/// Messages about a subcommand that does not exist: another one of the same program was meant.
const UNKNOWN_SUBCOMMAND: [&str; 7] = [
    "no such command",
    "no such subcommand",
    "unknown command",
    "unknown subcommand",
    "is not a git command",
    "unrecognized subcommand",
    "did you mean",
];

/// Returns whether a row is a success of a program that does the same work with the same words (`pnpm test` after
/// `npm test`), or of a subcommand that was misspelt.
fn is_sibling(row: &Observation, failure: &Observation) -> bool {
    if row.obs_type != ObservationType::Command || row.is_unfinished() || only_looks(row) {
        return false;
    }
    let split = |line: &str| -> Vec<(String, Vec<String>)> {
        let parts = shell::parts(line).into_iter().filter(|part| shell::doing(part) == Doing::Acting);
        let named = parts.filter_map(|part| {
            let (first, rest) = part.words.split_first()?;
            let name = first.rsplit('/').next().unwrap_or(first).to_owned();
            Some((name, rest.iter().filter(|word| !CONNECTING.contains(&word.as_str())).cloned().collect()))
        });
        named.collect()
    };
    let (failed, worked) = (split(command(failure)), split(command(row)));
    let message = failure.signature.as_deref().unwrap_or_default().to_lowercase();
    let is_misspelt = UNKNOWN_SUBCOMMAND.iter().any(|phrase| message.contains(phrase));
    failed.iter().any(|(name, words)| {
        let same = |(other, theirs): &(String, Vec<String>)| {
            let are_siblings =
                SIBLINGS.iter().any(|all| all.contains(&name.as_str()) && all.contains(&other.as_str()));
            name != other && are_siblings && !words.is_empty() && words == theirs
                || name == other && is_misspelt && words.len() == theirs.len() && words != theirs
        };
        worked.iter().any(same)
    })
}

#[cfg(test)]
mod tests;
