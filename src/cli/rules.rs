//! `nudge rules`: lists what is loaded, and from where; its commands change what is on.

use std::process::ExitCode;

use anstyle::Style;

use super::here;
use super::output::{
    BOLD, CYAN, DIM, Failure, GREEN, Out, RED, YELLOW, counted, in_line, say, show_problem, visible,
};
use super::rows::one_line;
use super::rules_import::{self, RulesImportArgs};
use super::rules_stats;
use super::window::columns;
use crate::api::list::ListWire;
use crate::api::problem;
use crate::api::rules::{PackJson, RuleEditJson, RuleJson, RulesJson, ShownRuleJson};
use crate::model::{Problem, Timestamp};
use crate::ops::here::root as root_of;
use crate::ops::here::short_path;
use crate::ops::rules::change::{self, RuleEdit, RuleEditError, RuleEditReport, RulesOf};
use crate::ops::rules::packs::{self, PackUse};
use crate::ops::rules::show::{self, ShownRule};
use crate::ops::rules::{Action, Rule, load, shown};
use crate::ops::times;
use crate::ops::trust::{self, ProjectRules};

/// Maximum number of characters of a rule's tools or files.
const MAX_CELL: usize = 30;
/// The width of the first column: `interrupt` is the longest word in it.
const STATE: usize = 9;

/// List the rules that apply here, and their files
///
/// Columns: what a rule does (or `disabled`), its name, the event, the tools and files that it is limited to, its place.
/// A narrow window shows fewer of them, but always the place.
#[derive(clap::Args)]
pub(crate) struct RulesArgs {
    #[command(subcommand)]
    command: Option<RulesCommand>,

    /// Show what each rule did since a date, or `30d`, `1w` [default: 30d]
    #[arg(long, value_name = "WHEN", num_args = 0..=1, default_missing_value = "30d", value_parser = times::parse)]
    stats: Option<Timestamp>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum RulesCommand {
    Packs(RulePacksArgs),
    Add(RuleAddArgs),
    Enable(RuleEnableArgs),
    Disable(RuleDisableArgs),
    Shadow(RuleShadowArgs),
    Show(RuleShowArgs),
    Import(RulesImportArgs),
}

/// List the packs of rules that come with nudge
#[derive(clap::Args)]
struct RulePacksArgs {
    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Use a pack of rules in this project
///
/// Adds the pack to `packs` in `.nudge.yaml`, which is created if there is none. Comments and formatting stay.
#[derive(clap::Args)]
struct RuleAddArgs {
    /// Name of the pack; `nudge rules packs` lists them
    #[arg(value_name = "PACK")]
    pack: String,

    #[command(flatten)]
    edit: RuleEditArgs,
}

/// Enable a rule that is disabled
///
/// Takes it out of `disable`, or sets its own `enabled` to true.
#[derive(clap::Args)]
struct RuleEnableArgs {
    /// Name of the rule
    #[arg(value_name = "NAME")]
    rule: String,

    #[command(flatten)]
    edit: RuleEditArgs,
}

/// Disable a rule, of a pack or of your own
///
/// Adds it to `disable` in the rule file that has it or uses its pack.
#[derive(clap::Args)]
struct RuleDisableArgs {
    /// Name of the rule
    #[arg(value_name = "NAME")]
    rule: String,

    #[command(flatten)]
    edit: RuleEditArgs,
}

/// Try and count a rule, without saying or blocking anything
///
/// Adds it to `shadow` in the rule file that has it or uses its pack.
#[derive(clap::Args)]
struct RuleShadowArgs {
    /// Name of the rule
    #[arg(value_name = "NAME")]
    rule: String,

    /// Let the rule speak and block again
    #[arg(long)]
    off: bool,

