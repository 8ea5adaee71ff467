//! Plan, tasks, history and artifacts on the command line: the board, the words, and the same JSON as over MCP.

use expect_test::expect;
use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::nexus::scene::{HISTORY, PLAN, TASKS, half_decided, project, put, state, three_tasks};

#[test]
fn a_status_line_has_goal_and_tasks_and_nothing_of_a_server() {
    let sandbox = project();
    let line = || sandbox.run(["status", "--line"]).code(0).stdout.clone();
    assert_eq!(line(), "");
    sandbox.run(["plan", "start", "Move to SQLite", "--issue", "One file?"]).code(0);
    assert_eq!(line(), "Move to SQLite · 0 of 1 decided\n");
    sandbox.run(["task", "add", "Schema\n\u{202e}x", "--goal", "Move"]).code(0);
    sandbox.run(["task", "add", "Import", "--deps", "1"]).code(0);
    assert_eq!(line(), "Move · 0 of 2 done · ready: 1 Schema ⏎ \\u{202e}x\n");
    sandbox.run(["task", "start", "1"]).code(0);
    assert_eq!(line(), "Move · 0 of 2 done · in progress: 1 Schema ⏎ \\u{202e}x\n");
    sandbox.put(".nexus/state/tasks.json", "{");
    assert_eq!(line(), "Move to SQLite · 0 of 1 decided\n");
}

