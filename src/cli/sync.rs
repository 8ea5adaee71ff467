//! `nudge sync`: exchanges rows with the team's server.

use std::process::ExitCode;

use super::output::{Failure, Out};
use super::team_sync::{self, TeamSyncArgs};

/// Exchange rows with your team's server, both ways
///
/// `nudge serve` does it by itself. Exit code 75 if the server could not be reached: nothing is lost, and the next sync
/// continues.
#[derive(clap::Args)]
pub(crate) struct SyncArgs {
    #[command(flatten)]
    team: TeamSyncArgs,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &SyncArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    team_sync::run(&args.team, args.json, out)
}
