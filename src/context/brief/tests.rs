//! The lines that are added to a prompt.

use expect_test::{Expect, expect};
use serde_json::json;

use super::*;

fn some_tasks(statuses: &[(&str, &[u64])]) -> Tasks {
    let tasks: Vec<_> = statuses
        .iter()
        .zip(1..)
        .map(|((status, deps), id)| json!({ "id": id, "title": format!("task {id}"), "context": "c", "status": status, "deps": deps }))
        .collect();
    serde_json::from_value(json!({ "goal": "g", "decisions": [], "tasks": tasks })).unwrap()
}

fn some_plan(topic: &str, statuses: &[&str]) -> Plan {
    let issues: Vec<_> = statuses
        .iter()
        .zip(1..)
        .map(|(status, id)| json!({ "id": id, "title": format!("issue {id}"), "status": status }))
        .collect();
    serde_json::from_value(json!({ "id": 3, "topic": topic, "issues": issues, "created_at": "x" })).unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "a table reads better")]
#[track_caller]
fn check(text: Option<String>, expect: Expect) {
    expect.assert_eq(text.as_deref().unwrap_or("nothing"));
}

#[test]
fn tasks_are_counted_and_the_ready_ones_named() {
    check(tasks(&some_tasks(&[])), expect!["nothing"]);
    check(
        tasks(&some_tasks(&[("completed", &[]), ("in_progress", &[]), ("pending", &[1]), ("pending", &[2])])),
        expect![
            "Tasks in .nexus: 4 in all, 1 completed, 2 pending, in progress #2 task 2; ready: #3 task 3."
        ],
    );
    check(
        tasks(&some_tasks(&[("in_progress", &[]), ("pending", &[1])])),
        expect!["Tasks in .nexus: 2 in all, 0 completed, 1 pending, in progress #1 task 1; none is ready."],
    );
    check(
        tasks(&some_tasks(&[("completed", &[])])),
        expect![
            "Tasks in .nexus: 1 in all, 1 completed, 0 pending; the cycle is not closed, nx_task_close archives it."
        ],
    );
    check(
        tasks(&some_tasks(&[("pending", &[] as &[u64]); 14])),
        expect![
            "Tasks in .nexus: 14 in all, 0 completed, 14 pending; ready: #1 task 1, #2 task 2, #3 task 3, 11 more."
        ],
    );
}

#[test]
fn a_plan_names_what_is_undecided() {
    check(
        Some(plan(&some_plan("login", &["decided", "pending"]))),
        expect!["Plan #3 `login` in .nexus: 1 pending, 1 decided; to decide: #2 issue 2."],
    );
    check(
        Some(plan(&some_plan("login", &["decided"]))),
        expect!["Plan #3 `login` in .nexus: 0 pending, 1 decided."],
    );
    check(
        Some(plan(&some_plan(&format!("<b>{}\nsecond line", "x".repeat(100)), &["pending"; 5]))),
        expect![
            "Plan #3 `‹b›xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…` in .nexus: 5 pending, 0 decided; to decide: #1 issue 1, #2 issue 2, #3 issue 3, …."
        ],
    );
}

#[test]
fn unfinished_tasks_are_named_at_the_end() {
    check(unfinished(&some_tasks(&[])), expect!["nothing"]);
    check(
        unfinished(&some_tasks(&[("completed", &[]), ("pending", &[]), ("in_progress", &[])])),
        expect![
            "2 of 3 tasks are not completed: #2 task 2, #3 task 3. Continue with them (`[run]`), or close the cycle with `nudge task close`, which asks what becomes of them."
        ],
    );
    check(
        unfinished(&some_tasks(&[("completed", &[])])),
        expect![
            "All tasks of the cycle are completed, but it is not closed: `nudge task close` moves it to the history."
        ],
    );
    let tasks = some_tasks(&[("in_progress", &[])]);
    check(
        left_open("engineer", tasks.tasks.iter(), [].iter()),
        expect![
            "The agent `engineer` has stopped, and its tasks are not completed: #1 task 1. Check what is done and set their status with nx_task_update."
        ],
    );
    check(left_open("engineer", [].iter(), [].iter()), expect!["nothing"]);
    check(
        left_open("engineer", [].iter(), tasks.tasks.iter().take(1)),
        expect!["The agent `engineer` has stopped, and tasks of its role are still pending: #1 task 1."],
    );
}
