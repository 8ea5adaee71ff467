//! Proves that a registered command works: sends a real event through it, in a temporary project.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::config::env;
use crate::files;
use crate::model::{Problem, Proof};
use crate::system::programs::{self, CommandShell};

/// The text that the test rule matches, and its message.
const WORD: &str = "nudge-setup-proof";

/// The error for a command that succeeded but did not answer.
pub(crate) const NO_REPLY: &str = "the reply of a rule is missing";

const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// Sends the command an event that a rule refuses; nothing of it is remembered.
pub(crate) fn prove(proof: &Proof) -> Result<(), Problem> {
    answer(proof, &proof.command, ANSWER_TIMEOUT).map_err(|why| {
        let problem = Problem::error(format!("`{}` did not answer a test event: {why}", proof.command));
        problem.hint("is `nudge` on the PATH of the agent's shell?")
    })
}

/// Sends that event to any command of this agent; the error says what happened instead of an answer.
pub(crate) fn answer(proof: &Proof, command: &str, timeout: Duration) -> Result<(), String> {
    let output = ask(proof, command, timeout).map_err(|error| error.to_string())?;
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        let said = stderr.lines().next().unwrap_or("it said nothing");
        return Err(format!("{}; {said}", output.status));
    }
    let is_json = serde_json::from_str::<serde_json::Value>(&stdout).is_ok();
    if is_json && stdout.contains(WORD) { Ok(()) } else { Err(NO_REPLY.to_owned()) }
}

fn ask(proof: &Proof, command: &str, timeout: Duration) -> io::Result<std::process::Output> {
    let folder = tempfile::tempdir()?;
    let root = files::canonical(folder.path())?;
    fs::create_dir(root.join(".git"))?;
    fs::write(root.join(".nudge.yaml"), rule())?;
    let event = (proof.event)(&root.to_string_lossy(), &format!("echo {WORD}"));
    let database = root.join("nudge.db");
    // A pause must not look like a broken hook.
    let mut variables: Vec<(&str, &Path)> = vec![("NUDGE_DB", &database), (env::OFF, Path::new("0"))];
    variables.extend(proof.project_variable.map(|name| (name, root.as_path())));
    let shell = if proof.in_login_shell { CommandShell::Login } else { CommandShell::Plain };
    programs::ask(command, shell, &event.to_string(), &root, &variables, timeout)
}

fn rule() -> String {
    format!(
        "version: 1\nrules:\n  - name: {WORD}\n    on: {{ hook: PreToolUse }}\n    match: {{ content: {WORD} }}\n    action: interrupt\n    message: {WORD}\n"
    )
}
