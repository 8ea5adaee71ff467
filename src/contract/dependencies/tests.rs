//! What may wait for what, and which owners are misspelt.

use serde_json::json;

use super::*;

/// A board of tasks that wait for these.
fn board(deps: &[&[u64]]) -> Tasks {
    let tasks = (1..).zip(deps).map(
        |(id, deps)| json!({ "id": id, "title": "t", "context": "c", "status": "pending", "deps": deps }),
    );
    serde_json::from_value(json!({ "tasks": tasks.collect::<Vec<_>>() })).unwrap()
}

#[test]
fn a_task_waits_for_others_that_exist_and_do_not_wait_for_it() {
    let check = |deps: &[&[u64]], id: u64, new: &[u64], expected: &str| {
        let found = check_dependencies(&board(deps), id, new)
            .map_or_else(|flaw| flaw.to_string(), |()| "ok".to_owned());
        assert_eq!(found, expected, "{deps:?} {id} {new:?}");
    };
    check(&[&[], &[1]], 3, &[1, 2], "ok");
    check(&[&[], &[1]], 3, &[], "ok");
    check(&[&[], &[1]], 3, &[1, 7], "there is no task 7 to wait for");
    check(&[&[], &[1]], 3, &[3], "task 3 cannot wait for itself");
    check(&[&[], &[1]], 1, &[2], "tasks would wait for each other: 1 → 2 → 1");
    check(&[&[], &[1], &[2], &[1]], 1, &[4, 3], "tasks would wait for each other: 1 → 4 → 1");
    check(&[&[], &[1], &[2]], 1, &[3], "tasks would wait for each other: 1 → 3 → 2 → 1");
    // A circle that is there already is not this task's.
    check(&[&[2], &[1], &[]], 3, &[1], "ok");
}

#[test]
fn circles_are_found_once_and_long_chains_are_searched() {
    assert_eq!(find_circles(&board(&[&[2], &[1], &[3], &[]])), [vec![1, 2], vec![3]]);
    let chain: Vec<Vec<u64>> =
        (1..=5_000_u64).map(|id| if id == 1 { vec![] } else { vec![id - 1] }).collect();
    let chain: Vec<&[u64]> = chain.iter().map(Vec::as_slice).collect();
    assert!(check_dependencies(&board(&chain), 1, &[5_000]).is_err());
}

#[test]
fn a_misspelt_role_is_recognised_and_a_chosen_name_is_not() {
    for (owner, expected) in [
        ("enginer", Some("engineer")),
        ("Engineer", Some("engineer")),
        ("tseter", Some("tester")),
        ("wirter", Some("writer")),
        ("engineer", None),
        ("tester2", None),
        ("backend-team", None),
        ("lead", None),
        ("anna", None),
        ("", None),
    ] {
        assert_eq!(misspelt_role(owner), expected, "{owner}");
    }
}
