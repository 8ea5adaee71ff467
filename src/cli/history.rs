//! `nudge history`: what was planned and done before.

use std::process::ExitCode;

use super::nexus::{self, JsonArgs};
use super::output::{BOLD, CYAN, DIM, Failure, Out, counted, say};
use super::rows::one_line;
use crate::api::nexus::{CycleWire, HistorySearchRequest, HistoryWire};
use crate::ops::nexus::cycle;

/// Show closed cycles: plans, decisions, tasks
///
/// They are in `.nexus/history.json`, which belongs in git. The latest comes last.
#[derive(clap::Args)]
pub(crate) struct HistoryArgs {
    #[command(subcommand)]
    command: Option<HistoryCommand>,

    /// Maximum number of cycles, the latest
    #[arg(short = 'n', long, alias = "last", global = true, value_name = "N", default_value_t = HistorySearchRequest::LAST_N)]
    limit: usize,

    #[command(flatten)]
    json: JsonArgs,
}

#[derive(clap::Subcommand)]
enum HistoryCommand {
    /// Find cycles by their text
    Search {
        /// Text to find; case does not matter
        query: String,
    },
}

/// The most characters of a line.
const MOST: usize = 100;

pub(crate) fn run(args: HistoryArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let query = args.command.map(|HistoryCommand::Search { query }| query);
    let request = HistorySearchRequest { query, last_n: args.limit };
    args.json.print(&cycle::search(&nexus::here()?, &request)?, out, show)
}

fn show(history: &HistoryWire, out: &mut Out) -> Result<(), Failure> {
    history.cycles.iter().try_for_each(|cycle| show_cycle(cycle, out))?;
    match history.total - history.showing {
        0 if history.total == 0 => say("no cycle is found: `nudge task close` closes the open one"),
        0 => {}
        more => say(format_args!("{} before these: `--limit` shows more", counted(more, "cycle"))),
    }
    Ok(())
}

fn show_cycle(cycle: &CycleWire, out: &mut Out) -> Result<(), Failure> {
    let at: String = cycle.completed_at.chars().take(16).collect::<String>().replace('T', " ");
    let topic = cycle.topic.as_deref().or(cycle.goal.as_deref()).unwrap_or("no plan");
    let tasks = counted(cycle.task_count.unwrap_or(0), "task");
    out.row(format_args!(
        "{DIM}{}{DIM:#}  {BOLD}{}{BOLD:#}  {CYAN}{}{CYAN:#}  {tasks}",
        one_line(&at, MOST),
        one_line(topic, MOST),
        one_line(&cycle.branch, MOST),
    ))?;
    if let Some(goal) = cycle.goal.as_deref().filter(|goal| *goal != topic) {
        out.row(format_args!("  {DIM}goal:{DIM:#} {}", one_line(goal, MOST)))?;
    }
    for decided in &cycle.task_decisions {
        out.row(format_args!("  {DIM}decided:{DIM:#} {}", one_line(decided, MOST)))?;
    }
    for decision in cycle.decisions.iter().flatten() {
        let (title, decided) = (one_line(&decision.title, MOST), one_line(&decision.decision, MOST));
        out.row(format_args!("  {title} {DIM}→{DIM:#} {decided}"))?;
    }
    Ok(())
}
