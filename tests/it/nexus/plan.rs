//! The tools of the plan: every field of their answers, every sentence of the contract, and what they leave on disk.

use expect_test::expect;
use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::nexus::scene::{HISTORY, PLAN, TASKS, assert_shows, half_decided, project, put, state};

fn start(client: &mut Client, topic: &str) -> Value {
    let arguments =
        json!({ "topic": topic, "issues": ["How?", "When?"], "research_summary": "Looked around" });
    client.call_json("nx_plan_start", arguments)
}

#[test]
fn a_plan_begins_with_pending_issues() {
    let sandbox = project();
    let started = start(&mut Client::new(&sandbox), "Login");
    assert_eq!(
        started,
        json!({ "created": true, "plan_id": 1, "topic": "Login", "issueCount": 2, "previousArchived": false })
    );
    assert_shows(
        &state(&sandbox, PLAN),
        &expect![[r#"
        {
          "id": 1,
          "topic": "Login",
          "issues": [
            {
              "id": 1,
              "title": "How?",
              "status": "pending"
            },
            {
              "id": 2,
              "title": "When?",
              "status": "pending"
            }
          ],
          "research_summary": "Looked around",
          "created_at": "NOW"
        }
    "#]],
    );
    assert_eq!(state(&sandbox, HISTORY), Value::Null);
    let ignored = std::fs::read_to_string(sandbox.path(".nexus/.gitignore")).expect("made");
    assert_eq!(ignored, "state/\n");
}

#[test]
fn files_are_for_people_too() {
    let sandbox = project();
    start(&mut Client::new(&sandbox), "Login");
    let text = std::fs::read_to_string(sandbox.path(PLAN)).expect("a plan");
    assert!(text.starts_with("{\n  \"id\": 1,\n") && text.ends_with("\n}\n"), "{text}");
}

#[test]
fn an_open_plan_is_archived_without_its_version_and_the_next_id_follows() {
    let sandbox = project();
    let mut open = half_decided();
    open["schema_version"] = json!("0.9");
    open["of_a_newer_version"] = json!({ "kept": true });
    put(&sandbox, PLAN, &open);
    put(&sandbox, TASKS, &json!({ "goal": "g", "decisions": [], "tasks": [] }));
    let mut client = Client::new(&sandbox);
    assert_eq!(
        start(&mut client, "Login"),
        json!({ "created": true, "plan_id": 8, "topic": "Login", "issueCount": 2, "previousArchived": true,
            "previous": { "plan_id": 7, "topic": "Storage", "decided": 1, "pending": 1 },
            "message": "plan 7 `Storage` was open, with 1 issue to decide, and went to the history; tell the user" })
    );
    let mut archived = half_decided();
    archived["of_a_newer_version"] = json!({ "kept": true });
    let history = state(&sandbox, HISTORY);
    assert_eq!(history["cycles"][0]["plan"], archived);
    let mut cycle = history["cycles"][0].clone();
    cycle["plan"] = json!("above");
    assert_shows(
        &cycle,
        &expect![[r#"
        {
          "schema_version": "0.11",
          "completed_at": "NOW",
          "branch": "main",
          "plan": "above",
          "tasks": []
        }
    "#]],
    );
    assert_eq!(state(&sandbox, TASKS)["goal"], "g", "tasks stay");
    // Numbers continue, whichever way a plan was closed.
    client.call_json("nx_task_close", json!({}));
    assert_eq!(start(&mut client, "Logout")["plan_id"], 9);
}

#[test]
fn a_plan_that_is_not_whole_is_refused_and_nothing_is_made() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    let mut whole = json!({ "topic": "t", "issues": ["i"], "research_summary": "" });
    for name in ["topic", "issues", "research_summary"] {
        let mut arguments = whole.clone();
        arguments.as_object_mut().expect("a map").remove(name);
        assert_eq!(client.error("nx_plan_start", arguments), format!("{name} is required"));
    }
    for (name, value, sentence) in [
        ("topic", json!(""), "topic must not be empty"),
        ("topic", json!(1), "`topic` must be a text, not 1"),
        ("issues", json!(["a", ""]), "issues must not have an empty title"),
        ("issues", json!("a"), "`issues` must be a list of texts, not \"a\""),
    ] {
        let mut arguments = whole.clone();
        arguments[name] = value;
        assert_eq!(client.error("nx_plan_start", arguments), sentence);
    }
    assert!(!sandbox.path(".nexus").exists());
    whole["issues"] = json!([]);
    assert_eq!(
        client.call_json("nx_plan_start", whole)["issueCount"],
        0,
        "an empty summary and no issues are fine"
    );
}

#[test]
fn the_status_shows_all_of_the_plan() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    assert_eq!(client.call_json("nx_plan_status", json!({})), json!({ "active": false }));
    assert!(!sandbox.path(".nexus").exists());
    let mut plan = half_decided();
    put(&sandbox, PLAN, &plan);
    assert_eq!(
        client.call_json("nx_plan_status", json!({})),
        json!({
            "active": true,
            "plan_id": 7,
            "topic": "Storage",
            "issues": plan["issues"],
            "research_summary": "Looked at three",
            "summary": { "total": 2, "pending": 1, "decided": 1 },
        })
    );
    plan.as_object_mut().expect("a map").remove("research_summary");
    put(&sandbox, PLAN, &plan);
    assert_eq!(client.call_json("nx_plan_status", json!({})).get("research_summary"), None);
}

#[test]
fn issues_are_added_removed_edited_and_reopened() {
    let sandbox = project();
    let mut plan = half_decided();
    plan["issues"][1]["of_a_newer_version"] = json!(1);
    put(&sandbox, PLAN, &plan);
    let mut client = Client::new(&sandbox);
    let mut update = |arguments: Value| client.call_json("nx_plan_update", arguments);
    assert_eq!(
        update(json!({ "action": "add", "title": "Who?" })),
        json!({ "added": true, "issue": { "id": 4, "title": "Who?", "status": "pending" } })
    );
    assert_eq!(
        update(json!({ "action": "edit", "issue_id": "3", "title": "Where to?" })),
        json!({ "edited": true, "issue": { "id": 3, "title": "Where to?" } })
    );
    assert_eq!(
        update(json!({ "action": "reopen", "issue_id": 1 })),
        json!({ "reopened": true, "issue": { "id": 1, "title": "Which database?", "status": "pending" } })
    );
    assert_eq!(
        update(json!({ "action": "remove", "issue_id": 4.0 })),
        json!({ "removed": true, "issue": { "id": 4 } })
    );
    plan["issues"][0]["status"] = json!("pending");
    plan["issues"][0].as_object_mut().expect("a map").remove("decision");
    plan["issues"][1]["title"] = json!("Where to?");
    assert_eq!(state(&sandbox, PLAN), plan, "what agents said stays, and so does what we do not know");
}

#[test]
fn the_sentences_of_the_contract_are_kept() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    for (tool, arguments) in [
        ("nx_plan_update", json!({ "action": "add", "title": "x" })),
        ("nx_plan_update", json!({ "action": "remove" })),
        ("nx_plan_decide", json!({ "issue_id": 1, "decision": "x" })),
    ] {
        assert_eq!(client.error(tool, arguments), "No active plan session");
    }
    assert!(!sandbox.path(".nexus").exists());
    put(&sandbox, PLAN, &half_decided());
    for (arguments, sentence) in [
        (json!({ "action": "remove" }), "issue_id is required for remove"),
        (json!({ "action": "reopen" }), "issue_id is required for reopen"),
        (json!({ "action": "edit", "issue_id": 1 }), "issue_id and title are required for edit"),
        (json!({ "action": "edit", "title": "x" }), "issue_id and title are required for edit"),
        (json!({ "action": "add" }), "title is required for add"),
        (json!({ "action": "add", "title": "" }), "title is required for add"),
        (json!({ "action": "edit", "issue_id": 9, "title": "x" }), "Issue 9 not found"),
        (json!({ "action": "remove", "issue_id": 9 }), "Issue 9 not found"),
        (json!({ "action": "reopen", "issue_id": 9 }), "Issue 9 not found"),
        (json!({ "action": "shuffle" }), "Unknown action"),
        (json!({}), "action is required"),
        (
            json!({ "action": "remove", "issue_id": "one" }),
            "`issue_id` must be a whole number, 0 or more, not \"one\"",
        ),
    ] {
        assert_eq!(client.error("nx_plan_update", arguments), sentence);
    }
    for (arguments, sentence) in [
        (json!({ "issue_id": 9, "decision": "x" }), "Issue 9 not found"),
        (json!({ "decision": "x" }), "issue_id is required"),
        (json!({ "issue_id": 1 }), "decision is required"),
        (
            json!({ "issue_id": 1, "decision": "x", "how_summary": ["a"] }),
            "`how_summary` must be a map of texts, not [\"a\"]",
        ),
    ] {
        assert_eq!(client.error("nx_plan_decide", arguments), sentence);
    }
    assert_eq!(state(&sandbox, PLAN), half_decided(), "a refusal changes nothing");
}

#[test]
fn a_decision_shows_what_remains() {
    let sandbox = project();
    let mut plan = half_decided();
    plan["issues"]
        .as_array_mut()
        .expect("a list")
        .push(json!({ "id": 4, "title": "Who?", "status": "pending" }));
    put(&sandbox, PLAN, &plan);
    let mut client = Client::new(&sandbox);
    let first = json!({
        "issue_id": "3", "decision": "Here", "how_agents": ["designer"],
        "how_summary": { "designer": "it is near" }, "how_agent_ids": { "designer": "d-1" },
    });
    assert_eq!(
        client.call_json("nx_plan_decide", first),
        json!({
            "decided": true, "issue": "Where?", "allComplete": false,
            "remaining": [{ "id": 4, "title": "Who?", "status": "pending" }],
        })
    );
    assert_eq!(
        state(&sandbox, PLAN)["issues"][1],
        json!({
            "id": 3, "title": "Where?", "status": "decided", "decision": "Here", "how_agents": ["designer"],
            "how_summary": { "designer": "it is near" }, "how_agent_ids": { "designer": "d-1" },
        })
    );
    // The old name of the parameter is understood.
    assert_eq!(
        client.call_json("nx_plan_decide", json!({ "issue_id": 4, "summary": "Me" })),
        json!({
            "decided": true, "issue": "Who?", "allComplete": true,
            "message": "All issues are decided. Turn the decisions into tasks with nx_task_add.",
        })
    );
    assert_eq!(state(&sandbox, PLAN)["issues"][2]["decision"], "Me");
}

#[test]
fn a_decision_can_be_made_again_and_keeps_what_is_not_given() {
    let sandbox = project();
    put(&sandbox, PLAN, &half_decided());
    Client::new(&sandbox)
        .call_json("nx_plan_decide", json!({ "issue_id": 1, "decision": "Files", "how_agents": null }));
    let mut issue = half_decided()["issues"][0].clone();
    issue["decision"] = json!("Files");
    assert_eq!(state(&sandbox, PLAN)["issues"][0], issue);
}

#[test]
fn a_malformed_plan_is_reported_and_set_aside_by_the_first_change() {
    let sandbox = project().file(PLAN, "{ torn");
    let mut client = Client::new(&sandbox);
    let read = client.error("nx_plan_status", json!({}));
    assert!(
        read.contains("`.nexus/state/plan.json` is malformed") && read.contains("left as it is"),
        "{read}"
    );
    let changed =
        client.error("nx_plan_start", json!({ "topic": "t", "issues": [], "research_summary": "" }));
    assert!(changed.contains("set aside as `.nexus/state/plan.json.broken-"), "{changed}");
    let aside = changed.split('`').nth(3).expect("a name");
    assert_eq!(std::fs::read_to_string(sandbox.path(aside)).expect("set aside"), "{ torn");
    assert!(!sandbox.path(PLAN).exists());
    assert_eq!(start(&mut client, "Login")["previousArchived"], false);
    assert_eq!(std::fs::read_to_string(sandbox.path(aside)).expect("still there"), "{ torn");
}
