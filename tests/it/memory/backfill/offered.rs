//! What is read on request, and where reading is offered.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::{Transcript, backfill, rows};
use crate::sandbox::Sandbox;

#[test]
fn only_a_part_is_read_if_that_is_wanted() {
    let sandbox = Sandbox::new();
    Transcript::of(&sandbox, "here").user("here", "p1").write(&sandbox);
    let mut there = Transcript::of(&sandbox, "there");
    there.cwd = sandbox.beside("elsewhere").to_str().expect("UTF-8").to_owned();
    there.user("there", "p2").write(&sandbox);
    let mut old = Transcript::of(&sandbox, "old");
    old.second -= 400 * 86_400;
    old.user("too old for retention", "p3").write(&sandbox);
    let stored = |args: [&str; 3]| sandbox.run(args).json()["agents"][0]["types"]["user_prompt"].clone();
    assert_eq!(stored(["backfill", "--json", "--dry-run"]), json!(2));
    assert_eq!(stored(["backfill", "--json", "--project"]), json!(1));
    assert_eq!(rows(&sandbox).len(), 2);
    assert_eq!(stored(["backfill", "--json", "--since=1d"]), Value::Null);
    // What was left out before is read when more is wanted.
    assert_eq!(stored(["backfill", "--json", "--since=30d"]), json!(1));
    assert_eq!(stored(["backfill", "--json", "--all"]), Value::Null);
    sandbox.run(["backfill", "nobody"]).code(2);
}

#[test]
fn what_retention_would_delete_is_left_out_and_counted() {
    let sandbox = Sandbox::new();
    Transcript::of(&sandbox, "new").user("new", "p1").write(&sandbox);
    let mut old = Transcript::of(&sandbox, "old");
    old.second -= 400 * 86_400;
    old.user("too old", "p2").user("too old as well", "p3").write(&sandbox);
    assert_eq!(
        sandbox.run(["backfill", "--json", "--dry-run"]).json()["expired"],
        3,
        "two prompts, and an event of the session itself"
    );
    // Who asks for less misses nothing.
    assert_eq!(sandbox.run(["backfill", "--json", "--dry-run", "--since=30d"]).json()["expired"], 0);
    let ran = sandbox.run(["backfill"]);
    let said = "note: 3 events left out: older than `retention` keeps them (`nudge settings`)";
    assert!(ran.code(0).stderr.contains(said), "{}", ran.stderr);
    assert!(!sandbox.run(["backfill"]).stderr.contains("left out"), "they were read once");
}

#[test]
fn doctor_warns_before_an_agent_deletes_what_was_never_read() {
    let sandbox = Sandbox::new();
    let path = Transcript::of(&sandbox, "s1").user("one", "p1").write(&sandbox);
    let warned = || sandbox.run(["doctor"]).stdout.contains("nudge backfill");
    assert!(!warned());
    let old = SystemTime::now() - Duration::from_secs(27 * 86_400);
    fs::File::options().append(true).open(&path).expect("a file").set_modified(old).expect("a time");
    assert!(warned());
    backfill(&sandbox);
    assert!(!warned());
}

#[test]
fn setup_says_how_much_could_be_remembered() {
    let sandbox = Sandbox::new();
    Transcript::of(&sandbox, "s1").user("one", "p1").write(&sandbox);
    let ran = sandbox.run(["setup", "claude", "--yes"]);
    assert!(ran.stderr.contains("1 transcript of earlier sessions"), "{}", ran.stderr);
    assert!(ran.stderr.contains("nudge backfill"), "{}", ran.stderr);
    backfill(&sandbox);
    assert!(!sandbox.run(["setup", "claude", "--yes"]).stderr.contains("backfill"));
}

#[test]
fn setup_reads_them_without_asking_if_it_is_told_to() {
    let sandbox = Sandbox::new();
    Transcript::of(&sandbox, "s1").user("one", "p1").write(&sandbox);
    let ran = sandbox.run(["setup", "claude", "--yes", "--backfill"]);
    ran.code(0);
    assert!(ran.stdout.contains("2 observations stored"), "{}", ran.stdout);
    assert_eq!(rows(&sandbox).len(), 2);
    sandbox.run(["setup", "claude", "--backfill", "--undo"]).code(2);
}

#[test]
fn every_command_of_the_guide_prints_what_it_says() {
    let sandbox = Sandbox::new()
        .file(".nudge/config.toml", "[project]\nname = 'shop'")
        .file(".serena/memories/core/code_style.md", "Use tabs in this project.");
    Transcript::of(&sandbox, "s1")
        .user("why is the tax wrong?", "p1")
        .runs("t1", "sh check.sh", "ok")
        .says("m1", "The rounding was in the wrong place: it is done once, at the end.")
        .write(&sandbox);
    crate::memory::guide::assert_prints("docs/guide/backfill.md", &sandbox);
}

#[test]
fn old_transcripts_say_nothing_about_the_clock() {
    let sandbox = Sandbox::new();
    let mut old = Transcript::of(&sandbox, "old");
    old.second -= 100 * 86_400;
    old.user("long ago", "p1").write(&sandbox);
    backfill(&sandbox);
    let start = crate::payload::event("SessionStart").with("source", "startup");
    let reply = sandbox.hook("claude-code", start).stdout;
    assert!(!reply.contains("date of this machine"), "{reply}");
}
