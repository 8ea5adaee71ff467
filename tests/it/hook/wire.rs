//! The wire: every byte that Claude Code reads, for each event and action.

use expect_test::expect;

use crate::payload::{Payload, bash, event, prompt, stop, write};
use crate::sandbox::{Ran, Sandbox, rules};

/// One rule for each hook, that fires on `stop it` with `interrupt` and on `mind it` with `continue`.
fn answer(payload: Payload) -> Ran {
    ruled().hook("claude-code", payload)
}

fn ruled() -> Sandbox {
    Sandbox::new()
        .rule(
            "all.yaml",
            &rules(&[
                "{ name: a, on: { hook: PreToolUse }, match: { content: stop it }, action: interrupt, message: No. }",
                "{ name: b, on: { hook: PreToolUse }, match: { content: mind it }, action: continue, message: Mind. }",
                "{ name: c, on: { hook: PostToolUse }, match: { content: stop it }, action: interrupt, message: No. }",
                "{ name: d, on: { hook: PostToolUse }, match: { content: mind it }, action: continue, message: Mind. }",
                "{ name: e, on: { hook: UserPromptSubmit }, match: { prompt: stop it }, action: interrupt, message: No. }",
                "{ name: f, on: { hook: UserPromptSubmit }, match: { prompt: mind it }, action: continue, message: Mind. }",
                "{ name: g, on: { hook: Stop }, match: { message: stop it }, action: interrupt, message: No. }",
                "{ name: h, on: { hook: Stop }, match: { message: mind it }, action: continue, message: Mind. }",
            ]),
        )
}

