//! `nudge gc`: removes what has been kept long enough.

use std::process::ExitCode;

use super::memory;
use super::output::{self, Failure, Out, YELLOW, counted, say};
use crate::api::list::ListWire;
use crate::api::memory::{ExpiredJson, RestoredJson};
use crate::ops::observations::gc::{self, Expired};
use crate::ops::observations::{Copy, StoreError};

/// Delete observations older than the retention settings
///
/// The settings are under `retention` in your config.toml, see `nudge settings`. An observation ages with those stored
/// after it, not with the clock: a pause, or a wrong clock, counts as up to 14 days. Pinned observations stay. What is
/// deleted is kept in a private folder for a week; `nudge gc --restore` brings it back. Lines of the trace that `nudge
/// why` reads expire after the shortest of these times. The same runs once a day when a session starts: then up to a
/// tenth is deleted, and nothing while the clock looks wrong.
#[derive(clap::Args)]
pub(crate) struct GcArgs {
    /// Only show what would be deleted
    #[arg(long)]
    dry_run: bool,

    /// Do not ask, even if the clock looks wrong
    #[arg(short, long)]
    yes: bool,

    /// Keep no copy of what is deleted: for a full disk
    #[arg(long)]
    no_copy: bool,

    /// Restore what was deleted within the last week
    #[arg(long, conflicts_with_all = ["dry_run", "yes", "no_copy"])]
    restore: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &GcArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    if args.restore {
        return restore(args, out);
    }
    shorten_trace(args.dry_run);
    let Some(proposal) = gc::plan()? else {
        memory::nothing_yet(args.json, &to_json(&[]), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(doubt) = proposal.doubt.as_ref().filter(|_| !proposal.expired.is_empty()) {
        say(format_args!("{YELLOW}warning:{YELLOW:#} {doubt}"));
        if !args.dry_run && !args.yes {
            show(&proposal.expired, out)?;
            if !output::confirm("Remove them all the same?")? {
                say("nothing was removed");
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    let expired = if args.dry_run { proposal.expired } else { remove(args)?.unwrap_or_default() };
    if args.json {
        out.json(&to_json(&expired))?;
        return Ok(ExitCode::SUCCESS);
    }
    show(&expired, out)?;
    let total: usize = expired.iter().map(|one| one.count).sum();
    match (total, args.dry_run) {
        (0, _) => say("nothing to delete"),
        (total, true) => say(format_args!("{total} would go")),
        (total, false) if args.no_copy => say(format_args!("{total} removed")),
        (total, false) => {
            say(format_args!("{total} removed; `nudge gc --restore` brings them back for a week"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn remove(args: &GcArgs) -> Result<Option<Vec<Expired>>, Failure> {
    gc::run(if args.no_copy { Copy::None } else { Copy::Kept }).map_err(|error| match error {
        StoreError::Full(_) if !args.no_copy => Failure::new(error.to_string())
            .hint("free some space on the disk, or run `nudge gc --no-copy`, which needs less"),
        StoreError::Full(_) => Failure::new(error.to_string())
            .hint("free some space on the disk first: to remove something, the log has to grow a little"),
        error => error.into(),
    })
}

fn restore(args: &GcArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let restored = gc::restore()?.unwrap_or_default();
    if args.json {
        out.json(&RestoredJson { restored: restored.stored, duplicates: restored.duplicates })?;
    } else {
        say(format_args!("{} restored", counted(restored.stored, "observation")));
    }
    Ok(ExitCode::SUCCESS)
}

/// The trace is for diagnosis: that it cannot be written now must not keep the memory from being cleaned.
fn shorten_trace(dry_run: bool) {
    match gc::trace(dry_run) {
        Ok(0) => {}
        Ok(lines) => {
            let word = if dry_run { "would go" } else { "removed or emptied" };
            say(format_args!("{} of the trace {word}", counted(lines, "line")));
        }
        Err(error) => {
            say(format_args!("{YELLOW}warning:{YELLOW:#} the trace stays as it is: {}", error.kind()));
        }
    }
}

fn show(expired: &[Expired], out: &mut Out) -> Result<(), Failure> {
    for one in expired {
        let days = one.days.map_or(String::new(), |days| format!("older than {days} days"));
        out.line(format_args!("{:13}  {:>7}  {days}", one.obs_type.name(), one.count))?;
    }
    Ok(())
}

fn to_json(expired: &[Expired]) -> ListWire<ExpiredJson> {
    ListWire::whole(expired.iter().map(|one| ExpiredJson {
        obs_type: one.obs_type,
        count: one.count,
        days: one.days,
    }))
}
