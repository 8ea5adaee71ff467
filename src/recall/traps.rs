//! What a command looks like that keeps failing here, so that it can be recognised before it runs.
//!
//! A warning is given once in a session, so what counts is how the first run of each session ended.

use std::collections::HashSet;

use super::deed::command;
use super::missing_program;
use super::shape::{part_of, shape, shape_of};
use crate::model::{Observation, ObservationId, ObservationType, SessionId, Trap};
use crate::shell::{self, SimpleCommand};

/// A cause is expected to come back if at least this many sessions met it: once may be chance.
const MIN_SESSIONS: usize = 2;
/// What happened in more than this many sessions before says little about today.
const RECENT_SESSIONS: usize = 5;
/// A word of fewer characters than this occurs in every other command.
const MIN_WORD: usize = 4;

/// Finds what the failures of one cause look like and successes do not; `rows` is what was done, the newest first.
pub(crate) fn trap(newest: &Observation, cause: &[ObservationId], rows: &[Observation]) -> Option<Trap> {
    let cause: HashSet<ObservationId> = cause.iter().copied().collect();
    let failed = |row: &Observation| row.id == newest.id || cause.contains(&row.id);
    if let Some(missing) = newest.signature.as_deref().and_then(missing_program) {
        let works = rows.iter().filter(|row| is_success(row) && command(row).contains(missing));
        let is_first_word = |part: &SimpleCommand| part.words.first().is_some_and(|word| word == missing);
        let is_there = works.into_iter().any(|row| shell::parts(command(row)).iter().any(is_first_word));
        return (!is_there).then(|| Trap::Program(missing.to_owned()));
    }
    let program = newest.program.as_deref()?;
    let name = program.split(' ').next().unwrap_or(program);
    let shape = shape(command(newest), program)?;
    // Most rows are about other programs, and are not taken apart.
    let runs: Vec<(&Observation, SimpleCommand)> = rows
        .iter()
        .filter(|row| is_run(row) && command(row).contains(name))
        .filter_map(|row| Some((row, part_of(command(row), program, &shape)?)))
        .collect();
    let firsts = first_runs(&runs);
    let met = firsts.iter().filter(|row| failed(row)).count();
    if met >= MIN_SESSIONS && met * 2 > firsts.len() {
        return Some(Trap::Shape { shape, word: None });
    }
    let (failures, others): (Vec<_>, Vec<_>) = runs.iter().partition(|(row, _)| failed(row));
    let sessions: HashSet<&SessionId> = failures.iter().map(|(row, _)| &row.session_id).collect();
    if sessions.len() < MIN_SESSIONS {
        return None;
    }
    let known: HashSet<&str> = others.iter().flat_map(|(_, part)| words(part)).collect();
    let mut telling: Vec<&str> = failures.first().map(|(_, part)| words(part).collect()).unwrap_or_default();
    telling.retain(|word| {
        !known.contains(word) && failures.iter().all(|(_, part)| words(part).any(|other| other == *word))
    });
    let signature = newest.signature.as_deref().unwrap_or_default();
    // A word that the message names is the reason; of the others, the longest is the most particular.
    let word = telling.into_iter().max_by_key(|word| (signature.contains(*word), word.len()))?.to_owned();
    Some(Trap::Shape { shape, word: Some(word) })
}

/// Returns the first run of each of the last sessions; `runs` are the newest first.
fn first_runs<'r>(runs: &[(&'r Observation, SimpleCommand)]) -> Vec<&'r Observation> {
    let mut firsts: Vec<&Observation> = Vec::new();
    for (row, _) in runs {
        match firsts.iter().position(|known| known.session_id == row.session_id) {
            Some(at) => firsts[at] = row,
            None if firsts.len() < RECENT_SESSIONS => firsts.push(row),
            None => {}
        }
    }
    firsts
}

fn is_success(row: &Observation) -> bool {
    row.obs_type == ObservationType::Command && !row.is_unfinished()
}

fn is_run(row: &Observation) -> bool {
    is_success(row) || row.obs_type == ObservationType::CommandError
}

/// Returns whether a part of a command line looks like this.
pub(crate) fn is_trapped(part: &SimpleCommand, trap: &Trap) -> bool {
    match trap {
        Trap::Program(name) => part.words.first() == Some(name),
        Trap::Shape { shape, word } => {
            shell::program(part).is_some_and(|program| shape_of(part, &program) == *shape)
                && word.as_ref().is_none_or(|word| words(part).any(|other| other == word))
        }
    }
}

/// Returns the words of a command that may tell it from others, also those inside of a quoted text.
fn words(part: &SimpleCommand) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '@' | '+' | '#');
    let pieces = part.words.iter().flat_map(move |word| word.split(move |c: char| !is_part(c)));
    let pieces = pieces.map(|piece| piece.trim_matches(['.', ':', '-', '/']));
    pieces.filter(|piece| piece.len() >= MIN_WORD && piece.contains(char::is_alphabetic))
}

#[cfg(test)]
mod tests;
