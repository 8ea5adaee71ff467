//! `nudge rules`: lists what is loaded, and from where.

use std::process::ExitCode;

use anstyle::Style;

use super::here;
use super::output::{BOLD, DIM, Failure, GREEN, Out, RED, YELLOW, counted, in_line, show_problem};
use super::rows::one_line;
use super::window::columns;
use crate::api::list::ListWire;
use crate::api::problem;
use crate::api::rules::{PackJson, RuleJson, RulesJson};
use crate::model::Problem;
use crate::ops::here::root as root_of;
use crate::ops::rules::packs::{self, PackUse};
use crate::ops::rules::{Action, Rule, load, shown};

/// Maximum number of characters of a rule's tools or files.
const MAX_CELL: usize = 30;

/// List the rules that apply here, and their files
///
/// Columns: what a rule does (or `disabled`), its name, the event, the tools and files that it is limited to, its place.
#[derive(clap::Args)]
pub(crate) struct RulesArgs {
    #[command(subcommand)]
    command: Option<RulesCommand>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum RulesCommand {
    Packs(RulePacksArgs),
}

/// List the packs of rules that come with nudge
#[derive(clap::Args)]
struct RulePacksArgs {
    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &RulesArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    match &args.command {
        None => list(args, out),
        Some(RulesCommand::Packs(args)) => list_packs(args, out),
    }
}

fn list_packs(args: &RulePacksArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let packs = packs::list(&root_of(&here()?));
    if args.json {
        let row = |one: &PackUse| PackJson {
            name: one.pack.name,
            about: one.pack.about,
            rules: one.rules,
            used_in: one.used_in.clone(),
        };
        out.json(&ListWire::<PackJson>::whole(packs.iter().map(row)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = packs.iter().map(|one| one.pack.name.len()).max().unwrap_or(0);
    for PackUse { pack, rules, used_in } in &packs {
        let (style, state) = if used_in.is_empty() { (DIM, "unused") } else { (GREEN, "used") };
        let files: Vec<String> = used_in.iter().map(|file| in_line(file)).collect();
        out.row(format_args!(
            "{style}{state:6}{style:#}  {BOLD}{:width$}{BOLD:#}  {:>8}  {}  {DIM}{}{DIM:#}",
            pack.name,
            counted(*rules, "rule"),
            pack.about,
            files.join(", ")
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn list(args: &RulesArgs, out: &mut Out) -> Result<ExitCode, Failure> {
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
    let rows: Vec<RuleRow> = rules.iter().map(RuleRow::of).collect();
    let widest =
        |column: fn(&RuleRow) -> &str| rows.iter().map(|row| columns(column(row))).max().unwrap_or(0);
    let widths =
        [widest(|row| &row.name), widest(|row| row.hook), widest(|row| &row.tool), widest(|row| &row.file)];
    for row in &rows {
        let style = row.style;
        let cells = [&row.name, row.hook, &row.tool, &row.file];
        let [name, hook, tool, file] = std::array::from_fn(|index| padded(cells[index], widths[index]));
        out.row(format_args!(
            "{style}{:9}{style:#}  {BOLD}{name}{BOLD:#}{hook}{tool}{file}{DIM}{}{DIM:#}",
            row.state, row.place
        ))?;
    }
    problems.iter().try_for_each(|problem| show_problem(out, problem, None))
}

/// A rule as a row of the table; what it is not limited to is empty.
struct RuleRow {
    style: Style,
    state: &'static str,
    name: String,
    hook: &'static str,
    tool: String,
    file: String,
    place: String,
}

impl RuleRow {
    fn of(rule: &Rule) -> RuleRow {
        let (style, state) = match (rule.enabled, rule.action) {
            (false, _) => (DIM, "disabled"),
            (true, _) if rule.shadow => (DIM, "shadow"),
            (true, Action::Interrupt) => (RED, "interrupt"),
            (true, Action::Ask) => (YELLOW, "ask"),
            (true, Action::Continue) => (GREEN, "continue"),
        };
        let place = match &rule.pack {
            Some(pack) => format!("pack {pack} ({})", rule.place),
            None => rule.place.to_string(),
        };
        let RuleJson { tool, target, .. } = shown::to_json(rule);
        RuleRow {
            style,
            state,
            name: in_line(&rule.name),
            hook: rule.hook.name(),
            tool: one_line(&tool.unwrap_or_default(), MAX_CELL),
            file: one_line(&target.unwrap_or_default().join(" "), MAX_CELL),
            place: in_line(&place),
        }
    }
}

/// Fills a cell up to its column's width; a column without any text takes no room.
fn padded(text: &str, width: usize) -> String {
    match width {
        0 => String::new(),
        width => format!("{text}{}", " ".repeat(width + 2 - columns(text))),
    }
}
