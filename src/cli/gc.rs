//! `nudge gc`: removes what has been kept long enough.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::memory;
use super::output::{Failure, Out, counted, say};
use crate::ops::gc::{self, Expired};

/// Remove observations that have been kept long enough, and shrink the file
///
/// How long each type is kept is set under `retention` in your config.toml, see `nudge settings`. Pinned observations
/// stay. Lines of the trace that `nudge why` reads go after the shortest of these times. The same happens once a day, when
/// a session starts.
#[derive(clap::Args)]
pub(crate) struct GcArgs {
    /// Only show what would go
    #[arg(long)]
    dry_run: bool,

    /// Print the counts as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &GcArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let lines = gc::trace(args.dry_run)?;
    let expired = if args.dry_run { gc::plan()? } else { gc::run()? };
    if lines > 0 {
        let word = if args.dry_run { "would go" } else { "removed or emptied" };
        say(format_args!("{} of the trace {word}", counted(lines, "line")));
    }
    let Some(expired) = expired else {
        memory::nothing_yet(args.json, &json!([]), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    if args.json {
        out.json(&expired.iter().map(expired_json).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    for one in &expired {
        let days = one.days.map_or(String::new(), |days| format!("older than {days} days"));
        out.line(format_args!("{:13}  {:>7}  {days}", one.obs_type.name(), one.count))?;
    }
    let total: usize = expired.iter().map(|one| one.count).sum();
    match (total, args.dry_run) {
        (0, _) => say("nothing has been kept long enough to go"),
        (total, true) => say(format_args!("{total} would go")),
        (total, false) => say(format_args!("{total} removed")),
    }
    Ok(ExitCode::SUCCESS)
}

fn expired_json(one: &Expired) -> Value {
    json!({ "obs_type": one.obs_type, "count": one.count, "days": one.days })
}
