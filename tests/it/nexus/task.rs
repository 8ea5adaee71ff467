//! The tools of the tasks, with context and artifacts: every field, every sentence, every file.

use expect_test::expect;
use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::nexus::scene::{
    HISTORY, PLAN, TASKS, assert_shows, half_decided, project, put, state, three_tasks,
};

#[test]
fn a_task_has_every_field_that_was_given() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    for title in ["a", "b"] {
        client.call_json("nx_task_add", json!({ "title": title, "context": "c" }));
    }
    let added = client.call_json(
        "nx_task_add",
        json!({
            "title": "Store", "context": "We need one", "deps": ["1", 2], "approach": "a", "acceptance": "b", "risk": "c",
            "plan_issue": "3", "goal": "Ship it", "decisions": ["SQLite"], "owner": "engineer",
            "owner_agent_id": "e-1", "owner_reuse_policy": "resume_if_same_artifact", "of_another_world": 1,
        }),
    );
    assert_shows(
        &added,
        &expect![[r#"
        {
          "task": {
            "id": 3,
            "title": "Store",
            "context": "We need one",
            "approach": "a",
            "acceptance": "b",
            "risk": "c",
            "status": "pending",
            "deps": [
              1,
              2
            ],
            "plan_issue": 3,
            "owner": "engineer",
            "owner_agent_id": "e-1",
            "owner_reuse_policy": "resume_if_same_artifact",
            "created_at": "NOW"
          }
        }
    "#]],
    );
    let tasks = state(&sandbox, TASKS);
    assert_eq!(
        tasks,
        json!({ "goal": "Ship it", "decisions": ["SQLite"], "tasks": [tasks["tasks"][0], tasks["tasks"][1], added["task"]] })
    );
}

#[test]
fn a_plain_task_has_the_defaults_and_the_next_id() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    let mut added = client.call_json("nx_task_add", json!({ "title": "t", "context": "c", "goal": null }));
    added["task"].as_object_mut().expect("a map").remove("created_at");
    assert_eq!(
        added["task"],
        json!({ "id": 1, "title": "t", "context": "c", "status": "pending", "deps": [] })
    );
    assert_eq!(state(&sandbox, TASKS)["goal"], "", "the contract begins without a goal");
    let mut tasks = three_tasks();
    tasks["of_a_newer_version"] = json!([1]);
    tasks["tasks"][0]["result"] = json!("also newer");
    tasks["tasks"][1]["status"] = json!("newest");
    put(&sandbox, TASKS, &tasks);
    let arguments = json!({ "title": "t", "context": "c", "decisions": ["And FTS5"] });
    let added = client.call_json("nx_task_add", arguments);
    assert_eq!(added["task"]["id"], 7);
    tasks["decisions"] = json!(["Use SQLite", "And FTS5"]);
    tasks["tasks"].as_array_mut().expect("a list").push(added["task"].clone());
    assert_eq!(state(&sandbox, TASKS), tasks, "the goal stays, and what we do not know");
}

#[test]
fn an_invalid_task_is_refused() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    for (arguments, sentence) in [
        (json!({ "context": "c" }), "title is required"),
        (json!({ "title": "t" }), "context is required"),
        (json!({ "title": "", "context": "c" }), "title must not be empty"),
        (json!({ "title": "t", "context": "" }), "context must not be empty"),
        (
            json!({ "title": "t", "context": "c", "deps": [-1] }),
            "`deps` must be a list of whole numbers, not [-1]",
        ),
        (
            json!({ "title": "t", "context": "c", "owner_reuse_policy": "never" }),
            "`owner_reuse_policy` must be one of fresh, resume_if_same_artifact, resume, not \"never\"",
        ),
    ] {
        assert_eq!(client.error("nx_task_add", arguments), sentence);
    }
    assert!(!sandbox.path(".nexus").exists());
}

#[test]
fn the_list_counts_and_knows_what_is_ready() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    assert_eq!(client.call_json("nx_task_list", json!({})), json!({ "exists": false }));
    assert!(!sandbox.path(".nexus").exists());
    let tasks = three_tasks();
    put(&sandbox, TASKS, &tasks);
    assert_eq!(
        client.call_json("nx_task_list", json!({})),
        json!({
            "goal": "Ship it",
            "tasks": tasks["tasks"],
            "summary": { "total": 4, "completed": 1, "pending": 2, "blocked": 1, "ready": [6] },
        })
    );
}

