//! Two branches that each closed a cycle, merged by the real git: with the driver, and without it.

use std::fs;
use std::path::Path;

use expect_test::expect;
use serde_json::Value;

use super::scene::{HISTORY, state};
use super::worktrees::nudge_in;
use crate::repository::{commit_all, git, repository};
use crate::sandbox::Sandbox;

/// Closes a cycle with a plan and a task, and commits it.
fn close_one(sandbox: &Sandbox, topic: &str) {
    sandbox.run(["plan", "start", topic]).code(0);
    sandbox.run(["task", "add", topic, "--goal", &format!("the goal of {topic}")]).code(0);
    sandbox.run(["task", "done", "1"]).code(0);
    sandbox.run(["task", "close"]).code(0);
    commit_all(sandbox, topic);
}

/// A repository whose branches `main` and `feature` have each closed a cycle after a common one.
fn two_branches() -> Sandbox {
    let sandbox = repository();
    sandbox.run(["init", "--no-rules"]).code(0);
    close_one(&sandbox, "common");
    git(&sandbox, "", &["checkout", "-q", "-b", "feature"]);
    close_one(&sandbox, "theirs");
    git(&sandbox, "", &["checkout", "-q", "main"]);
    close_one(&sandbox, "ours");
    sandbox
}

/// Returns the numbers and topics of the plans, and the goals, in the order of the files.
fn cycles(sandbox: &Sandbox) -> Vec<String> {
    let (history, more) = (state(sandbox, HISTORY), state(sandbox, ".nexus/history.extension.json"));
    let plans = history["cycles"].as_array().expect("cycles").iter();
    let plans = plans.map(|cycle| format!("{} {}", cycle["plan"]["id"], cycle["plan"]["topic"]));
    let goals = more["cycle_extensions"].as_array().expect("goals").iter().map(|one| one["goal"].to_string());
    plans.chain(goals).map(|text| text.replace('"', "")).collect()
}

const BOTH: [&str; 6] =
    ["1 common", "2 theirs", "3 ours", "the goal of common", "the goal of theirs", "the goal of ours"];

#[test]
fn git_joins_both_branches_when_they_are_merged() {
    let sandbox = two_branches();
    git(&sandbox, "", &["merge", "-q", "--no-edit", "feature"]);
    assert_eq!(cycles(&sandbox), BOTH);
    sandbox.run(["nexus", "check"]).code(0);
    // Merged again, nothing is there twice.
    git(&sandbox, "", &["checkout", "-q", "feature"]);
    git(&sandbox, "", &["merge", "-q", "--no-edit", "main"]);
    assert_eq!(cycles(&sandbox), BOTH);
}

#[test]
fn git_joins_them_in_a_rebase_and_in_a_cherry_pick() {
    let sandbox = two_branches();
    git(&sandbox, "", &["rebase", "-q", "feature"]);
    assert_eq!(cycles(&sandbox), BOTH);
    let sandbox = two_branches();
    git(&sandbox, "", &["cherry-pick", "feature"]);
    assert_eq!(cycles(&sandbox), BOTH);
}

#[test]
fn a_clone_without_the_driver_gets_a_conflict_that_doctor_joins() {
    let sandbox = two_branches();
    git(&sandbox, "", &["config", "--remove-section", "merge.nudge-history"]);
    let merge = sandbox.command("git").args(["merge", "-q", "feature"]).output().expect("git runs");
    assert!(!merge.status.success(), "a conflict");
    sandbox.run(["nexus", "check"]).code(1);
    // What does not need the history goes on.
    sandbox.run(["task", "add", "meanwhile"]).code(0);
    sandbox.run(["memory", "gc"]).code(0);
    sandbox.run(["task", "close", "--drop"]).code(1);
    let doctor = sandbox.run(["doctor"]);
    assert!(doctor.stdout.contains("a merge has left a conflict in it"), "{}", doctor.stdout);
    let status = sandbox.run(["status"]);
    assert!(status.stdout.contains(".nexus/history.json is malformed"), "{}", status.stdout);
    let fixed = sandbox.run(["doctor", "--fix"]);
    let said = format!("{}{}", fixed.stdout, fixed.stderr);
    assert!(said.contains("has the cycles of both sides now"), "{said}");
    assert_eq!(cycles(&sandbox), BOTH);
    commit_all(&sandbox, "merged");
    let driver = git(&sandbox, "", &["config", "--get", "merge.nudge-history.driver"]);
    assert!(driver.contains(" nexus merge-history %O %A %B"), "{driver}");
    sandbox.run(["task", "close", "--drop"]).code(0);
}