#[test]
fn the_board_has_four_groups() {
    let sandbox = project();
    put(&sandbox, TASKS, &three_tasks());
    sandbox.run(["task"]).code(0).stdout(expect![[r#"
        Ship it  1 of 4 done

        ready
           6  Docs

        in progress
           2  Store

        blocked
           5  Search  by 2

        done
           1  Schema
    "#]]);
    let coloured = sandbox.run(["task", "--color", "always"]);
    assert!(coloured.stdout.contains("\u{1b}[1m\u{1b}[32mready"), "{:?}", coloured.stdout);
}

#[test]
fn the_board_says_what_can_never_begin_and_what_it_does_not_know() {
    let sandbox = project();
    put(
        &sandbox,
        TASKS,
        &json!({ "goal": "", "decisions": [], "tasks": [
            { "id": 1, "title": "a\u{1b}[31m", "context": "c", "status": "pending", "deps": [9], "owner": "tester" },
            { "id": 2, "title": "b", "context": "c", "status": "paused", "deps": [] },
        ] }),
    );
    sandbox.run(["task"]).code(0).stdout(expect![[r#"
        no goal  0 of 2 done

        blocked
           1  a[31m  tester  by 9, which does not exist

        other
           2  b  paused
    "#]]);
}

#[test]
fn nothing_yet_is_said_and_makes_no_folder() {
    let sandbox = project();
    sandbox.run(["task"]).code(0).stdout(expect![""]).stderr(expect![[r"
        there are no tasks: `nudge task add` adds one
    "]]);
    sandbox.run(["plan"]).code(0).stdout(expect![""]).stderr(expect![[r"
        no plan is open: `nudge plan start` begins one
    "]]);
    sandbox.run(["history"]).code(0).stdout(expect![""]).stderr(expect![[r#"
        no cycle is closed yet: `nudge task close` closes the open one
    "#]]);
    sandbox.run(["artifact"]).code(0).stdout(expect![""]).stderr(expect![[r#"
        there are no artifacts: `nudge artifact write NAME FILE` writes one
    "#]]);
    sandbox.run(["plan", "decide", "1", "x"]).code(1).stderr(expect![[r#"
        error: no active plan session
        hint: `nudge plan start` begins one
    "#]]);
    sandbox.run(["task", "done", "1"]).code(1).stderr(expect![[r"
        error: tasks.json not found
        hint: `nudge task add` adds the first task
    "]]);
    assert!(!sandbox.path(".nexus").exists());
}

#[test]
fn json_is_what_the_tool_answers() {
    let sandbox = project();
    put(&sandbox, PLAN, &half_decided());
    put(&sandbox, TASKS, &three_tasks());
    let mut earlier = half_decided();
    earlier["id"] = json!(6);
    put(&sandbox, HISTORY, &json!({ "cycles": [{ "branch": "a", "plan": earlier, "tasks": [] }] }));
    let mut client = Client::new(&sandbox);
    assert_eq!(sandbox.run(["plan", "--json"]).json(), client.call_json("nx_plan_status", json!({})));
    assert_eq!(
        sandbox.run(["plan", "status", "--json"]).json(),
        client.call_json("nx_plan_status", json!({}))
    );
    assert_eq!(sandbox.run(["task", "--json"]).json(), client.call_json("nx_task_list", json!({})));
    let found = client.call_json("nx_history_search", json!({ "query": "sqlite" }));
    assert_eq!(sandbox.run(["history", "search", "sqlite", "--json"]).json(), found);
    assert_eq!(
        sandbox.run(["plan", "reopen", "1", "--json"]).json(),
        json!({ "reopened": true, "issue": { "id": 1, "title": "Which database?", "status": "pending" } })
    );
    assert_eq!(
        sandbox.run(["plan", "decide", "1", "Files", "--json"]).json(),
        json!({
            "decided": true, "issue": "Which database?", "allComplete": false,
            "remaining": [{ "id": 3, "title": "Where?", "status": "pending" }],
        })
    );
    assert_eq!(
        sandbox.run(["task", "update", "6", "in_progress", "--json"]).json()["task"]["status"],
        "in_progress"
    );
    assert_eq!(sandbox.run(["task", "close", "--drop", "--json"]).json()["total_cycles"], 2);
    assert_eq!(
        sandbox.run(["plan", "start", "Login", "--issue", "How?", "--json"]).json(),
        json!({ "created": true, "plan_id": 8, "topic": "Login", "issueCount": 1, "previousArchived": false })
    );
    let path = sandbox.run_with(["artifact", "write", "a.md", "--json"], b"text").json();
    assert_eq!(path, json!({ "success": true, "path": "$BASE/project/.nexus/state/artifacts/a.md" }));
}

#[test]
fn every_option_of_a_task_is_kept() {
    let sandbox = project();
    sandbox.run(["task", "add", "a"]).code(0);
    sandbox.run(["task", "add", "b"]).code(0);
    let mut task = sandbox
        .run([
            "task",
            "add",
            "Store",
            "--context",
            "why",
            "--deps",
            "1,#2",
            "--approach",
            "a",
            "--acceptance",
            "b",
            "--risk",
            "c",
            "--plan-issue",
            "3",
            "--goal",
            "Ship it",
            "--decision",
            "SQLite",
            "--decision",
            "FTS5",
            "--owner",
            "engineer",
            "--owner-agent-id",
            "e-1",
            "--owner-reuse-policy",
            "resume",
            "--json",
        ])
        .json()["task"]
        .take();
    task.as_object_mut().expect("a map").remove("created_at");
    assert_eq!(
        task,
        json!({
            "id": 3, "title": "Store", "context": "why", "approach": "a", "acceptance": "b", "risk": "c",
            "status": "pending", "deps": [1, 2], "plan_issue": 3, "owner": "engineer", "owner_agent_id": "e-1",
            "owner_reuse_policy": "resume",
        })
    );
    let tasks = state(&sandbox, TASKS);
    assert_eq!((&tasks["goal"], &tasks["decisions"]), (&json!("Ship it"), &json!(["SQLite", "FTS5"])));
}

#[test]
fn what_was_done_is_said_beside_the_data() {
    let sandbox = project();
    sandbox
        .run(["plan", "start", "Storage", "--issue", "Which?", "--research", "Looked"])
        .code(0)
        .stdout(expect![""])
        .stderr(expect![[r"
            plan 1 begins: Storage (1 issue)
        "]]);
    sandbox.run(["plan", "add", "Where?"]).stderr(expect![[r#"
        added issue 2: Where?
    "#]]);
    sandbox.run(["plan", "edit", "#2", "Where to?"]).stderr(expect![[r#"
        edited issue 2: Where to?
    "#]]);
    sandbox.run(["plan", "decide", "1", "SQLite\nfor good"]).stderr(expect![[r"
        decided: Which?
        1 issue to go
    "]]);
    sandbox.run(["plan"]).stdout(expect![[r#"
        plan 1: Storage  1 of 2 decided
          Looked
          ✓  1  Which?
                SQLite
                for good
          ?  2  Where to?
    "#]]);
    sandbox.run(["plan", "remove", "2"]).stderr(expect![[r#"
        removed issue 2
    "#]]);
    sandbox.run(["plan", "start", "Login", "--archive"]).stderr(expect![[r#"
        plan 1 `Storage` went to the history
        plan 2 begins: Login (0 issues)
    "#]]);
    sandbox.run(["task", "add", "Do it"]).stderr(expect![[r#"
        added task 1: Do it
    "#]]);
    assert_eq!(state(&sandbox, TASKS)["tasks"][0]["context"], "Do it");
    sandbox.run(["task", "start", "1"]).stderr(expect![[r#"
        in progress task 1: Do it
    "#]]);
    sandbox.run(["task", "done", "1"]).stderr(expect![[r#"
        done task 1: Do it
    "#]]);
    sandbox.run(["task", "close"]).code(0).stdout(expect![""]).stderr(expect![[r"
        closed on main: 0 decisions, 1 task
        the history has 2 cycles now; commit `.nexus` to share it
    "]]);
    let shown = crate::memory::scene::timeless(sandbox.run(["history"]));
    shown.stdout(expect![[r"
        2026-01-05 14:30  Storage  main  0 tasks
          Which? → SQLite ⏎ for good
        2026-01-05 14:30  Login  main  1 task
    "]]);
    sandbox.run(["history", "--last", "1"]).stderr(expect![[r#"
        1 cycle before these: `--limit` shows more
    "#]]);
}

#[test]
fn artifacts_are_listed_by_name() {
    let sandbox = project();
    sandbox.run_with(["artifact", "write", "b/c.md"], b"from stdin").code(0).stderr(expect![[r"
        written: $BASE/project/.nexus/state/artifacts/b/c.md
    "]]);
    sandbox.put("notes.txt", "from a file");
    sandbox.run(["artifact", "write", "a.md", "notes.txt"]).code(0);
    let text = std::fs::read_to_string(sandbox.path(".nexus/state/artifacts/a.md")).expect("written");
    assert_eq!(text, "from a file");
    sandbox.run(["artifact"]).stdout(expect![[r"
        a.md
        b/c.md
    "]]);
    assert_eq!(
        sandbox.run(["artifact", "list", "--json"]).json(),
        json!({ "items": ["a.md", "b/c.md"], "total": 2 })
    );
    sandbox.run(["artifact", "write", "../a", "notes.txt"]).code(1).stderr(expect![[r"
        error: `../a` is not a valid file name: it is outside the artifacts folder
    "]]);
    sandbox.run(["artifact", "write", "a", "gone.txt"]).code(1).stderr(expect![[r"
        error: `gone.txt` cannot be read: No such file or directory (os error 2)
        hint: an artifact is a text file in UTF-8
    "]]);
}

#[test]
fn the_project_is_named_found_or_here() {
    let root = |sandbox: crate::sandbox::Sandbox| -> Value {
        sandbox.run_with(["artifact", "write", "a", "--json"], b"").json()["path"].take()
    };
    assert_eq!(root(project().from("src/deep")), "$BASE/project/.nexus/state/artifacts/a");
    let named = project().env("CLAUDE_PROJECT_DIR", "$BASE/elsewhere");
    assert_eq!(root(named), "$BASE/elsewhere/.nexus/state/artifacts/a");
    let both = project().env("CLAUDE_PROJECT_DIR", "$BASE/elsewhere").env("NEXUS_PROJECT_ROOT", "$BASE/home");
    assert_eq!(root(both), "$BASE/home/.nexus/state/artifacts/a");
    assert_eq!(root(project().from("../elsewhere")), "$BASE/elsewhere/.nexus/state/artifacts/a");
}

#[test]
fn an_environment_that_cannot_be_meant_is_a_problem() {
    let sandbox = project().env("NEXUS_PROJECT_ROOT", "here").env("NEXUS_HARNESS_ID", "Claude Code");
    let problems = sandbox.run(["doctor", "--json"]).json()["problems"].to_string();
    assert!(problems.contains("NEXUS_PROJECT_ROOT is `here`, which is not an absolute path"), "{problems}");
    assert!(problems.contains("NEXUS_HARNESS_ID is `Claude Code`"), "{problems}");
}

#[test]
fn an_artifact_without_end_is_not_read_to_its_end() {
    let sandbox = project().file("long", "");
    let long = std::fs::File::options().write(true).open(sandbox.path("long")).expect("a file");
    long.set_len((64 << 20) + 1).expect("a long file");
    sandbox.run(["artifact", "write", "a", "long"]).code(1).stderr(expect![[r#"
        error: `long` cannot be read: it is larger than 64 MB
        hint: an artifact is a text file in UTF-8
    "#]]);
    sandbox.run(["test", "--tool", "Write", "--file", "a", "--content-file", "long"]).code(1).stderr(
        expect![[r#"
        error: `long` is larger than 64 MB
    "#]],
    );
}

#[test]
fn doctor_status_and_check_name_every_file_that_cannot_be_read() {
    for file in ["state/plan.json", "state/tasks.json", "history.json"] {
        let sandbox = project();
        sandbox.put(&format!(".nexus/{file}"), "{ not JSON");
        let check = sandbox.run(["nexus", "check"]);
        assert_eq!(check.code, Some(1), "{file}: {}", check.stdout);
        for ran in [sandbox.run(["doctor"]), sandbox.run(["status"]), check] {
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(said.contains(&format!(".nexus/{file}")), "{file}: {said}");
        }
    }
    // What can be read, but never done, is named as well.
    let sandbox = project();
    let task = |id: u64, deps: &[u64]| json!({ "id": id, "title": "t", "context": "c", "status": "pending", "deps": deps });
    let tasks =
        json!({ "goal": "g", "decisions": [], "tasks": [task(1, &[2]), task(2, &[1]), task(3, &[9])] });
    sandbox.put(".nexus/state/tasks.json", tasks.to_string());
    let check = sandbox.run(["nexus", "check"]).stdout;
    for part in ["tasks 1, 2 wait for each other", "task 3 waits for task 9, which does not exist"] {
        assert!(check.contains(part), "{check}");
    }
}

#[test]
fn an_open_plan_and_its_tasks_are_found() {
    let sandbox = project();
    sandbox.run(["plan", "start", "Move the catalogue to SQLite", "--issue", "Which journal?"]).code(0);
    sandbox.run(["task", "add", "Write the exporter"]).code(0);
    for (query, line) in [("catalogue", "Move the catalogue to SQLite"), ("exporter", "Write the exporter")] {
        let found = sandbox.run(["search", query]).stdout;
        assert!(found.contains(line), "{query}: {found}");
    }
}
