//! The board as people and agents work with it: show, edit, remove, claim, graph, filters, export.

use expect_test::expect;
use serde_json::{Value, json};

use super::scene::{TASKS, project, put, state, three_tasks};
use crate::mcp_client::Client;
use crate::sandbox::Sandbox;

/// A project with four tasks: one done, one in progress, one that waits, one that is ready.
fn scene() -> Sandbox {
    let sandbox = project();
    put(&sandbox, TASKS, &three_tasks());
    sandbox
}

#[test]
fn a_task_is_shown_in_full_and_edited_field_by_field() {
    let sandbox = scene();
    let edit = [
        "task",
        "edit",
        "5",
        "--title",
        "Search well",
        "--acceptance",
        "finds\nparts",
        "--owner",
        "engineer",
    ];
    sandbox.run(edit).code(0).stderr(expect![[r"
        edited task 5: Search well
    "]]);
    sandbox.run(["task", "show", "5"]).code(0).stdout(expect![[r"
        task 5: Search well  pending
          context    c
          acceptance finds
                     parts
          owner      engineer
          waits for  2 Store
    "]]);
    let shown = sandbox.run(["task", "show", "2", "--json"]).json();
    assert_eq!(
        (&shown["ready"], &shown["waited_for_by"]),
        (&json!(false), &json!([{ "id": 5, "title": "Search well" }]))
    );
    // An empty text removes; a status that is not the expected one stops.
    sandbox.run(["task", "edit", "5", "--acceptance", "", "--deps", ""]).code(0);
    let task = &state(&sandbox, TASKS)["tasks"][2];
    assert_eq!((&task["acceptance"], &task["deps"]), (&Value::Null, &json!([])));
    sandbox.run(["task", "update", "1", "pending", "--expect", "in_progress"]).code(1).stderr(expect![[r"
        error: task 1 is completed, not in progress
        hint: `nudge task show 1` shows the task
    "]]);
    sandbox.run(["task", "edit", "5"]).code(2);
    sandbox.run(["task", "show", "9"]).code(1).stderr(expect![[r#"
        error: task id 9 not found
        hint: `nudge task` lists the tasks
    "#]]);
}

#[test]
fn what_could_never_begin_is_refused() {
    let sandbox = scene();
    sandbox.run(["task", "add", "x", "--deps", "1,7"]).code(1).stderr(expect![[r#"
        error: task 7 cannot wait for itself
        hint: `nudge task graph` shows what waits for what
    "#]]);
    sandbox.run(["task", "edit", "1", "--deps", "5"]).code(1).stderr(expect![[r"
        error: tasks would wait for each other: 1 → 5 → 1
        hint: `nudge task graph` shows what waits for what
    "]]);
    sandbox.run(["task", "edit", "2", "--deps", "2"]).code(1);
    sandbox.run(["task", "add", "x", "--owner", "enginer"]).code(1).stderr(expect![[r"
        error: there is no role `enginer`: did you mean `engineer`?
        hint: `nudge nexus vocabulary` lists the roles; any other name is accepted as it is
    "]]);
    assert_eq!(state(&sandbox, TASKS), three_tasks());
    // An agent of the project may have any name.
    sandbox.put(".claude/agents/enginer.md", "---\nname: enginer\n---\n");
    sandbox.run(["task", "add", "x", "--owner", "enginer"]).code(0);
    sandbox.run(["task", "add", "y", "--owner", "backend-team"]).code(0);
}

#[test]
fn a_removed_task_is_waited_for_no_more() {
    let sandbox = scene();
    sandbox.run(["task", "remove", "2"]).code(0).stderr(expect![[r"
        removed task 2: Store
        no longer waiting for it: 5
    "]]);
    assert_eq!(sandbox.run(["task", "--json"]).json()["summary"]["ready"], json!([5, 6]));
}

#[test]
fn of_several_claimers_one_gets_the_task() {
    let sandbox = scene();
    sandbox.run(["task", "claim", "5"]).code(1).stderr(expect![[r"
        error: task 5 waits for 2
        hint: `nudge task show 5` shows the task
    "]]);
    let outcomes: Vec<Option<i32>> = std::thread::scope(|scope| {
        let claim = |number: usize| {
            let sandbox = &sandbox;
            scope.spawn(move || {
                let me = format!("agent-{number}");
                sandbox.run(["task", "claim", "6", "--owner-agent-id", &me]).code
            })
        };
        let running: Vec<_> = (0..8).map(claim).collect();
        running.into_iter().map(|one| one.join().expect("it ends")).collect()
    });
    assert_eq!(outcomes.iter().filter(|code| **code == Some(0)).count(), 1, "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|code| **code == Some(1)).count(), 7, "{outcomes:?}");
    sandbox.run(["task", "claim", "--next"]).code(1).stderr(expect![[r"
        error: no task is ready
        hint: `nudge task` shows what waits for what
    "]]);
    sandbox.run(["task", "done", "2"]).code(0);
    let claimed = sandbox.run(["task", "claim", "--next", "--owner", "engineer", "--json"]).json();
    assert_eq!((&claimed["task"]["id"], &claimed["task"]["owner"]), (&json!(5), &json!("engineer")));
    // Over MCP the same is an expected status.
    let mut client = Client::new(&sandbox);
    let taken =
        client.error("nx_task_update", json!({ "id": 5, "status": "in_progress", "expect": "pending" }));
    assert!(taken.contains("task 5 is in progress, not pending"), "{taken}");
}

#[test]
fn tools_filter_and_edit_with_extra_parameters() {
    let sandbox = scene();
    let mut client = Client::new(&sandbox);
    let ids = |listed: &Value| {
        listed["tasks"].as_array().expect("tasks").iter().map(|task| task["id"].clone()).collect::<Vec<_>>()
    };
    let listed = client.call_json("nx_task_list", json!({ "ready": true }));
    assert_eq!((ids(&listed), &listed["summary"]["total"]), (vec![json!(6)], &json!(4)));
    assert_eq!(ids(&client.call_json("nx_task_list", json!({ "status": "completed" }))), [1]);
    let limited = client.call_json("nx_task_list", json!({ "limit": 1 }));
    assert_eq!((ids(&limited), &limited["more"]), (vec![json!(1)], &json!(3)));
    let edit = json!({ "id": 6, "owner_agent_id": "a-7", "owner": "writer", "title": "Guide" });
    let edited = client.call_json("nx_task_update", edit);
    assert_eq!(
        (&edited["task"]["owner_agent_id"], &edited["task"]["status"]),
        (&json!("a-7"), &json!("pending"))
    );
    assert_eq!(ids(&client.call_json("nx_task_list", json!({ "owner": "writer" }))), [6]);
    let refused = client.error("nx_task_add", json!({ "title": "t", "context": "c", "deps": [99] }));
    assert!(refused.contains("there is no task 99 to wait for"), "{refused}");
    sandbox.run(["task", "list", "--ready"]).stdout(expect![[r"
        Ship it  1 of 4 done

        ready
           6  Guide  writer
    "]]);
}

#[test]
fn the_graph_is_a_tree_and_a_diagram() {
    let sandbox = scene();
    sandbox.run(["task", "graph"]).code(0).stdout(expect![[r"
        ✓ 1  Schema
        ├─ ▶ 2  Store
        │  └─ · 5  Search
        ├─ · 5  Search  (see above)
        └─ ○ 6  Docs
    "]]);
    let mermaid = sandbox.run(["task", "graph", "--mermaid"]).stdout;
    assert!(mermaid.starts_with("flowchart TD\n    t1[\"1 Schema\"]:::done\n"), "{mermaid}");
    assert!(mermaid.contains("    t2 --> t5\n"), "{mermaid}");
    let graph = sandbox.run(["task", "graph", "--json"]).json();
    assert_eq!((graph["nodes"].as_array().map(Vec::len), &graph["circles"]), (Some(4), &json!([])));
    // A board that was written by hand may have a circle.
    let circle = json!({ "goal": "g", "decisions": [], "tasks": [
        { "id": 1, "title": "a \"b\"", "context": "c", "status": "pending", "deps": [2] },
        { "id": 2, "title": "b", "context": "c", "status": "pending", "deps": [1] },
    ] });
    put(&sandbox, TASKS, &circle);
    let drawn = sandbox.run(["task", "graph"]).stdout;
    assert!(drawn.contains("these wait for each other: 1 → 2 → 1"), "{drawn}");
    assert!(sandbox.run(["task", "graph", "--mermaid"]).stdout.contains("t1[\"1 a &quot;b&quot;\"]"));
    let checked = sandbox.run(["nexus", "check"]);
    assert!(checked.stdout.contains("tasks 1, 2 wait for each other"), "{}", checked.stdout);
}

#[test]
fn the_board_is_exported_in_three_formats() {
    let sandbox = scene();
    sandbox.run(["task", "edit", "6", "--owner", "writer", "--acceptance", "a page"]).code(0);
    sandbox.run(["task", "export"]).code(0).stdout(expect![[r"
        # Ship it

        Decided:

        - Use SQLite

        ## 1. Schema

        Status: done

        **Context:** c

        ## 2. Store

        Status: in progress · waits for: 1

        **Context:** c

        ## 5. Search

        Status: pending · waits for: 1, 2

        **Context:** c

        ## 6. Docs

        Status: pending · owner: writer · waits for: 1

        **Context:** c

        **Acceptance:** a page
    "]]);
    sandbox.run(["task", "export", "--format", "github"]).code(0).stdout(expect![[r"
        Ship it

        Decided:

        - Use SQLite

        ### Tasks

        - [x] **1.** Schema
        - [ ] **2.** Store
          - after 1
        - [ ] **5.** Search
          - after 1, 2
        - [ ] **6.** Docs (writer)
          - after 1
          - acceptance: a page
    "]]);
    let beads = sandbox.run(["task", "export", "--format", "beads"]).stdout;
    let rows: Vec<Value> = beads.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows.len(), 4);
    assert_eq!((&rows[0]["id"], &rows[0]["status"]), (&json!("nx-1"), &json!("closed")));
    assert!(rows[0]["closed_at"].is_string() && rows[1]["closed_at"].is_null());
    assert_eq!(rows[2]["dependencies"][1]["depends_on_id"], "nx-2");
    let wrapped = sandbox.run(["task", "export", "--format", "beads", "--json"]).json();
    assert_eq!(wrapped["format"], "beads");
}
