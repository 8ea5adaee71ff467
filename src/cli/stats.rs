//! `nudge stats`: the memory in numbers.

use std::process::ExitCode;

use super::memory::{self, ScopeArgs};
use super::output::{BOLD, CYAN, DIM, Failure, Out, counted, in_line};
use super::rows::{duration, style};
use crate::api::memory::{AgentCountJson, FileCountJson, ProgramTimeJson, StatsJson, ToldCountJson};
use crate::model::{DAY, Stats, ToldCount};
use crate::ops::times;

/// Show the memory in numbers: types, days, files, failures
#[derive(clap::Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    scope: ScopeArgs,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// The longest bar of a chart, and the columns in front of it.
const BAR: usize = 40;
const IN_FRONT: usize = 24;
/// Number of days that are drawn.
const DAYS: i64 = 14;

pub(crate) fn run(args: &StatsArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(memory) = memory::open()? else {
        memory::nothing_yet(args.json, &StatsJson::default(), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    let scope = args.scope.scope();
    let project = memory::project_of(&memory, &scope)?.map(|project| project.name);
    let stats = memory.stats(&scope)?;
    if args.json {
        out.json(&to_json(&stats, project.as_deref()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let whose =
        project.as_ref().map_or("all projects".to_owned(), |name| format!("project `{}`", in_line(name)));
    out.line(format_args!(
        "{BOLD}{}{BOLD:#} in {BOLD}{}{BOLD:#} of {whose}",
        counted(stats.observations, "observation"),
        counted(stats.sessions, "session"),
    ))?;
    if let Some(rate) = stats.failure_rate() {
        let which = if rate > 0.0 { ": `nudge failures` shows which" } else { "" };
        out.line(format_args!("{BOLD}{:.0}%{BOLD:#} of commands failed{which}", rate * 100.0))?;
    }
    let longest = longest(out);
    let most = stats.by_type.iter().map(|(_, count)| *count).max().unwrap_or(0);
    heading("By type", !stats.by_type.is_empty(), out)?;
    for (kind, count) in &stats.by_type {
        let style = style(*kind);
        out.line(format_args!(
            "{:13}  {count:>7}  {style}{}{style:#}",
            kind.name(),
            bar(*count, most, longest)
        ))?;
    }
    if stats.failed_looks > 0 {
        out.line(format_args!("{:13}  {:>7}", "failed looks", stats.failed_looks))?;
    }
    details(&stats, out)?;
    days(&stats, out)?;
    heading("Busiest files", !stats.busiest_files.is_empty(), out)?;
    for file in &stats.busiest_files {
        let of = match (&project, &file.project) {
            (None, Some(project)) => format!("  {CYAN}{}{CYAN:#}", in_line(project)),
            _ => String::new(),
        };
        out.row(format_args!("{:>7}  {}{of}", file.count, in_line(&file.file_path)))?;
    }
    told(&stats, out)?;
    heading("On disk, all projects", true, out)?;
    // Tables and indexes are in the JSON.
    out.line(format_args!("{:>9}  the whole file", bytes(stats.file_bytes)))?;
    Ok(ExitCode::SUCCESS)
}

fn heading(text: &str, wanted: bool, out: &mut Out) -> Result<(), Failure> {
    if wanted { out.line(format_args!("\n{BOLD}{text}{BOLD:#}")) } else { Ok(()) }
}

/// Shows who did it, what rules blocked, and where the time went.
fn details(stats: &Stats, out: &mut Out) -> Result<(), Failure> {
    heading("By agent", !stats.by_agent.is_empty(), out)?;
    for agent in &stats.by_agent {
        let (sessions, name) = (counted(agent.sessions, "session"), in_line(&agent.harness));
        out.line(format_args!("{name:13}  {:>7}  {DIM}{sessions}{DIM:#}", agent.observations))?;
    }
    heading("Blocked by rules", stats.blocked > 0, out)?;
    for (rule, count) in &stats.by_rule {
        out.row(format_args!("{count:>7}  {}", in_line(rule)))?;
    }
    let by_rules: usize = stats.by_rule.iter().map(|(_, count)| count).sum();
    if stats.blocked > by_rules {
        out.line(format_args!("{:>7}  {DIM}without the name of a rule{DIM:#}", stats.blocked - by_rules))?;
    }
    heading("Where commands spent their time", !stats.slowest.is_empty(), out)?;
    for program in &stats.slowest {
        let (total, longest) = (duration(program.total_ms), duration(program.longest_ms));
        let runs = counted(program.runs, "run");
        let name = in_line(&program.program);
        out.row(format_args!("{total:>7}  {name}  {DIM}{runs}, the longest {longest}{DIM:#}"))?;
    }
    Ok(())
}

/// Shows what agents were told, and how much of it concerned what they then did.
fn told(stats: &Stats, out: &mut Out) -> Result<(), Failure> {
    heading("Told to agents, all projects", !stats.told.is_empty(), out)?;
    for told in &stats.told {
        let ToldCount { used, avoided, met, unused, .. } = *told;
        let open = told.rows.saturating_sub(used + avoided + met + unused);
        let counts = [
            (used, "used"),
            (avoided, "avoided"),
            (met, "met all the same"),
            (unused, "of no use"),
            (open, "not known"),
        ];
        let counts =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let counts: Vec<String> = counts.collect();
        let gap = if counts.is_empty() { "" } else { ": " };
        let (rows, helped) = (counted(told.rows, "row"), format!("{gap}{}", counts.join(", ")));
        out.row(format_args!("{:>7}  {:18}  {DIM}{rows}{helped}{DIM:#}", told.deliveries, told.hook))?;
    }
    Ok(())
}

/// Draws the last days, one line each.
fn days(stats: &Stats, out: &mut Out) -> Result<(), Failure> {
    let longest = longest(out);
    let today = times::now().0 / DAY;
    let count = |day| stats.by_day.iter().find(|(one, _)| *one == day).map_or(0, |(_, count)| *count);
    let shown: Vec<(i64, usize)> = (today - DAYS + 1..=today)
        .map(|day| (day, count(day)))
        .skip_while(|(_, count)| *count == 0)
        .collect();
    let most = shown.iter().map(|(_, count)| *count).max().unwrap_or(0);
    heading("By day", !shown.is_empty(), out)?;
    for (day, count) in shown {
        let name = times::day_name(day);
        out.line(format_args!("{name:13}  {count:>7}  {CYAN}{}{CYAN:#}", bar(count, most, longest)))?;
    }
    Ok(())
}

/// Returns how long a bar may be in this window.
fn longest(out: &Out) -> usize {
    out.width().map_or(BAR, |width| width.saturating_sub(IN_FRONT).clamp(1, BAR))
}

/// Draws a bar in eighths of a character; what is there is seen, however little it is.
fn bar(count: usize, most: usize, longest: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (count * longest * 8).checked_div(most).unwrap_or(0).max(usize::from(count > 0));
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// Says a size as a person would.
pub(crate) fn bytes(size: u64) -> String {
    match size {
        0..1_024 => format!("{size} B"),
        1_024..1_048_576 => format!("{:.0} KiB", size as f64 / 1_024.0),
        _ => format!("{:.1} MiB", size as f64 / 1_048_576.0),
    }
}

fn to_json(stats: &Stats, project: Option<&str>) -> StatsJson {
    StatsJson {
        project: project.map(str::to_owned),
        observations: stats.observations,
        sessions: stats.sessions,
        failure_rate: stats.failure_rate(),
        by_type: stats.by_type.iter().map(|(kind, count)| (kind.name(), *count)).collect(),
        blocked: stats.blocked,
        failed_looks: stats.failed_looks,
        by_rule: stats.by_rule.iter().cloned().collect(),
        by_agent: stats.by_agent.iter().cloned().map(AgentCountJson::from).collect(),
        slowest: stats.slowest.iter().cloned().map(ProgramTimeJson::from).collect(),
        told: stats.told.iter().cloned().map(ToldCountJson::from).collect(),
        by_day: stats.by_day.iter().map(|(day, count)| (times::iso_day(*day), *count)).collect(),
        busiest_files: stats.busiest_files.iter().cloned().map(FileCountJson::from).collect(),
        file_bytes: stats.file_bytes,
        bytes_by_table: stats.bytes_by_table.iter().cloned().collect(),
    }
}
