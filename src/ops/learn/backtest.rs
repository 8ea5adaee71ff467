//! Tries candidates on the calls of the past, together with the rules that are loaded.

use std::collections::HashSet;
use std::path::Path;

use super::LearnRequest;
use crate::learn::{self, Backtest, LearnedRule, RecurringFailure};
use crate::model::{SessionId, Timestamp};
use crate::ops::rules::replay::{self, Firing, PastOutcome, ReplayProgress, ReplayRequest, Replayed};
use crate::rules::{self, MissingVersion, Rule};
use crate::store::StoreError;

/// The file that candidates are read from; it does not exist.
const FILE: &str = ".nudge/learn-candidates.yaml";

/// A rule that may be proposed for a cause.
pub(super) struct RuleCandidate {
    /// The number of the cause.
    pub(super) cause: usize,
    pub(super) draft: LearnedRule,
}

/// What the past said.
pub(super) struct TriedRules {
    /// One for each candidate.
    pub(super) backtests: Vec<Backtest>,
    /// The causes that a loaded rule speaks before.
    pub(super) guarded: HashSet<usize>,
    /// The loaded rules come first.
    pub(super) replayed: Replayed,
}

/// The calls that failed with one cause.
struct Members {
    uses: HashSet<String>,
    moments: HashSet<(SessionId, Timestamp)>,
}

impl Members {
    fn of(cause: &RecurringFailure<'_>) -> Members {
        let rows = || cause.failures.iter().map(|failure| failure.row);
        Members {
            uses: rows().filter_map(|row| row.tool_use_id()).map(str::to_owned).collect(),
            moments: rows().map(|row| (row.session_id.clone(), row.timestamp)).collect(),
        }
    }

    fn have(&self, firing: &Firing) -> bool {
        let by_use = firing.tool_use_id.as_ref().is_some_and(|id| self.uses.contains(id));
        let by_moment = || {
            let session = firing.session.clone().map(SessionId);
            session.is_some_and(|session| self.moments.contains(&(session, firing.at)))
        };
        by_use || by_moment()
    }
}

pub(super) fn run(
    request: &LearnRequest,
    root: &Path,
    loaded: &[Rule],
    causes: &[RecurringFailure<'_>],
    candidates: &[RuleCandidate],
    progress: &mut dyn FnMut(ReplayProgress),
) -> Result<TriedRules, StoreError> {
    let mut text = "version: 1\nrules:\n".to_owned();
    candidates.iter().for_each(|one| text.push_str(&learn::rule_text(&one.draft, None, false)));
    let drafts = rules::read(FILE, &text, MissingVersion::Warn).rules;
    // What is tried is what would be written: a candidate that is not a valid rule is none.
    let number_of = |draft: &LearnedRule| drafts.iter().position(|rule| rule.name == draft.name);
    let wanted = ReplayRequest {
        rules: loaded.iter().cloned().chain(drafts.iter().cloned()).collect(),
        root: Some(root.to_owned()),
        since: request.since,
        only_in: (!request.is_everywhere).then(|| request.folder.clone()),
        home: None,
        counts_successes: true,
        ..ReplayRequest::default()
    };
    let replayed = replay::run(&wanted, progress)?;
    let members: Vec<Members> = causes.iter().map(Members::of).collect();
    let firings = |rule: usize| replayed.tally.firings.iter().filter(move |firing| firing.rule == rule);
    let backtests = candidates.iter().map(|candidate| {
        let Some(number) = number_of(&candidate.draft) else { return Backtest::default() };
        counted(firings(loaded.len() + number), &members[candidate.cause])
    });
    let backtests = backtests.collect();
    let is_guarded = |members: &Members, size: usize| {
        (0..loaded.len()).filter(|rule| !loaded[*rule].shadow).any(|rule| {
            let met = firings(rule).filter(|firing| members.have(firing)).count();
            met * 2 >= size
        })
    };
    let guarded = members.iter().zip(causes).enumerate();
    let guarded = guarded.filter(|(_, (members, cause))| {
        // A rule that speaks once in a session speaks before all failures of that session.
        is_guarded(members, cause.sessions.min(cause.failures.len()))
    });
    let guarded = guarded.map(|(number, _)| number).collect();
    Ok(TriedRules { backtests, guarded, replayed })
}

fn counted<'f>(firings: impl Iterator<Item = &'f Firing>, members: &Members) -> Backtest {
    let mut found = Backtest::default();
    let mut sessions: HashSet<&Option<String>> = HashSet::new();
    for firing in firings {
        found.spoke += 1;
        if members.have(firing) {
            found.before_failure += 1;
            sessions.insert(&firing.session);
            continue;
        }
        match firing.outcome {
            PastOutcome::Well => found.before_success += 1,
            PastOutcome::Failed | PastOutcome::Refused => found.before_others += 1,
            PastOutcome::Invalid | PastOutcome::Unknown => found.unknown += 1,
        }
    }
    found.sessions = sessions.len();
    found
}
