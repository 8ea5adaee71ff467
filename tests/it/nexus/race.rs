//! Many processes at once on one project: no task is lost, no id is given twice, no file is ever torn.
//!
//! `NUDGE_ROUNDS` is the number of rounds; CI runs a few, and a hundred take some minutes.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::nexus::scene::{HISTORY, PLAN, TASKS, project, state};
use crate::sandbox::Sandbox;

const PROCESSES: usize = 20;
/// What each of the two servers adds in a round.
const OF_SERVER: usize = 5;

#[test]
fn twenty_processes_and_two_servers_lose_nothing() {
    let sandbox = project();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| watch(&sandbox, &over));
        let mut servers = [Client::new(&sandbox), Client::new(&sandbox)];
        for round in 1..=rounds() {
            let started: Vec<Child> = (0..PROCESSES).map(|number| add(&sandbox, round, number)).collect();
            std::thread::scope(|scope| {
                for (number, server) in servers.iter_mut().enumerate() {
                    scope.spawn(move || {
                        for task in 0..OF_SERVER {
                            let title = format!("{round} server {number} {task}");
                            server.call_json("nx_task_add", json!({ "title": title, "context": "c" }));
                        }
                        server.call_json(
                            "nx_plan_start",
                            json!({ "topic": format!("t{number}"), "issues": [], "research_summary": "" }),
                        );
                    });
                }
            });
            for child in started {
                let output = child.wait_with_output().expect("it ends");
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            }
            assert_whole(&state(&sandbox, TASKS)["tasks"]);
            let closed = servers[0].call_json("nx_task_close", json!({}));
            assert_eq!(closed["archived"]["tasks"], PROCESSES + 2 * OF_SERVER);
        }
        over.store(true, Ordering::Relaxed);
        assert!(reader.join().expect("no file is torn") > 0);
    });
    let history = state(&sandbox, HISTORY);
    let cycles = history["cycles"].as_array().expect("a list");
    // In each round one server archives the plan of the other, and the close archives the second.
    assert_eq!(cycles.len(), 2 * rounds());
    let plans: Vec<u64> = cycles.iter().filter_map(|cycle| cycle["plan"]["id"].as_u64()).collect();
    assert_eq!(plans, (1..=2 * rounds() as u64).collect::<Vec<_>>());
    cycles.iter().filter(|cycle| cycle["tasks"] != json!([])).for_each(|cycle| assert_whole(&cycle["tasks"]));
    let mut left: Vec<String> = fs::read_dir(sandbox.path(".nexus/state"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    // The journal of closing has a folder of its own.
    assert_eq!(left, [".lock", "nudge"], "nothing else is left");
}

/// All tasks of a round are there, under ids from 1 without a gap.
#[track_caller]
fn assert_whole(tasks: &Value) {
    let tasks = tasks.as_array().expect("a list");
    let ids: Vec<u64> = tasks.iter().filter_map(|task| task["id"].as_u64()).collect();
    let titles: BTreeSet<&str> = tasks.iter().filter_map(|task| task["title"].as_str()).collect();
    let count = PROCESSES + 2 * OF_SERVER;
    assert_eq!(ids, (1..=count as u64).collect::<Vec<_>>());
    assert_eq!(titles.len(), count, "{titles:?}");
}

fn add(sandbox: &Sandbox, round: usize, number: usize) -> Child {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    command.args(["task", "add", &format!("{round} process {number}"), "--json"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// Reads all files again and again; each must be complete at all times. Returns how often a file was there.
fn watch(sandbox: &Sandbox, over: &AtomicBool) -> usize {
    let mut seen = 0;
    while !over.load(Ordering::Relaxed) {
        seen += [PLAN, TASKS, HISTORY].iter().filter(|name| state(sandbox, name) != Value::Null).count();
        std::thread::yield_now();
    }
    seen
}

#[expect(clippy::disallowed_methods, reason = "who runs the tests says how long they may take")]
fn rounds() -> usize {
    std::env::var("NUDGE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3)
}
