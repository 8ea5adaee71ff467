//! What rules ask about the session: which facts it has, and which facts an event adds to them.

use std::cell::OnceCell;
use std::sync::Arc;

use super::{RuleTry, find_targets, name_targets, read_edited_files, run};
use crate::journal::session_facts;
use crate::model::{Event, Hook, SessionFact, SessionId, ToolAction, shortened};
use crate::observations;
use crate::rules::{
    Book, CallEnding, Candidate, Happening, Rule, RuleOutcome, SessionCondition, Trial, fact_key, own_key,
};
use crate::system::clock;

/// What happened in a session, as far as rules ask about it.
#[derive(Debug, Default)]
pub(crate) struct SessionFacts {
    /// The session whose facts are read when the first rule asks.
    session: Option<SessionId>,
    facts: OnceCell<Vec<SessionFact>>,
    /// The facts of the event that is judged now; they are the last ones.
    fresh: Vec<SessionFact>,
    /// The time of the event; `None` if it is now.
    pub(crate) at_ms: Option<i64>,
}

/// The longest text that is kept of a fact, in characters.
const MAX_WHAT: usize = 120;

impl SessionFacts {
    /// Begins with what is on the disk.
    pub(crate) fn of_session(session: Option<SessionId>) -> SessionFacts {
        SessionFacts { session, ..SessionFacts::default() }
    }

    /// Adds facts of the event that is judged now; each counts once, whatever the number of books that ask about it.
    pub(crate) fn add(&mut self, facts: impl IntoIterator<Item = SessionFact>) {
        for fact in facts {
            if !self.fresh.iter().any(|known| known.key == fact.key) {
                self.fresh.push(fact);
            }
        }
    }

    /// Makes the facts of this event facts of the past, because the next event begins.
    pub(crate) fn settle(&mut self) {
        let fresh = std::mem::take(&mut self.fresh);
        let mut facts = self.facts.take().unwrap_or_default();
        facts.extend(fresh);
        self.facts = OnceCell::from(facts);
    }

    /// Takes out what this event added, to keep it.
    pub(crate) fn take_fresh(&mut self) -> Vec<SessionFact> {
        std::mem::take(&mut self.fresh)
    }

    fn now_ms(&self) -> i64 {
        let now = || i64::try_from(clock::since_epoch(clock::now()).as_millis()).unwrap_or(i64::MAX);
        self.at_ms.unwrap_or_else(now)
    }

    /// Returns the facts that count; a call that has not run yet is not one of them.
    fn known(&self, with_fresh: bool) -> Vec<SessionFact> {
        let read = || self.session.as_ref().map(session_facts::read).unwrap_or_default();
        let mut facts = self.facts.get_or_init(read).clone();
        if with_fresh {
            facts.extend(self.fresh.iter().cloned());
        }
        facts
    }
}

/// Answers what the candidates ask about the session; nothing is read if none of them asks.
pub(super) fn ask(candidates: &mut [Candidate], trying: &RuleTry<'_>) {
    let asking = candidates.iter_mut().filter(|candidate| candidate.rule.session.is_some());
    let mut facts = None;
    // A rule for the time before a call may be asked after it, where an agent takes guidance only then.
    let is_late = trying.hook == Hook::PreToolUse && trying.event.hook != Hook::PreToolUse;
    for candidate in asking {
        let facts = facts.get_or_insert_with(|| trying.facts.known(!is_late));
        let condition = candidate.rule.session.as_ref();
        candidate.session = condition
            .map(|condition| condition.ask(&candidate.rule, trying.root, facts, trying.facts.now_ms()));
    }
}

/// Returns the fact that a rule has matched, if it counts that.
pub(crate) fn own_match(rule: &Rule, outcome: &RuleOutcome, trying: &RuleTry<'_>) -> Option<SessionFact> {
    let counts = rule.session.as_ref().is_some_and(SessionCondition::counts_matches);
    let matched = matches!(outcome, RuleOutcome::Fired(_) | RuleOutcome::Waits(_));
    (counts && matched).then(|| fact(own_key(rule, trying.root), trying))
}

/// Returns what happened in an event, as far as the rules of a book ask about it.
pub(crate) fn happened(book: &Book<'_>, trying: &RuleTry<'_>, is_past: bool) -> Vec<SessionFact> {
    let RuleTry { event, root, .. } = *trying;
    let hook = match event.hook {
        Hook::PostToolUse | Hook::PostToolUseFailure => Hook::PostToolUse,
        hook => hook,
    };
    if !book.watches(hook) {
        return Vec::new();
    }
    let mut calls = trying.calls.to_vec();
    if book.watches_files(hook) {
        if is_past {
            name_targets(&mut calls, event, root);
        } else {
            find_targets(&mut calls, event, root);
        }
    }
    let ending = ending(event);
    let changes_file = event.tool.as_ref().is_some_and(|tool| changes_file(&tool.action));
    let mut watched = book.watched_candidates(hook, &calls);
    watched.retain(|one| Happening::counts(one.ending, ending, changes_file));
    let keys: Vec<u64> = watched.iter().map(|one| fact_key(root, one.identity)).collect();
    let candidates: Vec<Candidate> = watched.into_iter().map(|one| one.candidate).collect();
    if !is_past {
        read_edited_files(&mut calls, &candidates, event, root);
    }
    let trial = Trial { event: Arc::clone(event), calls, candidates };
    let outcomes = run(&trial).into_iter().zip(keys);
    let found = outcomes.filter(|(outcome, _)| matches!(outcome, Some(RuleOutcome::Fired(_))));
    found.map(|(_, key)| fact(key, trying)).collect()
}

fn fact(key: u64, trying: &RuleTry<'_>) -> SessionFact {
    SessionFact { key, at_ms: trying.facts.now_ms(), what: what(trying) }
}

/// Returns what an event was about, in a few words; not redacted.
fn what(trying: &RuleTry<'_>) -> String {
    let text = match trying.event.tool.as_ref().map(|tool| (&tool.name, &tool.action)) {
        Some((_, ToolAction::Command { command })) => command.as_str(),
        Some((name, action)) => {
            let path = action.path().unwrap_or(name);
            let root = trying.root.to_str().unwrap_or_default();
            path.strip_prefix(root).map_or(path, |path| path.trim_start_matches('/'))
        }
        None => "a prompt",
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shortened(&line, MAX_WHAT).into_owned()
}

/// Returns how a call ended; `None` if it still runs, was interrupted, or is not a call.
fn ending(event: &Event) -> Option<CallEnding> {
    let tool = event.tool.as_ref()?;
    let result = event.result.as_ref();
    if result.is_some_and(|result| result.interrupted || result.unfinished) {
        return None;
    }
    let has_failed = event.hook == Hook::PostToolUseFailure
        || result.is_some_and(|result| result.failed)
        || observations::failed_unreported(tool, result);
    Some(if has_failed { CallEnding::Failed } else { CallEnding::Succeeded })
}

fn changes_file(action: &ToolAction) -> bool {
    matches!(
        action,
        ToolAction::Write { .. }
            | ToolAction::Edit { .. }
            | ToolAction::EditNotebook { .. }
            | ToolAction::Delete { .. }
            | ToolAction::Patch { .. }
    )
}
