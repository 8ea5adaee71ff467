//! `nudge stop`: ends the PRIMARY.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::Map;

use super::output::{Failure, Out};
use super::status::no_server;
use crate::config::clock;
use crate::ops::reach;

/// Stop the server that keeps the hints
///
/// The hints of the session go with it. Other servers that agents have started go on: one of them leads, and starts
/// without hints.
#[derive(clap::Args)]
pub(crate) struct StopArgs {}

const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

pub(crate) fn run(_: &StopArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    // Only who said the right pid and name is asked to stop; nobody is killed.
    let mut client = reach::primary(port, PATIENCE).map_err(|none| no_server(&none))?;
    let health = client.health().clone();
    client
        .call("nudge.stop", &Map::new(), PATIENCE)
        .map_err(|error| Failure::new(format!("the server was not stopped: {error}")))?;
    drop(client);
    let waited = clock::stopwatch();
    // Once its address is gone or another one's, so is it.
    let next = loop {
        match reach::primary(port, PATIENCE) {
            Ok(next) if next.health()["instance"] == health["instance"] => {}
            Ok(next) => break Some(next.health().clone()),
            // A moment for another one to take over.
            Err(_) if waited() > PAUSE * 25 => break None,
            Err(_) => {}
        }
        if waited() > PATIENCE {
            return Err(Failure::new(format!("the server (pid {}) is still there", health["pid"])));
        }
        std::thread::sleep(PAUSE);
    };
    out.line(format_args!("stopped the server with pid {} on port {}", health["pid"], health["port"]))?;
    match next {
        Some(next) => out.line(format_args!(
            "another one leads now, without hints: pid {}, port {}",
            next["pid"], next["port"]
        ))?,
        None => out.line("no other server runs")?,
    }
    Ok(ExitCode::SUCCESS)
}
