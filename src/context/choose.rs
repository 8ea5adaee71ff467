//! Chooses the rows of the table: what is still open, and what recent sessions came back to.

use std::collections::HashSet;

use super::changed::changed_files;
use super::past::is_change;
use super::{Candidates, ContextLimits};
use crate::model::{Observation, ObservationId, ObservationType};
use crate::recall;

/// At most this many open failures and files are rows; the briefing names more files in two lines, and the commands that
/// sessions repeat as what works here.
const OPEN: usize = 2;
const FILES: usize = 3;
/// With fewer rows than this, the files that were changed last fill the table.
const FEW: usize = 4;

/// A row with the reason why it was chosen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chosen {
    pub(crate) observation: Observation,
    pub(crate) reason: RowReason,
}

/// Why a row was chosen; the first reason is the most important.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RowReason {
    OpenFailure,
    Changed { sessions: usize },
    Done,
    OtherProject,
}

/// The chosen rows of the project and of other projects, the trail, and the rows that did not fit.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Choice {
    /// By importance; rows are dropped from the end.
    pub(crate) project: Vec<Chosen>,
    pub(crate) other_projects: Vec<Chosen>,
    /// In chronological order.
    pub(crate) trail: Vec<Observation>,
    pub(crate) left_out: Vec<Chosen>,
}

impl RowReason {
    /// Describes the reason for people.
    pub(crate) fn words(self) -> String {
        match self {
            RowReason::OpenFailure => "failed, and not successful since".into(),
            RowReason::Changed { sessions: 0 | 1 } => "the last change to this file".into(),
            RowReason::Changed { sessions } => format!("{sessions} recent sessions changed this file"),
            RowReason::Done => "done recently, and there is little else".into(),
            RowReason::OtherProject => "done recently in another project".into(),
        }
    }
}

pub(crate) fn choose(candidates: &Candidates, limits: &ContextLimits) -> Choice {
    let Candidates { past, trail, other_projects } = candidates;
    let mut wanted: Vec<Chosen> = Vec::new();
    let chosen = |reason| move |row: &Observation| Chosen { observation: row.clone(), reason };
    let open = recall::open_failures(&past.rows, past.now);
    wanted.extend(open.into_iter().take(OPEN).map(chosen(RowReason::OpenFailure)));
    let files: Vec<Chosen> = changed_files(past)
        .into_iter()
        .map(|file| chosen(RowReason::Changed { sessions: file.sessions.len() })(file.row))
        .collect();
    // What was told often and never concerned a session gives way to what was not.
    let is_fresh = |one: &&Chosen| !past.is_tired(one.observation.id);
    wanted.extend(files.iter().filter(is_fresh).take(FILES).cloned());
    // What does not fit into its share is named as left out.
    let rest = files.into_iter().skip(FILES);
    let mut choice = Choice::default();
    let mut seen: HashSet<ObservationId> = HashSet::new();
    for one in wanted {
        if !seen.insert(one.observation.id) {
            continue;
        }
        let is_full = choice.project.len() >= limits.rows;
        if is_full { choice.left_out.push(one) } else { choice.project.push(one) }
    }
    // The next session may change a file again; a command that one session ran says little, but is better than nothing.
    let latest = |row: &&Observation| !past.is_tired(row.id);
    let changes = past.rows.iter().filter(latest).filter(|row| is_change(row));
    let others = past.rows.iter().filter(latest).filter(|row| is_telling(row));
    let has_rows = !choice.project.is_empty() || changes.clone().next().is_some();
    let others = others.take(if has_rows { 0 } else { usize::MAX });
    for one in changes.chain(others).map(chosen(RowReason::Done)) {
        let has_room = choice.project.len() < FEW.min(limits.rows);
        let same_file = |known: &Chosen| known.observation.file_path == one.observation.file_path;
        let is_known = one.observation.file_path.is_some() && choice.project.iter().any(same_file);
        if has_room && !is_known && seen.insert(one.observation.id) {
            choice.project.push(one);
        }
    }
    choice.left_out.extend(rest);
    // An agent that lost its context continues with its own thread; a session that was cleared has none.
    let is_own = |row: &Observation| past.session.as_ref().is_none_or(|session| row.session_id == *session);
    let thread = trail.iter().filter(|row| is_action(row) && is_own(row));
    choice.trail = thread.take(limits.trail).cloned().collect();
    choice.trail.reverse();
    // What the trail shows is not shown twice; a failure stays, because only the table says that it is open.
    let trail: HashSet<ObservationId> = choice.trail.iter().map(|row| row.id).collect();
    choice.project.retain(|one| one.reason == RowReason::OpenFailure || !trail.contains(&one.observation.id));
    choice.other_projects =
        other_projects.iter().take(limits.other_projects).map(chosen(RowReason::OtherProject)).collect();
    choice
}

/// Returns whether a row is more than the beginning or the end of a session.
fn is_action(row: &Observation) -> bool {
    !matches!(row.obs_type, ObservationType::SessionStart | ObservationType::SessionEnd)
}

/// Returns whether a row adds to the briefing, which has asks and outcomes already: all but these, looks and the bounds
/// of sessions.
fn is_telling(row: &Observation) -> bool {
    match row.obs_type {
        ObservationType::UserPrompt | ObservationType::Outcome | ObservationType::Summary => false,
        ObservationType::Command => !recall::only_looks(row),
        _ => is_action(row),
    }
}
