//! A process that is killed at any of its system calls: no event that was answered is lost, none is stored twice.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use super::{event, ran_command, remembered_commands, rounds, run_traced};
use crate::sandbox::Sandbox;

const ARGS: [&str; 3] = ["hook", "--harness", "claude-code"];

/// Returns each system call that a hook makes, with the number of times.
fn calls(sandbox: &Sandbox, input: &[u8]) -> BTreeMap<String, usize> {
    let log = sandbox.beside("trace");
    run_traced(sandbox, &ARGS, input, ("all", None), &log);
    let mut calls = BTreeMap::new();
    for line in fs::read_to_string(&log).expect("a trace").lines() {
        let name = line.split_whitespace().nth(1).and_then(|call| call.split_once('('));
        // The process is started by these, and ended by those.
        if let Some((name, _)) = name.filter(|(name, _)| !["execve", "exit_group", "exit"].contains(name)) {
            *calls.entry(name.to_owned()).or_insert(0) += 1;
        }
    }
    calls
}

/// Kills a hook at its system calls, one after the other, or at some of them.
fn sweep(name: &str, more: impl Fn(usize) -> Value) -> (usize, usize) {
    let sandbox = Sandbox::new();
    let log = sandbox.beside("trace");
    let mut answered = vec!["run-0".to_owned()];
    sandbox.hook("claude-code", ran_command("s", "run-0"));
    let calls = calls(&sandbox, &event(&sandbox, "s", name, more(0)));
    let points: Vec<(String, usize)> =
        calls.into_iter().flat_map(|(call, count)| (1..=count).map(move |n| (call.clone(), n))).collect();
    let most = rounds(20);
    let step = points.len().div_ceil(most).max(1);
    let mut kills = 0;
    for (index, (call, when)) in points.iter().enumerate().filter(|(index, _)| index % step == 0) {
        let command = format!("run-{}", index + 1);
        sandbox.hook("claude-code", ran_command("s", &command));
        answered.push(command);
        let input = event(&sandbox, "s", name, more(index + 1));
        let inject = format!("{call}:signal=KILL:when={when}");
        let ran = run_traced(&sandbox, &ARGS, &input, (call, Some(&inject)), &log);
        kills += usize::from(!ran.status.success());
    }
    answered.sort();
    let all = remembered_commands(&sandbox);
    let found: Vec<String> =
        all.iter().filter(|command| !command.starts_with("run-killed")).cloned().collect();
    assert_eq!(found, answered, "{name}: what was answered is there, once");
    let killed: Vec<&String> = all.iter().filter(|command| command.starts_with("run-killed")).collect();
    assert!(killed.windows(2).all(|pair| pair[0] != pair[1]), "{name}: stored twice: {killed:?}");
    assert!(!sandbox.data_folder().join("nudge.spool/rejected.jsonl").exists(), "{name}: torn lines");
    (kills, points.len())
}

#[test]
#[ignore = "needs strace; .ci/run runs it"]
#[expect(clippy::print_stderr, reason = "how many points were tried is the result of a full sweep")]
fn a_kill_at_any_system_call_loses_nothing_and_doubles_nothing() {
    let bash = |n: usize| {
        let command = format!("run-killed-{n}");
        json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": command,
                "tool_response": { "stdout": "" } })
    };
    let failure = |n: usize| {
        json!({ "tool_name": "Bash", "tool_input": { "command": format!("run-killed-{n}") },
                "tool_use_id": format!("failed-{n}"), "error": "Exit code 1\nerror: no such thing" })
    };
    let mut all = (0, 0);
    for (kills, points) in [
        sweep("PostToolUse", bash),
        sweep("PostToolUseFailure", failure),
        sweep("Stop", |_| json!({})),
        sweep("SessionStart", |_| json!({ "source": "startup" })),
    ] {
        all = (all.0 + kills, all.1 + points);
    }
    assert!(all.0 > 0, "nothing was killed");
    eprintln!("killed at {} of {} system calls", all.0, all.1);
}
