//! Tests of what is special about Gemini CLI; payloads and replies have theirs in `harness/tests.rs`.

use serde_json::{Value, json};

use super::*;
use crate::model::{Event, ToolAction};

fn parse(payload: &Value) -> Event {
    (AGENT.parse)(payload.to_string().as_bytes(), None).unwrap().unwrap()
}

#[test]
fn a_prompt_is_read_without_what_hooks_said_before_it() {
    let check = |prompt: &str, expected: &str| {
        let event = parse(&json!({ "hook_event_name": "BeforeAgent", "prompt": prompt }));
        assert_eq!(event.prompt.as_deref(), Some(expected), "{prompt}");
    };
    check("add tax", "add tax");
    // As version 0.61.0 sends it after a session start that was answered with context.
    check("<hook_context>## nudge: Recent Context\nBranch master\n</hook_context>\n\nadd tax", "add tax");
    check("<hook_context>a</hook_context>\n<hook_context>b</hook_context>\n\nadd tax", "add tax");
    check("why is <hook_context>a</hook_context> there?", "why is <hook_context>a</hook_context> there?");
    check("<hook_context>never closed", "<hook_context>never closed");
}

#[test]
fn a_commands_output_is_extracted_from_the_text_for_the_model() {
    let check = |text: &str, output: &str, exit_code: Option<i64>, hook: Hook| {
        let payload = json!({
            "hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": { "command": "x" },
            "tool_response": { "llmContent": text },
        });
        let event = parse(&payload);
        let result = event.result.unwrap();
        assert_eq!(
            (result.output.as_str(), result.exit_code, event.hook),
            (output, exit_code, hook),
            "{text}"
        );
    };
    check("Output: a\nb\nProcess Group PGID: 7", "a\nb", None, Hook::PostToolUse);
    let wrapped = "<untrusted_context>\nOutput: no\nExit Code: 3\nSignal: 9\nProcess Group PGID: 7\n</untrusted_context>";
    check(wrapped, "no", Some(3), Hook::PostToolUseFailure);
    check("Output: a\nError: b\nc\nExit Code: 1", "a\nError: b\nc", Some(1), Hook::PostToolUseFailure);
    check("Output: see Exit Code: 3\nExit Code: 4", "see Exit Code: 3", Some(4), Hook::PostToolUseFailure);
    let old = |printed: &str, error: &str, code: &str| {
        format!(
            "Command: cargo test\nDirectory: (root)\n{printed}\nError: {error}\nExit Code: {code}\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 12"
        )
    };
    let failed = old("Output: Error: no such table\nExit Code: 0\nbye", "(none)", "2");
    check(&failed, "Error: no such table\nExit Code: 0\nbye", Some(2), Hook::PostToolUseFailure);
    check(&old("Output: a\nb", "(none)", "0"), "a\nb", Some(0), Hook::PostToolUse);
    check(&old("Stdout: a\nStderr: b", "(none)", "1"), "a\nb", Some(1), Hook::PostToolUseFailure);
    check(&old("Output: (empty)", "spawn failed", "(none)"), "spawn failed", None, Hook::PostToolUse);
    check("Command moved to background", "Command moved to background", None, Hook::PostToolUse);
}

#[test]
fn a_server_is_recognized_by_its_context_or_by_the_name() {
    let of = |context: Value| {
        let payload = json!({
            "hook_event_name": "BeforeTool", "tool_name": "mcp_my_db_query", "tool_input": {}, "mcp_context": context,
        });
        match parse(&payload).tool.unwrap().action {
            ToolAction::Mcp { server, tool, .. } => (server, tool),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(of(json!({ "server_name": "my_db", "tool_name": "query" })), ("my_db".into(), "query".into()));
    assert_eq!(of(Value::Null), ("my".into(), "db_query".into()));
}

#[test]
fn no_payload_was_lost() {
    assert_eq!(crate::harness::tests::payloads(&AGENT).len(), 23);
}
