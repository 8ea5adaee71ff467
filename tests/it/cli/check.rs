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
        3 files checked by 2 rules: 1 error, 1 warning
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
        1 file checked by 2 rules: 0 errors, 1 warning
    "#]]);
    sandbox().run(["check", "fine.txt"]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        1 file checked by 2 rules: 0 errors, 0 warnings
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
        3 files checked by 2 rules: 1 error, 1 warning
    "#]]);
    sandbox().from("docs").run(["check"]).code(1).stdout(expect![[r#"
        docs/b.md:1: continue mind: Mind.
        src/a.rs:2: interrupt no-todo: Do it now (lines 2, 4). (and 1 line more)
    "#]]);
    sandbox().run(["check", "absent"]).code(1).stdout(expect![[""]]).stderr(expect![[r#"
        error: `absent` does not exist
        hint: name files and folders as seen from here, or nothing to check the whole project
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
    // A file that is named explicitly is checked.
    sandbox.run(["check", "a.log"]).code(1).stdout(expect![[r#"
        a.log:1: interrupt no-todo: Do it now (lines 1).
    "#]]);
}

#[test]
fn what_is_not_text_is_counted() {
    let sandbox = sandbox().file("a.bin", b"TODO \0");
    sandbox.run(["check", "a.bin", "fine.txt"]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        1 file checked by 2 rules, 1 not text: 0 errors, 0 warnings
    "#]]);
    let skipped = sandbox.run(["check", "--json", "a.bin"]).json()["skipped"].to_string();
    expect![[r#"[{"file":"a.bin","reason":"not text"}]"#]].assert_eq(&skipped);
}

#[test]
fn a_text_in_another_encoding_is_read_as_the_hook_reads_it() {
    sandbox().file("latin.txt", b"caf\xe9 TODO").run(["check", "latin.txt"]).code(1).stdout(expect![[r#"
        latin.txt:1: interrupt no-todo: Do it now (lines 1).
    "#]]);
}

#[test]
fn what_is_not_checked_is_named() {
    let sandbox = sandbox().file("large.txt", vec![b'x'; (16 << 20) + 1]);
    sandbox.run(["check", "large.txt", "fine.txt"]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        large.txt: warning: not checked: larger than 16 MB
        1 file checked by 2 rules, 1 not checked: 0 errors, 0 warnings
    "#]]);
    let skipped = sandbox.run(["check", "--json", "large.txt"]).json()["skipped"].to_string();
    expect![[r#"[{"file":"large.txt","reason":"larger than 16 MB"}]"#]].assert_eq(&skipped);
}

#[test]
#[cfg(unix)]
fn a_link_that_is_named_is_read_and_a_socket_is_not() {
    let sandbox = sandbox();
    std::os::unix::fs::symlink("src/a.rs", sandbox.path("link")).expect("a link");
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.path("socket")).expect("a socket");
    sandbox.run(["check", "link"]).code(1).stdout(expect![[r#"
        link:2: interrupt no-todo: Do it now (lines 2, 4). (and 1 line more)
    "#]]);
    sandbox.run(["check", "socket"]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        socket: warning: not checked: cannot be read: not a regular file
        0 files checked by 2 rules, 1 not checked: 0 errors, 0 warnings
    "#]]);
}

#[test]
fn rules_about_edits_are_asked_too() {
    let rule = "{ name: edit, on: { hook: PreToolUse, tool: Edit }, match: { content: TODO }, action: interrupt, message: m }";
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[rule])).file("a.rs", "TODO\n");
    sandbox.run(["check"]).code(1).stdout(expect![[r#"
        a.rs:1: interrupt edit: m
    "#]]);
}

#[test]
fn without_a_rule_about_contents_nothing_is_read() {
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[])).file("a.rs", "TODO\n");
    sandbox.run(["check"]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        no file was checked: no rule here is about the content of files
    "#]]);
}

#[test]
#[cfg(unix)]
fn a_folder_that_is_gone_ends_every_command_of_a_project() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    for command in ["check", "doctor", "rules", "validate", "test --content x"] {
        let script = format!(
            "mkdir gone && cd gone && rmdir ../gone && exec {} {command}",
            env!("CARGO_BIN_EXE_nudge")
        );
        let output = sandbox.command("sh").args(["-c", &script]).output().expect("a shell");
        sandbox.ran(&output).code(1).stdout(expect![[""]]).stderr(expect![[r#"
            error: the folder that this was started in is gone
            hint: change to one that exists, and try again
        "#]]);
    }
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
        1 file checked by 1 rule: 1 error, 0 warnings
    "#]]);
}

#[test]
fn a_broken_rule_fails_the_check() {
    let sandbox = Sandbox::new().rule("a.yaml", "version: 1\nrules: [7]\n").file("a.rs", "fine\n");
    sandbox.run(["check"]).code(1).stdout(expect![[r#"
        .nudge/a.yaml:2:9: error: a rule must be a map, but is a number
          hint: its keys are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`
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
    let place = sandbox.run(["check", "--json"]).json()["problems"][0]["place"].to_string();
    expect![[r#"{"file":"a.txt","line":null,"column":null}"#]].assert_eq(&place);
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
          "accepted": 0,
          "outdated": 0,
          "skipped": [],
          "problems": []
        }
    "#]]);
}

const NO_X: &str = "{ name: 'no, x', on: { hook: PreToolUse, tool: Write }, match: { content: x }, action: interrupt, message: \"100% no:\\nnever\" }";

#[test]
fn github_gets_an_annotation_for_each_place_and_no_command_of_a_stranger() {
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[NO_X])).file("src/a,b.txt", "x\n::error::hi\nx\n");
    sandbox.run(["check", "--format", "github"]).code(1).stdout(expect_test::expect![[r#"
        ::error file=src/a%2Cb.txt,line=1,title=no%2C x::100%25 no:%0Anever
        ::error file=src/a%2Cb.txt,line=3,title=no%2C x::100%25 no:%0Anever
    "#]]);
}

#[test]
fn sarif_has_what_its_schema_requires() {
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[NO_X])).file("src/a b.txt", "x\n\nx\n");
    let log = sandbox.run(["check", "--format", "sarif"]).code(1).json();
    assert_eq!(log["version"], "2.1.0");
    let runs = log["runs"].as_array().expect("runs");
    let run = &runs[0];
    assert_eq!((runs.len(), &run["tool"]["driver"]["name"]), (1, &serde_json::json!("nudge")));
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 2);
    for (result, line) in results.iter().zip([1, 3]) {
        assert!(result["message"]["text"].is_string());
        assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().expect("a level")));
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/a%20b.txt");
        assert_eq!(place["region"]["startLine"], line);
    }
    let clean = Sandbox::new().rule("a.yaml", &rules(&[NO_X])).file("a.txt", "y");
    let log = clean.run(["check", "--format", "sarif"]).code(0).json();
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
}
