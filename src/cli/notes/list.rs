//! `nudge note list`, `show` and `search`: look at the notes.

use std::process::ExitCode;

use super::no_notes;
use crate::api::list::{IsoTime, ListWire};
use crate::api::notes::{ListedNoteJson, NoteJson};
use crate::cli::output::{BOLD, DIM, Failure, Out, counted, in_line, say};
use crate::cli::rows;
use crate::ops::nexus::Nexus;
use crate::ops::nexus::notes::file;
use crate::ops::nexus::notes::{self, Listed};
use crate::ops::times;

/// List the notes, with their size and how often agents read them
#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Print JSON
    #[arg(short, long)]
    pub(super) json: bool,
}

/// Print a note
///
/// Only reads by agents are counted, not yours.
#[derive(clap::Args)]
pub(crate) struct NoteShowArgs {
    /// Name of the note, with or without `.md`
    #[arg(value_name = "NAME")]
    name: String,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Search notes
#[derive(clap::Args)]
pub(crate) struct NoteSearchArgs {
    /// Words to find, or their beginnings
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,

    /// Maximum number of results
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    limit: usize,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(super) fn list(nexus: &Nexus, args: &ListArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let notes = notes::list(nexus)?;
    if args.json {
        out.json(&ListWire::<ListedNoteJson>::whole(notes.iter().map(listed_json)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let widest = notes.iter().map(|listed| listed.note.name.len()).max().unwrap_or(0);
    for Listed { note, reads } in &notes {
        let seen = match reads {
            Some(reads) => {
                let last = reads.last_at.map(|at| format!(", last {}", rows::ago(at, times::now())));
                format!(
                    "{}{}",
                    counted(usize::try_from(reads.count).unwrap_or(usize::MAX), "read"),
                    last.unwrap_or_default()
                )
            }
            None => "never read".to_owned(),
        };
        let size = format!("{} B", note.bytes);
        out.line(format_args!(
            "{BOLD}{:widest$}{BOLD:#}  {DIM}{size:>8}{DIM:#}  {seen}",
            in_line(&note.name)
        ))?;
    }
    if notes.is_empty() {
        say(no_notes(nexus));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn show(nexus: &Nexus, args: &NoteShowArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let note = notes::show(nexus, &args.name)?;
    if args.json {
        let (path, tags) = (file(&note.name), note.tags());
        out.json(&NoteJson { path, tags, bytes: note.bytes, text: note.text })?;
    } else {
        out.bytes(rows::plain(&note.text).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn search(nexus: &Nexus, args: &NoteSearchArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let found = notes::search(nexus, &args.query.join(" "))?;
    if args.json {
        out.json(&notes::found_wire(&found, args.limit))?;
        return Ok(ExitCode::SUCCESS);
    }
    for one in found.iter().take(args.limit) {
        out.row(format_args!(
            "{BOLD}{}{BOLD:#}  {}",
            in_line(&one.note.name),
            rows::one_line(&one.line, 110)
        ))?;
    }
    match found.len() {
        0 => say("no note has any of these words"),
        total if total > args.limit => say(format_args!("{} more; `--limit` shows them", total - args.limit)),
        _ => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn listed_json(listed: &Listed) -> ListedNoteJson {
    ListedNoteJson {
        path: file(&listed.note.name),
        tags: listed.note.tags(),
        bytes: listed.note.bytes,
        reads: listed.reads.map_or(0, |reads| reads.count),
        last_read_at: listed.reads.and_then(|reads| reads.last_at).map(IsoTime::from),
    }
}