#[test]
fn a_status_can_change_to_any_other() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    let update = |id: Value, status: &str| json!({ "id": id, "status": status });
    assert_eq!(client.error("nx_task_update", update(json!(1), "completed")), "tasks.json not found");
    assert!(!sandbox.path(".nexus").exists());
    put(&sandbox, TASKS, &three_tasks());
    for status in ["pending", "in_progress", "completed", "pending"] {
        let updated = client.call_json("nx_task_update", update(json!("1"), status));
        let mut task = three_tasks()["tasks"][0].clone();
        task["status"] = json!(status);
        assert_eq!(updated, json!({ "task": task }));
        assert_eq!(state(&sandbox, TASKS)["tasks"][0], task);
    }
    assert_eq!(client.error("nx_task_update", update(json!(99), "completed")), "Task id 99 not found");
    assert_eq!(
        client.error("nx_task_update", update(json!(1), "finished")),
        "`status` must be one of pending, in_progress, completed, not \"finished\""
    );
    assert_eq!(client.error("nx_task_update", json!({ "status": "completed" })), "id is required");
    assert_eq!(client.error("nx_task_update", json!({ "id": 1 })), "status is required");
}

#[test]
fn closing_archives_plan_and_tasks_and_nothing_else() {
    let sandbox = project();
    put(&sandbox, PLAN, &half_decided());
    put(&sandbox, TASKS, &three_tasks());
    sandbox.put(".nexus/state/artifacts/a.md", "kept");
    sandbox.put(".nexus/state/claude-code/agent-tracker.json", "[]");
    let old = json!({ "completed_at": "2001-01-01T00:00:00Z", "branch": "old", "plan": null, "tasks": [], "odd": 1.5 });
    put(&sandbox, HISTORY, &json!({ "newer": true, "cycles": [old] }));
    let closed = Client::new(&sandbox).call_json("nx_task_close", json!({}));
    assert_shows(
        &closed,
        &expect![[r#"
            {
              "closed": true,
              "cycle": "NOW",
              "branch": "main",
              "archived": {
                "plan": true,
                "decisions": 1,
                "tasks": 4
              },
              "deleted": [
                "plan.json",
                "tasks.json"
              ],
              "total_cycles": 2,
              "memoryHint": {
                "taskCount": 4,
                "decisionCount": 1,
                "cycleTopics": [
                  "Storage",
                  "Ship it"
                ]
              },
              "left_open": [
                {
                  "id": 2,
                  "title": "Store"
                },
                {
                  "id": 5,
                  "title": "Search"
                },
                {
                  "id": 6,
                  "title": "Docs"
                }
              ],
              "message": "3 open tasks went to the history unfinished; `nudge task reopen` opens the cycle again, and `open_tasks: \"carry\"` keeps them on the board next time"
            }
        "#]],
    );
    assert_eq!((state(&sandbox, PLAN), state(&sandbox, TASKS)), (Value::Null, Value::Null));
    assert_eq!(
        state(&sandbox, HISTORY),
        json!({
            "cycles": [old, {
                "schema_version": "0.11",
                "completed_at": closed["cycle"],
                "branch": "main",
                "plan": half_decided(),
                "tasks": three_tasks()["tasks"],
            }],
            "newer": true,
        })
    );
    assert!(sandbox.path(".nexus/state/artifacts/a.md").exists());
    assert!(sandbox.path(".nexus/state/claude-code/agent-tracker.json").exists());
}

#[test]
fn closing_nothing_is_a_cycle_too() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    let mut closed = client.call_json("nx_task_close", json!({}));
    closed["cycle"].take();
    assert_eq!(
        closed,
        json!({
            "closed": true, "cycle": null, "branch": "main",
            "archived": { "plan": false, "decisions": 0, "tasks": 0 },
            "deleted": [], "total_cycles": 1,
            "memoryHint": { "taskCount": 0, "decisionCount": 0, "cycleTopics": [] },
        })
    );
    let cycle = &state(&sandbox, HISTORY)["cycles"][0];
    assert_eq!((&cycle["plan"], &cycle["tasks"]), (&Value::Null, &json!([])));
    // Without a goal there are no topics.
    client.call_json("nx_task_add", json!({ "title": "t", "context": "c" }));
    assert_eq!(client.call_json("nx_task_close", json!({}))["memoryHint"]["cycleTopics"], json!([]));
}

#[test]
fn one_malformed_file_stops_the_closing_before_anything_is_written() {
    let sandbox = project().file(HISTORY, "<<<<<<< HEAD\n");
    put(&sandbox, PLAN, &half_decided());
    let mut client = Client::new(&sandbox);
    // Git has the history: it stays where it is, however often somebody tries.
    for _ in 0..2 {
        let refused = client.error("nx_task_close", json!({}));
        assert!(refused.contains("`.nexus/history.json` is malformed"), "{refused}");
        assert!(refused.contains("`nudge doctor --fix` joins both sides of a conflict"), "{refused}");
        assert_eq!(state(&sandbox, PLAN), half_decided());
        let history = std::fs::read_to_string(sandbox.path(HISTORY)).expect("it stays");
        assert_eq!(history, "<<<<<<< HEAD\n");
    }
}

#[test]
fn the_branch_is_never_empty() {
    let branch = |head: Option<&str>| {
        let sandbox = crate::sandbox::Sandbox::new();
        if let Some(head) = head {
            sandbox.put(".git/HEAD", head);
        }
        Client::new(&sandbox).call_json("nx_context", json!({}))["branch"].take()
    };
    assert_eq!(branch(None), "unknown");
    assert_eq!(branch(Some("ref: refs/heads/feature/a\n")), "feature/a");
    assert_eq!(branch(Some("0123456789abcdef0123456789abcdef01234567\n")), "0123456");
    assert_eq!(branch(Some("ref: refs/heads/\n")), "unknown");
    assert_eq!(branch(Some("garbage")), "unknown");
}

#[test]
fn the_context_shows_the_state_of_the_work_and_never_fails() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    let idle = json!({ "branch": "main", "activeMode": null, "decisions": [] });
    assert_eq!(client.call_json("nx_context", json!({})), idle);
    put(&sandbox, TASKS, &three_tasks());
    assert_eq!(
        client.call_json("nx_context", json!({})),
        json!({
            "branch": "main", "activeMode": "team", "goal": "Ship it",
            "tasksSummary": { "total": 4, "completed": 1, "pending": 2 },
            "decisions": ["Use SQLite"],
        })
    );
    sandbox.put(TASKS, "[broken");
    assert_eq!(client.call_json("nx_context", json!({})), idle);
    assert_eq!(std::fs::read_to_string(sandbox.path(TASKS)).expect("left alone"), "[broken");
}

