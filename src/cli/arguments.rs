//! The command line as it was typed: which word names the command, and what to do with words that are no command.

use std::ffi::OsString;

use clap::FromArgMatches;

use super::catalog::{self, Meant};
use super::output::Failure;
use super::{NudgeArgs, command};

/// Options of the root command that take a value.
const WITH_VALUE: [&str; 3] = ["--color", "-p", "--port"];

/// Why a command line is not run.
pub(crate) enum CommandLineError {
    /// What is typed is not a command, and there is something to say about it.
    Tip(Failure),
    Wrong(clap::Error),
}

/// Parses a command line, with the words in it that people type for a command of another name.
pub(crate) fn parse(mut line: Vec<OsString>) -> Result<NudgeArgs, CommandLineError> {
    // Other programs have `-v` for their version, where nothing is said in more words.
    if line.len() == 2 && line[1] == "-v" {
        line[1] = "--version".into();
    }
    if line.len() == 3 && line[1] == "help" && ["-h", "--help"].into_iter().any(|help| line[2] == help) {
        line.truncate(2);
    }
    if let Some(at) = command_at(&line) {
        let word = line[at].to_string_lossy().into_owned();
        match catalog::also_typed(&word) {
            Some(Meant::Arguments(words)) => drop(line.splice(at..=at, words.iter().map(OsString::from))),
            Some(Meant::Tip(tip)) => {
                let failure = Failure::new(format!("there is no command `{word}`")).hint(*tip);
                return Err(CommandLineError::Tip(failure.usage()));
            }
            Some(Meant::Command(_)) | None => {}
        }
    }
    let mut matches = command().try_get_matches_from(line).map_err(CommandLineError::Wrong)?;
    let words = words(&matches);
    let args = NudgeArgs::from_arg_matches_mut(&mut matches).map_err(CommandLineError::Wrong)?;
    match catalog::WITHOUT_JSON.iter().find(|(name, _)| *name == words) {
        // An agent would take a refusal as a verdict.
        Some((name, reason)) if args.json && *name != "hook" => {
            Err(CommandLineError::Tip(Failure::new(format!("`nudge {name}` has no JSON: {reason}")).usage()))
        }
        _ => Ok(args),
    }
}

/// Returns where the command is: the first word that is neither an option nor the value of one.
pub(crate) fn command_at(line: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = line.get(at) {
        let word = word.to_string_lossy();
        match word.as_ref() {
            word if WITH_VALUE.contains(&word) => at += 2,
            word if word.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
}

/// Returns the names of the commands that were given, as in `note add`.
fn words(matches: &clap::ArgMatches) -> String {
    let mut words = Vec::new();
    let mut inner = matches.subcommand();
    while let Some((name, matches)) = inner {
        words.push(name);
        inner = matches.subcommand();
    }
    words.join(" ")
}
