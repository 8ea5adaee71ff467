//! What each verdict becomes on each event.

use serde_json::{Value, json};

use super::*;

const HOOKS: [Hook; 8] = [
    Hook::PreToolUse,
    Hook::PostToolUse,
    Hook::UserPromptSubmit,
    Hook::Stop,
    Hook::SessionStart,
    Hook::SessionEnd,
    Hook::PostCompact,
    Hook::Other,
];

fn reply(event: &Event, outcome: Outcome, notice: Option<&str>) -> String {
    (AGENT.render)(event, &Verdict { outcome, notice: notice.map(str::to_owned) })
}

fn guide() -> Outcome {
    Outcome::Guide("M".into())
}

fn block() -> Outcome {
    Outcome::Block("M".into())
}

#[track_caller]
fn check(event: &Event, outcome: Outcome, notice: Option<&str>, expect: &Value) {
    let line = reply(event, outcome, notice);
    assert_eq!(line.matches('\n').count(), 1, "{line}");
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), *expect);
}

#[test]
fn no_objection_is_no_output() {
    for hook in HOOKS {
        assert_eq!(reply(&event(hook), Outcome::Pass, None), "", "{hook:?}");
    }
}

#[test]
fn a_notice_alone_goes_to_the_user() {
    for hook in HOOKS {
        check(&event(hook), Outcome::Pass, Some("N"), &json!({ "systemMessage": "N" }));
    }
}

#[test]
fn a_block_denies_the_tool() {
    let specific = json!({
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "M",
    });
    let event = event(Hook::PreToolUse);
    check(&event, block(), None, &json!({ "hookSpecificOutput": specific }));
    check(&event, block(), Some("N"), &json!({ "hookSpecificOutput": specific, "systemMessage": "N" }));
}

#[test]
fn a_block_elsewhere_is_a_decision() {
    for hook in [Hook::PostToolUse, Hook::UserPromptSubmit, Hook::Stop] {
        check(&event(hook), block(), None, &json!({ "decision": "block", "reason": "M" }));
        let with_notice = json!({ "decision": "block", "reason": "M", "systemMessage": "N" });
        check(&event(hook), block(), Some("N"), &with_notice);
    }
}

#[test]
fn an_agent_that_continues_because_of_nudge_may_stop() {
    let stop = Event { stop_hook_active: true, ..event(Hook::Stop) };
    check(&stop, block(), None, &json!({ "systemMessage": "M" }));
    check(&stop, block(), Some("N"), &json!({ "systemMessage": "M\n\nN" }));
    check(&stop, guide(), None, &json!({ "systemMessage": "M" }));
}

#[test]
fn guidance_is_context_for_the_model() {
    for hook in [Hook::PreToolUse, Hook::PostToolUse, Hook::UserPromptSubmit, Hook::SessionStart] {
        let specific = json!({ "hookEventName": hook.name(), "additionalContext": "M" });
        check(&event(hook), guide(), None, &json!({ "hookSpecificOutput": specific }));
        let with_notice = json!({ "hookSpecificOutput": specific, "systemMessage": "N" });
        check(&event(hook), guide(), Some("N"), &with_notice);
    }
}

#[test]
fn where_context_would_do_more_or_nothing_the_user_gets_a_message() {
    for hook in [Hook::Stop, Hook::SessionEnd, Hook::Other] {
        check(&event(hook), guide(), None, &json!({ "systemMessage": "M" }));
        check(&event(hook), guide(), Some("N"), &json!({ "systemMessage": "M\n\nN" }));
    }
    for hook in [Hook::SessionEnd, Hook::PostCompact, Hook::Other] {
        check(&event(hook), block(), None, &json!({ "systemMessage": "M" }));
    }
    let context = json!({ "hookEventName": "SessionStart", "additionalContext": "M" });
    check(&event(Hook::SessionStart), block(), None, &json!({ "hookSpecificOutput": context }));
}

#[test]
fn no_reply_says_null_allow_or_continue() {
    for hook in HOOKS {
        for stop_hook_active in [false, true] {
            for outcome in [Outcome::Pass, guide(), block()] {
                for notice in [None, Some("N")] {
                    let event = Event { stop_hook_active, ..event(hook) };
                    let line = reply(&event, outcome.clone(), notice);
                    for word in ["null", "allow", "continue", "Other"] {
                        assert!(!line.contains(word), "{line}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_reply_is_one_line_whatever_the_message() {
    let message = "one\ntwo \"three\" \u{1b}\u{2028}é";
    let line = reply(&event(Hook::PreToolUse), Outcome::Block(message.into()), None);
    let value: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((line.lines().count(), line.ends_with('\n')), (1, true));
    assert_eq!(value["hookSpecificOutput"]["permissionDecisionReason"], message);
}
