//! `nudge bump`: marks a hint as useful.

use std::process::ExitCode;

use super::hints::{self, PlaceArgs};
use super::output::{CYAN, Failure, Out, say};
use crate::api::hints::BumpRequest;

/// Mark a hint as useful, so that it ranks higher
///
/// If the hint has several variants, this is the one that `nudge get` shows here. Exit code 1 if there is none.
#[derive(clap::Args)]
pub(crate) struct BumpArgs {
    /// Component that the hint is about
    component: String,

    /// Key of the hint, for example `build`
    key: String,

    /// How often it helped [default: 1]
    #[arg(long, value_name = "NUMBER")]
    delta: Option<u64>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,

    #[command(flatten)]
    place: PlaceArgs,
}

pub(crate) fn run(args: &BumpArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let mut client = hints::reach(port)?;
    let request = BumpRequest {
        component: args.component.clone(),
        key: args.key.clone(),
        delta: args.delta.unwrap_or(BumpRequest::DELTA),
        context: client.context(args.place.facts(), Some(&args.component), Some(&args.key))?,
        is_picked: true,
    };
    let result = client.ask(&request)?;
    if args.delta.is_some_and(|delta| delta > BumpRequest::MAX_DELTA) {
        let max = BumpRequest::MAX_DELTA;
        say(format_args!("{CYAN}note:{CYAN:#} one bump counts up to {max} uses; the rest was not counted"));
    }
    if args.json {
        out.json(&result)?;
    } else {
        let count = result.hint.use_count;
        out.line(format_args!("{CYAN}↑{CYAN:#} bumped frecency: use_count={count} last_used_at=now"))?;
    }
    Ok(ExitCode::SUCCESS)
}
