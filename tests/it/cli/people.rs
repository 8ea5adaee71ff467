//! Commands for people: `rules`, `doctor`, and what all commands share.

use expect_test::expect;

use crate::payload::bash;
use crate::sandbox::{BLOCK_TODO, Sandbox, rules};

fn sandbox() -> Sandbox {
    Sandbox::new()
        .rule("a.yaml", BLOCK_TODO)
        .rule(
            "b.yaml",
            &rules(&[
                "{ name: hint, description: Say how, on: { hook: UserPromptSubmit }, action: continue, message: m, once: session }",
                "{ name: sleeping, on: { hook: Stop }, action: continue, message: m, enabled: false }",
            ]),
        )
}

fn versionless(text: &str) -> String {
    text.replace(env!("CARGO_PKG_VERSION"), "$VERSION")
}

#[test]
fn rules_lists_what_applies_here() {
    sandbox().run(["rules"]).code(0).stderr(expect![[""]]).stdout(expect![[r#"
        interrupt  no-todo   PreToolUse        Write|Edit|MultiEdit  .nudge/a.yaml:3:5
        continue   hint      UserPromptSubmit                        .nudge/b.yaml:3:5
        disabled   sleeping  Stop                                    .nudge/b.yaml:4:5
    "#]]);
    sandbox().from("src/deep").run(["rules"]).code(0).stdout(expect![[r#"
        interrupt  no-todo   PreToolUse        Write|Edit|MultiEdit  .nudge/a.yaml:3:5
        continue   hint      UserPromptSubmit                        .nudge/b.yaml:3:5
        disabled   sleeping  Stop                                    .nudge/b.yaml:4:5
    "#]]);
}

#[test]
fn rules_in_json() {
    sandbox().run(["rules", "--json"]).code(0).stderr(expect![[""]]).stdout(expect![[r#"
        {
          "root": "$BASE/project",
          "items": [
            {
              "name": "no-todo",
              "description": null,
              "hook": "PreToolUse",
              "tool": "Write|Edit|MultiEdit",
              "target": null,
              "action": "interrupt",
              "enabled": true,
              "once": null,
              "shadow": false,
              "pack": null,
              "file": ".nudge/a.yaml",
              "line": 3
            },
            {
              "name": "hint",
              "description": "Say how",
              "hook": "UserPromptSubmit",
              "tool": null,
              "target": null,
              "action": "continue",
              "enabled": true,
              "once": "session",
              "shadow": false,
              "pack": null,
              "file": ".nudge/b.yaml",
              "line": 3
            },
            {
              "name": "sleeping",
              "description": null,
              "hook": "Stop",
              "tool": null,
              "target": null,
              "action": "continue",
              "enabled": false,
              "once": null,
              "shadow": false,
              "pack": null,
              "file": ".nudge/b.yaml",
              "line": 4
            }
          ],
          "total": 3,
          "problems": []
        }
    "#]]);
}

#[test]
fn rules_shows_what_is_wrong() {
    let sandbox = sandbox().rule("c.yaml", "version: 1\nrules: [{ name: broken }]");
    sandbox.run(["rules"]).code(0).stdout(expect![[r#"
        interrupt  no-todo   PreToolUse        Write|Edit|MultiEdit  .nudge/a.yaml:3:5
        continue   hint      UserPromptSubmit                        .nudge/b.yaml:3:5
        disabled   sleeping  Stop                                    .nudge/b.yaml:4:5
        .nudge/c.yaml:2:9: error: rule `broken`: `on` is missing
          hint: add `on: …`
        .nudge/c.yaml:2:9: error: rule `broken`: `action` is missing
          hint: add `action: interrupt | ask | continue`
        .nudge/c.yaml:2:9: error: rule `broken`: `message` is missing
          hint: add `message: …`
    "#]]);
    Sandbox::new().run(["rules"]).code(0).stdout(expect![[r#"
        no rules in $BASE/project
    "#]]);
}

#[test]
fn doctor_says_that_all_is_well() {
    let sandbox = sandbox();
    let shown = sandbox.run(["doctor"]);
    shown.code(0).stderr(expect![[""]]);
    let lines: Vec<&str> = shown.stdout.lines().filter(|line| !line.starts_with("program ")).collect();
    expect![[r#"
        nudge $VERSION
        project             $BASE/project
        your rules          ~/config/nudge/rules.yaml
        data                ~/data/nudge
        cache               ~/cache/nudge
        database            ~/data/nudge/nudge.db
        rules               3 loaded, 1 disabled, ok
        folders             ok
        server              not running, ok
        agents              none found
        settings            ok
        memory              empty yet, ok"#]]
    .assert_eq(&versionless(&lines.join("\n")));
}

#[test]
fn doctor_says_what_is_wrong_and_what_hooks_hit() {
    let sandbox = sandbox().rule("c.yaml", "version: 1\nrules: [{ name: broken }]");
    sandbox.hook("claude-code", bash("ls"));
    sandbox.hook_bytes("claude-code", b"nonsense");
    let shown = sandbox.run(["doctor"]);
    shown.code(1).stderr(expect![[""]]);
    let text: Vec<&str> = shown.stdout.lines().skip_while(|line| !line.starts_with("rules ")).collect();
    // How long ago it was is not part of the test.
    let ageless: Vec<&str> = text
        .iter()
        .map(|line| {
            line.strip_prefix("   ")
                .filter(|line| !line.ends_with(" ms"))
                .map_or(*line, |rest| rest.split_once("s  ").map_or(*line, |(_, rest)| rest))
        })
        .collect();
    expect![[r#"
        rules               3 loaded, 1 disabled, 3 problems:
        .nudge/c.yaml:2:9: error: rule `broken`: `on` is missing
          hint: add `on: …`
        .nudge/c.yaml:2:9: error: rule `broken`: `action` is missing
          hint: add `action: interrupt | ask | continue`
        .nudge/c.yaml:2:9: error: rule `broken`: `message` is missing
          hint: add `message: …`
        folders             ok
        server              not running, ok
        agents              none found
        hooks               event                calls    median  95 of 100   slowest
                            all                      2  4 ms  4 ms  4 ms
                            PreToolUse               1  4 ms  4 ms  4 ms
        warning: 1 event lost, or not remembered
          hint: `nudge why --all -n 1000` shows which and why
        settings            ok
        memory              empty yet, ok

        Recent problems of hooks
        just now  .nudge/c.yaml:2:9: rule `broken`: `on` is missing
        just now  .nudge/c.yaml:2:9: rule `broken`: `action` is missing
        just now  .nudge/c.yaml:2:9: rule `broken`: `message` is missing
        just now  an event of claude-code was lost: the input is not a JSON object"#]]
    .assert_eq(&crate::cli::why::timeless(&ageless.join("\n")));
}

#[test]
fn doctor_in_json() {
    let sandbox = sandbox().rule("c.yaml", "version: 1\nrules: [{ name: broken }]");
    sandbox.hook_bytes("claude-code", b"nonsense");
    let shown = sandbox.run(["doctor", "--json"]);
    let mut doctor = shown.code(1).json();
    doctor["program"] = "nudge".into();
    doctor["log"][0]["at"] = 0.into();
    doctor["hooks"]["latency"] = "tested elsewhere".into();
    expect![[r#"
        {
          "version": "$VERSION",
          "program": "nudge",
          "project": "$BASE/project",
          "data": "$BASE/home/data/nudge",
          "cache": "$BASE/home/cache/nudge",
          "user_rules": "$BASE/home/config/nudge/rules.yaml",
          "rules": 3,
          "disabled_rules": 1,
          "lowered": [],
          "problems": [
            {
              "severity": "error",
              "place": {
                "file": ".nudge/c.yaml",
                "line": 2,
                "column": 9
              },
              "rule": "broken",
              "message": "`on` is missing",
              "hint": "add `on: …`"
            },
            {
              "severity": "error",
              "place": {
                "file": ".nudge/c.yaml",
                "line": 2,
                "column": 9
              },
              "rule": "broken",
              "message": "`action` is missing",
              "hint": "add `action: interrupt | ask | continue`"
            },
            {
              "severity": "error",
              "place": {
                "file": ".nudge/c.yaml",
                "line": 2,
                "column": 9
              },
              "rule": "broken",
              "message": "`message` is missing",
              "hint": "add `message: …`"
            }
          ],
          "settings": {
            "problems": []
          },
          "memory": {
            "database": "$BASE/home/data/nudge/nudge.db",
            "bytes": 0,
            "schema_version": null,
            "rows": null,
            "indexed": null,
            "faults": null,
            "spool_bytes": 0,
            "rejected_lines": 0,
            "problems": []
          },
          "others": [],
          "other_problems": [],
          "folders": {
            "open": [],
            "problems": []
          },
          "server": {
            "folder": null,
            "health": null,
            "problems": []
          },
          "agents": [],
          "state": {
            "problems": []
          },
          "hooks": {
            "latency": "tested elsewhere",
            "dropped": 1,
            "torn_lines": 0,
            "problems": [
              {
                "severity": "warning",
                "place": null,
                "rule": null,
                "message": "1 event lost, or not remembered",
                "hint": "`nudge why --all -n 1000` shows which and why"
              }
            ]
          },
          "log": [
            {
              "at": 0,
              "severity": "error",
              "place": null,
              "rule": null,
              "message": "an event of claude-code was lost: the input is not a JSON object",
              "hint": null
            }
          ]
        }"#]]
    .assert_eq(&versionless(&serde_json::to_string_pretty(&doctor).expect("JSON")));
}

#[test]
fn a_warning_alone_does_not_fail_doctor() {
    let twice = Sandbox::new().rule("a.yaml", BLOCK_TODO).rule("b.yaml", BLOCK_TODO);
    twice.run(["doctor"]).code(0);
    twice.run(["validate"]).code(0);
}

#[test]
fn doctor_notices_that_nothing_can_be_kept() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.data_folder().parent().expect("a parent")).expect("a folder");
    std::fs::write(sandbox.data_folder(), "").expect("a file in the way");
    let shown = sandbox.run(["doctor"]);
    let off: Vec<&str> =
        shown.code(1).stdout.lines().skip_while(|line| !line.starts_with("rules ")).collect();
    expect![[r#"
        rules               0 loaded, 1 problem:
        $BASE/home/data/nudge: error: this folder cannot be written to: File exists (os error 17)
          hint: make yourself its owner, or set XDG_DATA_HOME; until then problems are not kept, and `once` repeats
        folders             ok
        server              not running, ok
        agents              none found
        settings            ok
        memory              empty yet, ok"#]].assert_eq(&off.join("\n"));
}

#[test]
fn a_relative_home_is_ignored() {
    let sandbox =
        Sandbox::new().env("HOME", "relative").env("XDG_DATA_HOME", "").env("XDG_CACHE_HOME", "data");
    let doctor = sandbox.run(["doctor", "--json"]).json();
    assert_eq!((&doctor["data"], &doctor["cache"]), (&serde_json::Value::Null, &serde_json::Value::Null));
    assert!(!sandbox.path("relative").exists());
}

#[test]
fn a_deadline_that_is_not_a_number_is_reported() {
    for value in ["soon", "0", "-1"] {
        let ran = Sandbox::new().env("NUDGE_RULE_DEADLINE_MS", value).run(["doctor"]);
        assert!(ran.code(1).stdout.contains("which is not a number above 0"), "{}", ran.stdout);
    }
}

#[test]
fn names_with_line_ends_stay_in_their_line() {
    let rule =
        r#"{ name: "a\nb\e[31m", on: { hook: Stop }, match: { message: x }, action: continue, message: m }"#;
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[rule]));
    sandbox.run(["rules"]).code(0).stdout(expect![[r#"
        continue   a\nb\u{1b}[31m  Stop  .nudge/a.yaml:3:5
    "#]]);
    sandbox.run(["validate"]).code(0).stdout(expect![[r#"
        .nudge/a.yaml: 1 rule loaded
          - a\nb\u{1b}[31m (Stop, continue)
    "#]]);
    sandbox.run(["test", "--message", "x"]).code(0).stdout(expect![[r#"
        CONTINUE       a\nb\u{1b}[31m  m  .nudge/a.yaml:3:5
    "#]]);
}

#[test]
fn completions_are_there_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = Sandbox::new().run(["completions", shell]);
        script.code(0).stderr(expect![[""]]);
        assert!(script.stdout.contains("NUDGE_COMPLETE"), "{shell}: {}", script.stdout);
        let asked = Sandbox::new().env("NUDGE_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", "1");
        let offered = asked.run(["--", "nudge", ""]);
        offered.code(0).stderr(expect![[""]]);
        for command in commands() {
            assert!(offered.stdout.contains(&command), "{shell} does not complete `{command}`");
        }
    }
    Sandbox::new().run(["completions", "tcsh"]).code(2).stdout(expect![[""]]);
}

/// Returns every command, as the help lists them.
fn commands() -> Vec<String> {
    crate::cli::commands::listed(&Sandbox::new().run(["--help"]).stdout)
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let sandbox = Sandbox::new();
    sandbox.run(["man", "--output", "man1"]).code(0).stderr(expect![[""]]);
    for command in commands().iter().filter(|command| *command != "help") {
        let page = std::fs::read_to_string(sandbox.path(&format!("man1/nudge-{command}.1")));
        let page = page.unwrap_or_else(|error| panic!("no page of `{command}`: {error}"));
        assert!(page.is_ascii(), "the page of `{command}` needs more than ASCII");
        assert_eq!(sandbox.run(["man", command]).code(0).stdout, page);
    }
    assert!(sandbox.path("man1/nudge.1").is_file());
    assert!(!sandbox.path("man1/nudge-help.1").exists());
    for section in ["EXAMPLES", "FILES", "ENVIRONMENT", "EXIT STATUS", "SEE ALSO"] {
        for page in ["nudge.1", "nudge-recent.1", "nudge-task-add.1"] {
            let text = std::fs::read_to_string(sandbox.path(&format!("man1/{page}"))).expect("a page");
            assert!(text.contains(&format!(".SH \"{section}\"")), "{page} has no {section}:\n{text}");
        }
    }
    let page = sandbox.run(["man", "task", "add"]).stdout;
    assert!(page.contains(".TH nudge-task-add 1") && page.contains("Add a task"), "{page}");
    sandbox.run(["man", "tusk"]).code(2).stdout(expect![[""]]).stderr(expect![[r#"
        error: there is no command `tusk`
        hint: `nudge help` lists them
    "#]]);
    let taken = sandbox.file("taken", "").run(["man", "--out", "taken/man1"]);
    assert!(
        taken.code(1).stderr.starts_with("error: the manual cannot be written to `taken/man1`: "),
        "{}",
        taken.stderr
    );
}

#[test]
fn the_version_is_the_packages() {
    let ran = Sandbox::new().run(["--version"]);
    ran.code(0).stderr(expect![[""]]);
    assert_eq!(ran.stdout, format!("nudge {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_names_every_command_and_the_exit_codes() {
    let ran = Sandbox::new().run(["--help"]);
    ran.code(0).stderr(expect![[""]]);
    let said = ["check", "completions", "demo", "doctor", "hook", "rules", "test", "validate"];
    for word in said.into_iter().chain(["Exit status", "nudge help environment"]) {
        assert!(ran.stdout.contains(word), "help does not say `{word}`:\n{}", ran.stdout);
    }
    for command in said {
        let ran = Sandbox::new().run([command, "--help"]);
        ran.code(0).stderr(expect![[""]]);
        assert!(ran.stdout.contains(&format!("Usage: nudge {command}")), "{}", ran.stdout);
    }
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    let ran = Sandbox::new().run(["valdate"]);
    ran.code(2).stdout(expect![[""]]).stderr(expect![[r#"
        error: unrecognized subcommand 'valdate'

          tip: a similar subcommand exists: 'validate'

        Usage: nudge [OPTIONS] [COMMAND]

        For more information, try '--help'.
    "#]]);
    Sandbox::new().run(["rules", "--bogus"]).code(2).stdout(expect![[""]]);
    Sandbox::new().run(["--color", "sometimes", "rules"]).code(2).stdout(expect![[""]]);
}

#[test]
fn the_demo_is_three_scenes_on_one_screen_and_ends_with_the_next_command() {
    let sandbox = Sandbox::new();
    let played = sandbox.run(["demo"]);
    played.code(0).stderr(expect![[""]]);
    let lines: Vec<&str> = played.stdout.lines().collect();
    assert!(lines.len() < 24, "the demo has {} lines:\n{}", lines.len(), played.stdout);
    let scenes = lines.iter().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
    assert_eq!(scenes, 3, "{}", played.stdout);
    for words in ["blocked, and the agent sees why:", "Seen before: `npm test`", "Last session here"] {
        assert!(played.stdout.contains(words), "the demo does not say `{words}`:\n{}", played.stdout);
    }
    assert_eq!(
        lines.last(),
        Some(&"More: nudge demo --all. Connect your agents: nudge setup. Watch them: nudge ui")
    );
    let left = std::fs::read_dir(sandbox.beside("home")).expect("the home").count();
    assert_eq!(left, 0);
}

#[test]
fn the_whole_demo_plays_and_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    let played = sandbox.run(["demo", "--all"]);
    played.code(0).stderr(expect![[""]]);
    for word in ["13. ", "allowed, without a message", "and the user sees, once in this session:"] {
        assert!(played.stdout.contains(word), "the demo does not say `{word}`:\n{}", played.stdout);
    }
    let left = std::fs::read_dir(sandbox.beside("home")).expect("the home").count();
    assert_eq!(left, 0);
}

/// `UPDATE_EXPECT=1 cargo test --test it picture` draws it again.
#[test]
fn the_picture_of_the_readme_is_what_the_demo_draws() {
    let drawn = Sandbox::new().run(["demo", "--svg"]);
    drawn.code(0).stderr(expect![[""]]);
    expect_test::expect_file!["../../../docs/demo.svg"].assert_eq(&drawn.stdout);
}

#[test]
fn statistics_of_a_project_that_is_not_remembered_are_zero() {
    let sandbox = sandbox();
    // The memory knows another project.
    sandbox.put("../elsewhere/.keep", "");
    sandbox.hook("claude-code", bash("ls").cwd(&sandbox.beside("elsewhere").to_string_lossy()).after());
    assert!(sandbox.run(["recent", "--all"]).stdout.contains("ls"), "there is a memory");
    sandbox
        .run(["rules", "--stats"])
        .code(0)
        .stderr(expect![[r#"
        nothing is remembered of $BASE/project yet: counting begins with an agent's first hook
    "#]])
        .stdout(expect![[r#"
            rule       fired  refused  obeyed  repeated  asked  allowed  guided  last
            no-todo        0        0       0         0      0        0       0  never
            hint           0        0       0         0      0        0       0  never
            sleeping       0        0       0         0      0        0       0  never (disabled)
        "#]]);
    let all = sandbox.run(["rules", "--stats", "--json"]).json();
    let sums: Vec<u64> =
        all["items"].as_array().expect("a list").iter().filter_map(|rule| rule["fired"].as_u64()).collect();
    assert_eq!(sums, [0, 0, 0]);
}

#[test]
fn a_team_that_nobody_has_joined_is_no_failure() {
    let sandbox = Sandbox::new();
    sandbox
        .run(["team", "status"])
        .code(0)
        .stdout(expect![[r#"
            no team is joined: nothing leaves this machine
        "#]])
        .stderr(expect![[r#"
            hint: `nudge team join URL` joins one
        "#]]);
    let status = sandbox.run(["team", "status", "--json"]);
    assert_eq!(status.code(0).json()["server"], serde_json::Value::Null);
    assert_eq!(status.json()["projects"], serde_json::json!([]));
}

#[test]
fn a_file_is_not_a_folder_for_an_exchange() {
    let sandbox = Sandbox::new().file("plain.txt", "x");
    sandbox.run(["sync", "file", "plain.txt"]).code(2).stderr(expect![[r#"
        error: $BASE/project/plain.txt: this is not a folder
          hint: name the folder that something carries to the other machines, not a file in it
    "#]]);
    let ran = sandbox.run(["sync", "file", "plain.txt", "--json"]);
    assert_eq!(ran.code(2).json()["peers"][0]["error"]["temporary"], false);
    // A disk that is away may come back.
    sandbox.run(["sync", "file", "not-there"]).code(75);
}
