//! Tests of what is special about Codex; payloads and replies have theirs in `harness/tests.rs`.

use serde_json::json;

use super::*;
use crate::model::{Outcome, Verdict};

fn ran(id: &str) -> Event {
    let payload = json!({
        "hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash", "tool_use_id": id,
        "tool_input": { "command": "make" }, "tool_response": "boom\n",
    });
    (AGENT.parse)(payload.to_string().as_bytes(), None).unwrap().unwrap()
}

/// Recorded, as it was when the hook was called.
const TRANSCRIPT: &str = r#"off"}}
{"timestamp":"2026-11-15T23:55:51.757Z","ordinal":10,"type":"token_usage_record","payload":{"thread_id":"t"}}
{"timestamp":"2026-11-15T23:55:51.951Z","ordinal":11,"type":"event_msg","payload":{"type":"item_completed","thread_id":"t","turn_id":"u","item":{"type":"CommandExecution","id":"call_1_1","process_id":"51064","command":["/bin/bash","-lc","echo boom >&2; exit 3"],"cwd":"file:///home/u/proj","source":"unified_exec_startup","status":"failed","aggregated_output":"boom\n","exit_code":3,"duration":{"secs":0,"nanos":11450}}}}
{"timestamp":"2026-11-15T23:55:52.187Z","ordinal":16,"type":"event_msg","payload":{"type":"item_completed","thread_id":"t","turn_id":"u","item":{"type":"CommandExecution","id":"call_1_2","command":["/bin/bash","-lc","echo call_1_1"],"status":"completed","aggregated_output":"fine\n","exit_code":0}}}
{"timestamp":"2026-11-15T23:55:52.662Z","ordinal":28,"type":"response_item","payload":{"type":"message","id":"item","role":"assistant","content":[{"type":"output_text","text":"done","annotations":[]}]}}
{"timestamp":"2026-11-15T23:55:52.663Z","ordinal":30,"type":"event_msg","payload":{"type":"token_count"}}
"#;

#[test]
fn how_a_command_ended_is_in_the_transcript() {
    let check = |id: &str, expect: (Hook, Option<i64>, bool, bool)| {
        let mut event = ran(id);
        assert!((AGENT.needs_transcript)(&event));
        (AGENT.complete)(&mut event, TRANSCRIPT);
        let result = event.result.as_ref().unwrap();
        assert_eq!((event.hook, result.exit_code, result.failed, result.unfinished), expect, "{id}");
        assert_eq!((AGENT.needs_transcript)(&event), result.exit_code.is_none());
    };
    check("call_1_1", (Hook::PostToolUseFailure, Some(3), true, false));
    check("call_1_2", (Hook::PostToolUse, Some(0), false, false));
    // Unknown; it does not count as a success.
    check("call_9", (Hook::PostToolUse, None, false, true));
}

#[test]
fn only_commands_are_looked_up() {
    let patch = json!({
        "hook_event_name": "PostToolUse", "tool_name": "apply_patch", "tool_use_id": "c",
        "tool_input": { "command": "*** Begin Patch\n*** Delete File: a\n*** End Patch" },
        "tool_response": "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.",
    });
    let before =
        json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "ls" } });
    for payload in [patch, before] {
        let event = (AGENT.parse)(payload.to_string().as_bytes(), None).unwrap().unwrap();
        assert!(!(AGENT.needs_transcript)(&event), "{payload}");
    }
}

#[test]
fn the_last_message_is_found_in_a_transcript() {
    assert_eq!(AGENT.last_message(TRANSCRIPT).as_deref(), Some("done"));
    assert_eq!(AGENT.last_message("{}\nrubbish"), None);
}

/// According to the schemas, a starting subagent gets context, and a stopping one has no field for it.
#[test]
fn subagents_get_what_the_schemas_have_fields_for() {
    let check = |hook: Hook, outcome: Outcome, expect: &str| {
        let event = Event { hook, ..Event::default() };
        let verdict = Verdict { outcome, notice: Some("N".to_owned()) };
        assert_eq!((AGENT.render)(&event, &verdict).trim_end(), expect, "{hook:?}");
    };
    let context = r#"{"systemMessage":"N","hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"M"}}"#;
    check(Hook::SubagentStart, Outcome::Guide("M".to_owned()), context);
    check(Hook::SubagentStart, Outcome::Block("M".to_owned()), context);
    check(Hook::SubagentStart, Outcome::Pass, r#"{"systemMessage":"N"}"#);
    check(Hook::SubagentStop, Outcome::Guide("M".to_owned()), r#"{"systemMessage":"N"}"#);
    check(Hook::SubagentStop, Outcome::Block("M".to_owned()), r#"{"systemMessage":"N"}"#);
    let can = |hook| (AGENT.abilities.at(hook).guide, AGENT.abilities.at(hook).tell_user);
    assert_eq!((can(Hook::SubagentStart), can(Hook::SubagentStop)), ((true, true), (false, true)));
}

#[test]
fn no_payload_was_lost() {
    assert_eq!(crate::harness::tests::payloads(&AGENT).len(), 18);
}
