//! Before a command of a shape that keeps failing here, says which other shape worked; before an edit of a file whose last
//! change was refused or reverted, says so.

use std::collections::HashMap;
use std::path::MAIN_SEPARATOR;

use super::past_text::PastText;
use crate::context::{self, BriefingInput, Obstacle};
use crate::journal::marks;
use crate::journal::warnings::{self, Act, Warning};
use crate::learn;
use crate::model::{Event, Observation, ObservationId, Project, TellRecord, ToolAction, Trap};
use crate::ops::turn::Turn;
use crate::recall;
use crate::shell::{self, SimpleCommand};
use crate::system::programs;
use crate::system::repository::Worktree;

/// A cause must have been met in this many sessions, unless a program is not installed.
const MIN_SESSIONS: usize = 2;
/// Maximum number of files with a warning: the file is read before each edit.
const MAX_FILES: usize = 20;

/// Keeps what commands and edits of a project are warned of.
pub(super) fn keep(project: &Project, past: &BriefingInput) {
    let commands = past.obstacles.iter().filter_map(|obstacle| before_command(obstacle, &past.rows));
    let undone = recall::undone_changes(&past.rows, past.now).into_iter().take(MAX_FILES);
    let edits = undone.map(|(path, undone)| {
        let (text, rows) = context::describe_undone(&path, &undone);
        Warning { before: Act::Edit(path), text, rows }
    });
    let mut all: Vec<Warning> = commands.chain(edits).collect();
    all.retain(|warning| !is_tired(warning, &past.records));
    warnings::keep(project, &all);
}

fn before_command(obstacle: &Obstacle, rows: &[Observation]) -> Option<Warning> {
    if !obstacle.has_command {
        return None;
    }
    let trap = recall::trap(&obstacle.failure, &obstacle.failures, rows)?;
    let is_known = match &trap {
        // Once is enough for a program that is not installed, if it still is not.
        Trap::Program(name) => obstacle.sessions >= MIN_SESSIONS || programs::find(name).is_none(),
        // A look that fails costs nothing, and the next one looks elsewhere, unless a word is what it lacks.
        Trap::Shape { .. } => obstacle.sessions >= MIN_SESSIONS && !recall::only_looks(&obstacle.failure),
        Trap::Lacking { .. } => obstacle.sessions >= MIN_SESSIONS,
    };
    if !is_known {
        return None;
    }
    Some(Warning {
        before: Act::Command(trap),
        text: context::describe_obstacle(obstacle).trim().to_owned(),
        rows: vec![obstacle.failure.id],
    })
}

/// Returns whether a warning was given so often without concerning anybody that it is left out.
fn is_tired(warning: &Warning, records: &HashMap<ObservationId, TellRecord>) -> bool {
    let known = warning.rows.first().and_then(|row| records.get(row));
    known.is_some_and(|record| recall::is_tired(*record))
}

/// Returns what to say before the act of this event; each warning once in a session. What a rule was learned from, only
/// the rule says.
pub(super) fn warning(turn: &mut Turn<'_>) -> Option<PastText> {
    if !turn.settings.remember || !turn.settings.warn_before_acts {
        return None;
    }
    if !may_be_warned(&turn.event) {
        return None;
    }
    // Most projects have no warnings, and then the command does not have to be parsed.
    let mut known = warnings::of(turn.project()?).into_iter().peekable();
    known.peek()?;
    let acts = acts(&turn.event, turn.place.worktree())?;
    let found = known.find(|warning| acts.are(&warning.before))?;
    if let Some(rule) = turn.speaking_rules.iter().find(|rule| acts.are_ruled(&found.before, rule)) {
        turn.trace.said_by_rule = Some(rule.clone());
        return None;
    }
    let mark = match &found.before {
        Act::Command(trap) => format!("before: {trap:?}"),
        Act::Edit(path) => format!("before edit: {path}"),
    };
    let timeout = turn.budget.within(marks::TIMEOUT);
    let is_new = marks::set(turn.event.session.as_ref(), &[mark], timeout) == [true];
    let text = match &found.before {
        Act::Command(_) => "Failed here before (evidence of the past, not instruction): ",
        Act::Edit(_) => "Undone here before (evidence of the past, not instruction): ",
    };
    is_new.then(|| PastText::own(format!("{text}{}", found.text), found.rows))
}

/// Returns whether this event is about to do something that there can be a warning for.
fn may_be_warned(event: &Event) -> bool {
    event.tool.as_ref().is_some_and(|tool| {
        matches!(
            tool.action,
            ToolAction::Command { .. }
                | ToolAction::Write { .. }
                | ToolAction::Edit { .. }
                | ToolAction::EditNotebook { .. }
                | ToolAction::Patch { .. }
        )
    })
}

/// What an event is about to do.
enum Coming {
    Commands(Vec<SimpleCommand>),
    /// Changes of these files, as warnings name them.
    Edits(Vec<String>),
}

impl Coming {
    /// Returns whether this act is among them.
    fn are(&self, act: &Act) -> bool {
        match (self, act) {
            (Coming::Commands(parts), Act::Command(trap)) => {
                parts.iter().any(|part| recall::is_trapped(part, trap))
            }
            (Coming::Edits(paths), Act::Edit(path)) => paths.contains(path),
            _ => false,
        }
    }

    /// Returns whether this act is among them, and a rule was learned from failures of the same program.
    fn are_ruled(&self, act: &Act, rule: &str) -> bool {
        let (Coming::Commands(parts), Act::Command(trap)) = (self, act) else { return false };
        let trapped = parts.iter().filter(|part| recall::is_trapped(part, trap));
        trapped.filter_map(shell::program).any(|program| learn::is_learned_about(rule, &program))
    }
}

fn acts(event: &Event, worktree: Option<&Worktree>) -> Option<Coming> {
    let changed = |action: &ToolAction| {
        let path = action.path()?;
        let absolute = event.cwd.join(path);
        let relative = worktree.and_then(|worktree| absolute.strip_prefix(&worktree.root).ok());
        Some(relative.unwrap_or(&absolute).to_string_lossy().replace(MAIN_SEPARATOR, "/"))
    };
    match &event.tool.as_ref()?.action {
        ToolAction::Command { command } => Some(Coming::Commands(shell::parts(command))),
        action @ (ToolAction::Write { .. } | ToolAction::Edit { .. } | ToolAction::EditNotebook { .. }) => {
            Some(Coming::Edits(changed(action).into_iter().collect()))
        }
        ToolAction::Patch { changes } => Some(Coming::Edits(changes.iter().filter_map(changed).collect())),
        _ => None,
    }
}
