//! `nudge completions`: prints the script by which a shell completes our commands.

use std::process::ExitCode;

use clap_complete::env::Shells;

use super::output::{Failure, Out};
use crate::config::env;

/// Print a completion script for your shell
///
/// The script asks `nudge` at every Tab, so it also completes components, keys, rules, sessions, tasks and notes.
#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to complete in
    shell: clap_complete::Shell,
}

pub(crate) fn run(args: &CompletionsArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    if let Some(shell) = shells.completer(&args.shell.to_string()) {
        shell.write_registration(env::COMPLETE_VARIABLE, "nudge", "nudge", "nudge", &mut script)?;
    }
    out.bytes(script.trim_ascii_start())?;
    Ok(ExitCode::SUCCESS)
}
