//! Candidate rows for the context of a new session.

use crate::store::fixture::{DataFolder, command, edit, project, prompt, read};

#[test]
fn edits_are_the_newest_of_each_file() {
    let folder = DataFolder::new();
    let write = crate::model::NewObservation {
        obs_type: crate::model::ObservationType::FileWrite,
        ..edit("b.rs").ago(5)
    };
    let store =
        folder.with(&[edit("a.rs").ago(30), edit("b.rs").ago(20), edit("a.rs").ago(10), write, read("c.rs")]);
    let edits = store.recent_edits(&project("nudge"), 9).unwrap();
    assert_eq!(edits.iter().map(|edit| edit.id.0).collect::<Vec<_>>(), [4, 3]);
}

#[test]
fn prompts_that_led_to_nothing_are_left_out() {
    let folder = DataFolder::new();
    let store = folder.with(&[
        prompt("fix the build").ago(90),
        command("make").ago(80),
        edit("a.rs").ago(70),
        command("make").session("s2").ago(65),
        prompt("yes").ago(60),
        prompt("now the docs").ago(50),
        edit("README.md").ago(40),
        prompt("thanks").ago(30),
    ]);
    let acted = store.acted_prompts(&project("nudge"), 9).unwrap();
    let acted: Vec<_> = acted.iter().map(|acted| (acted.prompt.content.as_str(), acted.actions)).collect();
    assert_eq!(acted, [("now the docs", 1), ("fix the build", 2)]);
}

#[test]
fn finer_kinds_are_found_by_name() {
    let folder = DataFolder::new();
    let commit = |text: &str| command(text).fact("kind", "git_commit");
    let store =
        folder.with(&[commit("git commit 1").ago(2), command("ls"), commit("git commit 2").of("other")]);
    let commits = store.recent_of_kind(&project("nudge"), "git_commit", 9).unwrap();
    assert_eq!(commits.iter().map(|commit| commit.id.0).collect::<Vec<_>>(), [1]);
}

#[test]
fn the_trail_has_every_row_newest_first() {
    let folder = DataFolder::new();
    let store =
        folder.with(&[command("a").ago(2), edit("a.rs").ago(1), edit("a.rs"), command("b").of("other")]);
    let trail = store.trail(&project("nudge"), 2).unwrap();
    assert_eq!(trail.iter().map(|row| row.id.0).collect::<Vec<_>>(), [3, 2]);
}
