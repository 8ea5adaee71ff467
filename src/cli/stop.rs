//! `nudge stop`: ends the PRIMARY.

use std::process::ExitCode;

use super::output::{Failure, Out};
use super::status::no_server;
use crate::api::setup::StoppedJson;
use crate::ops::hints::stop::{self, Manner, StopError, Stopped};

/// Stop the hint server
///
/// Its hints are lost. Other servers that agents started keep running: one of them becomes PRIMARY, without hints. A
/// server that does not answer is resumed if a signal has stopped it, and otherwise killed. Only the server of your own
/// runtime folder (NUDGE_RUNTIME_DIR) is stopped, even with `-p`.
#[derive(clap::Args)]
pub(crate) struct StopArgs {
    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &StopArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let Stopped { pid, port, manner, next } = stop::stop(port).map_err(|error| match &error {
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
        out.json(&StoppedJson { pid, port, manner: how, next })?;
        return Ok(ExitCode::SUCCESS);
    }
    let how = match manner {
        Manner::Asked => "",
        Manner::Woken => ": it did not answer, since a signal had stopped it, and was woken up to end",
        Manner::Killed => ": it did not answer, and was killed",
    };
    out.line(format_args!("stopped the server with pid {pid} on port {port}{how}"))?;
    match next {
        Some(next) => out.line(format_args!(
            "another one leads now, without hints: pid {}, port {}",
            next["pid"], next["port"]
        ))?,
        None => out.line("no other server runs")?,
    }
    Ok(ExitCode::SUCCESS)
}
