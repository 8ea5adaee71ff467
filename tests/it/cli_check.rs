//! `nudge check`: files as they are, judged by the rules about contents.

use expect_test::expect;

use crate::sandbox::{BLOCK_TODO, Sandbox, rules};

const MIND: &str = "{ name: mind, on: { hook: PreToolUse, file: '**/*.md' }, match: { content: mind }, action: continue, message: Mind. }";

fn sandbox() -> Sandbox {
    Sandbox::new()
        .rule("a.yaml", BLOCK_TODO)
        .rule("b.yaml", &rules(&[MIND]))
        .file("src/a.rs", "one\nTODO\nthree\nTODO\n")
        .file("docs/b.md", "mind this\n")
        .file("fine.txt", "fine\n")
}

#[test]
fn findings_are_listed_and_an_interrupt_fails() {
    sandbox()
        .run(["check"])
        .code(1)
        .stdout(expect![[r#"
        docs/b.md:1: continue mind: Mind.
        src/a.rs:2: interrupt no-todo: Do it now (lines 2, 4). (and 1 line more)
    "#]])
        .stderr(expect![[r#"
        3 files checked by 2 rules: 1 to interrupt, 1 to continue
    "#]]);
}

#[test]
fn guidance_alone_does_not_fail() {
    sandbox()
        .run(["check", "docs"])
        .code(0)
        .stdout(expect![[r#"
        docs/b.md:1: continue mind: Mind.
    "#]])
        .stderr(expect![[r#"
        1 file checked by 2 rules: 0 to interrupt, 1 to continue
    "#]]);
    sandbox().run(["check", "fine.txt"]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        1 file checked by 2 rules: 0 to interrupt, 0 to continue
    "#]]);
}

#[test]
fn paths_are_meant_from_here_and_each_file_is_checked_once() {
    sandbox().from("src").run(["check", "a.rs"]).code(1).stdout(expect![[r#"
        src/a.rs:2: interrupt no-todo: Do it now (lines 2, 4). (and 1 line more)
    "#]]);
    sandbox().from("docs").run(["check", "../src/a.rs", "."]).code(1).stdout(expect![[r#"
        src/a.rs:2: interrupt no-todo: Do it now (lines 2, 4). (and 1 line more)
        docs/b.md:1: continue mind: Mind.
    "#]]);
    sandbox()
        .run(["check", "src", "src/a.rs", ".", "./src/../src/a.rs"])
        .code(1)
        .stdout(expect![[r#"
        src/a.rs:2: interrupt no-todo: Do it now (lines 2, 4). (and 1 line more)
        docs/b.md:1: continue mind: Mind.
    "#]])
        .stderr(expect![[r#"
        3 files checked by 2 rules: 1 to interrupt, 1 to continue
    "#]]);
    sandbox().from("docs").run(["check"]).code(1).stdout(expect![[r#"
        docs/b.md:1: continue mind: Mind.
        src/a.rs:2: interrupt no-todo: Do it now (lines 2, 4). (and 1 line more)
    "#]]);
    sandbox().run(["check", "absent"]).code(1).stdout(expect![[""]]).stderr(expect![[r#"
        error: `absent` does not exist
    "#]]);
}

#[test]
fn what_git_ignores_is_left_out() {
    let sandbox = sandbox()
        .file(".gitignore", "target/\n*.log\n!keep.log\n")
        .file("target/x.rs", "TODO")
        .file("a.log", "TODO")
        .file("keep.log", "TODO")
        .file(".hidden/a.rs", "TODO")
        .file(".git/TODO", "TODO");
    sandbox.run(["check"]).code(1).stdout(expect![[r#"
        .hidden/a.rs:1: interrupt no-todo: Do it now (lines 1).
        docs/b.md:1: continue mind: Mind.
        keep.log:1: interrupt no-todo: Do it now (lines 1).
        src/a.rs:2: interrupt no-todo: Do it now (lines 2, 4). (and 1 line more)
    "#]]);
    // Who names a file means it.
    sandbox.run(["check", "a.log"]).code(1).stdout(expect![[r#"
        a.log:1: interrupt no-todo: Do it now (lines 1).
    "#]]);
}

#[test]
fn what_is_not_text_is_counted() {
    sandbox()
        .file("a.bin", b"TODO \xff\xfe")
        .run(["check", "a.bin", "fine.txt"])
        .code(0)
        .stdout(expect![[""]])
        .stderr(expect![[r#"
        1 file checked by 2 rules, 1 not text: 0 to interrupt, 0 to continue
    "#]]);
}

#[test]
fn rule_files_may_quote_what_they_forbid() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).file(".nudge.yaml", "# TODO\n").from("sub");
    sandbox.run(["check", ".."]).code(0).stdout(expect![[""]]);
}

#[test]
fn rules_about_something_else_are_not_asked() {
    let sandbox = Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&[
                "{ name: bash, on: { hook: PreToolUse, tool: Bash }, match: { content: TODO }, action: interrupt, message: m }",
                "{ name: always, on: { hook: PreToolUse }, action: interrupt, message: m }",
                "{ name: edits, on: { hook: PreToolUse }, match: { new_string: TODO }, action: interrupt, message: m }",
                "{ name: off, on: { hook: PreToolUse }, match: { content: TODO }, action: interrupt, message: m, enabled: false }",
                "{ name: after, on: { hook: PostToolUse }, match: { content: TODO }, action: interrupt, message: After. }",
            ]),
        )
        .file("a.rs", "TODO\n");
    sandbox
        .run(["check"])
        .code(1)
        .stdout(expect![[r#"
        a.rs:1: interrupt after: After.
    "#]])
        .stderr(expect![[r#"
        1 file checked by 1 rule: 1 to interrupt, 0 to continue
    "#]]);
}

#[test]
fn a_rule_that_is_off_fails_the_check() {
    let sandbox = Sandbox::new().rule("a.yaml", "version: 1\nrules: [7]\n").file("a.rs", "fine\n");
    sandbox.run(["check"]).code(1).stdout(expect![[r#"
        .nudge/a.yaml:2:9: error: a rule must be a map, but is a number
          hint: its keys are `name`, `description`, `on`, `match`, `unless`, `action`, `message`, `enabled`, `once`, `on_failure`, `examples`
    "#]]);
}

#[test]
fn a_rule_that_cannot_be_evaluated_fails_the_check() {
    let rule =
        r"{ name: a, on: { hook: PreToolUse }, match: { content: '(a)\1' }, action: continue, message: m }";
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[rule])).file("a.txt", "b".repeat(100_000));
    sandbox.run(["check"]).code(1).stdout(expect![[r#"
        a.txt: error: rule `a`: look-around and back-references are limited to texts of 64 KB
    "#]]);
}

#[test]
fn findings_in_json() {
    sandbox().run(["check", "--json"]).code(1).stderr(expect![[""]]).stdout(expect![[r#"
        {
          "findings": [
            {
              "file": "docs/b.md",
              "lines": [
                1
              ],
              "rule": "mind",
              "action": "continue",
              "message": "Mind."
            },
            {
              "file": "src/a.rs",
              "lines": [
                2,
                4
              ],
              "rule": "no-todo",
              "action": "interrupt",
              "message": "Do it now (lines 2, 4)."
            }
          ],
          "checked": 3,
          "skipped": 0,
          "problems": []
        }
    "#]]);
}
