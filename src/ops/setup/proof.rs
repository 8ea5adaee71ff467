//! Proves that a written command works: one real event goes through it, in a project of its own that is gone afterwards.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::config::programs::{self, Shell};
use crate::files;
use crate::model::{Problem, Proof};

/// What the rule of the proof looks for, and says.
const WORD: &str = "nudge-setup-proof";

const PATIENCE: Duration = Duration::from_secs(10);

/// Has the command answer an event that a rule refuses; nothing of it is remembered.
pub(crate) fn prove(proof: &Proof) -> Result<(), Problem> {
    let failed = |why: &str| {
        let problem = Problem::error(format!("`{}` did not answer a test event: {why}", proof.command));
        problem.hint("is `nudge` on the PATH of the agent's shell?")
    };
    let output = ask(proof).map_err(|error| failed(&error.to_string()))?;
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        let said = stderr.lines().next().unwrap_or("it said nothing");
        return Err(failed(&format!("{}; {said}", output.status)));
    }
    let is_json = serde_json::from_str::<serde_json::Value>(&stdout).is_ok();
    if is_json && stdout.contains(WORD) { Ok(()) } else { Err(failed("the reply of a rule is missing")) }
}

fn ask(proof: &Proof) -> io::Result<std::process::Output> {
    let folder = tempfile::tempdir()?;
    let root = files::canonical(folder.path())?;
    fs::create_dir(root.join(".git"))?;
    fs::write(root.join(".nudge.yaml"), rule())?;
    let event = (proof.event)(&root.to_string_lossy(), &format!("echo {WORD}"));
    let database = root.join("nudge.db");
    let mut variables: Vec<(&str, &Path)> = vec![("NUDGE_DB", &database)];
    variables.extend(proof.project_variable.map(|name| (name, root.as_path())));
    let shell = if proof.in_login_shell { Shell::Login } else { Shell::Plain };
    programs::ask(&proof.command, shell, &event.to_string(), &root, &variables, PATIENCE)
}

fn rule() -> String {
    format!(
        "version: 1\nrules:\n  - name: {WORD}\n    on: {{ hook: PreToolUse }}\n    match: {{ content: {WORD} }}\n    action: interrupt\n    message: {WORD}\n"
    )
}
