//! What a live row says besides its text: agent, branch, worktree, exit code, duration, and the rule that blocked it.

use std::process::Command;

use expect_test::expect;
use serde_json::{Value, json};

use crate::payload::{bash, event, tool, write};
use crate::sandbox::Sandbox;

const NO_BAD: &str = "version: 1\nrules:\n  - { name: no-bad, on: { hook: PreToolUse, tool: Write }, \
     match: { content: BAD }, action: interrupt, message: 'never BAD' }\n";

fn rows(sandbox: &Sandbox, query: &str) -> Vec<Value> {
    let found = sandbox.run(["search", query, "--json"]).json();
    found["items"].as_array().expect("a list").clone()
}

#[test]
fn what_a_rule_blocked_is_neither_a_failure_nor_open() {
    let sandbox = Sandbox::new().rule("a.yaml", NO_BAD);
    sandbox.hook("claude-code", write("a.ts", "BAD"));
    sandbox.end_turn();
    let found = rows(&sandbox, "blocked");
    assert_eq!(found.len(), 1);
    let facts = ["obs_type", "kind", "rule", "harness"].map(|name| found[0][name].clone());
    assert_eq!(facts, ["command_error", "rule", "no-bad", "claude-code"]);
    let stats = sandbox.run(["stats", "--json"]).json();
    assert_eq!(stats["failure_rate"], Value::Null);
    assert_eq!((&stats["blocked"], &stats["by_rule"]), (&json!(1), &json!({ "no-bad": 1 })));
    let sessions = sandbox.run(["sessions", "--json"]).json();
    let session = &sessions["items"][0];
    assert_eq!((&session["failures"], &session["blocked"]), (&json!(0), &json!(1)));
    let shown = sandbox.run(["show", "1"]).stdout;
    assert!(shown.contains("rule     no-bad") && shown.contains("agent    claude-code"), "{shown}");
    let story = sandbox.run(["sessions", "session-1"]).stdout;
    assert!(story.contains(" by claude-code") && story.contains("1 blocked"), "{story}");
    let start = event("SessionStart").with("source", "startup").session("session-2");
    let told = sandbox.hook("claude-code", start).stdout;
    assert!(!told.contains("still open"), "{told}");
}

#[test]
fn the_duration_is_measured_where_the_agent_does_not_say_it() {
    let sandbox = Sandbox::new();
    let before = json!({
        "session_id": "s", "cwd": sandbox.path(""), "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command", "tool_input": { "command": "make" },
    });
    let mut after = before.clone();
    after["hook_event_name"] = json!("AfterTool");
    after["tool_response"] = json!({ "llmContent": "Output: ok\nExit Code: 0" });
    let hook = |payload: &Value| {
        sandbox.run_with(["hook", "--harness", "gemini-cli"], payload.to_string().as_bytes());
    };
    hook(&before);
    hook(&after);
    // Without its start nobody knows how long a call took.
    after["tool_response"] = json!({ "llmContent": "Output: again\nExit Code: 0" });
    hook(&after);
    let found = rows(&sandbox, "make");
    assert_eq!(found[0]["times"], 2);
    let all: Vec<Value> = ["1", "2"]
        .map(|id| sandbox.run(["show", id, "--json"]).json()["items"][0]["metadata"].clone())
        .into();
    assert!(all[0]["duration_ms"].is_u64() && all[0]["exit_code"] == 0, "{all:?}");
    assert_eq!((&all[0]["harness"], &all[1]["duration_ms"]), (&json!("gemini-cli"), &Value::Null));
}

#[test]
fn a_linked_worktree_has_its_name_on_every_row() {
    let sandbox = Sandbox::new();
    let git = |args: &[&str]| {
        let done = Command::new("git").args(args).current_dir(sandbox.path("")).output().expect("git runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    std::fs::remove_dir(sandbox.path(".git")).expect("an empty folder");
    git(&["init", "-q", "-b", "main"]);
    git(&["-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "x"]);
    git(&["worktree", "add", "-q", "-b", "side", "../linked"]);
    sandbox.hook("claude-code", bash("make").after());
    sandbox.hook("claude-code", bash("make").after().with("tool_use_id", "t2").cwd("../linked"));
    let sessions = sandbox.run(["sessions", "--json"]).json();
    let session = &sessions["items"][0];
    assert_eq!((&session["branch"], &session["worktree"]), (&json!("side"), &json!("linked")));
    let shown = sandbox.run(["show", "1", "2"]).stdout;
    let places: Vec<&str> = shown.lines().filter(|line| line.starts_with("branch")).collect();
    assert_eq!(places, ["branch   main", "branch   side in worktree linked"]);
}

#[test]
fn stats_name_agents_rules_and_where_the_time_went() {
    let sandbox = Sandbox::new().rule("a.yaml", NO_BAD);
    sandbox.hook("claude-code", write("a.ts", "BAD"));
    sandbox.hook("claude-code", bash("make all").after().with("duration_ms", 75_000));
    sandbox.end_turn();
    let stats = sandbox.run(["stats"]).stdout;
    let from = stats.find("By agent").expect("a heading");
    let to = stats.find("By day").expect("a heading");
    expect![[r#"
        By agent
        claude-code          2  1 session

        Blocked by rules
              1  no-bad

        Where commands spent their time
        1 m 15 s  make all  1 run, the longest 1 m 15 s

    "#]]
    .assert_eq(&stats[from..to]);
}

#[test]
fn a_look_that_fails_is_kept_but_is_no_failure_of_a_command() {
    let sandbox = Sandbox::new();
    let read = |session: &str, id: &str| {
        let call = tool("Read", json!({ "file_path": "big.json" })).session(session);
        let call = call.with("hook_event_name", "PostToolUseFailure").with("tool_use_id", id);
        call.with("error", "File content (31337 tokens) exceeds maximum allowed tokens (25000)")
    };
    for (session, id) in [("s1", "t1"), ("s2", "t2")] {
        assert_eq!(sandbox.hook("claude-code", read(session, id)).stdout, "", "nothing is said after it");
        sandbox.hook("claude-code", bash("make").after().session(session).with("tool_use_id", id));
        sandbox.end_turn();
    }
    let stats = sandbox.run(["stats", "--json"]).json();
    assert_eq!((&stats["failure_rate"], &stats["failed_looks"]), (&json!(0.0), &json!(2)));
    assert_eq!(sandbox.run(["sessions", "--json"]).json()["items"][0]["failures"], 0);
    let told =
        sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session("s3")).stdout;
    assert!(told.contains("Read: File content") && told.contains("2 sessions"), "{told}");
    assert!(!told.contains("still open"), "{told}");
}
