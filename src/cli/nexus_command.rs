//! `nudge nexus`: the contract of plans and agents, its files, and how git merges them.

use std::path::PathBuf;
use std::process::ExitCode;

use super::nexus;
use super::output::{Failure, Out, counted, say, show_problem};
use super::{resume_check, vocabulary};
use crate::api::list::ListWire;
use crate::api::problem::ProblemJson;
use crate::ops::nexus::check::check;
use crate::ops::nexus::history;

/// Look up the contract of plans and agents, check its files
#[derive(clap::Args)]
pub(crate) struct NexusArgs {
    #[command(subcommand)]
    command: NexusCommand,
}

#[derive(clap::Subcommand)]
enum NexusCommand {
    Check(NexusCheckArgs),
    MergeDriver(MergeDriverArgs),
    MergeHistory(MergeHistoryArgs),
    ResumeCheck(resume_check::ResumeCheckArgs),
    Vocabulary(vocabulary::VocabularyArgs),
}

/// Check plan, tasks, history and the files of hooks
///
/// Exit code 1 if there is an error.
#[derive(clap::Args)]
struct NexusCheckArgs {
    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Let git merge the history by its cycles
///
/// Adds two lines to `.nexus/.gitattributes`, which belong in git, and the driver to the configuration of this clone.
/// `nudge init` does the same.
#[derive(clap::Args)]
struct MergeDriverArgs {
    /// Remove both
    #[arg(long, conflicts_with = "dry_run")]
    undo: bool,

    /// Show what is set, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Join two versions of the history, as git's merge driver
///
/// Git calls this with the files `%O %A %B`. The result replaces OURS; on an error the file stays as it is.
#[derive(clap::Args)]
struct MergeHistoryArgs {
    /// Version that both began with
    base: PathBuf,
    /// Our version, which is replaced
    ours: PathBuf,
    /// Their version
    theirs: PathBuf,
}

pub(crate) fn run(args: NexusArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    match args.command {
        NexusCommand::Check(args) => run_check(&args, out),
        NexusCommand::MergeDriver(args) => run_merge_driver(&args, out),
        NexusCommand::MergeHistory(args) => {
            let merged = history::merge_files(&args.base, &args.ours, &args.theirs);
            merged.map_err(|error| Failure::new(format!("the histories cannot be merged: {error}")))?;
            Ok(ExitCode::SUCCESS)
        }
        NexusCommand::ResumeCheck(args) => resume_check::run(args, out),
        NexusCommand::Vocabulary(args) => vocabulary::run(&args, out),
    }
}

fn run_check(args: &NexusCheckArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let problems = check(&nexus::here()?);
    if args.json {
        out.json(&ListWire::<ProblemJson>::whole(&problems))?;
    } else {
        problems.iter().try_for_each(|problem| show_problem(out, problem, None))?;
        match problems.len() {
            0 => say("all files can be read, and fit together"),
            found => say(counted(found, "problem")),
        }
    }
    let is_bad = problems.iter().any(|problem| problem.severity == crate::model::Severity::Error);
    Ok(if is_bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn run_merge_driver(args: &MergeDriverArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let nexus = nexus::here()?;
    let (word, changed) = match (args.dry_run, args.undo) {
        (true, _) => ("", Vec::new()),
        (false, true) => ("removed", history::undo_merging(&nexus)?),
        (false, false) => ("set", history::set_up_merging(&nexus)?),
    };
    let setup = history::merge_setup(&nexus);
    if args.json {
        out.json(&setup)?;
        return Ok(ExitCode::SUCCESS);
    }
    changed.iter().for_each(|name| say(format_args!("{word}: {name}")));
    match (setup.attributes, setup.driver) {
        (true, Some(true)) => say("git merges the history by its cycles"),
        (_, None) => say("this is not a git repository"),
        (false, _) => say("git merges the history line by line: `nudge nexus merge-driver` changes that"),
        (true, Some(false)) => say("this clone has no merge driver: `nudge nexus merge-driver` sets it"),
    }
    Ok(ExitCode::SUCCESS)
}
