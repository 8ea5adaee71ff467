//! `nudge team`: what a user shares with a team, and what its admins do.

mod drop;
mod init;
mod join;
mod leave;
mod members;
mod projects;
mod share;
mod status;

use std::process::ExitCode;

use super::output::{Failure, Out};
use crate::ops::team::TeamFailure;

/// Share what agents found out, through your team's PostgreSQL
///
/// Nothing leaves this machine before you have joined a team and chosen a project. The commands of admins make the schema,
/// let members in and say who may see what; they need PostgreSQL 14 or newer and no program of ours on the server.
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
    Init(init::TeamInitArgs),
    Upgrade(init::TeamUpgradeArgs),
    Grant(members::GrantArgs),
    Remove(members::RemoveArgs),
    Members(members::MembersArgs),
    Projects(projects::TeamProjectsArgs),
}

pub(crate) fn run(args: &TeamArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    match &args.command {
        TeamCommand::Join(args) => join::run(args, out),
        TeamCommand::Leave(args) => leave::run(args, out),
        TeamCommand::Share(args) => share::run(args, out),
        TeamCommand::Status(args) => status::run(args, out),
        TeamCommand::Drop(args) => drop::run(args, out),
        TeamCommand::Init(args) => init::init(args, out),
        TeamCommand::Upgrade(args) => init::upgrade(args, out),
        TeamCommand::Grant(args) => members::grant(args, out),
        TeamCommand::Remove(args) => members::remove(args, out),
        TeamCommand::Members(args) => members::list(args, out),
        TeamCommand::Projects(args) => projects::run(args, out),
    }
}

impl From<TeamFailure> for Failure {
    fn from(failure: TeamFailure) -> Failure {
        let is_temporary = failure.is_temporary();
        let failure = Failure::new(failure.to_string()).hint(failure.hint());
        if is_temporary { failure.temporary() } else { failure }
    }
}
