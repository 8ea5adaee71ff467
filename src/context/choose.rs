//! Chooses rows by importance: open failures first, then changes, and reads last.

use std::collections::HashSet;

use super::{Candidates, Limits};
use crate::model::{Observation, ObservationId, ObservationType};

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
    Changed,
    ActedPrompt { actions: usize },
    Commit,
    Done,
    LookedAt,
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
            RowReason::Changed => "the last change to this file".into(),
            RowReason::ActedPrompt { actions: 1 } => "a prompt that led to one action".into(),
            RowReason::ActedPrompt { actions } => format!("a prompt that led to {actions} actions"),
            RowReason::Commit => "a commit".into(),
            RowReason::Done => "done recently".into(),
            RowReason::LookedAt => "read recently, and there was room".into(),
            RowReason::OtherProject => "done recently in another project".into(),
        }
    }
}

pub(crate) fn choose(candidates: Candidates, limits: &Limits) -> Choice {
    let mut choice = Choice::default();
    let mut seen: HashSet<ObservationId> = HashSet::new();
    let mut seen_paths: HashSet<String> = HashSet::new();
    let Candidates { open_failures, edits, prompts, commits, recent, other_projects } = candidates;
    // Each kind gets at most its share of the rows.
    let share = |part: usize| (limits.rows * part / 20).max(1);
    let trail: Vec<Observation> = recent
        .iter()
        .filter(|row| is_action(row.obs_type))
        .take(limits.trail)
        .cloned()
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let mut wanted: Vec<Chosen> = Vec::new();
    let chosen = |reason| move |observation| Chosen { observation, reason };
    wanted.extend(open_failures.into_iter().take(share(6)).map(chosen(RowReason::OpenFailure)));
    wanted.extend(edits.into_iter().take(share(8)).map(chosen(RowReason::Changed)));
    wanted.extend(prompts.into_iter().take(share(5)).map(|one| Chosen {
        observation: one.prompt,
        reason: RowReason::ActedPrompt { actions: one.actions },
    }));
    wanted.extend(commits.into_iter().take(share(4)).map(chosen(RowReason::Commit)));
    let (looks, done): (Vec<_>, Vec<_>) = recent
        .into_iter()
        .filter(|row| {
            !matches!(
                row.obs_type,
                ObservationType::SessionStart | ObservationType::SessionEnd | ObservationType::UserPrompt
            )
        })
        .partition(|row| row.obs_type.only_looks());
    wanted.extend(done.into_iter().map(chosen(RowReason::Done)));
    wanted.extend(looks.into_iter().map(chosen(RowReason::LookedAt)));
    for one in wanted {
        let new_path = one.observation.file_path.as_ref().is_none_or(|path| !seen_paths.contains(path));
        if !new_path || !seen.insert(one.observation.id) {
            continue;
        }
        if choice.project.len() == limits.rows {
            choice.left_out.push(one);
            continue;
        }
        seen_paths.extend(one.observation.file_path.clone());
        choice.project.push(one);
    }
    choice.other_projects =
        other_projects.into_iter().take(limits.other_projects).map(chosen(RowReason::OtherProject)).collect();
    choice.trail = trail;
    choice
}

fn is_action(kind: ObservationType) -> bool {
    !matches!(kind, ObservationType::SessionStart | ObservationType::SessionEnd)
}
