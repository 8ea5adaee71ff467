//! What a rule can say besides what it matches: variables, `unless`, `once`, `enabled`, `on_failure`.

use expect_test::expect;
use serde_json::json;

use crate::payload::{bash, edit, event, prompt, tool, write};
use crate::sandbox::{Sandbox, rules, unsigned};

fn with_message(message: &str) -> Sandbox {
    let rule = format!(
        "{{ name: a, on: {{ hook: PreToolUse }}, match: {{ content: 'x+' }}, action: continue, message: '{message}' }}"
    );
    Sandbox::new().rule("a.yaml", &rules(&[&rule]))
}

#[test]
fn variables_say_what_was_found() {
    with_message("{{ lines }} of {{ file_path }}: {{ matched }} by {{ tool_name }} ({{ prompt }})")
        .hook("claude-code", write("src/a.txt", "a\nxx\n\nx x\n"))
        .reply(expect![["context: 2, 4 of $BASE/project/src/a.txt: xx by Write ()"]]);
}

#[test]
fn spaces_in_a_variable_do_not_matter_and_unknown_ones_stay() {
    with_message("{{lines}} {{   lines }} {{ line }} {{ }} {{{ lines }}} {{ lines")
        .hook("claude-code", bash("x"))
        .reply(expect![["context: 1 1 {{ line }} {{ }} {1} {{ lines"]]);
}

#[test]
fn what_a_variable_brings_in_is_not_looked_at_again() {
    let rule = "{ name: a, on: { hook: UserPromptSubmit }, action: continue, message: '{{ prompt }} {{ matched }}' }";
    Sandbox::new()
        .rule("a.yaml", &rules(&[rule]))
        .hook("claude-code", prompt("{{ tool_name }}{{ lines }}"))
        .reply(expect![["context: {{ tool_name }}{{ lines }}"]]);
}

#[test]
fn many_lines_are_counted() {
    with_message("{{ lines }}").hook("claude-code", write("a", &"x\n".repeat(23))).reply(expect![
        "context: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 (+3 more)"
    ]);
}

#[test]
fn a_match_is_one_line_without_control_characters() {
    let rule = "{ name: a, on: { hook: PreToolUse }, match: { content: '(?s)<.*>' }, action: continue, message: '[{{ matched }}]' }";
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[rule]));
    sandbox.hook("claude-code", bash("<a\u{1b}[31mb\nc>")).reply(expect![["context: [<a[31mb]"]]);
    let long = format!("<{}>", "é".repeat(300));
    let shown = sandbox.hook("claude-code", bash(&long)).json();
    let shown = shown["hookSpecificOutput"]["additionalContext"].as_str().expect("context").to_owned();
    assert_eq!(unsigned(&shown).chars().count(), 202);
}

#[test]
fn unless_keeps_a_rule_quiet() {
    let rule = "{ name: a, on: { hook: PreToolUse }, match: { content: 'unwrap' }, unless: { content: 'nudge: allow' }, action: interrupt, message: No. }";
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[rule])).file("b.rs", "// nudge: allow\nold()\n");
    sandbox.hook("claude-code", write("a.rs", "x.unwrap()")).reply(expect![["deny: No."]]);
    sandbox.hook("claude-code", write("a.rs", "// nudge: allow\nx.unwrap()")).reply(expect![["nothing"]]);
    // The whole resulting file counts, not only what an edit brings in.
    sandbox.hook("claude-code", edit("b.rs", "old()", "x.unwrap()")).reply(expect![["nothing"]]);
}

