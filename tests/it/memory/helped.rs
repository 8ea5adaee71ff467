//! What agents were told is kept, and the end of a session shows whether it helped.

use serde_json::{Value, json};

use crate::payload::{Payload, bash, edit, event, tool};
use crate::sandbox::Sandbox;

fn done(payload: Payload, session: &str, id: &str) -> Payload {
    payload.after().session(session).with("tool_use_id", format!("{session}-{id}"))
}

fn start(sandbox: &Sandbox, session: &str) -> String {
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session(session)).stdout
}

fn end(sandbox: &Sandbox, session: &str) {
    sandbox.hook("claude-code", event("SessionEnd").with("reason", "other").session(session));
}

fn told_at_start(sandbox: &Sandbox) -> Value {
    let stats = sandbox.run(["stats", "--json"]).json();
    let all = stats["told"].as_array().expect("a list").clone();
    all.into_iter().find(|one| one["hook"] == "SessionStart").expect("a start")
}

#[test]
fn the_end_of_a_session_shows_what_helped() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", done(edit("a.rs", "one", "two"), "s1", "1"));
    sandbox.hook("claude-code", done(edit("b.rs", "one", "two"), "s1", "2"));
    end(&sandbox, "s1");
    assert!(start(&sandbox, "s2").contains("a.rs"));
    sandbox.hook("claude-code", done(tool("Read", json!({ "file_path": "a.rs" })), "s2", "1"));
    end(&sandbox, "s2");
    let told = told_at_start(&sandbox);
    let counts = ["deliveries", "rows", "used", "met", "unused"].map(|name| told[name].clone());
    assert_eq!(counts, [1, 2, 1, 0, 1].map(Value::from));
    let shown = sandbox.run(["stats"]).stdout;
    assert!(shown.contains("2 rows: 1 used, 1 of no use"), "{shown}");
    let explained = sandbox.run(["context", "--explain"]).stdout;
    assert!(explained.contains("told to 1 session before, and concerned 1 of them"), "{explained}");
    let json = sandbox.run(["context", "--json"]).json();
    let row = &json["told"][0];
    assert_eq!(row["told_before"], 1, "{row}");
}

#[test]
fn what_never_concerns_a_session_is_told_no_more() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", done(edit("forgotten.rs", "one", "two"), "s0", "1"));
    end(&sandbox, "s0");
    let table = |text: &str| text.contains("file_edit | forgotten.rs");
    for n in 1..=6 {
        let session = format!("s{n}");
        let told = start(&sandbox, &session);
        assert!(table(&told), "{n}: {told}");
        sandbox.hook("claude-code", done(bash(&format!("make part-{n}")), &session, "1"));
        end(&sandbox, &session);
    }
    let told = start(&sandbox, "last");
    assert!(told.contains("make part-6") && !table(&told), "{told}");
}

fn push_fails(sandbox: &Sandbox, session: &str) {
    let error = "Exit code 128\nfatal: The current branch topic has no upstream branch.";
    let failed = bash("git push").with("hook_event_name", "PostToolUseFailure").with("error", error);
    sandbox.hook("claude-code", failed.session(session).with("tool_use_id", format!("{session}-f")));
}

#[test]
fn a_failure_that_was_told_is_avoided_or_met_all_the_same() {
    let sandbox = Sandbox::new();
    for session in ["s1", "s2"] {
        push_fails(&sandbox, session);
        sandbox.hook("claude-code", done(bash("git push -u origin topic"), session, "1"));
        end(&sandbox, session);
    }
    // The failure that was answered is not one that was met after the answer.
    let counts = |hook: &str| {
        let stats = sandbox.run(["stats", "--json"]).json();
        let all = stats["told"].as_array().expect("a list").clone();
        let one = all.into_iter().find(|one| one["hook"] == hook).expect("such an event");
        ["avoided", "met"].map(|name| one[name].as_i64())
    };
    assert_eq!(counts("PostToolUseFailure")[1], Some(0));
    let told = start(&sandbox, "s3");
    assert!(told.contains("git push: fatal: The current branch topic has no upstream branch"), "{told}");
    sandbox.hook("claude-code", done(bash("git push -u origin topic"), "s3", "1"));
    end(&sandbox, "s3");
    let [avoided, met] = counts("SessionStart");
    assert!(avoided >= Some(1) && met == Some(0), "{avoided:?}, {met:?}");
    start(&sandbox, "s4");
    push_fails(&sandbox, "s4");
    end(&sandbox, "s4");
    assert!(counts("SessionStart")[1] > Some(0));
    let explained = sandbox.run(["context", "--explain"]).stdout;
    assert!(explained.contains("goes wrong here; told to"), "{explained}");
}

#[test]
fn a_power_cut_or_a_second_drain_stores_a_delivery_once() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", done(bash("make"), "s1", "1"));
    end(&sandbox, "s1");
    start(&sandbox, "s2");
    for _ in 0..3 {
        sandbox.run(["recent"]);
    }
    assert_eq!(told_at_start(&sandbox)["deliveries"], 1);
}
