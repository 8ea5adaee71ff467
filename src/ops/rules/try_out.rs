//! Evaluates a book of rules on an event, within one deadline for all of them.

mod conditions;
mod places;
mod session;

use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

pub(crate) use self::session::{SessionFacts, happened, own_match};
use crate::config::paths;
use crate::files;
use crate::model::{Event, Hook, Target};
use crate::rules::{Book, Call, Candidate, Rule, RuleOutcome, Trial, calls};
use crate::system::{clock, project, target};

/// A rule that the event concerns, with its outcome.
pub(crate) struct Tried {
    pub(crate) rule: Arc<Rule>,
    pub(crate) outcome: RuleOutcome,
}

/// What rules are tried on.
pub(crate) struct RuleTry<'t> {
    /// The event kind that the rules name, which may differ from the event's own.
    pub(crate) hook: Hook,
    pub(crate) event: &'t Arc<Event>,
    pub(crate) calls: &'t [Call],
    /// The folder that the globs are relative to.
    pub(crate) root: &'t Path,
    /// What happened earlier in the session.
    pub(crate) facts: &'t SessionFacts,
}

/// Evaluates the rules that the event concerns.
pub(crate) fn try_rules(book: &Book<'_>, event: &Arc<Event>, root: &Path, deadline: Duration) -> Vec<Tried> {
    try_rules_after(book, event, root, &SessionFacts::default(), deadline)
}

/// Evaluates the rules that the event concerns, in a session in which this happened.
pub(crate) fn try_rules_after(
    book: &Book<'_>,
    event: &Arc<Event>,
    root: &Path,
    facts: &SessionFacts,
    deadline: Duration,
) -> Vec<Tried> {
    let calls = calls(event);
    try_rules_of(book, &RuleTry { hook: event.hook, event, calls: &calls, root, facts }, deadline)
}

/// Evaluates the rules for an event kind.
pub(crate) fn try_rules_of(book: &Book<'_>, trying: &RuleTry<'_>, deadline: Duration) -> Vec<Tried> {
    let RuleTry { hook, event, root, .. } = *trying;
    let mut calls = trying.calls.to_vec();
    places::name_places(&mut calls, event, root, places::is_marked);
    if book.asks_for_files(hook) {
        find_targets(&mut calls, event, root);
    }
    let candidates = book.candidates(hook, &calls);
    let (mut candidates, mut tried) = conditions::sort_out(candidates, &calls, trying);
    session::ask(&mut candidates, trying);
    if candidates.is_empty() {
        return tried;
    }
    read_edited_files(&mut calls, &candidates, event, root);
    let trial = Arc::new(Trial { event: Arc::clone(event), calls, candidates });
    let outcomes = if trial.may_take_long() { run_with_deadline(&trial, deadline) } else { run(&trial) };
    let late = || RuleOutcome::Unevaluated(too_late(deadline));
    // A thread that is still running shares the trial.
    let candidates = match Arc::try_unwrap(trial) {
        Ok(trial) => trial.candidates,
        Err(shared) => shared.candidates.clone(),
    };
    let evaluated = candidates
        .into_iter()
        .zip(outcomes)
        .map(|(candidate, outcome)| Tried { rule: candidate.rule, outcome: outcome.unwrap_or_else(late) });
    tried.extend(evaluated);
    tried
}

fn too_late(deadline: Duration) -> String {
    match deadline.as_millis() {
        0 => "not evaluated: the time was used up before".to_owned(),
        time => format!("not evaluated within {time} ms"),
    }
}

/// Evaluates the rules for an event of the past, when the files were not as they are now: paths count as they are
/// written, and an edit has only what the event knows of its file.
pub(crate) fn try_on_past(book: &Book<'_>, trying: &RuleTry<'_>) -> Vec<Tried> {
    let RuleTry { hook, event, root, .. } = *trying;
    let mut calls = trying.calls.to_vec();
    places::name_places(&mut calls, event, root, |_| false);
    if book.asks_for_files(hook) {
        name_targets(&mut calls, event, root);
    }
    let mut candidates = book.candidates(hook, &calls);
    if candidates.is_empty() {
        return Vec::new();
    }
    session::ask(&mut candidates, trying);
    let trial = Trial { event: Arc::clone(event), calls, candidates };
    let outcomes = run(&trial);
    let tried = trial.candidates.into_iter().zip(outcomes);
    tried.filter_map(|(candidate, outcome)| Some(Tried { rule: candidate.rule, outcome: outcome? })).collect()
}

/// Names the files of calls as they are written, without a look at the disk.
fn name_targets(calls: &mut [Call], event: &Event, root: &Path) {
    let home = paths::home_dir();
    for call in calls {
        let path = call.path(event).map(|path| target::lexical(&event.cwd, path, home.as_deref()));
        call.paths = path.map(|path| target::target(root, &path)).into_iter().collect();
        for touch in &mut call.touches {
            let path = target::lexical(&event.cwd, &touch.path, home.as_deref());
            touch.targets = vec![target::target(root, &path)];
        }
    }
}

fn find_targets(calls: &mut [Call], event: &Event, root: &Path) {
    let home = paths::home_dir();
    let targets = |path: &str| {
        let mut targets = target::resolve(root, &event.cwd, path, home.as_deref());
        // In another worktree of this repository it is the same file of another branch.
        let absolute = target::lexical(&event.cwd, path, home.as_deref());
        if let Some(within) = project::in_other_worktree(&absolute, root) {
            let absolute = files::slashes(&absolute);
            targets.push(Target { absolute, relative: Some(files::slashes(&within)) });
        }
        targets
    };
    for call in calls {
        if let Some(path) = call.path(event) {
            call.paths = targets(path);
        }
        for touch in &mut call.touches {
            touch.targets = targets(&touch.path);
        }
    }
}

/// Reads the file that an edit changes, if a rule needs the result.
fn read_edited_files(calls: &mut [Call], candidates: &[Candidate], event: &Event, root: &Path) {
    for (index, call) in calls.iter_mut().enumerate() {
        let wanted = candidates.iter().any(|one| one.calls.contains(&index) && one.rule.looks_at_content());
        if let Some(path) = call.path(event).filter(|_| wanted && call.edits_a_file(event)) {
            let target = target::resolve(root, &event.cwd, path, None);
            call.on_disk = target.first().and_then(|target| target::read_text(&target.absolute));
        }
    }
}

fn run(trial: &Trial) -> Vec<Option<RuleOutcome>> {
    let mut outcomes = vec![None; trial.candidates.len()];
    trial.run(|index, outcome| outcomes[index] = Some(outcome));
    outcomes
}

/// Does not wait for the thread after the deadline: it ends with the process, which answers without it.
fn run_with_deadline(trial: &Arc<Trial>, deadline: Duration) -> Vec<Option<RuleOutcome>> {
    let mut outcomes = vec![None; trial.candidates.len()];
    let (sender, receiver) = mpsc::channel();
    let work = Arc::clone(trial);
    let thread = std::thread::Builder::new();
    let started = thread.spawn(move || work.run(|index, outcome| drop(sender.send((index, outcome)))));
    let elapsed = clock::stopwatch();
    while started.is_ok()
        && let Ok((index, outcome)) = receiver.recv_timeout(deadline.saturating_sub(elapsed()))
    {
        outcomes[index] = Some(outcome);
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_without_time_says_so() {
        assert_eq!(too_late(Duration::ZERO), "not evaluated: the time was used up before");
        assert_eq!(too_late(Duration::from_millis(150)), "not evaluated within 150 ms");
    }
}
