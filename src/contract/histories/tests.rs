//! Two branches that closed cycles, joined.

use serde_json::{Value, json};

use super::*;

fn history(cycles: &Value) -> History {
    serde_json::from_value(json!({ "cycles": cycles })).unwrap()
}

fn cycle(at: u64, plan: u64, topic: &str) -> Value {
    json!({ "completed_at": format!("2026-01-0{at}"), "branch": "main", "plan": { "id": plan, "topic": topic }, "tasks": [] })
}

/// The days and the plans of a history.
fn shown(history: &History) -> String {
    let cycles =
        history.cycles.iter().map(|cycle| format!("{} {}", cycle["plan"]["id"], cycle["plan"]["topic"]));
    cycles.collect::<Vec<_>>().join(", ").replace('"', "")
}

#[test]
fn both_sides_are_there_in_the_order_of_closing_whichever_way_they_are_merged() {
    let base = history(&json!([cycle(1, 1, "old")]));
    let ours = history(&json!([cycle(1, 1, "old"), cycle(3, 2, "ours")]));
    let theirs = history(&json!([cycle(1, 1, "old"), cycle(2, 2, "theirs"), cycle(4, 3, "late")]));
    let joined = join_histories(Some(&base), &ours, &theirs);
    assert_eq!(shown(&joined), "1 old, 2 theirs, 4 ours, 3 late");
    assert_eq!(join_histories(Some(&base), &theirs, &ours), joined);
    assert_eq!(
        join_histories(Some(&base), &joined, &theirs),
        joined,
        "what was joined before is not joined twice"
    );
    assert_eq!(join_histories(None, &ours, &theirs), joined, "without a base");
}

#[test]
fn what_one_side_removed_stays_removed() {
    let base = history(&json!([cycle(1, 1, "secret"), cycle(2, 2, "kept")]));
    let ours = history(&json!([cycle(2, 2, "kept")]));
    let theirs = history(&json!([cycle(1, 1, "secret"), cycle(2, 2, "kept"), cycle(3, 3, "new")]));
    assert_eq!(shown(&join_histories(Some(&base), &ours, &theirs)), "2 kept, 3 new");
}

#[test]
fn extensions_are_joined_by_their_cycle() {
    let one = |at: &str, goal: &str, reopened: Option<&str>| json!({ "completed_at": at, "branch": "b", "goal": goal, "reopened_at": reopened });
    let file =
        |all: Value| serde_json::from_value::<HistoryExtension>(json!({ "cycle_extensions": all })).unwrap();
    let ours = file(json!([one("1", "a", None), one("3", "c", None)]));
    let theirs = file(json!([one("1", "a", Some("9")), one("2", "b", None)]));
    let joined = join_extensions(None, &ours, &theirs);
    let goals: Vec<_> =
        joined.cycle_extensions.iter().map(|one| (&one.goal[..], one.reopened_at.as_deref())).collect();
    assert_eq!(goals, [("a", Some("9")), ("b", None), ("c", None)]);
}

#[test]
fn both_sides_are_taken_out_of_a_conflict() {
    let check = |text: &str, expected: Option<(&str, &str)>| {
        let expected = expected.map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned()));
        assert_eq!(parse_conflict(text), expected, "{text}");
    };
    check("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\nd\n", Some(("a\nb\nd\n", "a\nc\nd\n")));
    check("<<<<<<< HEAD\r\nb\n||||||| base\nz\n=======\nc\n>>>>>>> x\n", Some(("b\n", "c\n")));
    check("a\n", None);
    check("<<<<<<< HEAD\nb\n=======\nc\n", None);
    check("\"<<<<<<<\"\n=======\n", None);
}
