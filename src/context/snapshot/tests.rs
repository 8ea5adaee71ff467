//! The snapshot: short lists are complete, long ones are counted.

use expect_test::expect;
use serde_json::json;

use super::*;
use crate::model::ModeName;

#[test]
fn each_part_is_a_list_with_its_status() {
    let some: Tasks = serde_json::from_value(json!({ "goal": "g", "tasks": [
        { "id": 1, "title": "parse", "context": "c", "status": "completed", "owner": "engineer" },
        { "id": 2, "title": "print <x>", "context": "c", "status": "in_progress", "deps": [1] },
        { "id": 3, "title": "ship", "context": "c", "status": "pending", "deps": [1] },
        { "id": 4, "title": "later", "context": "c", "status": "postponed", "deps": [] },
    ] }))
    .unwrap();
    expect![[r#"
        Goal: g
        Tasks in .nexus: 4 in all, 1 completed, 1 pending, in progress #2 print ‹x›; ready: #3 ship.
        - #2 in progress: print ‹x›
        - #3 ready: ship
        - #4 postponed: later
        - #1 completed: parse (engineer)"#]]
    .assert_eq(&tasks(&some).unwrap());
    let some: Plan = serde_json::from_value(json!({ "id": 1, "topic": "t", "created_at": "x", "issues": [
        { "id": 1, "title": "which store", "status": "decided", "decision": "SQLite" },
        { "id": 2, "title": "which wire", "status": "pending" },
    ] }))
    .unwrap();
    expect![[r#"
        Plan #1 `t` in .nexus: 1 pending, 1 decided; to decide: #2 which wire.
        - #1 decided: which store → SQLite
        - #2 pending: which wire"#]]
    .assert_eq(&plan(&some));
    let some: Vec<TrackedAgent> = serde_json::from_value(json!([
        { "harness_id": "h", "agent_name": "engineer", "agent_id": "a1", "started_at": "x", "status": "completed", "files_touched": ["a", "b"] },
        { "harness_id": "h", "agent_id": "a2", "started_at": "x", "status": "running" },
    ]))
    .unwrap();
    expect![[r#"
        Agents of this session:
        - engineer (a1): completed, wrote 2 files
        - a2: running"#]]
    .assert_eq(&agents(&some).unwrap());
    let some = Mode { mode: ModeName::Plan, auto: true, set_at: String::new(), session: None };
    expect!["This session is in the mode `[plan:auto]`, set by the user's tag."].assert_eq(&mode(&some));
}

#[test]
fn empty_lists_are_not_mentioned() {
    assert_eq!(tasks(&Tasks::default()), None);
    assert_eq!(agents(&[]), None);
    assert_eq!(knowledge(&Knowledge::default()), None);
}

#[test]
fn long_lists_are_counted() {
    let names = |count: usize| (0..count).map(|n| format!("note-{n:02}.md")).collect::<Vec<_>>();
    let text = knowledge(&Knowledge { memory: names(48), context: names(5), rules: names(3) }).unwrap();
    assert!(text.contains("\ncontext: note-00.md, note-01.md, and 3 more\nrules: 3 files"), "{text}");
    let tasks_of = |count: usize| -> Tasks {
        let tasks: Vec<_> = (1..=count)
            .map(|id| json!({ "id": id, "title": "x".repeat(200), "context": "c", "status": "pending" }))
            .collect();
        serde_json::from_value(json!({ "goal": "g", "tasks": tasks })).unwrap()
    };
    let text = tasks(&tasks_of(200)).unwrap();
    assert_eq!(text.lines().count(), 2 + 30 + 1);
    assert!(text.ends_with("- 170 more: ask nx_task_list") && text.len() < 5_000, "{text}");
    let issues: Vec<_> = (1..=25).map(|id| json!({ "id": id, "title": "t", "status": "pending" })).collect();
    let some: Plan =
        serde_json::from_value(json!({ "id": 1, "topic": "t", "created_at": "x", "issues": issues }))
            .unwrap();
    assert!(plan(&some).ends_with("- 5 more: ask nx_plan_status"));
}
