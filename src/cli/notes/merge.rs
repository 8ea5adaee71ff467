//! `nudge note merge`: makes one note of several.

use std::process::ExitCode;

use super::gc::report;
use crate::cli::output::{CYAN, Failure, Out, say};
use crate::ops::nexus::Nexus;
use crate::ops::nexus::notes::{self, file};

/// Merge notes into another one, and delete them
///
/// The text of each becomes a section of the other note; what is there already is not added again. Then each file is
/// deleted in a git commit of its own, so `nudge note restore` brings it back.
#[derive(clap::Args)]
pub(crate) struct NoteMergeArgs {
    /// Notes to merge, with or without `.md`
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    /// The note that has all of it afterwards
    #[arg(long, value_name = "NAME")]
    into: String,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(super) fn run(nexus: &Nexus, args: &NoteMergeArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let names: Vec<String> = args.names.iter().map(|name| notes::file_name(name)).collect();
    let into = notes::file_name(&args.into);
    let cleared = notes::join(nexus, &names, &into)?;
    if args.json {
        out.json(&notes::removed_wire(&cleared))?;
    } else {
        report(&cleared, out)?;
        if !cleared.removed.is_empty() {
            say(format_args!("{CYAN}hint:{CYAN:#} read {}, make one text of it, and commit it", file(&into)));
        }
    }
    Ok(if cleared.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
