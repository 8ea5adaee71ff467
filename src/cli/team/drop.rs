//! `nudge team drop`: takes a colleague's row from everybody.

use std::process::ExitCode;

use crate::api::sharing::DroppedJson;
use crate::cli::memory;
use crate::cli::output::{Failure, GREEN, Out, counted, say};
use crate::ops::sharing::membership;

/// Take a row from everybody, as an admin of the team
///
/// Readers drop their copies with their next sync, and the row is never taken again. `nudge forget @17` only hides it here.
#[derive(clap::Args)]
pub(crate) struct TeamDropArgs {
    /// Number of a colleague's row, as a search shows it: `@17`
    #[arg(value_name = "@ID", value_parser = memory::team_id)]
    row: i64,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &TeamDropArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let dropped = membership::drop_row(args.row)?;
    if args.json {
        out.json(&DroppedJson { dropped })?;
    } else {
        let count = counted(usize::try_from(dropped).unwrap_or(0), "row");
        say(format_args!("{GREEN}dropped:{GREEN:#} {count}; colleagues drop it with their next sync"));
    }
    Ok(ExitCode::SUCCESS)
}
