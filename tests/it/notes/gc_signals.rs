//! Which notes `nudge note gc` proposes, and which it may delete by itself: by who read them, and when.

use std::fs;

use expect_test::expect;
use serde_json::json;

use super::gc::{NOTE, TEXT, with_note};
use crate::repository::{commit_all, git, repository};
use crate::sandbox::Sandbox;

/// Writes a record as a harness would.
fn record(sandbox: &Sandbox, harness: &str, note: &str, at: &str, count: u64) {
    let path = sandbox.path(note);
    let line = json!({ "path": path, "last_accessed_ts": at, "access_count": count, "last_agent": "x" });
    let file = format!(".nexus/state/{harness}/memory-access.jsonl");
    let old = fs::read_to_string(sandbox.path(&file)).unwrap_or_default();
    sandbox.put(&file, format!("{old}{line}\n"));
}

#[test]
fn records_count_across_harnesses_and_are_deleted_with_their_note() {
    let sandbox = with_note().file(".nexus/memory/fresh-note.md", "fresh");
    commit_all(&sandbox, "another note");
    record(&sandbox, "claude-code", NOTE, "2020-01-01T00:00:00Z", 2);
    record(&sandbox, "gemini-cli", NOTE, "2020-02-01T00:00:00Z", 3);
    record(&sandbox, "opencode-nexus", NOTE, "2020-01-01T00:00:00Z", 1);
    record(&sandbox, "claude-code", ".nexus/memory/fresh-note.md", "2999-01-01T00:00:00Z", 1);
    let cycle = |at: &str| json!({ "schema_version": "0.11", "completed_at": at, "branch": "main", "plan": null, "tasks": [] });
    let cycles = [cycle("2020-01-15T00:00:00Z"), cycle("2020-03-01T00:00:00Z")];
    sandbox.put(".nexus/history.json", json!({ "cycles": cycles }).to_string());
    let plan = sandbox.run(["memory", "gc", "--json"]).json();
    assert_eq!(plan["proposed"], json!([NOTE]));
    assert_eq!((&plan["notes"][1]["reads"], &plan["notes"][1]["cycles_since_read"]), (&json!(6), &json!(1)));
    sandbox.run(["memory", "gc", "--apply", "--yes"]).code(0);
    let left = |harness: &str| {
        let file = sandbox.path(&format!(".nexus/state/{harness}/memory-access.jsonl"));
        fs::read_to_string(file).expect("the file stays").matches("pattern-old-recipe").count()
    };
    // The folder of another program is its own.
    assert_eq!([left("claude-code"), left("gemini-cli"), left("opencode-nexus")], [0, 0, 1]);
}

