//! Beside a team: hooks connect to nobody, and a disk that is full loses no place.

use std::fs;

use serde_json::json;

use super::{Mount, event, run_traced};
use crate::postgres::team::Team;
use crate::team::scene::{machine, on_server};

#[test]
#[ignore = "needs strace; .ci/run runs it"]
fn hooks_of_a_member_connect_to_nobody() {
    let Some(team) = Team::new() else { return };
    let (alice, bob) = (machine(&team, "alice").join("fixes"), machine(&team, "bob").join("fixes"));
    alice.fix("s1", "frobnicate");
    alice.synced();
    bob.synced();
    for (key, value) in [("team.unasked", "true"), ("team.rows", "3")] {
        bob.sandbox.run(["settings", "set", key, value]).code(0);
    }
    let bash = |error: &str| json!({"tool_name": "Bash", "tool_input": {"command": "make frobnicate"}, "tool_use_id": "t1", "error": error});
    for (name, more, opens) in [
        ("SessionStart", json!({"source": "startup"}), true),
        ("UserPromptSubmit", json!({"prompt": "make it"}), false),
        ("PostToolUseFailure", bash("Exit code 2\nerror: no rule for frobnicate"), true),
        ("PostToolUse", bash(""), false),
        ("Stop", json!({}), false),
    ] {
        let log = bob.sandbox.beside(&format!("trace-{name}"));
        let input = event(&bob.sandbox, "b1", name, more);
        let ran = run_traced(
            &bob.sandbox,
            &["hook", "--harness", "claude-code"],
            &input,
            ("connect,openat", None),
            &log,
        );
        assert!(ran.status.success(), "{name}");
        let trace = fs::read_to_string(&log).expect("a trace");
        let connected = trace.lines().find(|line| line.contains("connect(") && !line.contains("127.0.0.1"));
        assert_eq!(connected, None, "{name}");
        assert_eq!(trace.contains("team.db"), opens, "{name} and the copy: {trace}");
        assert!(!trace.contains("team.secret"), "{name}");
    }
}

#[test]
#[ignore = "mounts a file system; .ci/run runs it"]
fn a_full_disk_keeps_the_place_and_the_rest_comes_later() {
    let Some(team) = Team::new() else { return };
    let (alice, bob) = (machine(&team, "alice").join("work"), machine(&team, "bob"));
    let folder = bob.sandbox.data_folder();
    fs::create_dir_all(&folder).expect("a folder");
    let Some(_mount) = Mount::new(&["-t", "tmpfs", "-o", "size=6m", "none"], &folder) else { return };
    let bob = bob.join("work");
    bob.synced();
    let long = "word ".repeat(800);
    let words: Vec<String> = (0..3_000).map(|number| format!("make {number} {long}")).collect();
    alice.tell(&words);
    while alice.synced()["waiting"] != 0 {}
    let full = bob.sync();
    full.code(1);
    assert!(full.stderr.contains("full"), "{}", full.stderr);
    // The memory of this machine goes on.
    bob.sandbox.run(["search", "nothing-like-this"]).code(1);
    let grown = std::process::Command::new("mount").args(["-o", "remount,size=256m"]).arg(&folder).status();
    assert!(grown.expect("mount starts").success());
    bob.synced();
    assert_eq!(bob.copied_list().len(), words.len());
    assert_eq!(on_server(&team).len(), words.len());
}
