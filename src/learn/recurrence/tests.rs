//! Which failures come back.

use super::recurrences;
use crate::learn::fixture::PlayedAct::{Fails, Works};
use crate::learn::fixture::{only, sessions};

const UPSTREAM: &str = "fatal: The current branch # has no upstream branch.";

#[test]
fn a_failure_comes_back_in_another_session() {
    let rows = sessions(&[
        &[Fails("git push", UPSTREAM), Works("git push -u origin a")],
        &[Fails("git push", UPSTREAM), Fails("git push", UPSTREAM), Works("git push -u origin b")],
        &[Fails("git push", UPSTREAM)],
    ]);
    let cause = only(&rows);
    assert_eq!((cause.failures.len(), cause.sessions, cause.ended), (4, 3, 2));
    assert_eq!(cause.ids().iter().map(|id| id.0).collect::<Vec<_>>(), [6, 4, 3, 1], "the newest first");
}

#[test]
fn a_failure_of_one_session_and_failing_tests_do_not_come_back() {
    let one = sessions(&[&[Fails("git push", UPSTREAM), Fails("git push", UPSTREAM)], &[Works("git push")]]);
    assert!(recurrences(&one).is_empty());
    let test = "--- FAIL: TestParse";
    let tests = sessions(&[&[Fails("go test ./...", test)], &[Fails("go test ./...", test)]]);
    assert!(recurrences(&tests).is_empty());
    assert!(recurrences(&[]).is_empty());
}
