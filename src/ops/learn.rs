//! `nudge learn`: what the memory teaches, each proposal with its evidence and what it would have done on the past.
//!
//! `learn` decides; here the rows come from the memory, and every candidate is tried by the replay of rules.

mod accept;
mod backtest;
mod shown;

use std::collections::HashSet;
use std::convert::Infallible;
use std::path::PathBuf;

pub(crate) use self::accept::{
    AcceptError, LearnedFile, RuleState, accept, check_rule, edit_text, in_state, is_rule_file, write_review,
    written_text,
};
use self::backtest::RuleCandidate;
use self::shown::TrialExtent;
use crate::api::Scope;
pub(crate) use crate::api::learn::LearnJson;
use crate::api::learn::{LeftOutJson, ProposalJson, WallJson};
use crate::api::list::ListWire;
use crate::journal::declined::{self, DeclinedCause};
use crate::learn::{self, LearnedRule, Provenance, RecurringFailure, WhyNoRule};
use crate::model::{
    FailureRow, Filter, Observation, ObservationId, ObservationType, Problem, SessionId, Timestamp,
};
use crate::ops::observations::memory::{Memory, MemoryError};
use crate::ops::rules::load;
pub(crate) use crate::ops::rules::replay::ReplayProgress;
use crate::ops::{here, project};
use crate::recall;
use crate::system::{clock, moment};

/// At most this many rows are looked at: the newest. They are in RAM together.
const MAX_ROWS: usize = 100_000;

/// What is looked at.
#[derive(Debug, Clone)]
pub(crate) struct LearnRequest {
    pub(crate) since: Timestamp,
    /// The folder that the command is run in.
    pub(crate) folder: PathBuf,
    pub(crate) is_everywhere: bool,
    /// Accepted proposals become rules of the user.
    pub(crate) for_user: bool,
}

/// A proposal that can be accepted or declined.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    pub(crate) shown: ProposalJson,
    pub(crate) draft: LearnedRule,
    pub(crate) from: Provenance,
    cause: DeclinedCause,
}

/// What the past teaches.
#[derive(Debug)]
pub(crate) struct Lessons {
    pub(crate) proposals: Vec<Proposal>,
    /// All of it, as programs read it.
    pub(crate) json: LearnJson,
    /// What is wrong with the rule files.
    pub(crate) problems: Vec<Problem>,
    /// More was remembered than was looked at.
    pub(crate) is_cut: bool,
}

/// Reads the memory and tries what it teaches on the past. `progress` is called now and then.
pub(crate) fn find(
    memory: Memory,
    request: &LearnRequest,
    progress: &mut dyn FnMut(ReplayProgress),
) -> Result<Lessons, MemoryError> {
    let scope = if request.is_everywhere { Scope::All } else { Scope::Current };
    let project = memory.project(&scope)?;
    let filter = Filter { project, since: Some(request.since), ..Filter::default() };
    let (rows, is_cut) = memory.into_reader().ask(|reader| {
        let mut rows: Vec<Observation> = Vec::new();
        let mut is_cut = false;
        let done = reader.export(&filter, |row| {
            if matters(&row) {
                rows.push(row);
            }
            if rows.len() >= 2 * MAX_ROWS {
                rows.drain(..MAX_ROWS);
                is_cut = true;
            }
            Ok::<(), Infallible>(())
        })?;
        done.unwrap_or_else(|never| match never {});
        // Backfilled rows were stored later than they happened.
        rows.sort_by_key(|row| (row.timestamp, row.id));
        is_cut |= rows.len() > MAX_ROWS;
        rows.drain(..rows.len().saturating_sub(MAX_ROWS));
        Ok::<_, MemoryError>((rows, is_cut))
    })?;
    let root = here::root(&request.folder);
    let (rules, problems) = load::all(&root);
    let rules: Vec<_> = rules.into_iter().filter(|rule| rule.enabled).collect();
    let declined = declined_failures(&rows);
    let mut left_out = LeftOutJson::default();
    let mut causes = learn::recurrences(&rows);
    causes.retain(|cause| {
        let is_declined = cause.failures.iter().any(|failure| declined.contains(&failure.row.id));
        left_out.declined += usize::from(is_declined);
        !is_declined
    });
    let newest_first: Vec<Observation> = rows.iter().rev().filter(|row| is_run(row)).cloned().collect();
    let candidates: Vec<RuleCandidate> = causes
        .iter()
        .enumerate()
        .filter_map(|(number, cause)| Some((number, cause, learn::may_be_ruled(cause).ok()?)))
        .flat_map(|(number, cause, way)| {
            let patterns = learn::candidates(cause, &newest_first);
            let draft = move |pattern| LearnedRule::new(cause, way, pattern, moment::local_date);
            patterns.into_iter().map(move |pattern| RuleCandidate { cause: number, draft: draft(pattern) })
        })
        .collect();
    let tried = backtest::run(request, &root, &rules, &causes, &candidates, progress)?;
    let extent = TrialExtent::of(request, &tried);
    let mut proposals = Vec::new();
    let mut walls: Vec<WallJson> = Vec::new();
    for (number, cause) in causes.iter().enumerate() {
        if tried.guarded.contains(&number) {
            left_out.guarded += 1;
            continue;
        }
        let its = candidates.iter().zip(&tried.backtests).filter(|(candidate, _)| candidate.cause == number);
        let its: Vec<(&LearnedRule, learn::Backtest)> =
            its.map(|(candidate, one)| (&candidate.draft, *one)).collect();
        match chosen(cause, &its) {
            Ok((draft, backtest)) => {
                // Two causes may be told by the same commands, and then one rule speaks before both.
                if proposals.iter().any(|known: &Proposal| known.draft.pattern == draft.pattern) {
                    walls.push(shown::wall(cause, WhyNoRule::NoCommand, &its, extent));
                    continue;
                }
                let from = shown::provenance(cause, &backtest, extent);
                let shown = shown::proposal(cause, draft, &backtest, &from);
                proposals.push(Proposal { shown, draft: draft.clone(), from, cause: declined_cause(cause) });
            }
            Err(why) => {
                left_out.imprecise += usize::from(why == WhyNoRule::Imprecise);
                walls.push(shown::wall(cause, why, &its, extent));
            }
        }
    }
    let sessions: HashSet<&SessionId> = rows.iter().map(|row| &row.session_id).collect();
    let failures = rows.iter().filter(|row| row.is_failure()).count();
    let json = LearnJson {
        project: filter.project.map(|project| project.name),
        sessions: sessions.len(),
        failures,
        calls: tried.replayed.tally.all_calls(),
        commands_that_worked: tried.replayed.tally.commands_that_worked,
        proposals: ListWire::whole(proposals.iter().map(|one: &Proposal| one.shown.clone())),
        walls: ListWire::whole(walls),
        corrections: ListWire::whole(learn::corrected_things(&rows).iter().map(shown::corrected)),
        blocked_again: ListWire::whole(learn::retried_rules(&rows).iter().map(shown::blocked_again)),
        dead_rules: ListWire::whole(shown::dead(&rules, &tried.replayed)),
        false_alarms: ListWire::whole(shown::alarms(&rules, &tried.replayed)),
        left_out,
        ..nothing(request)
    };
    Ok(Lessons { proposals, json, problems, is_cut })
}