    #[command(flatten)]
    edit: RuleEditArgs,
}

#[derive(clap::Args)]
struct RuleEditArgs {
    /// Change your own rule file, which applies in every project
    #[arg(long)]
    user: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Show a rule as it is written, with its message, its examples and where it comes from
#[derive(clap::Args)]
struct RuleShowArgs {
    /// Name of the rule
    #[arg(value_name = "NAME")]
    rule: String,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &RulesArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    match &args.command {
        None => match args.stats {
            Some(since) => rules_stats::run(since, args.json, out),
            None => list(args, out),
        },
        Some(RulesCommand::Packs(args)) => list_packs(args, out),
        Some(RulesCommand::Add(args)) => edit(RuleEdit::AddPack, &args.pack, &args.edit, out),
        Some(RulesCommand::Enable(args)) => edit(RuleEdit::Enable, &args.rule, &args.edit, out),
        Some(RulesCommand::Disable(args)) => edit(RuleEdit::Disable, &args.rule, &args.edit, out),
        Some(RulesCommand::Shadow(args)) => {
            let change = if args.off { RuleEdit::Unshadow } else { RuleEdit::Shadow };
            edit(change, &args.rule, &args.edit, out)
        }
        Some(RulesCommand::Show(args)) => show_rule(args, out),
        Some(RulesCommand::Import(args)) => rules_import::run(args, out),
    }
}

fn edit(edit: RuleEdit, name: &str, args: &RuleEditArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let of = if args.user { RulesOf::User } else { RulesOf::Project };
    let report = change::change(&root_of(&here()?), edit, name, of)?;
    let state = match edit {
        RuleEdit::AddPack => "used",
        RuleEdit::Enable => "enabled",
        RuleEdit::Disable => "disabled",
        RuleEdit::Shadow => "only counted",
        RuleEdit::Unshadow => "no longer only counted",
    };
    if args.json {
        let RuleEditReport { written, rules } = report;
        out.json(&RuleEditJson {
            name: name.to_owned(),
            state,
            changed: !written.is_empty(),
            written,
            rules,
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let name = in_line(name);
    match report.written.as_slice() {
        [] => out.line(format_args!("{BOLD}{name}{BOLD:#} is {state} already"))?,
        files => {
            let files: Vec<String> = files.iter().map(|file| in_line(file)).collect();
            out.line(format_args!(
                "{GREEN}{state}{GREEN:#}  {BOLD}{name}{BOLD:#}  {DIM}{}{DIM:#}",
                files.join(", ")
            ))?;
        }
    }
    if edit == RuleEdit::AddPack {
        for rule in &report.rules {
            out.line(format_args!("  {rule}"))?;
        }
        say(format_args!(
            "{CYAN}next:{CYAN:#} `nudge rules show NAME` explains a rule, `nudge rules disable NAME` switches it off"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

impl From<RuleEditError> for Failure {
    fn from(error: RuleEditError) -> Failure {
        Failure::new(error.message).hint_if(error.hint)
    }
}

fn show_rule(args: &RuleShowArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let found = show::find(&root_of(&here()?), &args.rule)?;
    if args.json {
        let row = |one: &ShownRule| ShownRuleJson {
            rule: shown::to_json(&one.rule),
            used: one.is_used,
            message: one.rule.message.clone(),
            fires: one.rule.examples.iter().filter(|example| example.fires).count(),
            quiet: one.rule.examples.iter().filter(|example| !example.fires).count(),
            source: one.source.clone(),
        };
        out.json(&ListWire::<ShownRuleJson>::whole(found.iter().map(row)))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (index, one) in found.iter().enumerate() {
        if index > 0 {
            out.line("")?;
        }
        let RuleRow { style, state, name, place, .. } = RuleRow::of(&one.rule);
        if one.is_used {
            out.line(format_args!("{BOLD}{name}{BOLD:#}  {style}{state}{style:#}  {DIM}{place}{DIM:#}"))?;
        } else {
            let pack = one.rule.pack.as_deref().unwrap_or_default();
            out.line(format_args!("{BOLD}{name}{BOLD:#}  {DIM}unused  pack {pack}{DIM:#}"))?;
            say(format_args!("the pack `{pack}` is not used here; `nudge rules add {pack}` switches it on"));
        }
        out.line("")?;
        one.source.lines().try_for_each(|line| out.line(visible(line)))?;
    }
    Ok(ExitCode::SUCCESS)
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
    let in_files =
        |one: &PackUse| one.used_in.iter().map(|file| in_line(file)).collect::<Vec<_>>().join(", ");
    let users = packs.iter().map(|one| columns(&in_files(one))).max().unwrap_or(0);
    for one in &packs {
        let PackUse { pack, rules, used_in } = one;
        let (style, state) = if used_in.is_empty() { (DIM, "unused") } else { (GREEN, "used") };
        out.row(format_args!(
            "{style}{state:6}{style:#}  {BOLD}{:width$}{BOLD:#}  {:>8}  {DIM}{}{DIM:#}{}",
            pack.name,
            counted(*rules, "rule"),
            padded(&in_files(one), users),
            pack.about,
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
    say_unseen(&trust::muted(&root));
    if rules.is_empty() && problems.is_empty() {
        out.line(format_args!("no rules in {}", short_path(&root)))?;
        say("`nudge init` makes a first rule file, `nudge rules add PACK` uses rules that come with nudge");
    }
    Ok(ExitCode::SUCCESS)
}

fn say_unseen(files: &[ProjectRules]) {
    let names: Vec<String> = files.iter().map(|file| in_line(&file.shown)).collect();
    match names.as_slice() {
        [] => {}
        [one] => say(format_args!("{YELLOW}not trusted:{YELLOW:#} {one}; `nudge trust` shows it")),
        _ => {
            say(format_args!(
                "{YELLOW}not trusted:{YELLOW:#} {}; `nudge trust` shows them",
                names.join(", ")
            ));
        }
    }
}

fn show(rules: &[Rule], problems: &[Problem], out: &mut Out) -> Result<(), Failure> {
    let rows: Vec<RuleRow> = rules.iter().map(RuleRow::of).collect();
    let widest =
        |column: fn(&RuleRow) -> &str| rows.iter().map(|row| columns(column(row))).max().unwrap_or(0);
    let place = widest(|row| &row.place);
    let all =
        [widest(|row| &row.name), widest(|row| row.hook), widest(|row| &row.tool), widest(|row| &row.file)];
    let widths = fitting(all, place, out.width());
    for row in &rows {
        let style = row.style;
        let cells = [&row.name, row.hook, &row.tool, &row.file];
        let [name, hook, tool, file] =
            std::array::from_fn(|index| padded(cells[index], widths.unwrap_or(all)[index]));
        let (state, at) = (row.state, &row.place);
        if widths.is_some() {
            out.row(format_args!(
                "{style}{state:STATE$}{style:#}  {BOLD}{name}{BOLD:#}{hook}{tool}{file}{DIM}{at}{DIM:#}"
            ))?;
        } else {
            out.row(format_args!("{style}{state:STATE$}{style:#}  {BOLD}{}{BOLD:#}", row.name))?;
            let room = out.width().unwrap_or(usize::MAX).saturating_sub(STATE + 2);
            out.row(format_args!("{:STATE$}  {DIM}{}{DIM:#}", "", end_of(at, room)))?;
        }
    }
    problems.iter().try_for_each(|problem| show_problem(out, problem, None))
}

/// Returns the columns that a window has room for: where a rule comes from is always shown, so files, then tools and
/// events are left out before it. `None` if names and places need a line each.
fn fitting(all: [usize; 4], place: usize, window: Option<usize>) -> Option<[usize; 4]> {
    let Some(window) = window else { return Some(all) };
    let room = |widths: &[usize; 4]| {
        STATE + 2 + place + widths.iter().filter(|width| **width > 0).map(|width| width + 2).sum::<usize>()
    };
    let mut widths = all;
    for index in (1..widths.len()).rev() {
        if room(&widths) <= window {
            break;
        }
        widths[index] = 0;
    }
    (room(&widths) <= window).then_some(widths)
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

/// Returns the end of a place that is too long: the name of the file is there, and its line.
fn end_of(place: &str, room: usize) -> String {
    let mut end = place;
    while columns(end) + usize::from(end.len() < place.len()) > room && !end.is_empty() {
        end = &end[end.chars().next().map_or(0, char::len_utf8)..];
    }
    if end.len() < place.len() { format!("…{end}") } else { place.to_owned() }
}

/// Fills a cell up to its column's width; a column without any text takes no room.
fn padded(text: &str, width: usize) -> String {
    match width {
        0 => String::new(),
        width => format!("{text}{}", " ".repeat(width + 2 - columns(text))),
    }
}
