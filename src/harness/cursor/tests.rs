//! Tests of what is special about Cursor; payloads and replies have theirs in `harness/tests.rs`.

use super::*;

#[test]
fn every_event_name_is_known_in_either_spelling() {
    let check = |name: &str, expect: Option<Hook>| {
        let payload = serde_json::json!({ "hook_event_name": name }).to_string();
        let event = (AGENT.parse)(payload.as_bytes(), None).unwrap();
        assert_eq!(event.map(|event| event.hook), expect, "{name}");
    };
    for (names, hook) in [
        (["preToolUse", "PreToolUse"], Hook::PreToolUse),
        (["beforeShellExecution", "beforeMCPExecution"], Hook::PreToolUse),
        (["beforeSubmitPrompt", "UserPromptSubmit"], Hook::UserPromptSubmit),
        (["postToolUseFailure", "PostToolUseFailure"], Hook::PostToolUseFailure),
        (["afterAgentThought", "workspaceOpen"], Hook::Other),
    ] {
        names.iter().for_each(|name| check(name, Some(hook)));
    }
    check("somethingNew", None);
}

#[test]
fn no_payload_was_lost() {
    assert_eq!(crate::harness::tests::payloads(&AGENT).len(), 15);
}
