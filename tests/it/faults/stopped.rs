//! A hook that is stopped within SQLite's locks: the hooks after it end in time, and nothing is lost.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{event, ran_command, remembered_commands, rounds};
use crate::payload;
use crate::sandbox::Sandbox;

/// Most locks of a drain are taken within this many calls.
const MAX_CALLS: usize = 24;
/// `nudge setup` lets a hook run for ten seconds, as long as SQLite tries.
const HANG_TIMEOUT: Duration = Duration::from_secs(8);

/// Starts a hook that stops itself at one of its calls.
fn stopped_hook(sandbox: &Sandbox, call: usize, log: &Path) -> Child {
    let mut command = sandbox.command("strace");
    command.args(["-f", "-qq", "-o"]).arg(log).args(["-e", "trace=fcntl"]);
    command.args(["-e", &format!("inject=fcntl:signal=SIGSTOP:when={call}")]);
    command.arg(env!("CARGO_BIN_EXE_nudge")).args(["hook", "--harness", "claude-code"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("strace starts: CI installs it");
    let input = event(sandbox, "s", "Stop", serde_json::json!({}));
    child.stdin.take().expect("stdin is piped").write_all(&input).expect("the hook reads");
    child
}

/// Waits until the hook is stopped, and returns its number; `None` if it has ended.
fn stopped_process(child: &mut Child, log: &Path) -> Option<String> {
    loop {
        let trace = fs::read_to_string(log).unwrap_or_default();
        if let Some(line) = trace.lines().find(|line| line.contains("stopped by SIGSTOP")) {
            return line.split_whitespace().next().map(str::to_owned);
        }
        if child.try_wait().expect("a child").is_some() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
#[ignore = "needs strace; .ci/run runs it"]
#[expect(clippy::disallowed_methods, reason = "a hook that hangs is distinguished from one that ends")]
fn a_hook_that_is_stopped_within_a_lock_does_not_hang_the_others() {
    let mut stopped = 0;
    for call in (1..=MAX_CALLS).step_by(MAX_CALLS.div_ceil(rounds(MAX_CALLS)).max(1)) {
        // The time of a hook ends after that of its rules, which the sandbox makes very long.
        let sandbox = Sandbox::new().env("NUDGE_RULE_DEADLINE_MS", "1000");
        let log = sandbox.beside("trace");
        sandbox.hook("claude-code", ran_command("s", "run-1"));
        sandbox.hook("claude-code", payload::silent_stop());
        sandbox.hook("claude-code", ran_command("s", "run-2"));
        let mut child = stopped_hook(&sandbox, call, &log);
        let Some(process) = stopped_process(&mut child, &log) else { continue };
        stopped += 1;
        sandbox.hook("claude-code", ran_command("s", "run-3"));
        let start = payload::event("SessionStart").with("source", "startup").session("other");
        for payload in [payload::silent_stop(), start] {
            let name = payload.0["hook_event_name"].clone();
            let started = Instant::now();
            sandbox.hook("claude-code", payload);
            let took = started.elapsed();
            assert!(took < HANG_TIMEOUT, "{name} took {took:?} beside a hook stopped at call {call}");
        }
        // The thread's number, not the process's: a signal reaches the process by either.
        assert!(Command::new("kill").args(["-KILL", &process]).status().expect("kill runs").success());
        child.wait().expect("a child");
        assert_eq!(remembered_commands(&sandbox), ["run-1", "run-2", "run-3"], "stopped at call {call}");
    }
    assert!(stopped > 5, "only {stopped} hooks were stopped");
}
