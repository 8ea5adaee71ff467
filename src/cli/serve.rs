//! `nudge serve`: answers agents over MCP.

use std::io::{IsTerminal, stdin};
use std::process::ExitCode;

use super::output::{Failure, say};
use crate::config::env;
use crate::server;

/// Answer agents over MCP, on stdin and stdout
///
/// Agents start this themselves and keep it running; it ends when they close its input. It offers the tools search,
/// get_observations, timeline and recent_context over what was observed, and eleven nx_ tools for the plan, tasks and
/// history in `.nexus/` of the project. The folder it is started in says which project is the current one.
#[derive(clap::Args)]
pub(crate) struct ServeArgs {}

pub(crate) fn run(_: &ServeArgs) -> Result<ExitCode, Failure> {
    if stdin().is_terminal() {
        say("nudge serve talks to agents, one JSON message a line; Ctrl-D ends it");
        say("to add it to Claude Code: claude mcp add nudge -- nudge serve");
    }
    server::stdio(env::current_dir())
        .map_err(|error| Failure::new(format!("the server cannot start: {error}")))?;
    Ok(ExitCode::SUCCESS)
}
