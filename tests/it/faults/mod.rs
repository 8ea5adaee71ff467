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

mod clock;
mod damage;
mod flips;
mod full_disk;
mod kill;
mod power_cut;
mod server_sockets;
mod setup;
mod smoke;
mod spool;
mod stopped;
#[cfg(all(unix, feature = "team"))]
mod team;

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

/// A command that an agent has run, as an event of its own.
pub(crate) fn ran_command(session: &str, command: &str) -> Payload {
    crate::payload::bash(command).after().session(session).with("tool_use_id", command)
}

/// Returns what commands are remembered, each as often as it is.
pub(crate) fn remembered_commands(sandbox: &Sandbox) -> Vec<String> {
    let ran = sandbox.run(["observations", "export", "--all", "-"]);
    let lines = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let content = |row: serde_json::Value| row["content"].as_str().expect("a text").to_owned();
    let mut found: Vec<String> = lines.map(content).filter(|content| content.starts_with("run-")).collect();
    found.sort();
    found
}

/// Mounts something for a test, and unmounts it at the end.
pub(crate) struct Mount(std::path::PathBuf);

impl Mount {
    /// `None`, with the reason printed, only if the person said that nothing can be mounted here.
    #[expect(clippy::disallowed_methods, reason = "a person says that nothing can be mounted")]
    pub(crate) fn new(args: &[&str], at: &Path) -> Option<Mount> {
        std::fs::create_dir_all(at).expect("a folder to mount at");
        let mounted = Command::new("mount").args(args).arg(at).output().expect("mount starts");
        if mounted.status.success() {
            return Some(Mount(at.to_owned()));
        }
        let why = String::from_utf8_lossy(&mounted.stderr).trim().to_owned();
        assert!(
            std::env::var_os("NUDGE_FAULTS_NO_MOUNT").is_some(),
            "this test mounts a file system, which needs root: {why}; NUDGE_FAULTS_NO_MOUNT=1 leaves it out"
        );
        // Written to the stream itself: the runner keeps what a passing test prints.
        let _ = writeln!(std::io::stderr(), "not run: {why}");
        None
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(&self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()), "umount {}", self.0.display());
    }
}
