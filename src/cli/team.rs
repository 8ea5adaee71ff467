//! `nudge team`: what a user shares with a team.

mod drop;
mod join;
mod leave;
mod share;
mod status;

use std::process::ExitCode;

use super::output::{Failure, Out};

/// Share what agents found out, through your team's PostgreSQL
///
/// Nothing leaves this machine before you have joined a team and chosen a project.
#[derive(clap::Args)]
pub(crate) struct TeamArgs {
    #[command(subcommand)]
    command: TeamCommand,
}

#[derive(clap::Subcommand)]
enum TeamCommand {
    Join(join::TeamJoinArgs),
    Leave(leave::TeamLeaveArgs),
    Share(share::TeamShareArgs),
    Status(status::TeamStatusArgs),
    Drop(drop::TeamDropArgs),
}

pub(crate) fn run(args: &TeamArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    match &args.command {
        TeamCommand::Join(args) => join::run(args, out),
        TeamCommand::Leave(args) => leave::run(args, out),
        TeamCommand::Share(args) => share::run(args, out),
        TeamCommand::Status(args) => status::run(args, out),
        TeamCommand::Drop(args) => drop::run(args, out),
    }
}
