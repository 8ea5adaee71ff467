//! Chooses the rows that earn their place: what is open first, what was changed next, what was merely looked at last.

use std::collections::HashSet;

use super::{Candidates, Limits};
use crate::model::{Observation, ObservationId, ObservationType};

/// A row with the reason why it is there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chosen {
    pub(crate) observation: Observation,
    pub(crate) reason: Reason,
}

/// Why a row is told; the first weighs most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    OpenFailure,
    Changed,
    ActedPrompt { actions: usize },
    Commit,
    Done,
    LookedAt,
    OtherProject,
}

/// The rows of the project, of other projects, and the trail; each with what was left out for want of room.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Choice {
    /// By weight, the least first to go.
    pub(crate) project: Vec<Chosen>,
    pub(crate) other_projects: Vec<Chosen>,
    /// In the order of time.
    pub(crate) trail: Vec<Observation>,
    pub(crate) left_out: Vec<Chosen>,
}

impl Reason {
    /// Says the reason in words.
    pub(crate) fn words(self) -> String {
        match self {
            Reason::OpenFailure => "failed, and has not succeeded since".into(),
            Reason::Changed => "the last change to this file".into(),
            Reason::ActedPrompt { actions: 1 } => "asked for, and led to one action".into(),
            Reason::ActedPrompt { actions } => format!("asked for, and led to {actions} actions"),
            Reason::Commit => "a commit".into(),
            Reason::Done => "done lately".into(),
            Reason::LookedAt => "looked at lately, and there was room".into(),
            Reason::OtherProject => "done lately in another project".into(),
        }
    }
}

pub(crate) fn choose(candidates: Candidates, limits: &Limits) -> Choice {
    let mut choice = Choice::default();
    let mut seen: HashSet<ObservationId> = HashSet::new();
    let mut seen_paths: HashSet<String> = HashSet::new();
    let Candidates { open_failures, edits, prompts, commits, recent, other_projects } = candidates;
    // After a failure its repair is next; no kind takes more than its part while others have something to say.
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
    wanted.extend(open_failures.into_iter().take(share(6)).map(chosen(Reason::OpenFailure)));
    wanted.extend(edits.into_iter().take(share(8)).map(chosen(Reason::Changed)));
    wanted.extend(
        prompts.into_iter().take(share(5)).map(|one| Chosen {
            observation: one.prompt,
            reason: Reason::ActedPrompt { actions: one.actions },
        }),
    );
    wanted.extend(commits.into_iter().take(share(4)).map(chosen(Reason::Commit)));
    let (looks, done): (Vec<_>, Vec<_>) = recent
        .into_iter()
        .filter(|row| {
            !matches!(
                row.obs_type,
                ObservationType::SessionStart | ObservationType::SessionEnd | ObservationType::UserPrompt
            )
        })
        .partition(|row| row.obs_type.only_looks());
    wanted.extend(done.into_iter().map(chosen(Reason::Done)));
    wanted.extend(looks.into_iter().map(chosen(Reason::LookedAt)));
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
        other_projects.into_iter().take(limits.other_projects).map(chosen(Reason::OtherProject)).collect();
    choice.trail = trail;
    choice
}

fn is_action(kind: ObservationType) -> bool {
    !matches!(kind, ObservationType::SessionStart | ObservationType::SessionEnd)
}
