//! `nudge completions`: what a shell needs to complete our commands.

use std::process::ExitCode;

use super::output::{Failure, Out};

/// Print completions for a shell
///
/// As in: nudge completions bash > ~/.local/share/bash-completion/completions/nudge
#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

pub(crate) fn run(
    args: &CompletionsArgs,
    out: &mut Out,
    command: &mut clap::Command,
) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "nudge", &mut script);
    out.bytes(&script)?;
    Ok(ExitCode::SUCCESS)
}
