//! Rules that load but would do nothing: the user is warned once per session, and `validate` says what was meant.

use expect_test::expect;

use crate::payload::{bash, write};
use crate::sandbox::{BLOCK_TODO, Sandbox, rules};

const DEAD: &str = r#"{ name: dead, on: { hook: PreToolUse, tool: Write }, match: { content: "\bfoo\b" }, action: interrupt, message: m }"#;

#[test]
fn a_dead_rule_is_reported_once_in_a_session() {
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[DEAD]));
    sandbox.hook("claude-code", write("a.ts", "foo")).stdout(expect![[r#"
        {"systemMessage":"nudge: some rule files have warnings: .nudge/a.yaml:3:76: rule `dead`: `content` contains the control character U+0008 (see `nudge validate`)"}
    "#]]);
    sandbox.hook("claude-code", write("a.ts", "foo")).stdout(expect![""]);
    sandbox.run(["validate"]).code(0).stdout(expect![[r#"
        .nudge/a.yaml: 1 rule loaded
          - dead (PreToolUse, interrupt)
        .nudge/a.yaml:3:76: warning: rule `dead`: `content` contains the control character U+0008
             3 |   - { name: dead, on: { hook: PreToolUse, tool: Write }, match: { content: "\bfoo\b" }, action: inte
               |                                                                            ^
          hint: write `\\b`, or use single quotes
    "#]]);
}

#[test]
fn a_glob_from_the_root_of_the_disk_is_reported() {
    let rule = |glob: &str| {
        format!("{{ name: dead, on: {{ hook: PreToolUse, file: '{glob}' }}, action: continue, message: m }}")
    };
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[&rule("/src/**")]));
    sandbox
        .hook("claude-code", bash("ls"))
        .problem(expect![".nudge/a.yaml:3:5: rule `dead`: `/src/**` is an absolute path"]);
    let inside = sandbox.path("src/**");
    let sandbox = sandbox.rule("a.yaml", &rules(&[&rule(inside.to_str().expect("UTF-8"))]));
    sandbox
        .hook("claude-code", write("src/a.ts", "x"))
        .reply(expect!["context: m"])
        .problem(expect!["nothing"]);
}

#[test]
fn endings_in_capitals_are_rule_files_too() {
    let sandbox = Sandbox::new().rule("a.YAML", BLOCK_TODO).rule("b.Yml", &rules(&[DEAD]));
    sandbox.run(["rules"]).code(0).stdout(expect![[r#"
        interrupt  no-todo  PreToolUse  Write|Edit|MultiEdit  .nudge/a.YAML:3:5
        interrupt  dead     PreToolUse  Write                 .nudge/b.Yml:3:5
        .nudge/b.Yml:3:76: warning: rule `dead`: `content` contains the control character U+0008
          hint: write `\\b`, or use single quotes
    "#]]);
}

#[test]
fn what_an_event_brings_up_is_for_doctor() {
    let rule = r"{ name: back, on: { hook: PreToolUse }, match: { content: '(?<=a)b' }, action: continue, message: m }";
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[rule]));
    sandbox.hook("claude-code", write("a.ts", &"x".repeat(70_000))).stdout(expect![[r#"
        {"systemMessage":"nudge: some rules could not be evaluated: .nudge/a.yaml:3:5: rule `back`: look-around and back-references are limited to texts of 64 KB (see `nudge doctor`)"}
    "#]]);
    let sandbox = sandbox.rule("b.yaml", "version: 1\nrules: [7]\n");
    sandbox.hook("claude-code", write("a.ts", &"x".repeat(70_000)).session("other")).stdout(expect![[r#"
        {"systemMessage":"nudge: some rules could not be evaluated: .nudge/a.yaml:3:5: rule `back`: look-around and back-references are limited to texts of 64 KB (see `nudge doctor`)\nnudge: some rules do not work as written: .nudge/b.yaml:2:9: a rule must be a map, but is a number (see `nudge validate`)"}
    "#]]);
}
