//! Patterns that are dangerous elsewhere: each gives the right answer, or is reported as not evaluated.

use expect_test::expect;

use crate::payload::{bash, write};
use crate::sandbox::{Ran, Sandbox, rules};

fn with_pattern(pattern: &str) -> Sandbox {
    let rule = format!(
        "{{ name: a, on: {{ hook: PreToolUse }}, match: {{ content: '{pattern}' }}, action: interrupt, message: 'Lines {{{{ lines }}}}: {{{{ matched }}}}.' }}"
    );
    let quick = "{ name: quick, on: { hook: PreToolUse }, match: { content: needle }, action: continue, message: Found. }";
    Sandbox::new().rule("a.yaml", &rules(&[&rule, quick]))
}

/// Five megabytes in one line, with a needle that a quick rule finds.
fn large() -> String {
    format!("needle{}", "a".repeat(5 << 20))
}

#[test]
fn linear_patterns_answer_on_five_megabytes() {
    with_pattern("(a+)+$").hook("claude-code", write("a", &large())).reply(expect![[r#"
        deny: Lines 1: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.

        ---

        Found."#]]);
    with_pattern(".").hook("claude-code", write("a", &large())).reply(expect![[r#"
        deny: Lines 1 (+ more): n.

        ---

        Found."#]]);
    with_pattern("x*").hook("claude-code", write("a", &large())).reply(expect![[r#"
        deny: Lines : .

        ---

        Found."#]]);
    with_pattern("(a+)+b").hook("claude-code", write("a", &large())).reply(expect!["context: Found."]);
    with_pattern("(?s).{10000,}").hook("claude-code", write("a", &large())).reply(expect![[r#"
        deny: Lines 1: needleaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.

        ---

        Found."#]]);
}

#[test]
fn backtracking_patterns_are_not_evaluated_on_five_megabytes() {
    for pattern in ["(?=a)(a+)+$", "(?<!x)(a+)+$", "(a+)+(?!x)$"] {
        with_pattern(pattern)
            .hook("claude-code", write("a", &large()))
            .reply(expect![["context: Found."]])
            .problem(expect![
                ".nudge/a.yaml:3:5: rule `a`: look-around and back-references are limited to texts of 64 KB"
            ]);
    }
}

/// A slow rule must not cost the quick ones their answer, nor the agent its time.
fn past_the_deadline(pattern: &str) -> Ran {
    let text = format!("needle{}b", "a".repeat(60 << 10));
    with_pattern(pattern).env("NUDGE_RULE_DEADLINE_MS", "2000").hook("claude-code", write("a", &text))
}

#[test]
fn a_pattern_that_runs_away_is_cut_off_by_the_deadline() {
    for pattern in ["(?=a)(a+)+$", "(?<!x)(a+)+$"] {
        past_the_deadline(pattern)
            .reply(expect![["context: Found."]])
            .problem(expect![".nudge/a.yaml:3:5: rule `a`: not evaluated within 2000 ms"]);
    }
}

#[test]
fn a_pattern_that_is_too_large_is_reported() {
    with_pattern(r"\w{1,500}\s\w{1,500}")
        .hook("claude-code", bash("needle é x"))
        .reply(expect![["context: Found."]])
        .problem(expect![".nudge/a.yaml:3:5: rule `a`: the pattern needs more than 4 MB when compiled"]);
}

#[test]
fn look_aheads_say_and() {
    let both = with_pattern("(?=.*password)(?=.*log)");
    both.hook("claude-code", bash("log(password)")).reply(expect![["deny: Lines 1: password."]]);
    both.hook("claude-code", bash("password\nlog")).reply(expect![["nothing"]]);
    let anywhere = with_pattern("(?s)(?=.*password)(?=.*log)");
    anywhere.hook("claude-code", bash("x\npassword\nlog")).reply(expect![["deny: Lines 2: password."]]);
    let without = with_pattern("^(?!.*SAFETY)(?=.*unsafe)");
    without.hook("claude-code", bash("unsafe {")).reply(expect![["deny: Lines 1: unsafe."]]);
    without.hook("claude-code", bash("unsafe { // SAFETY: fine")).reply(expect![["nothing"]]);
    let missing = with_pattern("(?s)\\A(?!.*Copyright)");
    missing.hook("claude-code", write("a.rs", "fn a() {}\n")).reply(expect![["deny: Lines : ."]]);
    missing.hook("claude-code", write("a.rs", "\n// Copyright\n")).reply(expect![["nothing"]]);
}

#[test]
fn look_behind_and_back_references_work_on_ordinary_texts() {
    with_pattern("(?<!un)safe")
        .hook("claude-code", bash("unsafe safe"))
        .reply(expect![["deny: Lines 1: safe."]]);
    with_pattern("(?<!un)safe").hook("claude-code", bash("unsafe")).reply(expect![["nothing"]]);
    with_pattern(r"\b(\w+) \1\b")
        .hook("claude-code", bash("the the"))
        .reply(expect![["deny: Lines 1: the the."]]);
}

#[test]
fn a_match_without_text_fires_and_has_no_lines() {
    with_pattern("x*").hook("claude-code", bash("aaa")).reply(expect!["deny: Lines : ."]);
    with_pattern("^$").hook("claude-code", write("a", "")).reply(expect!["deny: Lines : ."]);
    with_pattern("x*").hook("claude-code", bash("aaa\nxx")).reply(expect!["deny: Lines 2: xx."]);
}
