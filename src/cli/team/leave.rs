//! `nudge team leave`: deletes the copy of colleagues' rows, and takes one's own back if that is wanted.

use std::process::ExitCode;

use crate::api::sharing::LeftJson;
use crate::cli::output::{Failure, GREEN, Out, counted, say};
use crate::cli::team_sync;
use crate::ops::sharing::membership::{self, Leaving, MembershipError};

/// Leave the team, and delete the rows of colleagues here
///
/// Your own memory stays as it is.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("rows").required(true))]
pub(crate) struct TeamLeaveArgs {
    /// Leave your rows with the team
    #[arg(long, group = "rows")]
    keep_rows: bool,

    /// Take all your rows back first, from everybody
    #[arg(long, group = "rows")]
    take_back: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &TeamLeaveArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let leaving = if args.take_back { Leaving::TakeBack } else { Leaving::KeepRows };
    let done = match membership::leave(leaving) {
        Err(MembershipError::Exchange(error)) => {
            return team_sync::failed(&error, error.is_temporary(), args.json, out);
        }
        done => done?,
    };
    if args.json {
        out.json(&LeftJson { taken_back: done.taken_back })?;
    } else {
        let rows = match leaving {
            Leaving::TakeBack => format!("{} taken back", counted(done.taken_back, "row")),
            Leaving::KeepRows => "your rows stay with the team".to_owned(),
        };
        say(format_args!("{GREEN}left:{GREEN:#} {rows}; the rows of colleagues are deleted here"));
    }
    Ok(ExitCode::SUCCESS)
}
