//! `nudge show`, `nudge timeline` and `nudge recent`.

use expect_test::expect;
use serde_json::{Value, json};

use crate::memory::scene::{import, line, remembered, timeless};

#[test]
fn an_observation_is_shown_with_all_that_is_known() {
    timeless(remembered().run(["show", "#5", "4"])).code(0).stderr(expect![[""]]).stdout(expect![[r#"
        5  file_edit  14:30 (just now)
        project  project
        session  session-1
        event    PostToolUse of Edit
        file     build.rs
        agent    claude-code
        facts    tool_use_id session-1-4
          build.rs: fn main() {} → fn main() { link("ssl") }

        4  command_error  14:30 (just now)
        project  project
        session  session-1
        event    PostToolUseFailure of Bash
        agent    claude-code
        exit     101
        facts    tool_use_id session-1-3
          cargo build
          error: linking with `cc` failed: cannot find -lssl
    "#]]);
}

#[test]
fn json_is_the_seeds_full_shape_in_the_order_of_the_numbers() {
    let sandbox = remembered();
    timeless(sandbox.run(["show", "--json", "4"])).code(0).stdout(expect![[r#"
        {
          "items": [
            {
              "id": 4,
              "timestamp": NOW,
              "session_id": "session-1",
              "project": "project",
              "obs_type": "command_error",
              "source_event": "PostToolUseFailure",
              "tool_name": "Bash",
              "content": "cargo build\nerror: linking with `cc` failed: cannot find -lssl",
              "file_path": null,
              "metadata": {
                "command": "cargo build",
                "exit_code": 101,
                "harness": "claude-code",
                "tool_use_id": "session-1-3"
              }
            }
          ],
          "total": 1
        }
    "#]]);
    let shown = sandbox.run(["show", "--json", "6", "2", "4"]).json();
    let ids: Vec<&Value> = shown["items"].as_array().expect("a list").iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, [6, 2, 4]);
}

#[test]
fn what_is_not_there_is_named() {
    let sandbox = remembered();
    let ran = sandbox.run(["show", "--json", "99", "2", "98"]);
    ran.code(1).stderr(expect![[r#"
        error: there is no observation 99: it was deleted, or never existed
        error: there is no observation 98: it was deleted, or never existed
    "#]]);
    assert_eq!(ran.json()["items"].as_array().map(Vec::len), Some(1));
    sandbox.run(["show", "two"]).code(2).stderr(expect![[r#"
        error: invalid value 'two' for '<ID>...': write a number, for example `42`, or `last`

        For more information, try '--help'.
    "#]]);
    for bad in ["0", "-1", "##1", ""] {
        sandbox.run(["show", bad]).code(2);
    }
}

#[test]
fn a_timeline_marks_its_anchor() {
    let sandbox = remembered();
    sandbox.run(["timeline", "#4"]).code(0).stderr(expect![[""]]).stdout(expect![[r#"
        session session-1
          1  just now  session_start  session started (startup)
          2  just now  user_prompt    make the linker error go away
          3  just now  file_read      build.rs
        ▶ 4  just now  command_error  cargo build ⏎ error: linking with `cc` failed: cannot find -lssl
          5  just now  file_edit      build.rs: fn main() {} → fn main() { link("ssl") }
          6  just now  command        cargo build
    "#]]);
    sandbox.run(["timeline", "4", "--before", "1", "--after", "0"]).code(0).stdout(expect![[r#"
        session session-1
          3  just now  file_read      build.rs
        ▶ 4  just now  command_error  cargo build ⏎ error: linking with `cc` failed: cannot find -lssl
    "#]]);
}

#[test]
fn a_timeline_in_json() {
    let sandbox = remembered();
    let shown = sandbox.run(["timeline", "4", "--before", "2", "--after", "1", "--json"]).json();
    let ids = |part: &str| -> Vec<Value> {
        shown[part].as_array().expect("a list").iter().map(|one| one["id"].clone()).collect()
    };
    assert_eq!(
        (ids("before"), &shown["anchor"]["id"], ids("after")),
        (vec![2.into(), 3.into()], &json!(4), vec![5.into()])
    );
    assert_eq!(shown["anchor"], sandbox.run(["show", "--json", "4"]).json()["items"][0]);
    sandbox.run(["timeline", "99"]).code(1).stdout(expect![[""]]).stderr(expect![[r#"
        error: there is no observation 99
        hint: it was deleted, or never existed; `nudge recent` lists the latest
    "#]]);
}

#[test]
fn recent_lists_each_file_once() {
    let sandbox = remembered();
    import(&sandbox, &[line("make elsewhere", json!({ "project": "other" }))]);
    sandbox.run(["recent"]).code(0).stderr(expect![[""]]).stdout(expect![[r#"
        6  just now  command        cargo build
        5  just now  file_edit      build.rs: fn main() {} → fn main() { link("ssl") }
        4  just now  command_error  cargo build ⏎ error: linking with `cc` failed: cannot find -lssl
        2  just now  user_prompt    make the linker error go away
        1  just now  session_start  session started (startup)
    "#]]);
    sandbox.run(["recent", "--limit", "2"]).code(0).stdout(expect![[r#"
        6  just now  command    cargo build
        5  just now  file_edit  build.rs: fn main() {} → fn main() { link("ssl") }
    "#]]);
    sandbox.run(["recent", "--project", "other", "--all"]).code(2);
    timeless(sandbox.run(["recent", "--project", "other", "--json"])).code(0).stdout(expect![[r#"
        {
          "items": [
            {
              "id": 7,
              "timestamp": NOW,
              "session_id": "old",
              "project": "other",
              "obs_type": "command",
              "source_event": "PostToolUse",
              "tool_name": null,
              "content": "make elsewhere",
              "file_path": null,
              "metadata": null
            }
          ],
          "total": 1
        }
    "#]]);
    let all = sandbox.run(["recent", "--all"]);
    assert_eq!(all.code(0).stdout.lines().count(), 6);
    sandbox.from("../elsewhere").run(["recent"]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        nothing is remembered of project `elsewhere` yet: try `--all`
    "#]]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_time_zone_that_is_a_pipe_keeps_nobody_waiting() {
    let sandbox = remembered();
    assert!(sandbox.command("mkfifo").arg(sandbox.path("pipe")).status().expect("mkfifo").success());
    let pipe = sandbox.path("pipe").display().to_string();
    for zone in [pipe.clone(), format!(":{pipe}"), "pipe".to_owned()] {
        for args in [vec!["timeline", "1"], vec!["observations", "export", "--since", "yesterday"]] {
            let mut command = sandbox.command("timeout");
            command.arg("30").arg(env!("CARGO_BIN_EXE_nudge")).args(&args).env("TZ", &zone);
            sandbox.ran(&command.output().expect("it runs")).code(0);
        }
    }
}
