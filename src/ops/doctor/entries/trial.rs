//! Tries the commands in agents' files: each once, with a test event, and never for long.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::{EntryFault, EntryFile, Kind, ProgramEntry, is_of_proof, is_this_program, program};
use crate::config::env;
use crate::model::quoted;
use crate::ops::setup;
use crate::system::programs::{self, CommandShell};
use crate::wiring::{self, EntryCall, Registration};

/// How long a command may take to answer; an agent would not wait longer either.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The commands that were tried, with their results.
#[derive(Default)]
pub(super) struct EntryTrials {
    answers: Vec<(String, Result<(), String>)>,
    versions: Vec<(PathBuf, Option<String>)>,
}

impl EntryTrials {
    /// Asks a program for its version.
    pub(super) fn version(&mut self, path: &Path) -> Option<String> {
        if !self.versions.iter().any(|(known, _)| known == path) {
            self.versions.push((path.to_owned(), program::version(path)));
        }
        self.versions.iter().find(|(known, _)| known == path).and_then(|(_, version)| version.clone())
    }

    /// Sends a test event to an entry.
    pub(super) fn answer(
        &mut self,
        source: &EntryFile<'_>,
        entry: &ProgramEntry,
        first: &Registration,
    ) -> Result<(), EntryFault> {
        let command = if source.is_shared { own_line(entry)? } else { entry.command.clone() };
        let known = self.answers.iter().find(|(known, _)| *known == command);
        let answer = known.map(|(_, answer)| answer.clone()).unwrap_or_else(|| {
            let answer = match &first.call {
                EntryCall::Server(words) => initialize(words),
                _ => setup::answer(&source.asked.connection.proof, &command, ANSWER_TIMEOUT),
            };
            self.answers.push((command, answer.clone()));
            answer
        });
        // An entry for another kind of event does not answer this one; it is enough that it succeeds.
        let answer = answer
            .or_else(|why| if is_of_proof(first) || why != setup::NO_REPLY { Err(why) } else { Ok(()) });
        answer.map_err(EntryFault::Silent)
    }
}

/// Returns what is run in place of a line that comes with a repository: this very program, with checked arguments.
///
/// Nothing of the line reaches a shell: links, folders on the PATH and files named in arguments are the repository's to
/// choose, so whatever else it calls is not tried.
fn own_line(entry: &ProgramEntry) -> Result<String, EntryFault> {
    let Some(own) = env::current_exe().filter(|_| entry.program.as_deref().is_some_and(is_this_program))
    else {
        return Err(EntryFault::Untried(
            "it comes with the repository, and calls a program other than this one",
        ));
    };
    let arguments = match entry.kind {
        Kind::Hook | Kind::Plugin => wiring::plain_arguments(&entry.command),
        Kind::Server => None,
    };
    let Some(arguments) = arguments else {
        return Err(EntryFault::Untried("it comes with the repository, and does more than call nudge"));
    };
    Ok(format!("{} {}", quoted(&own.to_string_lossy()), arguments.join(" ")))
}

/// Starts a server in a separate runtime folder, and checks that it answers `initialize`.
fn initialize(words: &[String]) -> Result<(), String> {
    let line = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let hello = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "nudge doctor", "version": env!("CARGO_PKG_VERSION") },
        },
    });
    let ask = || {
        let folder = tempfile::tempdir()?;
        let variables = [("NUDGE_RUNTIME_DIR", folder.path())];
        programs::ask(
            &line,
            CommandShell::Plain,
            &format!("{hello}\n"),
            folder.path(),
            &variables,
            ANSWER_TIMEOUT,
        )
    };
    let output = ask().map_err(|error| error.to_string())?;
    match String::from_utf8_lossy(&output.stdout).contains("\"serverInfo\"") {
        true => Ok(()),
        false => {
            let stderr = String::from_utf8_lossy(&output.stderr);
            Err(format!("{}; {}", output.status, stderr.lines().next().unwrap_or("it said nothing")))
        }
    }
}
