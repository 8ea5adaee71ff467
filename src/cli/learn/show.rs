//! What was learned, for a person.

use crate::api::learn::{
    BlockedAgainJson, CorrectedThingJson, DeadRuleJson, FalseAlarmJson, LearnJson, ProposalJson,
    RecurringFailureJson, WallJson, WhatWorkedJson,
};
use crate::cli::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, RED, counted, in_line, say};
use crate::cli::rows::{ago, one_line};
use crate::model::Timestamp;
use crate::ops::times;

/// The longest line of a text, in characters.
const MAX_TEXT: usize = 110;
/// At most this many failures are named; `--json` has more.
const MAX_IDS: usize = 8;
/// At most this many prompts of one thing are shown.
const MAX_PROMPTS: usize = 3;

/// Says what was looked at.
pub(super) fn extent(all: &LearnJson, out: &mut Out) -> Result<(), Failure> {
    let since = all.since.split('T').next().unwrap_or_default();
    out.line(format_args!(
        "{BOLD}{} and {}{BOLD:#} since {since}; proposals are tried on {}",
        counted(all.sessions, "session"),
        counted(all.failures, "failure"),
        counted(all.calls, "call"),
    ))?;
    if all.proposals.items.is_empty() {
        say("there is nothing to propose: no failure came back that a rule could have foreseen");
    }
    Ok(())
}

pub(super) fn proposal(one: &ProposalJson, out: &mut Out) -> Result<(), Failure> {
    out.line(format_args!("{BOLD}{}{BOLD:#}", in_line(&one.name)))?;
    failure(&one.failure, out)?;
    worked(&one.worked, out)?;
    let unless: Vec<String> = one.unless.iter().map(|one| format!("`{}`", in_line(one))).collect();
    let unless = if unless.is_empty() { String::new() } else { format!(", unless {}", unless.join(", ")) };
    out.line(format_args!(
        "    {CYAN}speaks before{CYAN:#} `{}`{unless}, once in a session:",
        in_line(&one.before)
    ))?;
    out.line(format_args!("      {}", in_line(&one.message)))?;
    out.line(format_args!("    {BOLD}{}{BOLD:#}", one.backtest.sentence))
}

