//! `nudge rules`: lists what is loaded, and from where.

use std::process::ExitCode;

use super::here;
use super::output::{BOLD, DIM, Failure, GREEN, Out, RED, in_line, show_problem};
use super::window::columns;
use crate::api::list::ListWire;
use crate::api::problem;
use crate::api::rules::RulesJson;
use crate::model::Problem;
use crate::ops::here::root as root_of;
use crate::ops::rules::{Action, Rule, load, shown};

/// List the rules that apply here, and their files
#[derive(clap::Args)]
pub(crate) struct RulesArgs {
    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &RulesArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let root = root_of(&here()?);
    let (rules, problems) = load::all(&root);
    if args.json {
        let rules = ListWire::whole(rules.iter().map(shown::to_json));
        out.json(&RulesJson { root, rules, problems: problem::problems(&problems) })?;
        return Ok(ExitCode::SUCCESS);
    }
    show(&rules, &problems, out)?;
    if rules.is_empty() && problems.is_empty() {
        out.line(format_args!("no rules in {}", root.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(rules: &[Rule], problems: &[Problem], out: &mut Out) -> Result<(), Failure> {
    let width = rules.iter().map(|rule| columns(&in_line(&rule.name))).max().unwrap_or(0);
    let places = rules.iter().map(|rule| columns(&rule.place.to_string())).max().unwrap_or(0);
    for rule in rules {
        let (style, word) = match (rule.enabled, rule.action) {
            (false, _) => (DIM, "disabled "),
            (true, Action::Interrupt) => (RED, "interrupt"),
            (true, Action::Continue) => (GREEN, "continue "),
        };
        let hook = rule.hook.name();
        let about = in_line(rule.description.as_deref().unwrap_or_default());
        let name = in_line(&rule.name);
        let place = rule.place.to_string();
        let about = if about.is_empty() {
            String::new()
        } else {
            format!("{:1$}  {about}", "", places - columns(&place))
        };
        out.row(format_args!(
            "{style}{word}{style:#}  {BOLD}{name:width$}{BOLD:#}  {hook:16}  {DIM}{place}{DIM:#}{about}"
        ))?;
    }
    problems.iter().try_for_each(|problem| show_problem(out, problem, None))
}
