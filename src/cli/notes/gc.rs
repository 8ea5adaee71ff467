//! `nudge note gc`: shows which notes could be deleted, and deletes them so that they can be restored.

use std::process::ExitCode;

use super::no_notes;
use crate::cli::output::{self, BOLD, CYAN, DIM, Failure, GREEN, Out, RED, YELLOW, counted, say};
use crate::ops::nexus::Nexus;
use crate::ops::nexus::notes::file;
use crate::ops::nexus::notes::{self, Cleared, NoteError};
use crate::ops::nexus::notes::{Advice, NotesPlan, PlannedNote};

/// Show which notes could be deleted, and why
///
/// `--apply` deletes them after asking. Every deletion is one git commit of that file alone, and its message has the
/// command that restores it. Your other staged or changed files are not touched. `--auto` deletes without asking if
/// `notes.auto_delete` is set with all three signals; a note that was never read is kept.
#[derive(clap::Args)]
pub(crate) struct NoteGcArgs {
    /// Only these notes, whatever the plan says about them
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Delete what is proposed, or the notes you name
    #[arg(long)]
    apply: bool,

    /// Do not ask
    #[arg(short, long, requires = "apply")]
    yes: bool,

    /// Delete what all signals for automatic deletion agree on
    #[arg(long, conflicts_with_all = ["apply", "names"])]
    auto: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(super) fn run(nexus: &Nexus, args: &NoteGcArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let plan = notes::plan(nexus)?;
    let names: Vec<String> = args.names.iter().map(|name| notes::file_name(name)).collect();
    let plan = if names.is_empty() { plan } else { NotesPlan { entries: notes::chosen(&plan, &names)? } };
    let entries = match (args.auto, names.is_empty()) {
        (true, _) => notes::automatic(nexus, &plan)?,
        (_, true) => notes::proposed(&plan),
        (_, false) => plan.entries.clone(),
    };
    let acts = args.apply || args.auto;
    if args.json && !acts {
        out.json(&notes::plan_wire(&plan))?;
        return Ok(ExitCode::SUCCESS);
    }
    // A user who agreed beforehand has seen it.
    if !args.json && !args.auto && !args.yes {
        show(nexus, &plan, out)?;
    }
    if !acts {
        say_next(&entries, &args.names);
        return Ok(ExitCode::SUCCESS);
    }
    if !entries.is_empty() && !args.auto && !args.yes {
        let question = format!("Delete {}, each in a commit of its own?", counted(entries.len(), "note"));
        if !output::confirm(&question)? {
            say("nothing was deleted");
            return Ok(ExitCode::FAILURE);
        }
    }
    let cleared = notes::clear(nexus, &entries)?;
    if args.json {
        out.json(&notes::removed_wire(&cleared))?;
    } else {
        report(&cleared, out)?;
    }
    Ok(if cleared.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(nexus: &Nexus, plan: &NotesPlan, out: &mut Out) -> Result<(), Failure> {
    for entry in &plan.entries {
        let style = match entry.advice {
            Advice::Keep => GREEN,
            Advice::Merge | Advice::Shorten => YELLOW,
            Advice::Remove => RED,
        };
        let (advice, bytes) = (entry.advice.name(), entry.facts.bytes);
        out.line(format_args!(
            "{style}{advice:7}{style:#}  {BOLD}{}{BOLD:#}  {DIM}{bytes} B{DIM:#}",
            entry.name
        ))?;
        for reason in &entry.reasons {
            out.line(format_args!("         {reason}"))?;
        }
    }
    if plan.entries.is_empty() {
        say(no_notes(nexus));
    }
    Ok(())
}

fn say_next(entries: &[PlannedNote], names: &[String]) {
    match entries.len() {
        0 => say("nothing to delete"),
        // A user who names a note may delete it, against the advice.
        _ if !names.is_empty() => {
            let names = names.join(" ");
            say("nothing was deleted");
            say(format_args!("{CYAN}hint:{CYAN:#} `nudge note gc {names} --apply` asks, and deletes"));
        }
        count => {
            say(format_args!("{} could go; nothing was deleted", counted(count, "note")));
            say(format_args!("{CYAN}hint:{CYAN:#} `nudge note gc --apply` asks, and deletes"));
        }
    }
}

pub(super) fn report(cleared: &Cleared, out: &mut Out) -> Result<(), Failure> {
    for (name, removal) in &cleared.removed {
        let commit: String = removal.commit.chars().take(10).collect();
        let kept = if removal.kept_first { ", after a commit that keeps it" } else { "" };
        let what = match &cleared.merged_into {
            Some(into) => format!("merged {} into {}, and deleted it", file(name), file(into)),
            None => format!("deleted {}", file(name)),
        };
        let (verb, rest) = what.split_once(' ').unwrap_or((&what, ""));
        out.line(format_args!("{GREEN}{verb}{GREEN:#} {rest} in {commit}{kept}"))?;
        out.line(format_args!("  to bring it back: {}", removal.recovery))?;
    }
    for (name, error) in &cleared.refused {
        let refused = NoteError::Removal { name: name.clone(), error: error.clone() };
        say(format_args!("{YELLOW}kept{YELLOW:#} {refused}"));
        if let Some(hint) = refused.hint() {
            say(format_args!("{CYAN}hint:{CYAN:#} {hint}"));
        }
    }
    if cleared.detached && !cleared.removed.is_empty() {
        say(format_args!(
            "{YELLOW}warning:{YELLOW:#} HEAD is detached, so these commits belong to no branch"
        ));
    }
    if cleared.removed.is_empty() && cleared.refused.is_empty() {
        say("nothing to delete");
    }
    Ok(())
}
