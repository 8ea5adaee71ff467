use serde_json::json;

use super::open_failures;
use crate::model::{Observation, Timestamp};
use crate::recall::fixture::{failed, ran};

fn open(mut rows: Vec<Observation>) -> Vec<i64> {
    rows.reverse();
    open_failures(&rows, Timestamp(1_700_000_100)).iter().map(|row| row.id.0).collect()
}

#[test]
fn a_failure_is_open_until_its_program_succeeds() {
    assert_eq!(open(vec![failed(1, "make test", "make test")]), [1]);
    assert_eq!(open(vec![failed(1, "make test", "make test"), ran(2, "make test", "make test -j1")]), [0; 0]);
    assert_eq!(open(vec![failed(1, "make test", "make test"), ran(2, "make lint", "make lint")]), [1]);
    assert_eq!(open(vec![ran(1, "make test", "make test"), failed(2, "make test", "make test")]), [2]);
}

#[test]
fn a_commit_ends_the_work_of_its_branch() {
    let commit = |branch: &str| {
        ran(2, "git commit", "git commit").with("kind", json!("git_commit")).with("branch", json!(branch))
    };
    let failure = || failed(1, "make test", "make test").with("branch", json!("a"));
    assert_eq!(open(vec![failure(), commit("a")]), [0; 0]);
    assert_eq!(open(vec![failure(), commit("b")]), [1]);
}

#[test]
fn looks_blocks_interruptions_and_old_failures_are_not_open() {
    assert_eq!(open(vec![failed(1, "gh run view", "gh run view 12")]), [0; 0]);
    assert_eq!(open(vec![failed(1, "make", "make").with("kind", json!("rule"))]), [0; 0]);
    assert_eq!(open(vec![failed(1, "make", "make").with("interrupted", json!(true))]), [0; 0]);
    assert_eq!(open(vec![failed(-90_000, "make", "make")]), [0; 0]);
    // One row of each program is enough.
    assert_eq!(open(vec![failed(1, "make", "make"), failed(2, "make", "make -j1")]), [2]);
}
