//! Closing asks about open tasks, keeps goal and decisions, archives nothing empty, and can be undone.

use expect_test::expect;
use serde_json::{Value, json};

use super::scene::{HISTORY, PLAN, TASKS, half_decided, project, put, state, three_tasks};
use crate::mcp_client::Client;

#[test]
fn open_tasks_are_carried_over_or_dropped_but_never_lost() {
    let sandbox = project();
    put(&sandbox, TASKS, &three_tasks());
    sandbox.run(["task", "close"]).code(1).stderr(expect![[r"
        error: 3 tasks are not completed: 2 Store, 5 Search, 6 Docs
        hint: `--carry` keeps them on the board for the next cycle, `--drop` moves them to the history unfinished
    "]]);
    assert_eq!((state(&sandbox, TASKS), state(&sandbox, HISTORY)), (three_tasks(), Value::Null));
    sandbox.run(["task", "close", "--carry"]).code(0).stderr(expect![[r"
        closed on main: 0 decisions, 1 task
        3 open tasks stayed on the board
        the history has 1 cycle now; commit `.nexus` to share it
    "]]);
    let tasks = state(&sandbox, TASKS);
    assert_eq!(tasks["goal"], "Ship it");
    let deps = |at: usize| tasks["tasks"][at]["deps"].clone();
    assert_eq!(
        (deps(0), deps(1), deps(2)),
        (json!([]), json!([2]), json!([])),
        "what was waited for is done"
    );
    sandbox.run(["task", "close", "--drop"]).code(0).stderr(expect![[r"
        closed on main: 0 decisions, 3 tasks
        3 tasks went to the history unfinished; `nudge task reopen` opens the cycle again
        the history has 2 cycles now; commit `.nexus` to share it
    "]]);
    assert_eq!(state(&sandbox, TASKS), Value::Null);
    // Nothing is open, so nothing is archived.
    sandbox.run(["task", "close"]).code(1).stderr(expect![[r"
        error: nothing is open: there is neither a plan nor a task
        hint: `nudge history` shows closed cycles
    "]]);
    assert_eq!(state(&sandbox, HISTORY)["cycles"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_closing_that_would_archive_nothing_is_refused() {
    let sandbox = project();
    sandbox.run(["task", "add", "Store"]).code(0);
    sandbox.run(["task", "close", "--carry"]).code(1).stderr(expect![[r"
        error: no plan is open and no task is completed, so there is nothing to close
        hint: the open tasks are on the board already; `--drop` moves them to the history
    "]]);
    assert_eq!(state(&sandbox, HISTORY), Value::Null);
    let mut client = Client::new(&sandbox);
    let refused = client.error("nx_task_close", json!({ "open_tasks": "carry" }));
    assert!(refused.contains("nothing to close"), "{refused}");
}

#[test]
fn a_cycle_whose_open_tasks_were_carried_over_can_be_opened_again() {
    let sandbox = project();
    put(&sandbox, PLAN, &half_decided());
    put(&sandbox, TASKS, &three_tasks());
    sandbox.run(["task", "close", "--carry"]).code(0);
    sandbox.run(["task", "add", "Later"]).code(0);
    sandbox.run(["task", "reopen"]).code(0);
    assert_eq!(state(&sandbox, PLAN)["topic"], "Storage");
    let tasks = state(&sandbox, TASKS);
    let ids: Vec<_> =
        tasks["tasks"].as_array().expect("tasks").iter().map(|task| task["id"].clone()).collect();
    assert_eq!(
        (&tasks["goal"], ids),
        (&json!("Ship it"), vec![json!(1), json!(2), json!(5), json!(6), json!(7)])
    );
    // Tasks that have nothing to do with the closed cycle are not mixed with it.
    sandbox.run(["task", "close", "--drop"]).code(0);
    sandbox.run(["task", "add", "Other"]).code(0);
    sandbox.run(["task", "reopen"]).code(1).stderr(expect![[r"
        error: a plan or tasks are open
        hint: close it first: `nudge task close`
    "]]);
}

#[test]
fn goal_and_decisions_are_kept_found_and_brought_back() {
    let sandbox = project();
    put(&sandbox, PLAN, &half_decided());
    put(&sandbox, TASKS, &three_tasks());
    sandbox.run(["task", "close", "--drop"]).code(0);
    let more = &state(&sandbox, ".nexus/history.extension.json");
    assert_eq!(more["extends"], "history.json");
    let one = &more["cycle_extensions"][0];
    assert_eq!((&one["goal"], &one["decisions"]), (&json!("Ship it"), &json!(["Use SQLite"])));
    for query in ["ship IT", "use sqlite"] {
        assert_eq!(sandbox.run(["history", "search", query, "--json"]).json()["total"], 1, "{query}");
        assert!(sandbox.run(["search", query]).stdout.contains("history"), "{query}");
    }
    assert!(sandbox.run(["history"]).stdout.contains("goal: Ship it"));
    sandbox.run(["task", "reopen"]).code(0);
    let (plan, tasks) = (state(&sandbox, PLAN), state(&sandbox, TASKS));
    assert_eq!(
        (&plan["topic"], &plan["id"]),
        (&json!("Storage"), &json!(8)),
        "its number belongs to the closed plan"
    );
    assert_eq!(tasks, three_tasks());
    sandbox.run(["task", "reopen"]).code(1).stderr(expect![[r"
        error: a plan or tasks are open
        hint: close it first: `nudge task close`
    "]]);
    sandbox.run(["task", "close", "--drop"]).code(0);
    let topics: Vec<_> = state(&sandbox, HISTORY)["cycles"]
        .as_array()
        .expect("cycles")
        .iter()
        .map(|cycle| cycle["plan"]["id"].clone())
        .collect();
    assert_eq!(topics, [7, 8]);
    sandbox.run(["task", "reopen", "1999"]).code(1);
}

#[test]
fn a_tool_that_closes_says_what_it_left_open() {
    let sandbox = project();
    put(&sandbox, TASKS, &three_tasks());
    let mut client = Client::new(&sandbox);
    let refused = client.error("nx_task_close", json!({ "open_tasks": "refuse" }));
    assert!(refused.contains("3 tasks are not completed"), "{refused}");
    assert!(refused.contains("open_tasks `carry` keeps them on the board"), "{refused}");
    let carried = client.call_json("nx_task_close", json!({ "open_tasks": "carry" }));
    assert_eq!((&carried["carried"], &carried["archived"]["tasks"]), (&json!([2, 5, 6]), &json!(1)));
    let closed = client.call_json("nx_task_close", json!({}));
    assert_eq!(closed["left_open"][0], json!({ "id": 2, "title": "Store" }));
    assert!(closed["message"].as_str().is_some_and(|text| text.contains("`nudge task reopen`")), "{closed}");
    // An empty cycle is what the contract wants of a first one; a second one is not added.
    let cycles = || state(&sandbox, HISTORY)["cycles"].as_array().map(Vec::len);
    client.call_json("nx_task_close", json!({}));
    assert_eq!(cycles(), Some(3));
    client.call_json("nx_task_close", json!({}));
    assert_eq!(cycles(), Some(3));
}

#[test]
fn a_plan_is_not_archived_by_mistake() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    let start = json!({ "topic": "Login", "issues": ["How?", "Where?"], "research_summary": "r" });
    client.call_json("nx_plan_start", start.clone());
    client.call_json("nx_plan_decide", json!({ "issue_id": 1, "decision": "With a key" }));
    // A model that is unsure calls it again.
    let again = client.call_json("nx_plan_start", start);
    assert_eq!((&again["plan_id"], &again["previousArchived"]), (&json!(1), &json!(false)));
    assert_eq!(state(&sandbox, PLAN)["issues"][0]["decision"], "With a key");
    let refused = client.error(
        "nx_plan_start",
        json!({ "topic": "B", "issues": [], "research_summary": "r", "previous": "refuse" }),
    );
    assert!(refused.contains("plan 1 `Login` is open, with 1 issue to decide"), "{refused}");
    sandbox.run(["plan", "start", "Other"]).code(1).stderr(expect![[r"
        error: plan 1 `Login` is open, with 1 issue to decide
        hint: `--archive` moves it to the history
    "]]);
    let other =
        client.call_json("nx_plan_start", json!({ "topic": "B", "issues": ["x"], "research_summary": "r" }));
    assert_eq!(other["previous"], json!({ "plan_id": 1, "topic": "Login", "decided": 1, "pending": 1 }));
    // Another session still means the old plan.
    let stale = client.error("nx_plan_decide", json!({ "issue_id": 1, "decision": "d", "plan_id": 1 }));
    assert!(stale.contains("plan 2 is open, not plan 1"), "{stale}");
    sandbox.run(["search", "With a key"]).code(0);
    let found = sandbox.run(["plan", "start", "Third", "--archive"]);
    assert!(found.stderr.contains("plan 2 `B` went to the history"), "{}", found.stderr);
    assert!(sandbox.run(["search", "Third"]).stdout.contains("plan     Third"), "an open plan is found");
}
