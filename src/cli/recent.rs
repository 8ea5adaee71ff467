//! `nudge recent`: what was observed last.

use std::process::ExitCode;

use super::memory::{self, ScopeArgs};
use super::output::{Failure, Out, say};
use super::rows::{self, Row};
use crate::api::list::ListWire;
use crate::api::memory::ObservationJson;
use crate::model::Timestamp;
use crate::ops::times;

/// List the latest observations, each file once
#[derive(clap::Args)]
pub(crate) struct RecentArgs {
    #[command(flatten)]
    scope: ScopeArgs,

    /// Only after this: a date, a time, `3d`, `PT2H`, `yesterday`
    #[arg(long, value_name = "WHEN", value_parser = times::parse)]
    since: Option<Timestamp>,

    /// Maximum number of results
    #[arg(short = 'n', long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &RecentArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(memory) = memory::open()? else {
        memory::nothing_yet(args.json, &memory::no_items(), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    let scope = args.scope.scope();
    let mut recent = memory.recent(&scope, usize::from(args.limit))?;
    recent.retain(|one| args.since.is_none_or(|since| one.timestamp >= since));
    if args.json {
        out.json(&ListWire::<ObservationJson>::limited(recent, 0, usize::from(args.limit)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let project = memory.project(&scope)?;
    let rows: Vec<Row> = recent.iter().map(Row::of_observation).collect();
    rows::print(&rows, project.is_none(), out)?;
    if let (true, Some(project), None) =
        (recent.is_empty() && args.since.is_none(), project, memory.waiting())
    {
        say(format_args!("nothing is remembered of project `{}` yet: try `--all`", project.name));
    }
    Ok(ExitCode::SUCCESS)
}
