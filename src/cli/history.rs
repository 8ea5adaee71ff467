//! `nudge history`: what was planned and done before.

use std::process::ExitCode;

use super::nexus::{self, JsonArgs};
use super::output::{BOLD, CYAN, DIM, Failure, Out, counted, say};
use super::rows::one_line;
use crate::api::nexus::{CycleWire, HistorySearchRequest, HistoryWire};
use crate::ops::nexus::cycle;

/// Show closed cycles: plans, decisions, tasks
///
/// They are in `.nexus/history.json`, which belongs in git. The latest comes last. `search` has exit code 1 if nothing is
/// found.
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

/// Maximum number of characters of a line.
const MAX_CHARS: usize = 100;

pub(crate) fn run(args: HistoryArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let query = args.command.map(|HistoryCommand::Search { query }| query);
    let request = HistorySearchRequest { query, last_n: args.limit };
    let found = cycle::search(&nexus::here()?, &request)?;
    let is_missed = request.query.is_some() && found.total == 0;
    args.json.print(&found, out, |found, out| show(found, request.query.as_deref(), out))?;
    Ok(if is_missed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn show(history: &HistoryWire, query: Option<&str>, out: &mut Out) -> Result<(), Failure> {
    history.cycles.iter().try_for_each(|cycle| show_cycle(cycle, out))?;
    match (history.total - history.showing, query) {
        (0, Some(query)) if history.total == 0 => {
            say(format_args!("no closed cycle has `{}` in its text", one_line(query, MAX_CHARS)));
        }
        (0, None) if history.total == 0 => {
            say("no cycle is closed yet: `nudge task close` closes the open one");
        }
        (0, _) => {}
        (more, _) => say(format_args!("{} before these: `--limit` shows more", counted(more, "cycle"))),
    }
    Ok(())
}

fn show_cycle(cycle: &CycleWire, out: &mut Out) -> Result<(), Failure> {
    let at: String = cycle.completed_at.chars().take(16).collect::<String>().replace('T', " ");
    let topic = cycle.topic.as_deref().or(cycle.goal.as_deref()).unwrap_or("no plan");
    let tasks = counted(cycle.task_count.unwrap_or(0), "task");
    out.row(format_args!(
        "{DIM}{}{DIM:#}  {BOLD}{}{BOLD:#}  {CYAN}{}{CYAN:#}  {tasks}",
        one_line(&at, MAX_CHARS),
        one_line(topic, MAX_CHARS),
        one_line(&cycle.branch, MAX_CHARS),
    ))?;
    if let Some(goal) = cycle.goal.as_deref().filter(|goal| *goal != topic) {
        out.row(format_args!("  {DIM}goal:{DIM:#} {}", one_line(goal, MAX_CHARS)))?;
    }
    for decided in &cycle.task_decisions {
        out.row(format_args!("  {DIM}decided:{DIM:#} {}", one_line(decided, MAX_CHARS)))?;
    }
    for decision in cycle.decisions.iter().flatten() {
        let (title, decided) =
            (one_line(&decision.title, MAX_CHARS), one_line(&decision.decision, MAX_CHARS));
        out.row(format_args!("  {title} {DIM}→{DIM:#} {decided}"))?;
    }
    Ok(())
}
