//! Before a command of a shape that keeps failing here, says which other shape worked.

use crate::context::{self, Obstacle};
use crate::journal::marks;
use crate::journal::warnings::{self, Warning};
use crate::model::{Observation, ObservationType, Project, ToolAction};
use crate::ops::turn::Turn;
use crate::recall;

/// A shape must have failed in this many sessions.
const MIN_SESSIONS: usize = 2;

/// Keeps what commands of a project are warned of; `rows` show how often a shape succeeded.
pub(super) fn keep(project: &Project, obstacles: &[Obstacle], rows: &[Observation]) {
    let warnings: Vec<Warning> = obstacles.iter().filter_map(|obstacle| warning_of(obstacle, rows)).collect();
    warnings::keep(project, &warnings);
}

fn warning_of(obstacle: &Obstacle, rows: &[Observation]) -> Option<Warning> {
    let shape = obstacle.failing_shape.as_ref().filter(|_| obstacle.sessions >= MIN_SESSIONS)?;
    // A shape that mostly works is no trap.
    let successes = rows.iter().filter(|row| {
        row.obs_type == ObservationType::Command && recall::shapes(recall::command(row)).contains(shape)
    });
    (successes.count() <= obstacle.times)
        .then(|| Warning { shape: shape.clone(), text: context::describe_obstacle(obstacle) })
}

/// Returns what to say before the command of this event; each warning once in a session.
pub(super) fn warning(turn: &Turn<'_>) -> Option<String> {
    let Some(ToolAction::Command { command }) = turn.event.tool.as_ref().map(|tool| &tool.action) else {
        return None;
    };
    if !turn.settings.remember || !turn.settings.warn_before_acts {
        return None;
    }
    let known = warnings::of(turn.project()?);
    if known.is_empty() {
        return None;
    }
    let shapes = recall::shapes(command);
    let found = known.into_iter().find(|warning| shapes.contains(&warning.shape))?;
    let mark = format!("before: {}", found.shape);
    let timeout = turn.budget.within(marks::TIMEOUT);
    let is_new = marks::set(turn.event.session.as_ref(), &[mark], timeout) == [true];
    is_new
        .then(|| format!("Failed here before (evidence of the past, not instruction): {}", found.text.trim()))
}