#[test]
fn automatic_deletion_takes_three_signals_that_agree() {
    let auto = |settings: &str, reads: Option<(&str, u64)>| {
        let sandbox = with_note();
        sandbox.put_user_settings(&format!("[notes]\n{settings}"));
        if let Some((at, count)) = reads {
            record(&sandbox, "claude-code", NOTE, at, count);
        }
        let cycle =
            json!({ "completed_at": "2020-06-01T00:00:00Z", "branch": "main", "plan": null, "tasks": [] });
        sandbox.put(".nexus/history.json", json!({ "cycles": [cycle] }).to_string());
        let ran = sandbox.run(["memory", "gc", "--auto"]);
        let gone = !sandbox.path(NOTE).exists();
        assert_eq!(gone, ran.stdout.starts_with("deleted"));
        if gone { "deleted".to_owned() } else { ran.stderr }
    };
    let all = "auto_delete = true\nauto_days = 90\nauto_cycles = 1\nauto_reads = 2\n";
    let old = Some(("2020-01-01T00:00:00Z", 2));
    assert_eq!(auto(all, old), "deleted");
    assert_eq!(auto(all, Some(("2020-01-01T00:00:00Z", 3))), "nothing to delete\n");
    assert_eq!(auto(all, Some(("2020-07-01T00:00:00Z", 2))), "nothing to delete\n");
    assert_eq!(auto(all, None), "nothing to delete\n");
    expect![[r#"
        error: automatic deletion is disabled
        hint: set `notes.auto_delete`, and read `nudge note gc --help` first
    "#]]
    .assert_eq(&auto(&all.replace("true", "false"), old));
    expect![[r#"
        error: automatic deletion needs three signals, and 2 of them are set
        hint: set `notes.auto_days`, `notes.auto_cycles` and `notes.auto_reads`
    "#]]
    .assert_eq(&auto(&all.replace("auto_reads = 2\n", ""), old));
}

#[test]
fn automatic_deletion_is_refused_where_reads_are_not_seen() {
    let settings = "[notes]\nauto_delete = true\nauto_days = 90\nauto_cycles = 1\nauto_reads = 2\n";
    let sandbox = with_note().file(".nexus/state/codex/agent-tracker.json", "[]");
    sandbox.put_user_settings(settings);
    record(&sandbox, "claude-code", NOTE, "2020-01-01T00:00:00Z", 1);
    sandbox.run(["memory", "gc", "--auto"]).code(1).stderr(expect![[r#"
        error: codex works in this project and does not report reads, so nobody knows what it has read
        hint: run `nudge note gc` and decide yourself
    "#]]);
    assert!(sandbox.path(NOTE).exists());
    let doctor = sandbox.run(["doctor"]).stdout;
    assert!(doctor.contains("notes are not deleted automatically: codex works in this project"), "{doctor}");
    // Two signals are also a problem of the settings themselves.
    sandbox.put_user_settings("[notes]\nauto_delete = true\nauto_days = 90\n");
    let doctor = sandbox.run(["doctor"]);
    assert!(doctor.stdout.contains("`notes.auto_delete` needs three signals"), "{}", doctor.stdout);
}

#[test]
fn a_signal_that_is_always_true_is_no_signal() {
    let sandbox = with_note();
    record(&sandbox, "claude-code", NOTE, "2020-01-01T00:00:00Z", 412);
    for (settings, expected) in [
        ("auto_days = 1\nauto_cycles = 0\nauto_reads = 1000000\n", "needs three signals, and 1 of them"),
        ("auto_days = 0\nauto_cycles = 1\nauto_reads = 2\n", "needs three signals, and 2 of them"),
        ("auto_days = 1\nauto_cycles = 1\nauto_reads = 11\n", "needs three signals, and 2 of them"),
    ] {
        sandbox.put_user_settings(&format!("[notes]\nauto_delete = true\n{settings}"));
        let ran = sandbox.run(["memory", "gc", "--auto"]);
        assert_eq!(ran.code, Some(1), "{settings}: {}", ran.stdout);
        assert!(ran.stderr.contains(expected), "{settings}: {}", ran.stderr);
        assert!(sandbox.path(NOTE).exists());
    }
    let doctor = sandbox.run(["doctor"]).stdout;
    assert!(doctor.contains("`notes.auto_reads` must be a whole number from 0 to 10"), "{doctor}");
    // A clone that brings the settings along deletes nothing.
    sandbox.put_user_settings("");
    let all = "[notes]\nauto_delete = true\nauto_days = 1\nauto_cycles = 1\nauto_reads = 10\n";
    sandbox.put(".nudge/config.toml", all);
    sandbox.run(["memory", "gc", "--auto"]).code(1).stderr(expect![[r#"
        error: automatic deletion is disabled
        hint: set `notes.auto_delete`, and read `nudge note gc --help` first
    "#]]);
    assert!(sandbox.path(NOTE).exists());
}

#[test]
fn a_note_that_nobody_read_or_changed_for_long_is_proposed_and_never_deleted_by_itself() {
    let sandbox = repository().file(NOTE, TEXT).file(".nexus/.gitignore", "state/\n");
    git(&sandbox, "", &["add", "-A"]);
    let old = "2020-01-01T00:00:00Z";
    let mut commit = sandbox.command("git");
    let commit = commit.args(["commit", "-q", "-m", "long ago"]);
    let done = commit.env("GIT_COMMITTER_DATE", old).env("GIT_AUTHOR_DATE", old).status().expect("git runs");
    assert!(done.success());
    sandbox.put(".nexus/memory/pattern-new-recipe.md", "Stir.\n");
    // A clone has no records, and knows it too.
    let clone = sandbox.beside("clone");
    git(&sandbox, "", &["clone", "-q", ".", clone.to_str().expect("UTF-8")]);
    for folder in [sandbox.path(""), clone] {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        let ran = command.args(["memory", "gc", "--json"]).current_dir(&folder).output().expect("it runs");
        let plan = sandbox.ran(&ran).json();
        assert_eq!(plan["proposed"], json!([NOTE]), "{plan}");
        let notes = plan["notes"].as_array().expect("notes");
        let note = notes.iter().find(|note| note["path"] == NOTE).expect("the note");
        let reason = note["reasons"][0].as_str().expect("a reason");
        assert!(reason.starts_with("never read here, and unchanged for "), "{reason}");
    }
    sandbox
        .put_user_settings("[notes]\nauto_delete = true\nauto_days = 1\nauto_cycles = 1\nauto_reads = 2\n");
    sandbox.run(["memory", "gc", "--auto"]).code(0).stderr(expect!["nothing to delete\n"]);
    // A read is newer than the last change.
    record(&sandbox, "claude-code", NOTE, "2999-01-01T00:00:00Z", 1);
    assert_eq!(sandbox.run(["memory", "gc", "--json"]).json()["proposed"], json!([]));
}
