//! `nudge sessions` and `nudge stats`.

use expect_test::expect;
use serde_json::json;

use crate::memory::scene::{import, line, play, remembered, timeless};
use crate::payload::{bash, prompt};

#[test]
fn sessions_are_listed_with_what_was_asked_first() {
    let sandbox = remembered();
    play(
        &sandbox,
        vec![prompt("tidy up").session("session-2"), bash("cargo fmt").after().session("session-2")],
    );
    import(&sandbox, &[line("make", json!({ "project": "other" }))]);
    let ran = timeless(sandbox.run(["sessions"]));
    ran.code(0).stderr(expect![[""]]);
    assert_eq!(ran.stdout.lines().count(), 2);
    timeless(sandbox.run(["sessions", "--project", "other"])).code(0).stdout(expect![[r#"
        old   25y ago     0s    0 prompts   0 edits   0 failures
    "#]]);
    assert_eq!(sandbox.run(["sessions", "--all"]).stdout.lines().count(), 3);
    assert_eq!(sandbox.run(["sessions", "--all", "--limit", "1"]).stdout.lines().count(), 1);
}

#[test]
fn sessions_in_json() {
    timeless(remembered().run(["sessions", "--json"])).code(0).stdout(expect![[r#"
        {
          "items": [
            {
              "session_id": "session-1",
              "project": "project",
              "started_at": NOW,
              "ended_at": NOW,
              "observations": 6,
              "prompts": 1,
              "edits": 1,
              "failures": 1,
              "blocked": 0,
              "harness": "claude-code",
              "branch": null,
              "worktree": null,
              "first_prompt": "make the linker error go away"
            }
          ],
          "total": 1
        }
    "#]]);
}

#[test]
fn one_session_is_a_story() {
    let sandbox = remembered();
    timeless(sandbox.run(["sessions", "session-1"])).code(0).stderr(expect![[""]]).stdout(expect![[r#"
        session-1  project
        from 14:30, for 0s by claude-code: 1 prompt, 1 edit, 1 failure

        ─ session started (startup)  1

        ❯ make the linker error go away  2
          · 1 file read
          ✗ cargo build ⏎ error: linking with `cc` failed: cannot find -lssl  4
          ✎ build.rs: fn main() {} → fn main() { link("ssl") }  5
          ✓ cargo build  6
    "#]]);
    let story = sandbox.run(["sessions", "sess", "--json"]).json();
    assert_eq!(
        (&story["session_id"], story["observations"].as_array().map(Vec::len)),
        (&json!("session-1"), Some(6))
    );
}

#[test]
fn a_session_is_named_by_any_beginning_that_is_its_own() {
    let sandbox = remembered();
    play(&sandbox, vec![bash("ls").after().session("session-12")]);
    sandbox.run(["sessions", "session-1"]).code(0);
    sandbox.run(["sessions", "session"]).code(1).stdout(expect![[""]]).stderr(expect![[r#"
        error: several sessions begin with `session`
        hint: type more of the id
    "#]]);
    sandbox.run(["sessions", "none"]).code(1).stdout(expect![[""]]).stderr(expect![[r#"
        error: no session in the memory matches `none`
        hint: `nudge sessions --all` lists them
    "#]]);
}

#[test]
fn stats_count_and_draw() {
    let sandbox = remembered();
    let ran = timeless(sandbox.run(["stats"]));
    ran.code(0).stderr(expect![[""]]);
    let (numbers, disk) = ran.stdout.split_once("\nOn disk").expect("the size comes last");
    expect![[r#"
        6 observations in 1 session of project `project`
        50% of commands failed: `nudge failures` shows which

        By type
        user_prompt          1  ████████████████████████████████████████
        session_start        1  ████████████████████████████████████████
        file_read            1  ████████████████████████████████████████
        file_edit            1  ████████████████████████████████████████
        command_error        1  ████████████████████████████████████████
        command              1  ████████████████████████████████████████

        By agent
        claude-code          6  1 session

        By day
        Mon Jan 12     6  ████████████████████████████████████████

        Busiest files
              1  build.rs
    "#]]
    .assert_eq(numbers);
    assert!(disk.contains("the whole file") && !disk.contains("_fts"), "{disk}");
}

#[test]
fn stats_in_json() {
    let sandbox = remembered();
    import(&sandbox, &[line("make", json!({ "project": "other" }))]);
    let stats = sandbox.run(["stats", "--json"]).json();
    assert_eq!(stats["project"], "project");
    assert_eq!(
        (&stats["observations"], &stats["sessions"], &stats["failure_rate"]),
        (&json!(6), &json!(1), &json!(0.5))
    );
    assert_eq!(stats["by_type"]["command_error"], 1);
    assert_eq!(
        stats["busiest_files"],
        json!([{ "project": "project", "file_path": "build.rs", "count": 1 }])
    );
    assert!(
        stats["file_bytes"].as_u64() > Some(0) && stats["bytes_by_table"]["observations"].as_u64() > Some(0)
    );
    let all = sandbox.run(["stats", "--all", "--json"]).json();
    assert_eq!(
        (&all["project"], &all["observations"], &all["sessions"]),
        (&json!(null), &json!(7), &json!(2))
    );
}

#[test]
fn sessions_of_several_agents_name_them() {
    let sandbox = remembered();
    assert!(!sandbox.run(["sessions"]).stdout.contains("claude-code"));
    let asked = prompt("tidy up").session("session-2").with("hook_event_name", "BeforeAgent");
    sandbox.hook("gemini-cli", asked);
    let listed = sandbox.run(["sessions"]).stdout.clone();
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].contains("  gemini-cli   ") && lines[1].contains("  claude-code  "), "{listed}");
}
