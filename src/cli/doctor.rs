//! `nudge doctor`: shows what is off now, and what went wrong where nobody could be told.

mod as_json;
mod mend;
mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use super::here;
use super::output::{Failure, Out};
use crate::config::paths;
use crate::model::Problem;
use crate::ops::doctor::findings;
use crate::system::project;

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
    let root = project::root(None, &folder);
    let unmended = if args.fix { mend::mend(&root)? } else { false };
    let found = findings::find(root);
    if args.json {
        out.json(&as_json::to_json(&found))?;
    } else {
        show::show(&found, out)?;
    }
    let off = unmended || found.all().any(Problem::is_error);
    Ok(if off { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The user's own rules, whether there are any or not.
fn user_rules() -> Option<PathBuf> {
    Some(paths::user_config_dir()?.join("rules.yaml"))
}
