//! Tries commands that stand in agents' files: each once, with a test event, and never for long.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::{Entry, Off, Source, is_of_proof, key, program};
use crate::config::programs::{self, Shell};
use crate::files;
use crate::model::quoted;
use crate::ops::setup;
use crate::wiring::{self, Call, Registration};

/// An agent would not wait longer either.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was tried, and what came of it.
pub(super) struct Trial<'p> {
    project: &'p Path,
    answers: Vec<(String, Result<(), String>)>,
    versions: Vec<(PathBuf, Option<String>)>,
}

impl Trial<'_> {
    pub(super) fn new(project: &Path) -> Trial<'_> {
        Trial { project, answers: Vec::new(), versions: Vec::new() }
    }

    /// Asks a program for its version, unless the repository has brought it.
    pub(super) fn version(&mut self, path: &Path, is_shared: bool) -> Option<String> {
        if is_shared && self.is_of_project(path) {
            return None;
        }
        if !self.versions.iter().any(|(known, _)| known == path) {
            self.versions.push((path.to_owned(), program::version(path)));
        }
        self.versions.iter().find(|(known, _)| known == path).and_then(|(_, version)| version.clone())
    }

    /// Has an entry answer.
    pub(super) fn answer(
        &mut self,
        source: &Source<'_>,
        entry: &Entry,
        first: &Registration,
    ) -> Result<(), Off> {
        let (call, named) = (&first.call, key(first).1);
        if source.is_shared {
            let is_plain = matches!(call, Call::Server(_) | Call::Plugin) || wiring::is_plain(&entry.command);
            let is_brought = match &entry.program {
                Some(program) => self.is_of_project(program),
                // A relative path leads into the repository, or wherever it pleases.
                None => named.contains(['/', '\\']),
            };
            if is_brought {
                return Err(Off::Untried("its program comes with the repository"));
            }
            if !is_plain {
                return Err(Off::Untried("it comes with the repository, and does more than call nudge"));
            }
        }
        let known = self.answers.iter().find(|(command, _)| *command == entry.command);
        let answer = known.map(|(_, answer)| answer.clone()).unwrap_or_else(|| {
            let answer = match call {
                Call::Server(words) => greet(words),
                _ => setup::answer(&source.asked.connection.proof, &entry.command, PATIENCE),
            };
            self.answers.push((entry.command.clone(), answer.clone()));
            answer
        });
        // A line for another event has nothing to say to this one; that it ends well is enough.
        let answer = answer
            .or_else(|why| if is_of_proof(first) || why != setup::NO_REPLY { Err(why) } else { Ok(()) });
        answer.map_err(Off::Silent)
    }

    fn is_of_project(&self, program: &Path) -> bool {
        let real = |path: &Path| files::canonical(path).unwrap_or_else(|_| path.to_owned());
        real(program).starts_with(real(self.project))
    }
}

/// Starts a server where it meets no other, and has it greet us.
fn greet(words: &[String]) -> Result<(), String> {
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
        programs::ask(&line, Shell::Plain, &format!("{hello}\n"), folder.path(), &variables, PATIENCE)
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
