//! `nudge note restore`: restores a deleted note.

use std::process::ExitCode;

use crate::api::list::ListWire;
use crate::api::notes::DeletedNoteJson;
use crate::cli::output::{BOLD, DIM, Failure, GREEN, Out, say};
use crate::cli::rows;
use crate::model::Timestamp;
use crate::ops::nexus::Nexus;
use crate::ops::nexus::notes;
use crate::ops::nexus::notes::RemovedFile;
use crate::ops::nexus::notes::file;
use crate::ops::times;

/// Restore a deleted note; without a name, list what can be restored
///
/// The file is restored and staged; nothing is committed.
#[derive(clap::Args)]
pub(crate) struct RestoreArgs {
    /// Name of the note, with or without `.md`
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(super) fn run(nexus: &Nexus, args: &RestoreArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(name) = &args.name else {
        let removed = notes::restorable(nexus)?;
        if args.json {
            out.json(&ListWire::<DeletedNoteJson>::whole(removed.iter().map(removed_json)))?;
            return Ok(ExitCode::SUCCESS);
        }
        for one in &removed {
            let (commit, at) = (&one.commit[..one.commit.len().min(10)], Timestamp(one.at));
            let ago = rows::ago(at, times::now());
            out.line(format_args!("{BOLD}{}{BOLD:#}  {DIM}deleted {ago} in {commit}{DIM:#}", one.name))?;
        }
        if removed.is_empty() {
            say("no deleted note was found in this branch");
        }
        return Ok(ExitCode::SUCCESS);
    };
    let removed = notes::restore(nexus, name)?;
    if args.json {
        out.json(&removed_json(&removed))?;
    } else {
        out.line(format_args!("{GREEN}restored{GREEN:#} {}, and staged it", file(&removed.name)))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn removed_json(removed: &RemovedFile) -> DeletedNoteJson {
    DeletedNoteJson {
        path: file(&removed.name),
        commit: removed.commit.clone(),
        deleted_at: Timestamp(removed.at).into(),
    }
}
