//! What was learned, as programs and people read it.

use super::LearnRequest;
use super::backtest::TriedRules;
use crate::api::learn::{
    AlarmedCallJson, BacktestJson, BlockedAgainJson, CorrectedActJson, CorrectedThingJson, CorrectionJson,
    DeadRuleJson, EvidenceJson, FalseAlarmJson, ProposalJson, RecurringFailureJson, TriedPatternJson,
    WallJson, WhatWorkedJson,
};
use crate::learn::{
    self, Backtest, CorrectedThing, LearnedRule, Provenance, RecurringFailure, RetriedRule, WayOut,
    WayOutKind, WhyNoRule,
};
use crate::model::{Observation, beginning, counted};
use crate::ops::rules::replay::{PastOutcome, Replayed, stops};
use crate::recall;
use crate::rules::Rule;
use crate::system::{clock, moment};

/// At most this many failures are named as evidence.
const MAX_EVIDENCE: usize = 20;
/// The longest command or prompt that is shown, in characters.
const MAX_TEXT: usize = 300;
/// At most this many calls of a rule that stops what works.
const MAX_CALLS: usize = 5;
/// With fewer calls than this, a rule that never fired says nothing.
const MIN_CALLS: usize = 100;
const DAY: i64 = 24 * 3_600;

/// What candidates were tried on.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrialExtent {
    days: usize,
    /// Commands that worked.
    worked: usize,
}

impl TrialExtent {
    pub(super) fn of(request: &LearnRequest, tried: &TriedRules) -> TrialExtent {
        let seconds = clock::timestamp().since(request.since);
        let days = usize::try_from((seconds + DAY - 1) / DAY).unwrap_or_default();
        TrialExtent { days, worked: tried.replayed.tally.commands_that_worked }
    }
}

pub(super) fn provenance(
    cause: &RecurringFailure<'_>,
    backtest: &Backtest,
    extent: TrialExtent,
) -> Provenance {
    let now = clock::timestamp();
    let failure = recurring(cause);
    Provenance {
        on: moment::local_date(now),
        failures: cause.failures.iter().map(|failure| failure.row.id.0).collect(),
        times: cause.failures.len(),
        sessions: cause.sessions,
        first_at: failure.first_at,
        last_at: failure.last_at,
        backtest: sentence(backtest, extent),
    }
}

/// Says what a rule would have done.
fn sentence(backtest: &Backtest, extent: TrialExtent) -> String {
    let Backtest { spoke, before_failure, before_others, before_success, unknown, .. } = *backtest;
    let mut text = format!(
        "would have spoken {} in {}: {before_failure} before this failure, {before_success} of {} that worked",
        counted(spoke, "time"),
        counted(extent.days, "day"),
        with_commas(extent.worked, "command"),
    );
    if before_others > 0 {
        text.push_str(&format!(", {before_others} before another failure"));
    }
    if unknown > 0 {
        text.push_str(&format!(", {unknown} with an unknown end"));
    }
    text
}

/// Writes a count with its unit, and thousands apart.
fn with_commas(count: usize, unit: &str) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    let plural = if count == 1 { "" } else { "s" };
    format!("{text} {unit}{plural}")
}

pub(super) fn proposal(
    cause: &RecurringFailure<'_>,
    draft: &LearnedRule,
    backtest: &Backtest,
    from: &Provenance,
) -> ProposalJson {
    ProposalJson {
        name: draft.name.clone(),
        failure: recurring(cause),
        before: draft.pattern.command.clone(),
        unless: draft.pattern.unless.clone(),
        worked: cause.way_out.as_ref().map(worked).unwrap_or_else(|| WhatWorkedJson {
            kind: "instead",
            text: String::new(),
            sessions: 0,
            id: 0,
        }),
        message: draft.message.clone(),
        backtest: shown_backtest(backtest, from.backtest.clone()),
        rule: learn::rule_text(draft, Some(from), false),
    }
}

fn shown_backtest(backtest: &Backtest, sentence: String) -> BacktestJson {
    BacktestJson {
        spoke: backtest.spoke,
        before_failure: backtest.before_failure,
        before_other_failure: backtest.before_others,
        before_success: backtest.before_success,
        unknown: backtest.unknown,
        precision: (backtest.precision() * 1_000.0).round() / 1_000.0,
        sentence,
    }
}

fn worked(way: &WayOut) -> WhatWorkedJson {
    let kind = match way.kind {
        WayOutKind::Instead => "instead",
        WayOutKind::Without => "without",
        WayOutKind::First => "first",
        WayOutKind::Edit => "edit",
    };
    let text = match way.kind {
        WayOutKind::Without => way.mark.clone(),
        _ if way.text.contains(&way.mark) => way.text.clone(),
        _ => format!("{} ({})", way.text, way.mark),
    };
    WhatWorkedJson { kind, text, sessions: way.sessions, id: way.id.0 }
}

