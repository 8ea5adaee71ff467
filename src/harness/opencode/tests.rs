//! Tests of what is special about OpenCode; payloads and replies have theirs in `harness/tests.rs`.

use super::*;

/// The plugin and `wire.rs` must agree.
#[test]
fn the_plugin_names_the_events_that_are_read() {
    for name in [
        "tool.execute.before",
        "tool.execute.after",
        "chat.message",
        "session.idle",
        "session.start",
        "session.end",
    ] {
        assert!(PLUGIN.contains(&format!("event: \"{name}\"")), "{name}");
        let payload = serde_json::json!({ "event": name }).to_string();
        assert!((AGENT.parse)(payload.as_bytes(), None).unwrap().is_some(), "{name}");
    }
    assert!(PLUGIN.contains("[\"hook\", \"--harness\", \"opencode\"]"));
}

#[test]
fn no_payload_was_lost() {
    assert_eq!(crate::harness::tests::payloads(&AGENT).len(), 17);
}