#[test]
fn an_artifact_is_written_where_it_says() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    for content in ["one", "two"] {
        let written =
            client.call_json("nx_artifact_write", json!({ "filename": "a/b.md", "content": content }));
        let path = sandbox.path(".nexus/state/artifacts/a/b.md");
        assert_eq!(written, json!({ "success": true, "path": path.to_str().expect("UTF-8") }));
        assert_eq!(std::fs::read_to_string(path).expect("written"), content);
    }
    assert_eq!(client.error("nx_artifact_write", json!({ "filename": "a" })), "content is required");
    assert_eq!(client.error("nx_artifact_write", json!({ "content": "a" })), "filename is required");
}

#[test]
fn an_artifact_stays_in_its_folder() {
    let sandbox = project();
    let mut client = Client::new(&sandbox);
    for name in [
        "../plan.json",
        "/tmp/nudge-escape",
        "a/../../x",
        "a\u{0}b",
        "",
        "..",
        "a\u{1b}[31m",
        ".git/config",
        "a/.GIT/hooks/x",
    ] {
        let refused = client.error("nx_artifact_write", json!({ "filename": name, "content": "x" }));
        assert!(refused.contains("is not a valid file name"), "{name}: {refused}");
    }
    assert!(!sandbox.path(".nexus").exists());
}

#[test]
#[cfg(unix)]
fn an_artifact_follows_no_link_out() {
    let sandbox = project();
    let artifacts = sandbox.path(".nexus/state/artifacts");
    std::fs::create_dir_all(&artifacts).expect("a folder");
    std::os::unix::fs::symlink(sandbox.beside("elsewhere"), artifacts.join("out")).expect("a link");
    let refused =
        Client::new(&sandbox).error("nx_artifact_write", json!({ "filename": "out/a", "content": "x" }));
    assert_eq!(refused, "`.nexus/state/artifacts/out/a` points outside the project");
    assert_eq!(std::fs::read_dir(sandbox.beside("elsewhere")).expect("a folder").count(), 0);
}
