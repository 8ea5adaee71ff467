//! `nudge test`: the RFC's output for one rule, and a reason for each of many.

use expect_test::expect;

use crate::rules::examples;
use crate::sandbox::{Sandbox, rules};

/// The first rule of the RFC, whose output it shows.
const NO_CONSOLE: &str = r#"version: 1

rules:
  - name: no-console-log
    description: Prevent console.log in production code
    on:
      hook: PreToolUse
      tool: Write|Edit
      file: "**/*.ts"
    match:
      content: "console\\.log"
    action: interrupt
    message: |
      Remove console.log statements. Use a proper logger instead.
      Found on lines: {{ lines }}
"#;

fn sandbox() -> Sandbox {
    Sandbox::new().rule("a.yaml", NO_CONSOLE).rule("b.yaml", examples::SERVER_START)
}

#[test]
fn the_output_is_that_of_the_rfc() {
    let rfc = expect![[r#"
        Rule: no-console-log
        Result: INTERRUPT
        Message:
          Remove console.log statements. Use a proper logger instead.
          Found on lines: 1
    "#]];
    let args = [
        "test",
        "--rule",
        "no-console-log",
        "--tool",
        "Write",
        "--file",
        "app.ts",
        "--content",
        r#"console.log("hi")"#,
    ];
    sandbox().run(args).code(0).stderr(expect![[""]]).stdout(&rfc);
    let sandbox = sandbox().file("sample.ts", "console.log('x')\n");
    let from_file = [
        "test",
        "--rule",
        "no-console-log",
        "--tool",
        "Write",
        "--file",
        "app.ts",
        "--content-file",
        "sample.ts",
    ];
    sandbox.run(from_file).code(0).stdout(&rfc);
}

#[test]
fn a_prompt_is_tried() {
    let args = ["test", "--rule", "server-start-hint", "--prompt", "how do I start the server?"];
    sandbox().run(args).code(0).stdout(expect![[r#"
        Rule: server-start-hint
        Result: CONTINUE
        Message:
          To start the development server:
          ```
          npm run dev
          ```
          The server runs on http://localhost:3000
    "#]]);
}

#[test]
fn a_rule_that_is_quiet_says_why() {
    let reason = |args: [&str; 4]| {
        let [tool, file, flag, text] = args;
        let mut all = vec!["test", "--rule", "no-console-log", flag, text];
        if !tool.is_empty() {
            all.extend(["--tool", tool, "--file", file]);
        }
        let sandbox = sandbox();
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        let ran = sandbox.ran(&command.args(all).output().expect("the program ends"));
        ran.code(0);
        ran.stdout.lines().skip(1).collect::<Vec<_>>().join(" ")
    };
    expect!["Result: NO MATCH Reason: its `content` is not found"].assert_eq(&reason([
        "Write",
        "a.ts",
        "--content",
        "fine",
    ]));
    expect!["Result: NO MATCH Reason: it is for another tool"].assert_eq(&reason([
        "Read",
        "a.ts",
        "--content",
        "console.log",
    ]));
    expect!["Result: NO MATCH Reason: it is for other files"].assert_eq(&reason([
        "Write",
        "a.js",
        "--content",
        "console.log",
    ]));
    expect!["Result: NO MATCH Reason: it is for PreToolUse"].assert_eq(&reason([
        "",
        "",
        "--prompt",
        "console.log",
    ]));
    expect!["Result: NO MATCH Reason: it is for PreToolUse"].assert_eq(&reason([
        "",
        "",
        "--message",
        "console.log",
    ]));
    expect!["Result: INTERRUPT Message:   Remove console.log statements. Use a proper logger instead.   Found on lines: 1"].assert_eq(&reason(["", "", "--content", "console.log(1)"]));
}

#[test]
fn without_a_rule_those_that_fire_are_shown_and_all_with_verbose() {
    let args = ["test", "--tool", "Write", "--file", "src/app.ts", "--content", "a\nconsole.log(1)"];
    sandbox().run(args).code(0).stdout(expect![[r#"
        INTERRUPT      no-console-log  Remove console.log statements. Use a proper logger instead. …  .nudge/a.yaml:4:5
    "#]]).stderr(expect![[r#"
        1 other rule does not fire; `--verbose` shows why
    "#]]);
    sandbox()
        .run(["test", "--tool", "Write", "--content", "x"])
        .code(0)
        .stdout(expect![[r#"
        NO MATCH  2 rules tried
    "#]])
        .stderr(expect![[r#"
        `--verbose` shows why each of them does not fire
    "#]]);
    let all = [&args[..], &["--verbose"]].concat();
    sandbox().run::<8>(all.try_into().expect("eight words")).code(0).stdout(expect![[r#"
        INTERRUPT      no-console-log     Remove console.log statements. Use a proper logger instead. …  .nudge/a.yaml:4:5
        NO MATCH       server-start-hint  it is for UserPromptSubmit  .nudge/b.yaml:2:5
    "#]]);
    Sandbox::new().run(args).code(0).stdout(expect![[r#"
        no rules are loaded
    "#]]);
}

#[test]
fn edits_and_messages_are_tried() {
    let sandbox = Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&[
                "{ name: edit, on: { hook: PreToolUse, tool: Edit }, match: { new_string: any, old_string: string }, action: interrupt, message: Typed. }",
                "{ name: stop, on: { hook: Stop }, match: { message: done }, action: continue, message: Stopped. }",
                "{ name: off, on: { hook: Stop }, action: continue, message: Off., enabled: false }",
                "{ name: but, on: { hook: Stop }, match: { message: done }, unless: { message: tests }, action: continue, message: But. }",
            ]),
        );
    sandbox
        .run([
            "test",
            "--tool",
            "Edit",
            "--file",
            "a.ts",
            "--old-string",
            "string",
            "--new-string",
            "any",
            "--verbose",
        ])
        .code(0)
        .stdout(expect![[r#"
        INTERRUPT      edit  Typed.  .nudge/a.yaml:3:5
        NO MATCH       stop  it is for Stop  .nudge/a.yaml:4:5
        NO MATCH       off   it is disabled  .nudge/a.yaml:5:5
        NO MATCH       but   it is for Stop  .nudge/a.yaml:6:5
    "#]]);
    sandbox.run(["test", "--message", "done, with tests", "--verbose"]).code(0).stdout(expect![[r#"
        NO MATCH       edit  it is for PreToolUse  .nudge/a.yaml:3:5
        CONTINUE       stop  Stopped.  .nudge/a.yaml:4:5
        NO MATCH       off   it is disabled  .nudge/a.yaml:5:5
        NO MATCH       but   its `unless` is found  .nudge/a.yaml:6:5
    "#]]);
}

#[test]
fn a_rule_that_is_not_there_may_be_another() {
    sandbox()
        .run(["test", "--rule", "no-consol-log", "--content", "x"])
        .code(1)
        .stdout(expect![[""]])
        .stderr(expect![[r#"
        error: no rule is named `no-consol-log`
        hint: did you mean `no-console-log`?
    "#]]);
    sandbox().run(["test", "--rule", "zzz", "--content", "x"]).code(1).stderr(expect![[r#"
        error: no rule is named `zzz`
        hint: run `nudge rules` to see what is loaded, `nudge validate` to see what is wrong
    "#]]);
}

#[test]
fn nothing_to_try_is_a_failure() {
    sandbox().run(["test"]).code(2).stdout(expect![[""]]).stderr(expect![[r#"
        error: there is nothing to try the rules on
        hint: give --tool with --file and --content, or --prompt, or --message
    "#]]);
    sandbox().run(["test", "--content-file", "absent"]).code(1).stderr(expect![[r#"
        error: `absent` cannot be read: No such file or directory (os error 2)
        hint: name a file as seen from here, `-` for stdin, or give the text with --content
    "#]]);
    sandbox().run(["test", "--content", "x", "--content-file", "y"]).code(2);
    sandbox().run(["test", "--prompt", "x", "--tool", "Write"]).code(2);
}

#[test]
fn a_rule_that_does_not_load_says_why() {
    let off = "version: 1\nrules:\n  - { name: off, on: { hook: Stop }, mach: { message: x }, action: continue, message: m }\n";
    sandbox().rule("c.yaml", off).run(["test", "--rule", "off", "--message", "x"]).code(1).stderr(expect![[
        r#"
            error: rule `off` is not loaded: unknown key `mach` in a rule (.nudge/c.yaml:3:38)
            hint: did you mean `match`?
        "#
    ]]);
}

#[test]
fn a_text_may_begin_with_a_hyphen_or_come_from_stdin() {
    let sandbox = sandbox();
    sandbox.run(["test", "--content", "--- console.log(1)", "--verbose"]).code(0).stdout(expect![[r#"
        INTERRUPT      no-console-log     Remove console.log statements. Use a proper logger instead. …  .nudge/a.yaml:4:5
        NO MATCH       server-start-hint  it is for UserPromptSubmit  .nudge/b.yaml:2:5
    "#]]);
    let args = ["test", "--rule", "no-console-log", "--content-file", "-"];
    sandbox.run_with(args, b"\nconsole.log(1)").code(0).stdout(expect![[r#"
        Rule: no-console-log
        Result: INTERRUPT
        Message:
          Remove console.log statements. Use a proper logger instead.
          Found on lines: 2
    "#]]);
}

#[test]
fn results_in_json() {
    let args = ["test", "--json", "--tool", "Write", "--file", "app.ts", "--content", "\nconsole.log(1)"];
    sandbox().run(args).code(0).stderr(expect![[""]]).stdout(expect![[r#"
        {
          "items": [
            {
              "rule": "no-console-log",
              "file": ".nudge/a.yaml",
              "line": 4,
              "result": "interrupt",
              "reason": "it matches",
              "message": "Remove console.log statements. Use a proper logger instead.\nFound on lines: 2",
              "lines": [
                2
              ]
            },
            {
              "rule": "server-start-hint",
              "file": ".nudge/b.yaml",
              "line": 2,
              "result": "no_match",
              "reason": "it is for UserPromptSubmit",
              "message": null,
              "lines": null
            }
          ],
          "total": 2
        }
    "#]]);
}