#[test]
fn an_interrupt_before_a_tool_denies_it() {
    answer(write("a.txt", "stop it")).stdout(expect![[r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"No.\n[nudge: a · .nudge/all.yaml:3]"}}
    "#]]);
}

#[test]
fn a_continue_before_a_tool_decides_nothing() {
    answer(write("a.txt", "mind it")).stdout(expect![[r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"Mind.\n[nudge: b · .nudge/all.yaml:4]"}}
    "#]]);
}

#[test]
fn an_interrupt_after_a_tool_blocks_with_a_reason() {
    answer(write("a.txt", "stop it").after()).stdout(expect![[r#"
        {"decision":"block","reason":"No.\n[nudge: c · .nudge/all.yaml:5]"}
    "#]]);
}

#[test]
fn a_continue_after_a_tool_adds_context() {
    answer(write("a.txt", "mind it").after()).stdout(expect![[r#"
        {"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"Mind.\n[nudge: d · .nudge/all.yaml:6]"}}
    "#]]);
}

#[test]
fn an_interrupt_on_a_prompt_refuses_it() {
    answer(prompt("stop it")).stdout(expect![[r#"
        {"decision":"block","reason":"No.\n[nudge: e · .nudge/all.yaml:7]"}
    "#]]);
}

#[test]
fn a_continue_on_a_prompt_adds_context() {
    answer(prompt("mind it")).stdout(expect![[r#"
        {"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"Mind.\n[nudge: f · .nudge/all.yaml:8]"}}
    "#]]);
}

#[test]
fn an_interrupt_on_stop_keeps_the_agent_going() {
    answer(stop("stop it")).stdout(expect![[r#"
        {"decision":"block","reason":"No.\n[nudge: g · .nudge/all.yaml:9]"}
    "#]]);
}

#[test]
fn an_agent_that_continues_because_of_us_may_stop() {
    let sandbox = ruled();
    sandbox.hook("claude-code", stop("stop it"));
    sandbox.hook("claude-code", stop("stop it").with("stop_hook_active", true)).stdout(expect![[r#"
        {"systemMessage":"No.\n[nudge: g · .nudge/all.yaml:9]"}
    "#]]);
}

#[test]
fn a_continue_on_stop_informs_the_user_and_lets_the_agent_stop() {
    answer(stop("mind it")).stdout(expect![[r#"
        {"systemMessage":"Mind.\n[nudge: h · .nudge/all.yaml:10]"}
    "#]]);
}

#[test]
fn where_nothing_matches_there_is_no_reply_at_all() {
    let quiet = [
        write("a.txt", "fine"),
        write("a.txt", "fine").after(),
        bash("ls"),
        prompt("fine"),
        stop("fine"),
        event("SessionEnd").with("reason", "other"),
        event("Notification").with("message", "stop it"),
        event("SubagentStop").with("last_assistant_message", "stop it"),
        event("PreCompact").with("trigger", "auto"),
    ];
    for payload in quiet {
        answer(payload).stdout(expect![[""]]);
    }
    answer(event("SessionStart").with("source", "startup")).stdout(expect![[r#"
        {"systemMessage":"nudge: this repository brings 8 rules (.nudge/all.yaml); `nudge trust` shows them"}
    "#]]);
}

#[test]
fn a_project_without_rules_is_left_alone() {
    Sandbox::new().hook("claude-code", write("a.txt", "TODO")).stdout(expect![[""]]);
}

#[test]
fn a_message_keeps_its_lines_and_quotes() {
    Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&[r#"{ name: a, on: { hook: PreToolUse }, action: interrupt, message: "one\ntwo \"é\" \\ \t😀\n" }"#]),
        )
        .hook("claude-code", bash("ls"))
        .stdout(expect![[r#"
            {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"one\ntwo \"é\" \\ \t😀\n[nudge: a · .nudge/a.yaml:3]"}}
        "#]]);
}

#[test]
fn a_notice_is_shown_beside_a_deny_and_is_never_null() {
    Sandbox::new()
        .rule("a.yaml", &rules(&["{ name: a, on: { hook: PreToolUse }, action: interrupt, message: No. }"]))
        .rule("b.yaml", "rules: [")
        .hook("claude-code", bash("ls"))
        .stdout(expect![[r#"
            {"systemMessage":"nudge: some rules do not work as written: .nudge/b.yaml:2:1: not valid YAML: while parsing a node, did not find expected node content (see `nudge validate`)","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"No.\n[nudge: a · .nudge/a.yaml:3]"}}
        "#]]);
}

#[test]
fn a_notice_alone_decides_nothing() {
    Sandbox::new().rule("b.yaml", "rules: [").hook("claude-code", bash("ls")).stdout(expect![[r#"
        {"systemMessage":"nudge: some rules do not work as written: .nudge/b.yaml:2:1: not valid YAML: while parsing a node, did not find expected node content (see `nudge validate`)"}
    "#]]);
}

#[test]
fn a_notice_follows_what_a_rule_says_to_the_user() {
    Sandbox::new()
        .rule("a.yaml", &rules(&["{ name: a, on: { hook: Stop }, action: continue, message: Mind. }"]))
        .rule("b.yaml", "rules: [")
        .hook("claude-code", stop("done"))
        .stdout(expect![[r#"
            {"systemMessage":"Mind.\n[nudge: a · .nudge/a.yaml:3]\n\nnudge: some rules do not work as written: .nudge/b.yaml:2:1: not valid YAML: while parsing a node, did not find expected node content (see `nudge validate`)"}
        "#]]);
}

#[test]
fn a_long_message_stays_below_what_the_agent_diverts_to_a_file() {
    let rule = |name: &str| {
        let message = "long ".repeat(1_500);
        format!("{{ name: {name}, on: {{ hook: PreToolUse }}, action: interrupt, message: '{message}' }}")
    };
    let ran =
        Sandbox::new().rule("a.yaml", &rules(&[&rule("a"), &rule("b")])).hook("claude-code", bash("ls"));
    let reply = ran.json();
    let reason = reply["hookSpecificOutput"]["permissionDecisionReason"].as_str().expect("a deny").to_owned();
    assert!(reason.chars().count() < 10_000, "{} characters", reason.chars().count());
    assert!(reason.ends_with("… (cut: `b` had more to say)"));
}

#[test]
fn a_deny_always_says_why() {
    let chatty = |number: usize| {
        let message = "talk ".repeat(240);
        format!(
            "{{ name: chatty-{number}, on: {{ hook: PreToolUse }}, action: continue, message: '{message}' }}"
        )
    };
    let mut lines: Vec<String> = (0..10).map(chatty).collect();
    lines.push("{ name: no, on: { hook: PreToolUse }, action: interrupt, message: This is why. }".to_owned());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let reply = Sandbox::new().rule("a.yaml", &rules(&lines)).hook("claude-code", bash("ls")).json();
    let reason = reply["hookSpecificOutput"]["permissionDecisionReason"].as_str().expect("a deny").to_owned();
    assert!(
        reason.starts_with("This is why.\n[nudge: no · .nudge/a.yaml:13]\n\n---\n\ntalk talk"),
        "{reason}"
    );
    assert!(reason.ends_with("… (cut: `chatty-6`, `chatty-7`, `chatty-8`, `chatty-9` had more to say)"));
}
