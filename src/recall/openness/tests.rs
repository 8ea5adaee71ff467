//! Which failures are still open.

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

#[test]
fn a_word_that_was_written_wrong_leaves_nothing_to_do() {
    let check = |command: &str, output: &str, expected: &[i64]| {
        let mut row = failed(1, &crate::recall::fixture::program_of(command), command);
        row.seen.content = format!("{command}\n{output}");
        row.seen.signature = Some(output.to_owned());
        assert_eq!(open(vec![row]), expected, "{command}");
    };
    check("staticcheck ./...", "zsh: command not found: staticcheck", &[]);
    check("cp build/app.tar dist/", "cp: cannot stat 'build/app.tar': No such file or directory", &[]);
    check("git add src/cart.ts", "fatal: pathspec 'src/cart.ts' did not match any files", &[]);
    check("gh pr create --titel x", "unknown flag: --titel", &[]);
    check("dotnet test --fliter x", "Unrecognized option '--fliter'", &[]);
    check("pytest tests/test_a.py", "ERROR: file or directory not found: tests/test_a.py", &[]);
    // What the program was given is there, and something else is not.
    check("cargo build", "error[E0433]: failed to resolve: `serde_yaml` not found", &[1]);
    check("pytest tests/test_a.py", "E   FileNotFoundError: No such file or directory: 'rates.csv'", &[1]);
    check("gcc src/main.c", "src/cart.h:3:10: fatal error: money.h: No such file or directory", &[1]);
    check("mix test", "** (Postgrex.Error) database \"shop_test\" does not exist", &[1]);
}

#[test]
fn a_tool_that_failed_is_not_open_work() {
    let mut call = failed(1, "playwright browser_click", "");
    call.seen.metadata = None;
    assert_eq!(open(vec![call]), [0; 0]);
}
