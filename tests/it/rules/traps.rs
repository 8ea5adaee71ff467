//! The traps of the RFC: mistakes in rule files, each reported with its place and what to do, and each costing
//! only its own rule.

use expect_test::expect;

use crate::payload::{bash, prompt, write};
use crate::sandbox::{BLOCK_TODO, Ran, Sandbox};

/// A good rule, followed by the given one.
fn beside_a_good_rule(rule: &str) -> Ran {
    let indented: String = rule.lines().map(|line| format!("    {line}\n")).collect();
    let text = format!("{BLOCK_TODO}  - name: trap\n{indented}");
    let ran = Sandbox::new().rule("a.yaml", &text).hook("claude-code", write("a.ts", "TODO trap"));
    assert!(ran.blocks(), "the good rule is off: {}", ran.stdout);
    ran
}

#[test]
fn an_unknown_key_costs_its_rule() {
    beside_a_good_rule("on: { hook: PreToolUse }\nmatches: { content: trap }\naction: interrupt\nmessage: m")
        .reply(expect![["deny: Do it now (lines 1)."]])
        .problem(expect![".nudge/a.yaml:10:5: rule `trap`: unknown key `matches` in a rule"]);
}

#[test]
fn a_key_of_ones_own_is_passed_over() {
    beside_a_good_rule("on: { hook: PreToolUse }\nx-owner: me\naction: continue\nmessage: Trapped.")
        .reply(expect![[r#"
            deny: Do it now (lines 1).

            ---

            Trapped."#]])
        .problem(expect![["nothing"]]);
}

#[test]
fn a_match_on_what_the_hook_does_not_have_never_fires() {
    for (field, hook) in [("prompt", "PreToolUse"), ("message", "PreToolUse"), ("prompt", "PostToolUse")] {
        let ran = beside_a_good_rule(&format!(
            "on: {{ hook: {hook} }}\nmatch: {{ {field}: '.' }}\naction: interrupt\nmessage: m"
        ));
        ran.reply(expect![["deny: Do it now (lines 1)."]]);
        assert!(ran.stdout.contains(&format!("`{field}` does not exist on {hook}")), "{}", ran.stdout);
    }
    Sandbox::new()
        .file(".nudge.yaml", "version: 1\nrules: [{ name: a, on: { hook: UserPromptSubmit }, match: { content: x }, action: interrupt, message: m }]")
        .hook("claude-code", prompt("x"))
        .reply(expect![["nothing"]])
        .problem(expect![".nudge.yaml:2:70: rule `a`: `content` does not exist on UserPromptSubmit"]);
}

#[test]
fn a_duplicate_key_costs_its_rule() {
    beside_a_good_rule("on: { hook: PreToolUse }\naction: interrupt\nmessage: m\nmessage: n")
        .reply(expect!["deny: Do it now (lines 1)."])
        .problem(expect![".nudge/a.yaml:12:5: rule `trap`: the key `message` appears twice"]);
}

#[test]
fn an_invalid_regex_costs_its_rule() {
    beside_a_good_rule("on: { hook: PreToolUse }\nmatch: { content: 'a(b' }\naction: interrupt\nmessage: m")
        .problem(expect![
            ".nudge/a.yaml:10:23: rule `trap`: `content` is not a regex: unclosed group at character 2"
        ]);
    beside_a_good_rule("on: { hook: PreToolUse, tool: '*' }\naction: interrupt\nmessage: m").problem(expect![".nudge/a.yaml:9:35: rule `trap`: `tool` is not a regex: repetition operator missing expression at character 1"]);
}

#[test]
fn an_invalid_glob_costs_its_rule() {
    beside_a_good_rule("on: { hook: PreToolUse, file: 'a[' }\naction: interrupt\nmessage: m").problem(
        expect![
            ".nudge/a.yaml:9:35: rule `trap`: `file` is not a glob: unclosed character class; missing ']'"
        ],
    );
    beside_a_good_rule("on: { hook: PreToolUse, file: [] }\naction: interrupt\nmessage: m")
        .problem(expect![".nudge/a.yaml:9:35: rule `trap`: `file` is an empty list"]);
    beside_a_good_rule("on: { hook: PreToolUse, file: '' }\naction: interrupt\nmessage: m")
        .problem(expect![".nudge/a.yaml:9:35: rule `trap`: `file` is empty"]);
}

#[test]
fn wrong_words_cost_their_rule() {
    beside_a_good_rule("on: { hook: PreToolUsed }\naction: interrupt\nmessage: m")
        .problem(expect![".nudge/a.yaml:9:17: rule `trap`: `hook` cannot be `PreToolUsed`"]);
    beside_a_good_rule("on: { hook: PreToolUse }\naction: block\nmessage: m")
        .problem(expect![".nudge/a.yaml:10:13: rule `trap`: `action` cannot be `block`"]);
    beside_a_good_rule("on: { hook: PreToolUse }\naction: interrupt")
        .problem(expect![".nudge/a.yaml:8:5: rule `trap`: `message` is missing"]);
    beside_a_good_rule(
        "on: { hook: PreToolUse }\nmatch: { content: x, case_sensitive: no }\naction: interrupt\nmessage: m",
    )
    .problem(expect![
        ".nudge/a.yaml:10:42: rule `trap`: `case_sensitive` must be true or false, but is a text"
    ]);
    beside_a_good_rule("on: PreToolUse\naction: interrupt\nmessage: m")
        .problem(expect![".nudge/a.yaml:9:9: rule `trap`: `on` must be a map, but is a text"]);
    beside_a_good_rule("on: { hook: PreToolUse }\nmatch: { content: 42 }\naction: interrupt\nmessage: m")
        .problem(expect![".nudge/a.yaml:10:23: rule `trap`: `content` must be a text, but is a number"]);
}

/// Returns what is reported about a file that is invalid as a whole.
fn off(text: &str) -> Ran {
    let sandbox = Sandbox::new().rule("good.yaml", BLOCK_TODO).rule("trap.yaml", text);
    let ran = sandbox.hook("claude-code", write("a.ts", "TODO trap"));
    ran.reply(expect![["deny: Do it now (lines 1)."]]);
    ran
}

const HEAD: &str = "version: 1\nrules:\n  - name: trap\n    action: interrupt\n";

#[test]
fn bare_words_that_yaml_reads_differently_must_be_quoted() {
    off(&format!("{HEAD}    message: m\n    on:\n      hook: PreToolUse\n      file: !**/test/**\n"))
        .problem(expect![".nudge/trap.yaml:8:13: YAML tags are not supported"]);
    off(&format!("{HEAD}    message: m\n    on:\n      hook: PreToolUse\n      file: **/*.ts\n"))
        .problem(expect![".nudge/trap.yaml:8:13: not valid YAML: while parsing node, found unknown anchor"]);
    off(&format!("{HEAD}    message: {{{{ lines }}}}\n    on: {{ hook: PreToolUse }}\n"))
        .problem(expect![".nudge/trap.yaml:5:14: rule `trap`: `message` must be a text, but is a map"]);
    off(&format!(
        "{HEAD}    message: m\n    on: {{ hook: PreToolUse }}\n    match:\n      content: \"a\\.b\"\n"
    ))
    .problem(expect![
        ".nudge/trap.yaml:8:16: not valid YAML: while parsing a quoted scalar, found unknown escape character"
    ]);
    off(&format!("{HEAD}\tmessage: m\n")).problem(expect![
        ".nudge/trap.yaml:4:13: not valid YAML: while scanning a plain scalar, found a tab"
    ]);
}

#[test]
fn only_version_one_is_read() {
    let with = |version: &str| BLOCK_TODO.replace("version: 1", version).replace("Do it now", "Trap");
    off(&with("version: 2")).problem(expect![".nudge/trap.yaml:1:10: `version` must be the number 1"]);
    off(&with("version: \"1\"")).problem(expect![".nudge/trap.yaml:1:10: `version` must be the number 1"]);
    off(&with("version: 1.0")).problem(expect![".nudge/trap.yaml:1:10: `version` must be the number 1"]);
    off(&with("version:")).problem(expect![".nudge/trap.yaml:1:8: `version` must be the number 1"]);
}

#[test]
fn a_missing_version_is_a_warning() {
    let text = BLOCK_TODO.replace("version: 1\n", "");
    Sandbox::new()
        .file(".nudge.yaml", text)
        .hook("claude-code", write("a.ts", "TODO"))
        .reply(expect![["deny: Do it now (lines 1)."]])
        .problem(expect![".nudge.yaml:1:1: `version` is missing"]);
}

#[test]
fn files_of_another_shape_are_invalid() {
    off("just a text").problem(expect![".nudge/trap.yaml:1:1: the file must be a map, but is a text"]);
    off("- name: a").problem(expect![".nudge/trap.yaml:1:1: the file must be a map, but is a list"]);
    off("version: 1").problem(expect![".nudge/trap.yaml:1:1: `rules` is missing"]);
    off("version: 1\nrules: {}")
        .problem(expect![".nudge/trap.yaml:2:8: `rules` must be a list, but is a map"]);
    off("version: 1\nrules: []\nversion: 1")
        .problem(expect![".nudge/trap.yaml:3:1: the key `version` appears twice"]);
    off("version: 1\nrules: []\n---\nversion: 1")
        .problem(expect![".nudge/trap.yaml:3:1: more than one YAML document in this file"]);
    off("version: 1\nrule: []").problem(expect![
        ".nudge/trap.yaml:2:1: unknown key `rule` in the file; .nudge/trap.yaml:1:1: `rules` is missing"
    ]);
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    Sandbox::new()
        .rule("a.yaml", &format!("\u{feff}{BLOCK_TODO}"))
        .hook("claude-code", write("a.ts", "TODO"))
        .reply(expect![["deny: Do it now (lines 1)."]])
        .problem(expect![["nothing"]]);
}

#[test]
fn anchors_and_merge_keys_are_read() {
    let text = "version: 1
rules:
  - &base
    name: base
    on: { hook: PreToolUse, tool: Bash }
    match: { content: base }
    action: interrupt
    message: Base.
  - <<: *base
    name: derived
    match: { content: derived }
    message: Derived.
";
    let sandbox = Sandbox::new().rule("a.yaml", text);
    sandbox
        .hook("claude-code", bash("derived"))
        .reply(expect![["deny: Derived."]])
        .problem(expect![["nothing"]]);
    sandbox.hook("claude-code", bash("base")).reply(expect![["deny: Base."]]);
}

#[test]
fn what_is_wrong_is_reported_once_in_a_session_and_kept_for_doctor() {
    let sandbox =
        Sandbox::new().rule("a.yaml", BLOCK_TODO).rule("b.yaml", "version: 1\nrules: [{ name: b }]");
    sandbox.hook("claude-code", bash("ls")).reply(expect![["nothing"]]).problem(expect![".nudge/b.yaml:2:9: rule `b`: `on` is missing; .nudge/b.yaml:2:9: rule `b`: `action` is missing; .nudge/b.yaml:2:9: rule `b`: `message` is missing"]);
    sandbox.hook("claude-code", bash("ls")).stdout(expect![[""]]);
    sandbox.hook("claude-code", bash("ls").session("session-2")).problem(expect![".nudge/b.yaml:2:9: rule `b`: `on` is missing; .nudge/b.yaml:2:9: rule `b`: `action` is missing; .nudge/b.yaml:2:9: rule `b`: `message` is missing"]);
    let doctor = sandbox.run(["doctor", "--json"]);
    doctor.code(1);
    let log = doctor.json()["log"].as_array().expect("a log").len();
    let named = doctor.stdout.matches("`on` is missing").count();
    assert_eq!((log, named), (6, 3), "{}", doctor.stdout);
}

#[test]
fn many_problems_are_counted() {
    let broken = "version: 1\nrules: [1, 2, 3, 4, 5]";
    Sandbox::new().rule("a.yaml", broken).hook("claude-code", bash("ls")).problem(expect![".nudge/a.yaml:2:9: a rule must be a map, but is a number; .nudge/a.yaml:2:12: a rule must be a map, but is a number; .nudge/a.yaml:2:15: a rule must be a map, but is a number; and 2 more"]);
}
