//! Two sessions in one checkout: each has its mode and its subagents, and tasks follow the agents that do them.

use std::fs;

use serde_json::{Value, json};

use super::scene::{TASKS, project, put, state};
use crate::payload::{Payload, event, prompt, stop};
use crate::sandbox::Sandbox;

fn of(session: &str, payload: Payload) -> Payload {
    payload.with("session_id", session)
}

fn tracked(sandbox: &Sandbox) -> Vec<Value> {
    let text = fs::read_to_string(sandbox.path(".nexus/state/claude-code/agent-tracker.json"))
        .unwrap_or("[]".to_owned());
    let agents: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    agents.iter().map(|agent| agent["agent_id"].clone()).collect()
}

fn tasks(rows: &Value) -> Value {
    json!({ "goal": "g", "decisions": ["One file"], "tasks": rows })
}

#[test]
fn a_second_session_does_not_touch_mode_and_agents_of_the_first() {
    let sandbox = project();
    put(
        &sandbox,
        TASKS,
        &tasks(&json!([{ "id": 1, "title": "Store", "context": "c", "status": "pending", "deps": [] }])),
    );
    let hook = |payload: Payload| sandbox.hook("claude-code", payload).in_words();
    hook(of("a", event("SessionStart").with("source", "startup")));
    hook(of("a", prompt("[run]")));
    hook(of("a", event("SubagentStart").with("agent_id", "a1").with("agent_type", "engineer")));
    hook(of("b", event("SessionStart").with("source", "startup")));
    assert_eq!(tracked(&sandbox), ["a1"]);
    hook(of("b", prompt("[plan] something else")));
    hook(of("b", event("SubagentStart").with("agent_id", "b1").with("agent_type", "architect")));
    // The first is still in its run, and is reminded; the second is not.
    assert!(hook(of("a", stop("done"))).contains("1 of 1 tasks are not completed"));
    assert_eq!(hook(of("b", stop("done"))), "nothing");
    hook(of("b", event("SessionEnd").with("reason", "exit")));
    assert_eq!(tracked(&sandbox), ["a1"]);
    assert!(hook(of("a", stop("done"))).contains("1 of 1 tasks are not completed"));
    let compacted = hook(of("a", event("SessionStart").with("source", "compact")));
    assert!(compacted.contains("in the mode `[run]`"), "{compacted}");
    hook(of("a", event("SessionEnd").with("reason", "exit")));
    assert!(!sandbox.path(".nexus/state/claude-code/agent-tracker.json").exists());
    assert!(!sandbox.path(".nexus/state/claude-code/mode.json").exists());
}

#[test]
fn after_compaction_goal_decisions_and_what_can_be_done_come_first() {
    let sandbox = project();
    let done = (1..=45).map(|id| json!({ "id": id, "title": format!("done {id}"), "context": "c", "status": "completed", "deps": [] }));
    let open = (46..=60).map(|id| json!({ "id": id, "title": format!("open {id}"), "context": "c", "status": if id == 60 { "in_progress" } else { "pending" }, "deps": [] }));
    put(&sandbox, TASKS, &tasks(&done.chain(open).collect()));
    sandbox.hook("claude-code", prompt("[run]"));
    let reply = sandbox.hook("claude-code", event("SessionStart").with("source", "compact")).in_words();
    let place = |text: &str| reply.find(text).unwrap_or_else(|| panic!("{text}: {reply}"));
    assert!(place("Goal: g") < place("One file") && place("One file") < place("#60 in progress: open 60"));
    assert!(place("#60 in progress: open 60") < place("#46 ready: open 46"));
    assert!(place("#59 ready: open 59") < place("#1 completed: done 1"));
    assert!(reply.contains("`[run]` in the user's prompt means in this project:"), "{reply}");
    // A new session names what is ready by its title, and so does every prompt.
    let reply = sandbox.hook("claude-code", event("SessionStart").with("source", "startup")).in_words();
    assert!(
        reply.contains("in progress #60 open 60; ready: #46 open 46, #47 open 47, #48 open 48, 11 more"),
        "{reply}"
    );
}

#[test]
fn a_task_follows_its_agent_and_a_failure_is_not_completed() {
    let sandbox = project();
    sandbox.put_user_settings("[nexus]\ntask_status = true\n");
    let rows = json!([
        { "id": 1, "title": "Store", "context": "c", "status": "pending", "deps": [], "owner": "engineer" },
        { "id": 2, "title": "Search", "context": "c", "status": "pending", "deps": [1], "owner": "engineer" },
    ]);
    put(&sandbox, TASKS, &tasks(&rows));
    let agent = |name: &str, id: &str| event(name).with("agent_id", id).with("agent_type", "engineer");
    let status = |at: usize| state(&sandbox, TASKS)["tasks"][at]["status"].clone();
    sandbox.hook("claude-code", agent("SubagentStart", "e1"));
    assert_eq!(
        (status(0), &state(&sandbox, TASKS)["tasks"][0]["owner_agent_id"]),
        (json!("in_progress"), &json!("e1"))
    );
    let reply = sandbox
        .hook("claude-code", agent("SubagentStop", "e1").with("last_assistant_message", "I failed, sorry"));
    assert_eq!(status(0), "in_progress", "{}", reply.stdout);
    sandbox.hook("claude-code", agent("SubagentStart", "e1"));
    sandbox.hook(
        "claude-code",
        agent("SubagentStop", "e1").with("last_assistant_message", "Stored; all tests pass"),
    );
    assert_eq!((status(0), status(1)), (json!("completed"), json!("pending")));
}
