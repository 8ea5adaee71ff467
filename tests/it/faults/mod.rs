//! Faults on purpose: I/O errors and kills at chosen system calls, power cuts, clocks that jump.
//!
//! Most of these tests need `strace` or root, so `cargo test` reports them as ignored; `.ci/run` installs what they need
//! and runs them with `--ignored`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::json;

use crate::payload::Payload;
use crate::sandbox::Sandbox;

mod damage;
mod smoke;

/// Returns the number of rounds of an experiment: few in CI, `NUDGE_FAULT_ROUNDS` by hand.
#[expect(clippy::disallowed_methods, reason = "a person who runs the experiment chooses the rounds")]
pub(crate) fn rounds(in_ci: usize) -> usize {
    std::env::var("NUDGE_FAULT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(in_ci)
}

/// Runs the program under `strace`, which injects a fault as its `-e inject=` describes it.
///
/// `calls` are the system calls to trace, as in `-e trace=`; the trace goes to `log`.
pub(crate) fn run_traced(
    sandbox: &Sandbox,
    args: &[&str],
    input: &[u8],
    (calls, inject): (&str, Option<&str>),
    log: &Path,
) -> Output {
    let mut command: Command = sandbox.command("strace");
    command.args(["-f", "-qq", "-o"]).arg(log).args(["-e", &format!("trace={calls}")]);
    if let Some(inject) = inject {
        command.args(["-e", &format!("inject={inject}")]);
    }
    command.arg(env!("CARGO_BIN_EXE_nudge")).args(args);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("strace starts: `.ci/run` installs it");
    // A program that was killed reads nothing more.
    drop(child.stdin.take().expect("stdin is piped").write_all(input));
    child.wait_with_output().expect("strace ends")
}

/// Returns an event for `nudge hook --harness claude-code` as bytes.
pub(crate) fn event(sandbox: &Sandbox, session: &str, name: &str, more: serde_json::Value) -> Vec<u8> {
    let mut event = json!({ "session_id": session, "hook_event_name": name, "cwd": "" });
    if let (Some(event), serde_json::Value::Object(more)) = (event.as_object_mut(), more) {
        event.extend(more);
    }
    event["cwd"] = sandbox.path("").to_str().expect("UTF-8").trim_end_matches('/').into();
    sandbox.place(Payload(event)).to_string().into_bytes()
}
