//! `nudge bump`: says that a hint was of use.

use std::process::ExitCode;

use serde_json::Map;

use super::hints::{Conversation, PlaceArgs};
use super::output::{CYAN, Failure, Out};
use crate::api::HintMethod;

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
    let mut conversation = Conversation::begin(port, args.json)?;
    let mut params = Map::new();
    params.insert("component".to_owned(), args.component.clone().into());
    params.insert("key".to_owned(), args.key.clone().into());
    params.extend(args.delta.map(|delta| ("delta".to_owned(), delta.into())));
    conversation.place(&mut params, &args.place, Some(&args.component), Some(&args.key), out)?;
    let result = conversation.ask(HintMethod::Bump, params, out)?;
    if args.json {
        out.json(&result)?;
    } else {
        let count = &result["hint"]["use_count"];
        out.line(format_args!("{CYAN}↑{CYAN:#} bumped frecency: use_count={count} last_used_at=now"))?;
    }
    Ok(ExitCode::SUCCESS)
}