#[test]
fn case_and_lines_can_be_distinguished_or_not() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&[
            "{ name: a, on: { hook: PreToolUse }, match: { content: Secret }, action: continue, message: exact }",
            "{ name: b, on: { hook: PreToolUse }, match: { content: Secret, case_sensitive: false }, action: continue, message: folded }",
            "{ name: c, on: { hook: PreToolUse }, match: { content: ^end$ }, action: continue, message: line }",
            "{ name: d, on: { hook: PreToolUse }, match: { content: ^end$, multiline: false }, action: continue, message: whole }",
        ]),
    );
    sandbox.hook("claude-code", bash("Secret")).reply(expect![[r#"
        context: exact

        ---

        folded"#]]);
    sandbox.hook("claude-code", bash("SECRET")).reply(expect!["context: folded"]);
    sandbox.hook("claude-code", bash("start\nend")).reply(expect!["context: line"]);
    sandbox.hook("claude-code", bash("end")).reply(expect![[r#"
        context: line

        ---

        whole"#]]);
}

#[test]
fn a_rule_can_be_disabled() {
    Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&[
                "{ name: a, on: { hook: PreToolUse }, action: interrupt, message: No., enabled: false }",
            ]),
        )
        .hook("claude-code", bash("ls"))
        .stdout(expect![[""]]);
}

const ONCE: &str = "{ name: a, on: { hook: PreToolUse }, action: continue, message: Once., once: session }";

#[test]
fn once_is_once_in_a_session() {
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[ONCE]));
    sandbox.hook("claude-code", bash("ls")).reply(expect![["context: Once."]]);
    sandbox.hook("claude-code", bash("ls")).reply(expect![["nothing"]]);
    sandbox.hook("claude-code", bash("ls").session("session-2")).reply(expect![["context: Once."]]);
    sandbox.hook("claude-code", bash("ls")).reply(expect![["nothing"]]);
    // A session that ended is forgotten; its name may come again.
    sandbox.hook("claude-code", event("SessionEnd").with("reason", "other")).reply(expect![["nothing"]]);
    sandbox.hook("claude-code", bash("ls")).reply(expect![["context: Once."]]);
}

#[test]
fn once_without_a_session_is_always() {
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[ONCE]));
    for _ in 0..2 {
        sandbox.hook("claude-code", bash("ls").without("session_id")).reply(expect![["context: Once."]]);
    }
}

#[test]
fn once_is_for_each_rule() {
    let other = ONCE.replace("Once.", "Other.").replace("name: a", "name: b");
    let second = other.replace("hook: PreToolUse", "hook: PreToolUse, tool: Read");
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[ONCE, &second])).rule("b.yaml", &rules(&[ONCE]));
    sandbox.hook("claude-code", bash("ls")).reply(expect![[r#"
        context: Once.

        ---

        Once."#]]);
    sandbox.hook("claude-code", tool("Read", json!({}))).reply(expect![["context: Other."]]);
}

#[test]
fn of_twenty_hooks_at_once_one_speaks() {
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[ONCE]));
    let running: Vec<_> = (0..20).map(|_| sandbox.start_hook(bash("ls"))).collect();
    let spoke = running.into_iter().map(|child| child.wait_with_output().expect("the hook ends"));
    let replies: Vec<_> = spoke.map(|output| sandbox.ran(&output)).collect();
    replies.iter().for_each(crate::sandbox::Ran::assert_harmless);
    assert_eq!(replies.iter().filter(|ran| !ran.stdout.is_empty()).count(), 1);
}

#[test]
fn a_rule_that_cannot_be_evaluated_may_block() {
    let rule = |on_failure: &str| {
        rules(&[&format!(
            "{{ name: a, on: {{ hook: PreToolUse }}, match: {{ content: '(a)\\1' }}, action: continue, message: m{on_failure} }}"
        )])
    };
    let large = write("a.txt", &"b".repeat(100_000));
    let closed = Sandbox::new().rule("a.yaml", &rule(", on_failure: closed"));
    closed.hook("claude-code", large.clone()).reply(expect!["deny: The rule `a` could not be evaluated, and is set to block in that case: look-around and back-references are limited to texts of 64 KB"]).problem(expect![".nudge/a.yaml:3:5: rule `a`: look-around and back-references are limited to texts of 64 KB"]);
    let open = Sandbox::new().rule("a.yaml", &rule(", on_failure: open"));
    open.hook("claude-code", large.clone()).reply(expect![["nothing"]]).problem(expect![
        ".nudge/a.yaml:3:5: rule `a`: look-around and back-references are limited to texts of 64 KB"
    ]);
    let default = Sandbox::new().rule("a.yaml", &rule(""));
    default.hook("claude-code", large).reply(expect![["nothing"]]);
}