fn recurring(cause: &RecurringFailure<'_>) -> RecurringFailureJson {
    let rows = || cause.failures.iter().map(|failure| failure.row);
    let times = || rows().map(|row| row.timestamp);
    let newest = cause.newest();
    RecurringFailureJson {
        program: newest.program.clone(),
        cause: recall::told_cause(cause.signature()).to_owned(),
        signature: cause.signature().to_owned(),
        times: cause.failures.len(),
        sessions: cause.sessions,
        ended: cause.ended,
        first_at: clock::iso(times().min().unwrap_or(newest.timestamp)),
        last_at: clock::iso(times().max().unwrap_or(newest.timestamp)),
        evidence: rows().take(MAX_EVIDENCE).map(evidence).collect(),
    }
}

fn evidence(row: &Observation) -> EvidenceJson {
    EvidenceJson {
        id: row.id.0,
        at: clock::iso(row.timestamp),
        session: row.session_id.0.clone(),
        project: row.project.clone(),
        command: beginning(recall::command(row), MAX_TEXT).to_owned(),
    }
}

pub(super) fn wall(
    cause: &RecurringFailure<'_>,
    why: WhyNoRule,
    tried: &[(&LearnedRule, Backtest)],
    extent: TrialExtent,
) -> WallJson {
    let tried = tried.iter().map(|(draft, backtest)| TriedPatternJson {
        before: draft.pattern.command.clone(),
        unless: draft.pattern.unless.clone(),
        backtest: shown_backtest(backtest, sentence(backtest, extent)),
    });
    let why = match why {
        WhyNoRule::NothingEndedIt => "nothing_ended_it",
        WhyNoRule::NoCommonWay => "no_common_way",
        WhyNoRule::NoCommand => "no_command",
        WhyNoRule::Imprecise => "imprecise",
    };
    WallJson {
        failure: recurring(cause),
        worked: cause.way_out.as_ref().map(worked),
        why,
        tried: tried.collect(),
    }
}

pub(super) fn corrected(thing: &CorrectedThing<'_>) -> CorrectedThingJson {
    let corrections = thing.corrections.iter().map(|one| CorrectionJson {
        id: one.prompt.id.0,
        at: clock::iso(one.prompt.timestamp),
        session: one.prompt.session_id.0.clone(),
        prompt: beginning(&one.prompt.content, MAX_TEXT).to_owned(),
        before: one.before.map(|row| CorrectedActJson {
            id: row.id.0,
            what: beginning(recall::command(row), MAX_TEXT).to_owned(),
        }),
    });
    CorrectedThingJson {
        about: thing.word.clone(),
        sessions: thing.sessions,
        corrections: corrections.take(MAX_EVIDENCE).collect(),
    }
}

pub(super) fn blocked_again(rule: &RetriedRule<'_>) -> BlockedAgainJson {
    BlockedAgainJson {
        rule: rule.rule.clone(),
        blocked: rule.blocked,
        again: rule.again,
        sessions: rule.sessions,
        last_at: clock::iso(rule.newest.timestamp),
        evidence: rule.ids.iter().take(MAX_EVIDENCE).map(|id| id.0).collect(),
    }
}

/// Returns the loaded rules that never fired; those of packs wait for what must not happen.
pub(super) fn dead(rules: &[Rule], replayed: &Replayed) -> Vec<DeadRuleJson> {
    let calls = replayed.tally.all_calls();
    if calls < MIN_CALLS {
        return Vec::new();
    }
    let is_dead = |(number, rule): &(usize, &Rule)| {
        rule.pack.is_none() && replayed.tally.total(Some(*number)).fired == 0
    };
    let dead = rules.iter().enumerate().filter(is_dead);
    dead.map(|(number, rule)| {
        let considered = replayed.tally.considered.get(&number).copied().unwrap_or_default();
        let reason = match considered {
            0 => format!("none of {calls} calls has its hook, tool and file"),
            times => format!("its pattern matched none of {}", counted(times, "event")),
        };
        DeadRuleJson {
            rule: rule.name.clone(),
            file: rule.place.file.clone(),
            line: rule.place.line,
            considered,
            reason,
        }
    })
    .collect()
}

/// Returns the loaded rules that stop calls which worked.
pub(super) fn alarms(rules: &[Rule], replayed: &Replayed) -> Vec<FalseAlarmJson> {
    let stopping = rules.iter().enumerate().filter(|(_, rule)| stops(rule));
    let alarmed = stopping.filter_map(|(number, rule)| {
        let counts = replayed.tally.total(Some(number));
        let firings = replayed.tally.firings.iter().filter(|firing| firing.rule == number);
        let well = firings.filter(|firing| firing.outcome == PastOutcome::Well).take(MAX_CALLS);
        (counts.well > 0).then(|| FalseAlarmJson {
            rule: rule.name.clone(),
            file: rule.place.file.clone(),
            line: rule.place.line,
            action: rule.action.name(),
            fired: counts.fired,
            went_well: counts.well,
            calls: well
                .map(|firing| AlarmedCallJson {
                    at: clock::iso(firing.at),
                    session: firing.session.clone(),
                    what: firing.what.clone(),
                })
                .collect(),
        })
    });
    let mut alarmed: Vec<FalseAlarmJson> = alarmed.collect();
    alarmed.sort_by_key(|rule| std::cmp::Reverse(rule.went_well));
    alarmed
}
