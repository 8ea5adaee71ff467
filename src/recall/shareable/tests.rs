//! Which rows leave at which level.

use serde_json::json;

use super::shareable;
use crate::model::{ALLOWED, BLOCKED, FAILED_TOOL, Observation, ObservationType, ShareLevel, TODO};
use crate::recall::fixture::{edited, failed, ran, row};

fn ids(level: ShareLevel, rows: &[Observation]) -> Vec<i64> {
    shareable(level, rows).iter().map(|row| row.id.0).collect()
}

#[test]
fn a_fix_is_the_failure_the_last_five_steps_and_the_success() {
    let rows = vec![
        ran(1, "make", "make clean"),
        failed(2, "go build", "go build ./cmd/app"),
        edited(3, "a.go"),
        edited(4, "b.go"),
        ran(5, "ls", "ls"),
        ran(6, "go mod", "go mod tidy"),
        edited(7, "c.go"),
        edited(8, "d.go"),
        edited(9, "e.go"),
        ran(10, "go build", "go build ./cmd/app"),
        failed(11, "cargo test", "cargo test"),
        edited(12, "x.rs"),
        ran(13, "git commit", "git commit -m x").with("kind", json!("git_commit")),
    ];
    assert_eq!(ids(ShareLevel::Fixes, &rows), [2, 4, 6, 7, 8, 9, 10, 13]);
    assert_eq!(ids(ShareLevel::Off, &rows), [0; 0]);
    assert_eq!(ids(ShareLevel::Work, &rows).len(), rows.len());
    // The failure waits until its success is there.
    assert_eq!(ids(ShareLevel::Fixes, &rows[..9]), [0; 0]);
}

#[test]
fn each_kind_of_row_leaves_from_its_level_on() {
    let of_type = |kind| row(1, kind, "x");
    use ObservationType as Type;
    for (row, levels) in [
        (ran(1, "make", "make"), "work all"),
        (failed(1, "make", "make"), "work all"),
        (edited(1, "a"), "work all"),
        (of_type(Type::FileWrite), "work all"),
        (ran(1, "git commit", "git commit").with("kind", json!("git_commit")), "fixes work all"),
        (of_type(Type::UserPrompt), "all"),
        (of_type(Type::Search), "all"),
        (of_type(Type::FileRead), "all"),
        (of_type(Type::McpCall), "all"),
        (of_type(Type::McpCall).with("kind", json!(TODO)), "all"),
        // The task of another agent is as private as a prompt.
        (of_type(Type::Command).with("kind", json!("agent")), "all"),
        (of_type(Type::CommandError).with("kind", json!(FAILED_TOOL)), "all"),
        (of_type(Type::CommandError).with("kind", json!(BLOCKED)), ""),
        (of_type(Type::UserPrompt).with("kind", json!(ALLOWED)), ""),
        (of_type(Type::Outcome), ""),
        (of_type(Type::Summary), ""),
        (of_type(Type::SessionStart), ""),
        (of_type(Type::SessionEnd), ""),
    ] {
        let leaves = |level: &ShareLevel| !shareable(*level, std::slice::from_ref(&row)).is_empty();
        let names: Vec<&str> = ShareLevel::ALL.into_iter().filter(leaves).map(ShareLevel::name).collect();
        assert_eq!(names.join(" "), levels, "{:?}", row.seen);
    }
}
