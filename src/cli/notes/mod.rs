//! `nudge memory`: the notes of the project's memory, in `.nexus/memory/`.

mod add;
mod gc;
mod list;
mod restore;
mod rule;
mod text;

use std::process::ExitCode;

use super::here;
use super::output::{Failure, Out};
use crate::nexus::Nexus;
use crate::ops::nexus;
use crate::ops::nexus::notes::{Refused, RuleRefused};

/// Keep notes for all agents of the project, in git under `.nexus/memory/`
///
/// A note holds what cannot be found again in the code or on the web. Without a command, the notes are listed.
#[derive(clap::Args)]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    command: Option<MemoryCommand>,
}

#[derive(clap::Subcommand)]
enum MemoryCommand {
    List(list::ListArgs),
    Add(add::AddArgs),
    Show(list::ShowArgs),
    Search(list::SearchArgs),
    Gc(gc::GcArgs),
    Restore(restore::RestoreArgs),
    Rule(rule::RuleArgs),
}

pub(crate) fn run(args: &MemoryArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let nexus = nexus::of_folder(&here()?);
    match &args.command {
        None => list::list(&nexus, &list::ListArgs::default(), out),
        Some(MemoryCommand::List(args)) => list::list(&nexus, args, out),
        Some(MemoryCommand::Add(args)) => add::run(&nexus, args, out),
        Some(MemoryCommand::Show(args)) => list::show(&nexus, args, out),
        Some(MemoryCommand::Search(args)) => list::search(&nexus, args, out),
        Some(MemoryCommand::Gc(args)) => gc::run(&nexus, args, out),
        Some(MemoryCommand::Restore(args)) => restore::run(&nexus, args, out),
        Some(MemoryCommand::Rule(args)) => rule::run(&nexus, args, out),
    }
}

/// Says where notes would be, to who looks in the wrong place.
fn no_notes(nexus: &Nexus) -> String {
    format!("no notes in {}", nexus.path(crate::nexus::notes::MEMORY).display())
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Failure {
        Failure::new(refused.to_string()).hint_if(refused.hint())
    }
}

impl From<RuleRefused> for Failure {
    fn from(refused: RuleRefused) -> Failure {
        Failure::new(refused.to_string()).hint_if(refused.hint())
    }
}
