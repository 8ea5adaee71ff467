//! What is parsed from arguments, for every parameter of every tool.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::*;
use crate::api::{Request, Tool};

fn parse(tool: &str, arguments: &Value) -> Result<NexusRequest, Refusal> {
    match Tool::by_name(tool).unwrap().parse(arguments.as_object().unwrap())? {
        Request::Nexus(request) => Ok(request),
        other => panic!("{other:?}"),
    }
}

fn check(tool: &str, arguments: &Value, expected: &Expect) {
    let read = match parse(tool, arguments) {
        Ok(request) => format!("{request:?}"),
        Err(refusal) => format!("refused: {refusal}"),
    };
    expected.assert_eq(&read);
}

#[test]
fn numbers_may_come_as_texts() {
    check(
        "nx_task_update",
        &json!({ "id": " 12 ", "status": "in_progress" }),
        &expect![
            "TaskUpdate(TaskUpdateRequest { id: 12, status: Some(InProgress), expect: None, edit: TaskEdit { title: None, context: None, approach: None, acceptance: None, risk: None, deps: None, plan_issue: None, owner: None, owner_agent_id: None, owner_reuse_policy: None } })"
        ],
    );
    check(
        "nx_history_search",
        &json!({ "last_n": 3.0 }),
        &expect!["HistorySearch(HistorySearchRequest { query: None, last_n: 3 })"],
    );
    check(
        "nx_plan_update",
        &json!({ "action": "edit", "issue_id": "2", "title": "t" }),
        &expect![[
            r#"PlanUpdate(PlanUpdateRequest { action: "edit", issue_id: Some(2), title: Some("t") })"#
        ]],
    );
    for wrong in [json!("1.5"), json!(1.5), json!("-1"), json!(""), json!(true), json!([1])] {
        let arguments = json!({ "id": wrong, "status": "pending" });
        let refused = parse("nx_task_update", &arguments).unwrap_err();
        assert_eq!(refused.to_string(), format!("`id` must be a whole number, 0 or more, not {wrong}"));
    }
}

#[test]
fn null_and_unknown_arguments_are_ignored() {
    check(
        "nx_history_search",
        &json!({ "query": null, "last_n": null, "scope": "all" }),
        &expect!["HistorySearch(HistorySearchRequest { query: None, last_n: 10 })"],
    );
    check(
        "nx_plan_decide",
        &json!({ "issue_id": 1, "decision": "", "how_agents": null }),
        &expect![[
            r#"PlanDecide(PlanDecideRequest { issue_id: 1, decision: "", how: Consultation { agents: None, summary: None, agent_ids: None }, plan_id: None })"#
        ]],
    );
    check("nx_task_close", &json!({ "force": true }), &expect!["TaskClose(Archive)"]);
}

#[test]
fn a_decision_wins_over_its_old_name() {
    check(
        "nx_plan_decide",
        &json!({ "issue_id": 1, "decision": "new", "summary": "old", "how_agents": ["a"], "how_summary": { "a": "b" } }),
        &expect![[
            r#"PlanDecide(PlanDecideRequest { issue_id: 1, decision: "new", how: Consultation { agents: Some(["a"]), summary: Some({"a": "b"}), agent_ids: None }, plan_id: None })"#
        ]],
    );
}
