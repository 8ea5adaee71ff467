//! What the commands of plan, tasks and history share: which project, how things are named, what is printed.

use std::process::ExitCode;

use super::output::{Failure, Out};
use crate::model::ReusePolicy;
use crate::ops;
use crate::ops::nexus::{Nexus, PlanError};
use serde::Serialize;

/// Prints as JSON what the tool of the same name answers.
#[derive(clap::Args)]
pub(crate) struct JsonArgs {
    /// Print JSON: what the MCP tool of the same name returns
    #[arg(short, long, global = true)]
    json: bool,
}

impl JsonArgs {
    /// Prints an answer as JSON, or for a person.
    pub(crate) fn print<T: Serialize>(
        &self,
        answer: &T,
        out: &mut Out,
        show: impl FnOnce(&T, &mut Out) -> Result<(), Failure>,
    ) -> Result<ExitCode, Failure> {
        if self.json {
            out.json(answer)?;
        } else {
            show(answer, out)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the `.nexus/` of the project that the command is run in.
pub(crate) fn here() -> Result<Nexus, Failure> {
    Ok(ops::nexus::of_folder(&super::here()?))
}

/// Reads the number of an issue or a task, as `3` or as it is shown.
pub(crate) fn id(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix('#').unwrap_or(text).parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "write a number, for example `3`".to_owned())
}

/// Reads a text that must not be empty.
pub(crate) fn filled(text: &str) -> Result<String, String> {
    if text.is_empty() { Err("it must not be empty".to_owned()) } else { Ok(text.to_owned()) }
}

/// Whether the agent of a task before continues with it.
#[derive(Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ReusePolicyArg {
    Fresh,
    ResumeIfSameArtifact,
    Resume,
}

impl From<ReusePolicyArg> for ReusePolicy {
    fn from(policy: ReusePolicyArg) -> ReusePolicy {
        match policy {
            ReusePolicyArg::Fresh => ReusePolicy::Fresh,
            ReusePolicyArg::ResumeIfSameArtifact => ReusePolicy::ResumeIfSameArtifact,
            ReusePolicyArg::Resume => ReusePolicy::Resume,
        }
    }
}

impl From<PlanError> for Failure {
    fn from(refused: PlanError) -> Failure {
        // The contract's sentences begin with a capital; our messages do not.
        let message = refused.to_string();
        let mut letters = message.chars();
        let message = match (letters.next(), letters.next()) {
            (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
                first.to_lowercase().chain(message.chars().skip(1)).collect()
            }
            _ => message,
        };
        Failure::new(message).hint_if(refused.hint())
    }
}
