//! `nudge note`: the notes of a project, in `.nexus/memory/`.

mod add;
mod gc;
mod list;
mod merge;
mod restore;
mod rule;
mod text;

use std::process::ExitCode;

use super::here;
use super::output::{Failure, Out};
use crate::ops::here::short_path;
use crate::ops::nexus;
use crate::ops::nexus::Nexus;
use crate::ops::nexus::notes::{GuidanceError, MEMORY, NoteError};

/// Keep notes for all agents of this project, in git
///
/// Notes are Markdown files in `.nexus/memory/`. A note says what can be found neither in the code nor on the web. Without
/// a command, lists the notes.
#[derive(clap::Args)]
pub(crate) struct NoteArgs {
    #[command(subcommand)]
    command: Option<NoteCommand>,

    /// Print JSON
    #[arg(short, long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum NoteCommand {
    #[command(alias = "ls")]
    List(list::ListArgs),
    Add(add::NoteAddArgs),
    Show(list::NoteShowArgs),
    Search(list::NoteSearchArgs),
    Merge(merge::NoteMergeArgs),
    Gc(gc::NoteGcArgs),
    Restore(restore::RestoreArgs),
    Rule(rule::RuleArgs),
}

pub(crate) fn run(args: &NoteArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let nexus = nexus::of_folder(&here()?);
    match &args.command {
        None => list::list(&nexus, &list::ListArgs { json: args.json }, out),
        Some(NoteCommand::List(args)) => list::list(&nexus, args, out),
        Some(NoteCommand::Add(args)) => add::run(&nexus, args, out),
        Some(NoteCommand::Show(args)) => list::show(&nexus, args, out),
        Some(NoteCommand::Search(args)) => list::search(&nexus, args, out),
        Some(NoteCommand::Merge(args)) => merge::run(&nexus, args, out),
        Some(NoteCommand::Gc(args)) => gc::run(&nexus, args, out),
        Some(NoteCommand::Restore(args)) => restore::run(&nexus, args, out),
        Some(NoteCommand::Rule(args)) => rule::run(&nexus, args, out),
    }
}

/// Says where notes would be, for a user who looks in the wrong place.
fn no_notes(nexus: &Nexus) -> String {
    format!("no notes in {}", short_path(&nexus.path(MEMORY)))
}

impl From<NoteError> for Failure {
    fn from(refused: NoteError) -> Failure {
        Failure::new(refused.to_string()).hint_if(refused.hint())
    }
}

impl From<GuidanceError> for Failure {
    fn from(refused: GuidanceError) -> Failure {
        // The hint names the arguments of the tool.
        let as_options =
            |hint: String| hint.replace("`overwrite`", "`--overwrite`").replace("`new`", "`--new`");
        Failure::new(refused.to_string()).hint_if(refused.hint().map(as_options))
    }
}