fn failure(one: &RecurringFailureJson, out: &mut Out) -> Result<(), Failure> {
    let last = ago(times::from_iso(&one.last_at).unwrap_or(Timestamp(0)), times::now());
    let program = one.program.as_deref().unwrap_or("?");
    out.row(format_args!(
        "    {RED}{}{RED:#}  {} in {}, last {last}",
        one_line(program, MAX_TEXT),
        counted(one.times, "failure"),
        counted(one.sessions, "session"),
    ))?;
    if !one.cause.trim().is_empty() {
        out.row(format_args!("    {DIM}{}{DIM:#}", one_line(&one.cause, MAX_TEXT)))?;
    }
    let ids: Vec<String> = one.evidence.iter().take(MAX_IDS).map(|one| one.id.to_string()).collect();
    let more = one.times.saturating_sub(ids.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    out.row(format_args!("    {DIM}evidence: {}{more}{DIM:#}", ids.join(", ")))
}

fn worked(one: &WhatWorkedJson, out: &mut Out) -> Result<(), Failure> {
    let how = match one.kind {
        "without" => "worked without",
        "first" => "worked after",
        "edit" => "worked after a change of",
        _ => "worked",
    };
    out.row(format_args!(
        "    {GREEN}{how}:{GREEN:#} {}  {DIM}({}, {}){DIM:#}",
        one_line(&one.text, MAX_TEXT),
        counted(one.sessions, "session"),
        one.id
    ))
}

/// Shows everything that is not proposed.
pub(super) fn rest(all: &LearnJson, limit: usize, out: &mut Out) -> Result<(), Failure> {
    list("walls: failures that come back, without a rule", &all.walls.items, limit, wall, out)?;
    list("taken back by you", &all.corrections.items, limit, corrected, out)?;
    list("blocked, and tried again", &all.blocked_again.items, limit, blocked_again, out)?;
    list("rules that stop what works", &all.false_alarms.items, limit, false_alarm, out)?;
    list("rules that never fired", &all.dead_rules.items, limit, dead, out)?;
    let left = &all.left_out;
    if left.declined > 0 {
        say(format_args!("{} you declined before", counted(left.declined, "failure")));
    }
    if left.guarded > 0 {
        say(format_args!("{} that a rule speaks before already", counted(left.guarded, "failure")));
    }
    Ok(())
}

fn list<T>(
    title: &str,
    items: &[T],
    limit: usize,
    show: impl Fn(&T, &mut Out) -> Result<(), Failure>,
    out: &mut Out,
) -> Result<(), Failure> {
    if items.is_empty() {
        return Ok(());
    }
    out.line("")?;
    out.line(format_args!("{BOLD}{title}{BOLD:#}"))?;
    items.iter().take(limit).try_for_each(|item| show(item, out))?;
    let more = items.len().saturating_sub(limit);
    if more > 0 {
        out.line(format_args!("    {DIM}and {more} more; -n 0 shows all{DIM:#}"))?;
    }
    Ok(())
}

fn wall(one: &WallJson, out: &mut Out) -> Result<(), Failure> {
    failure(&one.failure, out)?;
    if let Some(way) = &one.worked {
        worked(way, out)?;
    }
    let why = match one.why {
        "nothing_ended_it" => "nothing ended it often enough",
        "no_common_way" => "no two sessions did the same about it",
        "no_command" => "no command shows beforehand that it will fail",
        _ => "a rule would speak before too many calls that work",
    };
    out.row(format_args!("    {DIM}{why}{DIM:#}"))
}

fn corrected(one: &CorrectedThingJson, out: &mut Out) -> Result<(), Failure> {
    let often = counted(one.corrections.len(), "time");
    let sessions = counted(one.sessions, "session");
    out.row(format_args!("    {BOLD}{}{BOLD:#}  {often} in {sessions}", one_line(&one.about, MAX_TEXT)))?;
    for correction in one.corrections.iter().take(MAX_PROMPTS) {
        out.row(format_args!("      {}  {}", correction.id, one_line(&correction.prompt, MAX_TEXT)))?;
        if let Some(before) = &correction.before {
            out.row(format_args!(
                "      {DIM}{}  after: {}{DIM:#}",
                before.id,
                one_line(&before.what, MAX_TEXT)
            ))?;
        }
    }
    Ok(())
}

fn blocked_again(one: &BlockedAgainJson, out: &mut Out) -> Result<(), Failure> {
    let last = ago(times::from_iso(&one.last_at).unwrap_or(Timestamp(0)), times::now());
    out.row(format_args!(
        "    {BOLD}{}{BOLD:#}  blocked {}, {} of them soon after another, in {}, last {last}",
        in_line(&one.rule),
        counted(one.blocked, "call"),
        one.again,
        counted(one.sessions, "session"),
    ))
}

fn dead(one: &DeadRuleJson, out: &mut Out) -> Result<(), Failure> {
    out.row(format_args!(
        "    {BOLD}{}{BOLD:#}  {}  {DIM}{}:{}{DIM:#}",
        in_line(&one.rule),
        one.reason,
        in_line(&one.file),
        one.line
    ))
}

fn false_alarm(one: &FalseAlarmJson, out: &mut Out) -> Result<(), Failure> {
    out.row(format_args!(
        "    {BOLD}{}{BOLD:#}  {} {} of which {} went well  {DIM}{}:{}{DIM:#}",
        in_line(&one.rule),
        one.action,
        counted(one.fired, "call"),
        one.went_well,
        in_line(&one.file),
        one.line
    ))?;
    one.calls
        .iter()
        .take(MAX_PROMPTS)
        .try_for_each(|call| out.row(format_args!("      {DIM}{}{DIM:#}", one_line(&call.what, MAX_TEXT))))
}
