//! `nudge off` and `nudge on`: pause nudge for a while.

use std::process::ExitCode;

use super::here;
use super::output::{BOLD, Failure, GREEN, Out, YELLOW};
use crate::api::pause::{PauseWire, UnpausedWire};
use crate::ops::here::root as root_of;
use crate::ops::pause::{self, Ending, Paused};
use crate::ops::times;

/// Pause nudge: hooks answer nothing and remember nothing
///
/// No rule is enforced, no context is added and nothing is remembered, until `nudge on` or until the time is over. Agents
/// stay connected, and MCP tools and commands work as usual. `nudge status`, `nudge doctor` and the start of a session say
/// that nudge is off. With NUDGE_OFF=1 in its environment, one agent runs without nudge.
#[derive(clap::Args)]
pub(crate) struct OffArgs {
    /// How long: `30m`, `1h`, `PT2H`, `1d` [default: until `nudge on`]
    #[arg(long = "for", value_name = "TIME", value_parser = times::parse_seconds)]
    duration: Option<i64>,

    /// Only in this project
    #[arg(long, conflicts_with = "all")]
    project: bool,

    /// In all projects (the default)
    #[arg(short, long)]
    all: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// End a pause of nudge
///
/// Ends every pause that applies in this project, one for all projects included.
#[derive(clap::Args)]
pub(crate) struct OnArgs {
    /// Only the pause of this project
    #[arg(long, conflicts_with = "all")]
    project: bool,

    /// End the pauses of all projects
    #[arg(short, long)]
    all: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn off(args: &OffArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let root = root_of(&here()?);
    let paused = pause::off(args.project.then_some(root.as_path()), args.duration)
        .map_err(|error| unwritten(&error))?;
    if args.json {
        out.json(&pause::to_wire(&paused))?;
    } else {
        let paused = Paused::ByUser(paused);
        out.line(format_args!("nudge is {YELLOW}off{YELLOW:#} {paused}; {}", paused.way_out()))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn on(args: &OnArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let root = root_of(&here()?);
    let ending = match (args.project, args.all) {
        (true, _) => Ending::Project(&root),
        (_, true) => Ending::All,
        _ => Ending::Here(&root),
    };
    let ended = pause::on(ending).map_err(|error| unwritten(&error))?;
    let still_off = pause::of_project(&root);
    if args.json {
        let ended: Vec<PauseWire> = ended.iter().map(pause::to_wire).collect();
        out.json(&UnpausedWire { ended, still_off: still_off.as_ref().map(Paused::to_wire) })?;
        return Ok(ExitCode::SUCCESS);
    }
    match &still_off {
        Some(paused) => out.line(format_args!(
            "nudge is still {YELLOW}off{YELLOW:#} here, {paused}; {}",
            paused.way_out()
        ))?,
        None if ended.is_empty() => out.line("nudge was on already")?,
        None => out.line(format_args!("nudge is {GREEN}on{GREEN:#} again"))?,
    }
    let elsewhere = pause::lasting().into_iter().filter(|_| still_off.is_none());
    for paused in elsewhere.map(Paused::ByUser) {
        out.line(format_args!("it is {BOLD}off{BOLD:#} {paused}; `nudge on --all` ends that too"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn unwritten(error: &std::io::Error) -> Failure {
    Failure::new(format!("the pause cannot be saved: {error}")).hint("`nudge doctor` checks the data folder")
}
