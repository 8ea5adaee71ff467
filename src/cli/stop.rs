//! `nudge stop`: ends the PRIMARY.

use std::process::ExitCode;

use super::output::{Failure, Out, counted};
use super::status::no_server;
use crate::api::setup::StoppedJson;
use crate::ops::here::short_path;
use crate::ops::hints::kept::LocalHints;
use crate::ops::hints::stop::{self, Manner, StopError, Stopped};
use crate::ops::times;

/// Stop the hint server
///
/// The hints of its session are lost; those that `nudge set --keep` kept are not. Other servers that agents started keep running: one of them becomes PRIMARY, without hints. A
/// server that does not answer is resumed if a signal has stopped it, and otherwise killed. Only the server of your own
/// runtime folder (NUDGE_RUNTIME_DIR) is stopped, even with `-p`.
#[derive(clap::Args)]
pub(crate) struct StopArgs {
    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &StopArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let Stopped { pid, port, manner, next, lost_hints } = stop::stop(port).map_err(|error| match &error {
        StopError::NoServer(none) => no_server(none),
        StopError::Unproved(_) => Failure::new(error.to_string())
            .hint("look at that process, and end it by hand: `kill -KILL` and its pid"),
        other => Failure::new(other.to_string()),
    })?;
    if args.json {
        let how = match manner {
            Manner::Asked => "asked",
            Manner::Woken => "woken",
            Manner::Killed => "killed",
        };
        out.json(&StoppedJson { pid, port, manner: how, next, lost_hints })?;
        return Ok(ExitCode::SUCCESS);
    }
    let how = match manner {
        Manner::Asked => "",
        Manner::Woken => ": it did not answer, since a signal had stopped it, and was woken up to end",
        Manner::Killed => ": it did not answer, and was killed",
    };
    out.line(format_args!("stopped the server with pid {pid} on port {port}{how}"))?;
    if let Some(lost @ 1..) = lost_hints {
        let lost = counted(usize::try_from(lost).unwrap_or(usize::MAX), "hint");
        out.line(format_args!("lost: {lost} of this session; `nudge set --keep` keeps a hint"))?;
    }
    for (path, count) in LocalHints::here().counts(times::moment()) {
        out.line(format_args!("kept: {} in {}", counted(count, "hint"), short_path(path)))?;
    }
    match next {
        Some(next) => out.line(format_args!(
            "another server is PRIMARY now, without the hints of the session: pid {}, port {}",
            next["pid"], next["port"]
        ))?,
        None => out.line("no other server runs")?,
    }
    Ok(ExitCode::SUCCESS)
}
