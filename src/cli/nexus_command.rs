//! `nudge nexus`: the contract of plans and agents.

use std::process::ExitCode;

use super::output::{Failure, Out};
use super::{resume_check, vocabulary};

/// Look up the contract of plans and agents
#[derive(clap::Args)]
pub(crate) struct NexusArgs {
    #[command(subcommand)]
    command: NexusCommand,
}

#[derive(clap::Subcommand)]
enum NexusCommand {
    ResumeCheck(resume_check::ResumeCheckArgs),
    Vocabulary(vocabulary::VocabularyArgs),
}

pub(crate) fn run(args: NexusArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    match args.command {
        NexusCommand::ResumeCheck(args) => resume_check::run(args, out),
        NexusCommand::Vocabulary(args) => vocabulary::run(&args, out),
    }
}
