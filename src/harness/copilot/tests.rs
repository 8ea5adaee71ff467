//! Tests of what is special about Copilot; payloads and replies have theirs in `harness/tests.rs`.

use super::*;
#[test]
fn the_command_line_names_the_event_where_the_payload_does_not() {
    let check = |payload: &str, name: Option<&str>, expect: Option<Hook>| {
        let event = (AGENT.parse)(payload.as_bytes(), name).unwrap();
        assert_eq!(event.map(|event| event.hook), expect, "{payload} {name:?}");
    };
    check(r#"{"toolName":"bash"}"#, Some("preToolUse"), Some(Hook::PreToolUse));
    check(r#"{"toolName":"bash"}"#, Some("postToolUse"), Some(Hook::PostToolUse));
    check(r#"{"hook_event_name":"Stop"}"#, Some("preToolUse"), Some(Hook::Stop));
    check(r#"{"toolName":"bash"}"#, Some("nope"), None);
    check(r#"{"toolName":"bash"}"#, None, Some(Hook::PreToolUse));
    check(r#"{"agentName":"explore"}"#, None, Some(Hook::SubagentStart));
}

#[test]
fn no_payload_was_lost() {
    assert_eq!(crate::harness::tests::payloads(&AGENT).len(), 28);
}