#[test]
fn a_driver_whose_program_is_gone_leaves_a_conflict_and_loses_nothing() {
    let sandbox = two_branches();
    let command = "'/gone/nudge' nexus merge-history %O %A %B 2>/dev/null || git merge-file %A %O %B";
    git(&sandbox, "", &["config", "merge.nudge-history.driver", command]);
    let merge = sandbox.command("git").args(["merge", "-q", "feature"]).output().expect("git runs");
    assert!(!merge.status.success());
    let text = fs::read_to_string(sandbox.path(HISTORY)).expect("a history");
    assert!(text.contains("<<<<<<<") && text.contains("theirs") && text.contains("ours"), "{text}");
    sandbox.run(["doctor", "--fix"]);
    assert_eq!(cycles(&sandbox), BOTH);
}

#[test]
fn the_driver_is_set_and_removed_again() {
    let sandbox = repository();
    let config = fs::read(sandbox.path(".git/config")).expect("a config");
    sandbox.run(["nexus", "merge-driver"]).code(0).stderr(expect![[r"
        set: .nexus/.gitattributes
        set: git config merge.nudge-history
        git merges the history by its cycles
    "]]);
    sandbox.run(["nexus", "merge-driver", "--dry-run"]).code(0).stderr(expect![[r"
        git merges the history by its cycles
    "]]);
    let set = sandbox.run(["nexus", "merge-driver", "--dry-run", "--json"]).json();
    assert_eq!(set, serde_json::json!({ "attributes": true, "driver": true }));
    sandbox.run(["nexus", "merge-driver", "--undo"]).code(0);
    assert!(!sandbox.path(".nexus/.gitattributes").exists());
    assert_eq!(fs::read(sandbox.path(".git/config")).expect("a config"), config);
    // Lines of others stay.
    sandbox.put(".nexus/.gitattributes", "*.md text");
    sandbox.run(["nexus", "merge-driver"]).code(0);
    sandbox.run(["nexus", "merge-driver", "--undo"]).code(0);
    assert_eq!(fs::read_to_string(sandbox.path(".nexus/.gitattributes")).expect("kept"), "*.md text\n");
}

#[test]
fn files_that_are_no_histories_are_refused_and_stay() {
    let sandbox = Sandbox::new().file("base", "").file("ours", "{ torn").file("theirs", "{}");
    let merge = |names: [&str; 3]| {
        let [base, ours, theirs] = names;
        nudge_in(&sandbox, &sandbox.path(""), &["nexus", "merge-history", base, ours, theirs])
    };
    merge(["base", "ours", "theirs"]).code(1);
    assert_eq!(fs::read_to_string(sandbox.path("ours")).expect("there"), "{ torn");
    merge(["gone", "theirs", "theirs"]).code(1);
    sandbox
        .put("one", r#"{ "cycles": [{ "completed_at": "1", "branch": "b", "plan": null, "tasks": [] }] }"#);
    merge(["base", "theirs", "one"]).code(0);
    let text = fs::read_to_string(Path::new(&sandbox.path("theirs"))).expect("there");
    let merged: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(merged["cycles"].as_array().map(Vec::len), Some(1));
}
