//! `nudge pin` and `nudge unpin`: what is kept forever.

use std::process::ExitCode;

use super::memory;
use super::output::{Failure, Out, say};
use crate::api::memory::PinsJson;
use crate::model::ObservationId;
use crate::ops::observations::forget;

/// Keep observations forever
///
/// `nudge gc` does not delete them. Exit code 1 if one of them does not exist.
#[derive(clap::Args)]
pub(crate) struct PinArgs {
    #[command(flatten)]
    which: WhichArgs,
}

/// Unpin observations: retention applies again
///
/// Exit code 1 if one of them does not exist.
#[derive(clap::Args)]
pub(crate) struct UnpinArgs {
    #[command(flatten)]
    which: WhichArgs,
}

#[derive(clap::Args)]
struct WhichArgs {
    /// Numbers of observations, for example `42`
    #[arg(required = true, value_name = "ID", value_parser = memory::id)]
    ids: Vec<ObservationId>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn pin(args: &PinArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    set(&args.which, true, out)
}

pub(crate) fn unpin(args: &UnpinArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    set(&args.which, false, out)
}

fn set(args: &WhichArgs, pinned: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let word = if pinned { "pinned" } else { "unpinned" };
    let Some(missing) = forget::set_pinned(&args.ids, pinned)? else {
        memory::nothing_yet(args.json, &to_json(pinned, Vec::new(), Vec::new()), out)?;
        return Ok(ExitCode::FAILURE);
    };
    let done: Vec<ObservationId> = args.ids.iter().filter(|id| !missing.contains(id)).copied().collect();
    if args.json {
        out.json(&to_json(pinned, done, missing.clone()))?;
    } else if !done.is_empty() {
        let ids: Vec<String> = done.iter().map(|id| id.0.to_string()).collect();
        say(format_args!("{word} {}", ids.join(" ")));
    }
    memory::say_missing(&missing);
    Ok(if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn to_json(pinned: bool, done: Vec<ObservationId>, missing: Vec<ObservationId>) -> PinsJson {
    let (pinned, unpinned) = if pinned { (Some(done), None) } else { (None, Some(done)) };
    PinsJson { pinned, unpinned, missing }
}
