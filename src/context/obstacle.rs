//! What goes wrong in a project, and the way out: one line for each cause.

use std::collections::HashSet;

use super::line::{BriefingLine, short};
use super::past::{BriefingInput, Obstacle};
use crate::model::{Observation, ObservationId, ObservationType};
use crate::recall;

/// The number of causes that are named, and of those that matter as much as the files of this work.
const OBSTACLES: usize = 10;
const FIRST_OBSTACLES: usize = 5;
/// Maximum length of a program, of a cause, and of the way out, in characters.
const MAX_PROGRAM: usize = 30;
const MAX_CAUSE: usize = 64;
const MAX_WAY_OUT: usize = 120;
/// A cause without a way out has the room of both: often its own words say what to do.
const MAX_CAUSE_ALONE: usize = 120;

/// A program counts as not installed if it was missed this often: once, it may have been a slip of the agent.
const MIN_MISSED: usize = 2;
/// The number of programs that are named as not installed.
const MISSING: usize = 6;

/// Lists what goes wrong here, without what never concerned a session.
pub(super) fn obstacle_lines(past: &BriefingInput) -> Vec<BriefingLine> {
    let missing = not_installed(past);
    // What is not installed is said in one line.
    let is_said = |obstacle: &Obstacle| {
        let signature = obstacle.failure.signature.as_deref().unwrap_or_default();
        let name = recall::missing_program(signature).filter(|_| obstacle.remedy.is_none());
        name.is_some_and(|name| missing.iter().any(|(known, _)| known == name))
    };
    let is_fresh = |obstacle: &&Obstacle| {
        !past.is_tired(obstacle.failure.id) && !is_said(obstacle) && !is_there_now(obstacle, past)
    };
    // Several failures that one step put right are one thing to know.
    let mut ways = HashSet::new();
    let is_new = |obstacle: &&Obstacle| obstacle.remedy.as_ref().is_none_or(|way| ways.insert(way.clone()));
    let told = past.obstacles.iter().filter(is_fresh).filter(is_new).take(OBSTACLES);
    let lines = told.enumerate().map(|(at, obstacle)| {
        // A warning without a way out is worth less than how earlier sessions ended, unless session after session
        // meets it: then its own words have to do.
        let matters = obstacle.remedy.is_some() || obstacle.sessions > 1;
        // How earlier sessions ended, what they committed and what works comes before a sixth thing that may go wrong.
        let rank = match (matters, at < FIRST_OBSTACLES) {
            (true, true) => 1,
            (true, false) => 3,
            (false, _) => 4,
        };
        let line = BriefingLine::new(rank, describe_obstacle(obstacle));
        BriefingLine { about: Some(obstacle.failure.id), ..line }
    });
    let lines: Vec<BriefingLine> = missing_line(&missing).into_iter().chain(lines).collect();
    let rank = lines.iter().map(|line| line.rank).min().unwrap_or(4);
    let heading = BriefingLine::new(rank, "Goes wrong here:".to_owned());
    (!lines.is_empty()).then_some(heading).into_iter().chain(lines).collect()
}

/// Returns whether the program that was missing has run since.
fn is_there_now(obstacle: &Obstacle, past: &BriefingInput) -> bool {
    let missing = obstacle.failure.signature.as_deref().and_then(recall::missing_program);
    let since = || past.rows.iter().take_while(|row| row.id > obstacle.failure.id);
    missing.is_some_and(|name| runs(name, since()))
}

/// Returns whether a program ran with success in these rows.
fn runs<'r>(name: &str, rows: impl Iterator<Item = &'r Observation>) -> bool {
    let mut successes = rows.filter(|row| row.obs_type == ObservationType::Command).map(recall::command);
    successes.any(|line| recall::runs_program(line, name))
}

/// Says which programs are not installed here, in one line.
fn missing_line(missing: &[(String, ObservationId)]) -> Option<BriefingLine> {
    let (_, newest) = missing.first()?;
    let named: Vec<String> = missing
        .iter()
        .take(MISSING)
        .map(|(name, id)| format!("{} (#{})", short(name, MAX_PROGRAM), id.0))
        .collect();
    let line = BriefingLine::new(1, format!("  not installed: {}", named.join(", ")));
    Some(BriefingLine { about: Some(*newest), ..line })
}

/// Returns the programs that were missed more than once and did not run since, with the last failure of each.
fn not_installed(past: &BriefingInput) -> Vec<(String, ObservationId)> {
    let mut missed: Vec<(&str, usize, usize)> = Vec::new();
    for (at, row) in past.rows.iter().enumerate() {
        let Some(name) = row.signature.as_deref().and_then(recall::missing_program) else { continue };
        match missed.iter_mut().find(|(known, ..)| *known == name) {
            Some((_, _, times)) => *times += 1,
            None => missed.push((name, at, 1)),
        }
    }
    // The rows are the newest first, so those before the last failure came after it.
    missed
        .into_iter()
        .filter(|(name, at, times)| *times >= MIN_MISSED && !runs(name, past.rows[..*at].iter()))
        .map(|(name, at, _)| (name.to_owned(), past.rows[at].id))
        .filter(|(_, id)| !past.is_tired(*id))
        .collect()
}

/// Describes what goes wrong and the way out, in one line.
pub(crate) fn describe_obstacle(obstacle: &Obstacle) -> String {
    let failure = &obstacle.failure;
    let program = failure.program.as_deref().unwrap_or_default();
    // What was printed as JSON has its line ends written out.
    let cause = recall::shown_cause(failure).replace("\\n", " ");
    let cause = cause.trim_end_matches('.');
    let often = match (obstacle.times, obstacle.sessions) {
        (1, _) => String::new(),
        (times, 1) => format!(", {times} times"),
        (_, sessions) => format!(", {sessions} sessions"),
    };
    match &obstacle.remedy {
        Some(way) => {
            format!(
                "  {}: {}{often} -> {}",
                short(program, MAX_PROGRAM),
                short(cause, MAX_CAUSE),
                short(way, MAX_WAY_OUT)
            )
        }
        None => format!(
            "  {}: {}{often} (#{})",
            short(program, MAX_PROGRAM),
            short(cause, MAX_CAUSE_ALONE),
            failure.id.0
        ),
    }
}
