//! `nudge rules --stats`: what each rule did, so that one sees which of them help.

use std::process::ExitCode;

use super::here;
use super::output::{BOLD, DIM, Failure, Out, YELLOW, in_line, say};
use super::rows::ago;
use crate::api::list::ListWire;
use crate::api::rules::RuleStatisticsJson;
use crate::api::view::RuleView;
use crate::model::Timestamp;
use crate::ops::here::{root as root_of, short_path};
use crate::ops::times;
use crate::ops::view::{RuleStatistics, rule_statistics};

pub(crate) fn run(since: Timestamp, json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let root = root_of(&here()?);
    let RuleStatistics { rules, is_new } = rule_statistics(&root, since).map_err(|error| {
        let failure = Failure::new(error.message);
        error.hint.into_iter().fold(failure, Failure::hint)
    })?;
    if json {
        out.json(&ListWire::<RuleStatisticsJson>::whole(rules.iter().map(to_json)))?;
        return Ok(ExitCode::SUCCESS);
    }
    if rules.is_empty() {
        out.line("no rules are loaded here")?;
        return Ok(ExitCode::SUCCESS);
    }
    if is_new {
        let root = short_path(&root);
        say(format_args!("nothing is remembered of {root} yet: counting begins with an agent's first hook"));
    }
    let width = rules.iter().map(|rule| in_line(&rule.name).chars().count()).max().unwrap_or(0);
    out.row(format_args!(
        "{DIM}{:width$}  {:>6}  {:>7}  {:>6}  {:>8}  {:>5}  {:>7}  {:>6}  last{DIM:#}",
        "rule", "fired", "refused", "obeyed", "repeated", "asked", "allowed", "guided"
    ))?;
    for rule in &rules {
        let last =
            rule.last_ms.map_or_else(|| "never".to_owned(), |at| ago(Timestamp(at / 1_000), times::now()));
        let state = match (rule.enabled, rule.shadow) {
            (false, _) => " (disabled)",
            (true, true) => " (shadow)",
            (true, false) => "",
        };
        out.row(format_args!(
            "{BOLD}{:width$}{BOLD:#}  {:>6}  {:>7}  {:>6}  {:>8}  {:>5}  {:>7}  {:>6}  {last}{DIM}{state}{DIM:#}",
            in_line(&rule.name),
            rule.fired,
            rule.obeyed + rule.insisted,
            rule.obeyed,
            rule.insisted,
            rule.asked,
            rule.allowed,
            rule.guided - rule.asked
        ))?;
        if let Some(dead) = &rule.dead {
            out.row(format_args!("  {YELLOW}dead:{YELLOW:#} {}", in_line(&dead.reason)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(rule: &RuleView) -> RuleStatisticsJson {
    RuleStatisticsJson {
        name: rule.name.clone(),
        action: rule.action,
        enabled: rule.enabled,
        shadow: rule.shadow,
        place: rule.place.clone(),
        fired: rule.fired,
        refused: rule.obeyed + rule.insisted,
        obeyed: rule.obeyed,
        repeated: rule.insisted,
        asked: rule.asked,
        allowed: rule.allowed,
        guided: rule.guided - rule.asked,
        last_at: rule.last_ms.map(|at| times::iso(Timestamp(at / 1_000))),
        dead: rule.dead.as_ref().map(|dead| dead.reason.clone()),
    }
}
