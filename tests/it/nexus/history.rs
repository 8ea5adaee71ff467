//! The search of the history: what matches, how much is shown, in which order.

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::nexus::scene::{HISTORY, half_decided, project, put};
use crate::sandbox::Sandbox;

/// Twelve cycles, of which the last has a plan.
fn remembered() -> Sandbox {
    let sandbox = project();
    let cycle = |number: usize, plan: Value| {
        json!({
            "schema_version": "0.11",
            "completed_at": format!("2001-01-{number:02}T00:00:00.000Z"),
            "branch": format!("branch-{number}"),
            "plan": plan,
            "tasks": [{ "id": 1, "title": "Größe", "context": "c", "status": "completed", "deps": [] }],
        })
    };
    let mut cycles: Vec<Value> = (1..12).map(|number| cycle(number, Value::Null)).collect();
    cycles.push(cycle(12, half_decided()));
    put(&sandbox, HISTORY, &json!({ "cycles": cycles }));
    sandbox
}

fn branches(found: &Value) -> Vec<&str> {
    let cycles = found["cycles"].as_array().expect("a list");
    cycles.iter().filter_map(|cycle| cycle["branch"].as_str()).collect()
}

#[test]
fn without_a_history_there_is_nothing() {
    let nothing = json!({ "total": 0, "showing": 0, "cycles": [] });
    let sandbox = project();
    assert_eq!(Client::new(&sandbox).call_json("nx_history_search", json!({})), nothing);
    assert!(!sandbox.path(".nexus").exists());
    put(&sandbox, HISTORY, &json!({}));
    assert_eq!(Client::new(&sandbox).call_json("nx_history_search", json!({ "query": "" })), nothing);
}

#[test]
fn the_last_ten_are_shown_in_the_order_of_the_file() {
    let found = Client::new(&remembered()).call_json("nx_history_search", json!({}));
    assert_eq!((&found["total"], &found["showing"]), (&json!(12), &json!(10)));
    let expected: Vec<String> = (3..=12).map(|number| format!("branch-{number}")).collect();
    assert_eq!(branches(&found), expected);
}

#[test]
fn a_cycle_is_summarised() {
    let found = Client::new(&remembered()).call_json("nx_history_search", json!({ "last_n": "2" }));
    assert_eq!(
        found["cycles"],
        json!([
            { "completed_at": "2001-01-11T00:00:00.000Z", "branch": "branch-11", "task_count": 1 },
            {
                "completed_at": "2001-01-12T00:00:00.000Z", "branch": "branch-12", "topic": "Storage",
                "decisions": [{ "title": "Which database?", "decision": "SQLite" }], "task_count": 1,
            },
        ])
    );
}

#[test]
fn any_part_of_the_cycle_as_it_is_written_matches() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    let mut total =
        |query: &str| client.call_json("nx_history_search", json!({ "query": query }))["total"].take();
    assert_eq!(total("BRANCH-1"), 4, "1, 10, 11, 12");
    assert_eq!(total("atabas"), 1, "a part of a word");
    assert_eq!(total("how_agent_ids"), 1, "a key");
    assert_eq!(total("\"plan\":null"), 11, "punctuation, without spaces");
    assert_eq!(total("GRÖSSE"), 0, "ß has no capital that matches");
    assert_eq!(total("GRÖ"), 12, "case beyond ASCII");
    assert_eq!(total("e"), 12, "one letter");
    assert_eq!(total("nowhere"), 0);
}

#[test]
fn the_limit_counts_matches_and_not_cycles() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    let found = client.call_json("nx_history_search", json!({ "query": "branch-1", "last_n": 3 }));
    assert_eq!((&found["total"], &found["showing"]), (&json!(4), &json!(3)));
    assert_eq!(branches(&found), ["branch-10", "branch-11", "branch-12"]);
    let none = client.call_json("nx_history_search", json!({ "last_n": 0 }));
    assert_eq!(none, json!({ "total": 12, "showing": 0, "cycles": [] }));
    let all = client.call_json("nx_history_search", json!({ "last_n": 1_000_000 }));
    assert_eq!(all["showing"], 12);
    assert_eq!(
        client.error("nx_history_search", json!({ "last_n": -1 })),
        "`last_n` must be a whole number, 0 or more, not -1"
    );
}

#[test]
fn cycles_of_other_versions_are_shown_as_far_as_possible() {
    let sandbox = project();
    put(&sandbox, HISTORY, &json!({ "cycles": [{ "plan": { "topic": "Old", "issues": "odd" } }, 5] }));
    let found = Client::new(&sandbox).call_json("nx_history_search", json!({}));
    assert_eq!(
        found["cycles"],
        json!([
            { "completed_at": "unknown", "branch": "unknown", "topic": "Old" },
            { "completed_at": "unknown", "branch": "unknown" },
        ])
    );
}
