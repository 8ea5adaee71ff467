//! Many hooks at once in one project: no file is torn, and every count is right.

use std::fs;

use serde_json::{Value, json};

use crate::nexus::session::{scene, tracker};
use crate::payload::{Payload, event, prompt, tool, write};
use crate::sandbox::Sandbox;

const MANY: usize = 20;
const ROUNDS: usize = 4;

fn at_once(sandbox: &Sandbox, payload: impl Fn(usize) -> Payload) {
    let hooks: Vec<_> = (0..MANY).map(|n| sandbox.start_hook(payload(n))).collect();
    for hook in hooks {
        let output = hook.wait_with_output().expect("the hook ends");
        let reply = String::from_utf8_lossy(&output.stdout).into_owned();
        // A problem begins like this; the name at the end of what is told is in brackets.
        let problem = reply.replace("[nudge: ", "[").contains("nudge: ");
        assert!(output.status.success() && !problem, "{reply}");
    }
}

/// A change that had to wait for the lock is made with the next event.
fn settle(sandbox: &Sandbox) {
    sandbox.hook("claude-code", prompt("go on"));
}

#[test]
fn twenty_reads_at_once_are_twenty_reads() {
    let sandbox = scene();
    at_once(&sandbox, |n| {
        tool("Read", json!({ "file_path": ".nexus/memory/pattern-release.md" }))
            .after()
            .with("tool_use_id", format!("t{n}"))
            .with("agent_id", format!("a{n}"))
    });
    settle(&sandbox);
    let state = |name: &str| fs::read_to_string(sandbox.path(&format!(".nexus/state/claude-code/{name}")));
    let access: Value =
        serde_json::from_str(&state("memory-access.jsonl").expect("a record")).expect("one line");
    assert_eq!(access["access_count"], MANY);
    let log = state("tool-log.jsonl").expect("a log");
    let mut agents: Vec<String> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a whole line")["agent_id"].to_string())
        .collect();
    agents.sort();
    agents.dedup();
    assert_eq!((log.lines().count(), agents.len()), (MANY, MANY));
}

#[test]
fn twenty_agents_at_once_are_twenty_agents() {
    let sandbox = scene();
    let own =
        |name: &str, n: usize| event(name).with("agent_id", format!("a{n}")).with("agent_type", "engineer");
    at_once(&sandbox, |n| own("SubagentStart", n));
    at_once(&sandbox, |n| write(&format!("f{n}.rs"), "x").after().with("agent_id", format!("a{n}")));
    at_once(&sandbox, |n| own("SubagentStop", n));
    settle(&sandbox);
    let tracked = tracker(&sandbox);
    let tracked = tracked.as_array().expect("a list");
    assert_eq!(tracked.len(), MANY);
    for agent in tracked {
        let number = agent["agent_id"].as_str().expect("an id").trim_start_matches('a');
        assert_eq!(agent["status"], "completed");
        assert_eq!(agent["files_touched"], json!([format!("f{number}.rs")]));
    }
}

#[test]
fn mixed_events_at_once_leave_whole_files_and_right_counts() {
    let sandbox = scene();
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup"));
    let state = |name: &str| fs::read_to_string(sandbox.path(&format!(".nexus/state/claude-code/{name}")));
    for round in 0..ROUNDS {
        let id = |n: usize| format!("r{round}-{n}");
        let agent = |name: &str, n: usize| event(name).with("agent_id", id(n)).with("agent_type", "engineer");
        at_once(&sandbox, |n| match n % 5 {
            0 => tool("Read", json!({ "file_path": ".nexus/memory/pattern-release.md" }))
                .after()
                .with("tool_use_id", id(n)),
            1 => agent("SubagentStart", n),
            2 => write(&format!("f{n}.rs"), "x").after().with("tool_use_id", id(n)),
            3 => prompt("[run] go on"),
            _ => agent("SubagentStop", n),
        });
        settle(&sandbox);
        let rounds = round + 1;
        let tracked = tracker(&sandbox);
        let tracked = tracked.as_array().expect("a whole list");
        let count = |status: &str| tracked.iter().filter(|agent| agent["status"] == status).count();
        assert_eq!((count("running"), count("completed")), (4 * rounds, 4 * rounds), "round {round}");
        let access: Value =
            serde_json::from_str(&state("memory-access.jsonl").expect("a record")).expect("one whole line");
        assert_eq!(access["access_count"], 4 * rounds, "round {round}");
        let log = state("tool-log.jsonl").expect("a log");
        let whole = log.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count();
        assert_eq!((whole, log.lines().count()), (8 * rounds, 8 * rounds), "round {round}");
        let mode: Value = serde_json::from_str(&state("mode.json").expect("a mode")).expect("a whole file");
        assert_eq!(mode["mode"], "run");
    }
    let left: Vec<String> = fs::read_dir(sandbox.path(".nexus/state/claude-code"))
        .expect("a folder")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("waiting") || name.ends_with(".new") || name.contains("broken"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}
