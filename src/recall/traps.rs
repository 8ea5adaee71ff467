//! What a command looks like that keeps failing here, so that it can be recognised before it runs.
//!
//! A warning is given once in a session, so what counts is how the first run of each session ended.

use std::collections::HashSet;

use super::deed::command;
use super::shape::{part_of, shape, shape_of};
use super::{missing_program, runs_program};
use crate::model::{Observation, ObservationId, ObservationType, SessionId, Trap};
use crate::shell::{self, SimpleCommand};

/// A cause is expected to come back if at least this many sessions met it: once may be chance.
const MIN_SESSIONS: usize = 2;
/// What happened in more than this many sessions before says little about today.
const RECENT_SESSIONS: usize = 5;
/// A word of fewer characters than this occurs in every other command.
const MIN_WORD: usize = 4;
/// Runs are alike if they share this many words, and a command is like them if it has two of three of these.
const MIN_LIKE: usize = 2;
const LIKE_SHARE: (usize, usize) = (2, 3);

/// A run of a command, and the part of its line that looks like the failures.
type PastRun<'r> = (&'r Observation, SimpleCommand);

/// Finds what the failures of one cause look like and successes do not; `rows` is what was done, the newest first.
pub(crate) fn trap(newest: &Observation, cause: &[ObservationId], rows: &[Observation]) -> Option<Trap> {
    let cause: HashSet<ObservationId> = cause.iter().copied().collect();
    let failed = |row: &Observation| row.id == newest.id || cause.contains(&row.id);
    if let Some(missing) = newest.signature.as_deref().and_then(missing_program) {
        let is_there = rows.iter().any(|row| is_success(row) && runs_program(command(row), missing));
        return (!is_there).then(|| Trap::Program(missing.to_owned()));
    }
    let program = newest.program.as_deref()?;
    let name = program.split(' ').next().unwrap_or(program);
    let shape = shape(command(newest), program)?;
    // Most rows are about other programs, and are not taken apart.
    let runs: Vec<PastRun<'_>> = rows
        .iter()
        .filter(|row| is_run(row) && command(row).contains(name))
        .filter_map(|row| Some((row, part_of(command(row), program, &shape)?)))
        .collect();
    let (failures, others): (Vec<_>, Vec<_>) = runs.iter().partition(|(row, _)| failed(row));
    // A word that the runs lacked says more than their shape, which a right run has as well.
    if let Some(lacking) = lacking(&shape, &failures, &others) {
        return Some(lacking);
    }
    let firsts = first_runs(&runs);
    let met = firsts.iter().filter(|row| failed(row)).count();
    if met >= MIN_SESSIONS && met * 2 > firsts.len() {
        return Some(Trap::Shape { shape, word: None });
    }
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
    let word = telling.into_iter().max_by_key(|word| (signature.contains(*word), word.len()))?;
    Some(Trap::Shape { shape, word: Some(word.to_owned()) })
}

/// Finds the one word that runs like the failures had when they worked, and that no failure had: each time it was written
/// in another wrong way.
fn lacking(shape: &str, failures: &[&PastRun<'_>], others: &[&PastRun<'_>]) -> Option<Trap> {
    let all_failed: Vec<HashSet<&str>> = failures.iter().map(|(_, part)| words(part).collect()).collect();
    // What all of them have in common says what they are for.
    let mut like: Vec<&str> = all_failed.first()?.iter().copied().collect();
    like.retain(|word| all_failed.iter().all(|words| words.contains(word)));
    like.sort_unstable();
    let worked: Vec<(&SessionId, HashSet<&str>)> = others
        .iter()
        .filter(|(row, part)| is_success(row) && is_like(part, &like))
        .map(|(row, part)| (&row.session_id, words(part).collect()))
        .collect();
    // Sessions that met the failure, and then wrote it in the way that works.
    let overcame: HashSet<&SessionId> = worked
        .iter()
        .map(|(session, _)| *session)
        .filter(|session| failures.iter().any(|(row, _)| row.session_id == **session))
        .collect();
    if like.len() < MIN_LIKE || overcame.len() < MIN_SESSIONS {
        return None;
    }
    let mut needed = worked.first()?.1.iter().filter(|word| {
        worked.iter().all(|(_, words)| words.contains(*word))
            && !all_failed.iter().any(|words| words.contains(*word))
    });
    // With two of them, nobody knows which one it was.
    let (word, None) = (needed.next()?, needed.next()) else { return None };
    let like = like.into_iter().map(str::to_owned).collect();
    Some(Trap::Lacking { shape: shape.to_owned(), like, word: (*word).to_owned() })
}

/// Returns whether a command has most of these words.
fn is_like<W: AsRef<str>>(part: &SimpleCommand, like: &[W]) -> bool {
    let words: HashSet<&str> = words(part).collect();
    let known = like.iter().filter(|word| words.contains(word.as_ref())).count();
    known * LIKE_SHARE.1 >= like.len() * LIKE_SHARE.0
}

/// Returns the first run of each of the last sessions; `runs` are the newest first.
fn first_runs<'r>(runs: &[PastRun<'r>]) -> Vec<&'r Observation> {
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
            has_shape(part, shape) && word.as_ref().is_none_or(|word| words(part).any(|other| other == word))
        }
        Trap::Lacking { shape, like, word } => {
            has_shape(part, shape) && !words(part).any(|other| other == word) && is_like(part, like)
        }
    }
}

fn has_shape(part: &SimpleCommand, shape: &str) -> bool {
    shell::program(part).is_some_and(|program| shape_of(part, &program) == shape)
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
