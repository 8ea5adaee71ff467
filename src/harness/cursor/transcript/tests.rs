//! Tests of what is special about Cursor's transcripts; `tests/it/backfill` reads whole ones.

use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::harness::PastEvent;

/// Reads records; returns each event as its name and what it says.
fn events(path: &str, records: &[Value]) -> Vec<(String, String)> {
    let mut reader = (TRANSCRIPTS.reader)(Path::new(path));
    reader.set_file_time(7_000);
    let mut events: Vec<PastEvent> = Vec::new();
    for record in records {
        reader.read(record.to_string().as_bytes(), 0, &mut events);
    }
    reader.finish(true, &mut events);
    let shown = events.iter().map(|event| {
        let payload = &event.payload;
        let words =
            ["prompt", "last_assistant_message", "tool_name", "tool_input", "tool_output", "error_message"];
        let words: Vec<String> = words
            .iter()
            .filter_map(|word| payload.get(*word).filter(|value| !value.is_null()))
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect();
        (
            payload["hook_event_name"].as_str().unwrap_or_default().to_owned(),
            format!("{} @{}", words.join(" "), event.at_ms),
        )
    });
    shown.collect()
}

fn said(role: &str, parts: &Value) -> Value {
    json!({ "role": role, "message": { "content": parts } })
}

#[test]
fn a_prompt_is_what_the_user_typed_at_the_time_that_the_client_noted() {
    let path = "p/agent-transcripts/c1/c1.jsonl";
    let asked = "<timestamp>Thursday, Sep 24, 2026, 11:08 AM (UTC+8)</timestamp>\n<user_query>\nadd tax\n</user_query>";
    let records = [
        said("user", &json!([{ "type": "text", "text": asked }])),
        said(
            "assistant",
            &json!([
                { "type": "text", "text": "I look." },
                { "type": "tool_use", "name": "Shell", "input": { "command": "ls" } },
            ]),
        ),
        said("assistant", &json!([{ "type": "text", "text": "Done.\n\n[REDACTED]" }])),
        json!({ "type": "turn_ended", "status": "success" }),
        said("user", &json!([{ "type": "text", "text": "and now?" }])),
        said("assistant", &json!([{ "type": "text", "text": "I think" }])),
        json!({ "type": "turn_ended", "status": "aborted" }),
    ];
    let expected = [
        ("sessionStart", " @1790219280000"),
        ("beforeSubmitPrompt", "add tax @1790219280000"),
        ("postToolUse", "Shell {\"command\":\"ls\"} @1790219280000"),
        ("stop", "Done. @1790219280000"),
        ("beforeSubmitPrompt", "and now? @1790219280000"),
    ];
    assert_eq!(events(path, &records), expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
}

#[test]
fn a_subagent_works_in_the_conversation_of_its_parent_and_is_not_asked_by_a_person() {
    let path = "p/agent-transcripts/c1/subagents/a1.jsonl";
    let records = [
        said("user", &json!([{ "type": "text", "text": "count" }])),
        said("assistant", &json!([{ "type": "tool_use", "name": "Shell", "input": { "command": "ls" } }])),
        said("assistant", &json!([{ "type": "text", "text": "two" }])),
    ];
    let expected = [("postToolUse", "Shell {\"command\":\"ls\"} @7000")];
    assert_eq!(events(path, &records), expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    let session = lines::session_of(Path::new(path));
    assert_eq!(session, Some(("c1".to_owned(), Some("a1".to_owned()))));
}

#[test]
fn times_of_the_client_are_read_in_every_zone() {
    for (text, expected) in [
        ("Thursday, Sep 24, 2026, 11:08 AM (UTC+8)", Some(1_790_219_280_000)),
        ("Thursday, Sep 24, 2026, 03:08 AM (UTC)", Some(1_790_219_280_000)),
        ("Wednesday, Sep 23, 2026, 10:38 PM (UTC-4:30)", Some(1_790_219_280_000)),
        ("yesterday", None),
        ("Thursday, Sep 24, 2026, 11:08 AM (UTC+99999999)", None),
    ] {
        assert_eq!(lines::parse_timestamp(text), expected, "{text}");
    }
}

#[test]
fn calls_in_the_database_have_the_names_that_hooks_receive() {
    let call = |tool: &str, arguments: Value, result: Value, more: Value| {
        let mut record = json!({ "kind": "bubble", "composer": "c1", "id": "b1", "at": "1970-01-01T00:00:01Z",
            "tool": tool, "call_id": "t1", "arguments": arguments.to_string(), "result": result.to_string(),
            "status": "completed" });
        for (name, value) in more.as_object().expect("fields") {
            record[name] = value.clone();
        }
        let events = events("globalStorage/state.vscdb", &[record]);
        events.first().map(|(name, text)| format!("{name} {text}")).unwrap_or_default()
    };
    let none = || json!({});
    for (shown, expected) in [
        (
            call(
                "run_terminal_command_v2",
                json!({ "command": "make" }),
                json!({ "output": "x", "exitCodeV2": 2 }),
                none(),
            ),
            r#"postToolUse Shell {"command":"make"} {"exitCode":2,"stdout":"x"} @1000"#,
        ),
        (
            call("run_terminal_cmd", json!({ "command": "ls" }), json!({ "output": "a" }), none()),
            r#"postToolUse Shell {"command":"ls"} {"exitCode":0,"stdout":"a"} @1000"#,
        ),
        (
            call("run_terminal_cmd", json!({ "command": "rm" }), json!({ "rejected": true }), none()),
            // It never ran: only rules are tried on it.
            r#"preToolUse Shell {"command":"rm"} @1000"#,
        ),
        (call("run_terminal_cmd", json!({ "command": "x" }), none(), json!({ "status": "cancelled" })), ""),
        (
            call(
                "search_replace",
                json!({ "file_path": "a", "old_string": "b", "new_string": "c" }),
                none(),
                none(),
            ),
            r#"postToolUse StrReplace {"file_path":"a","old_string":"b","new_string":"c"} {} @1000"#,
        ),
        (
            call("read_file", none(), none(), json!({ "parameters": "{\"relativeWorkspacePath\":\"a\"}" })),
            r#"postToolUse Read {"file_path":"a"} {} @1000"#,
        ),
        (
            call(
                "mcp",
                json!({ "q": 1 }),
                none(),
                json!({ "parameters": "{\"tools\":[{\"name\":\"find\"}]}", "error": "no" }),
            ),
            r#"postToolUseFailure MCP:find {"q":1} {} no @1000"#,
        ),
    ] {
        assert_eq!(shown, expected);
    }
}

#[test]
fn a_folder_is_recognised_by_its_name() {
    let hint = TRANSCRIPTS.folder_hint.expect("a hint");
    let path = Path::new("/h/.cursor/projects/home-dev-my-shop/agent-transcripts/c1/c1.jsonl");
    assert!((hint.is_named_after)(path, Path::new("/home/dev/my.shop")));
    assert!(!(hint.is_named_after)(path, Path::new("/home/dev/my")));
    assert_eq!((hint.described_session)(Path::new("md5/c1/meta.json")), Some("c1".to_owned()));
    assert_eq!((hint.described_session)(Path::new("md5/c1/store.db")), None);
}
