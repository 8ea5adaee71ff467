//! `nudge doctor`: shows what is off now, and what went wrong where nobody could be told.

mod show;

use std::process::ExitCode;

use super::here;
use super::output::{Failure, Out, say, say_problem};
use crate::model::Problem;
use crate::ops::doctor::{findings, fix, report};
use crate::ops::here::root as root_of;

/// Check the installation and report problems
///
/// Checks the program, its folders, rules, server, agents and memory, and lists problems that hooks ran into lately. Exit
/// code 1 if there is an error now; past problems of hooks do not count.
#[derive(clap::Args)]
pub(crate) struct DoctorArgs {
    /// Print JSON
    #[arg(short, long)]
    json: bool,

    /// First fix what is safe to fix: permissions, files of a killed server, the memory's index or damaged file,
    /// entries of an older nudge in connected agents
    #[arg(long, visible_alias = "repair")]
    fix: bool,
}

pub(crate) fn run(args: &DoctorArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    // Where no more may be written, that is what there is to say.
    let folder = here()?;
    let root = root_of(&folder);
    let is_left = if args.fix { say_fixed(&fix::fix(&root)?) } else { false };
    let found = findings::find(root);
    if args.json {
        out.json(&report::to_json(&found))?;
    } else {
        show::show(&found, out)?;
    }
    let off = is_left || found.all().any(Problem::is_error);
    Ok(if off { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Says what was fixed; returns whether something could not be.
fn say_fixed(done: &[Result<String, Problem>]) -> bool {
    for one in done {
        match one {
            Ok(words) => say(words),
            Err(problem) => say_problem(problem, None),
        }
    }
    done.iter().any(Result::is_err)
}
