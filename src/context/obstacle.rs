//! What goes wrong in a project, and the way out: one line for each cause.

use std::collections::HashSet;

use super::line::{BriefingLine, short};
use super::past::{BriefingInput, Obstacle};
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

/// Lists what goes wrong here, without what never concerned a session.
pub(super) fn obstacle_lines(past: &BriefingInput) -> Vec<BriefingLine> {
    let is_fresh = |obstacle: &&Obstacle| !past.is_tired(obstacle.failure.id);
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
    let lines: Vec<BriefingLine> = lines.collect();
    let rank = lines.iter().map(|line| line.rank).min().unwrap_or(4);
    let heading = BriefingLine::new(rank, "Goes wrong here:".to_owned());
    (!lines.is_empty()).then_some(heading).into_iter().chain(lines).collect()
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