impl Lessons {
    /// Keeps only the proposals with these names.
    pub(crate) fn keep(&mut self, names: &[String]) {
        self.proposals.retain(|one| names.contains(&one.shown.name));
        self.json.proposals = ListWire::whole(self.proposals.iter().map(|one| one.shown.clone()));
    }
}

/// Returns what is learned from nothing.
pub(crate) fn nothing(request: &LearnRequest) -> LearnJson {
    LearnJson {
        since: clock::iso(request.since),
        project: None,
        file: LearnedFile::of(request).map(|target| target.shown()).unwrap_or_default(),
        sessions: 0,
        failures: 0,
        calls: 0,
        commands_that_worked: 0,
        proposals: ListWire::whole(Vec::<ProposalJson>::new()),
        walls: ListWire::whole(Vec::<WallJson>::new()),
        corrections: ListWire { items: Vec::new(), total: Some(0) },
        blocked_again: ListWire { items: Vec::new(), total: Some(0) },
        dead_rules: ListWire { items: Vec::new(), total: Some(0) },
        false_alarms: ListWire { items: Vec::new(), total: Some(0) },
        left_out: LeftOutJson::default(),
    }
}

/// Remembers that the user said no, so that it is not proposed again.
pub(crate) fn decline(proposal: &Proposal) -> std::io::Result<()> {
    declined::add(&proposal.cause)
}

/// Returns whether a row is looked at; what only read says nothing, and there is most of it.
fn matters(row: &Observation) -> bool {
    !matches!(row.obs_type, ObservationType::FileRead | ObservationType::Search)
}

fn is_run(row: &Observation) -> bool {
    matches!(row.obs_type, ObservationType::Command | ObservationType::CommandError)
}

/// Returns the best candidate of a cause.
fn chosen<'c>(
    cause: &RecurringFailure<'_>,
    tried: &[(&'c LearnedRule, learn::Backtest)],
) -> Result<(&'c LearnedRule, learn::Backtest), WhyNoRule> {
    learn::may_be_ruled(cause)?;
    if tried.is_empty() {
        return Err(WhyNoRule::NoCommand);
    }
    let all: Vec<learn::Backtest> = tried.iter().map(|(_, one)| *one).collect();
    let best = learn::best(&all).ok_or(WhyNoRule::Imprecise)?;
    Ok(tried[best])
}

/// Returns the failures that have the same cause as one that the user declined a rule for.
fn declined_failures(rows: &[Observation]) -> HashSet<ObservationId> {
    let declined = declined::read();
    if declined.is_empty() {
        return HashSet::new();
    }
    let failures: Vec<FailureRow> = rows.iter().filter_map(learn::failure_row).collect();
    let mut found = HashSet::new();
    for cause in &declined {
        let known = FailureRow {
            id: ObservationId(0),
            timestamp: Timestamp(0),
            session_id: SessionId(String::new()),
            program: cause.program.clone(),
            signature: cause.signature.clone(),
        };
        found.extend(recall::alike(&known, &failures).into_iter().map(|(_, failure)| failure.id));
    }
    found
}

fn declined_cause(cause: &RecurringFailure<'_>) -> DeclinedCause {
    DeclinedCause {
        program: cause.newest().program.clone(),
        signature: cause.signature().to_owned(),
        at: clock::timestamp(),
    }
}

/// Returns the root of the project that a folder is in.
pub(crate) fn has_project(folder: &std::path::Path) -> bool {
    project::of_folder(folder).is_some()
}
