//! Tables of what a record of Gemini CLI means; `tests/it/memory/backfill` reads whole chats.

#![expect(clippy::needless_pass_by_value, reason = "records read best as values")]

use serde_json::{Value, json};

use super::TRANSCRIPTS;
use crate::harness::transcript::RecordOutcome;
use crate::harness::transcript::reading::{read, read_lines};

const PATH: &str = "tmp/shop/chats/session-1.jsonl";

fn header() -> Value {
    json!({ "sessionId": "s1", "startTime": "2026-11-16T06:00:00.000Z" })
}

fn message(kind: &str, id: &str, content: &str) -> Value {
    json!({ "id": id, "timestamp": "2026-11-16T06:00:01.000Z", "type": kind, "content": content })
}

fn with_call(id: &str, status: &str, response: Value) -> Value {
    let mut message = message("gemini", id, "");
    message["toolCalls"] = json!([{
        "id": "c1", "name": "run_shell_command", "args": { "command": "sh check.sh" }, "status": status,
        "result": [{ "functionResponse": { "response": response } }],
    }]);
    message
}

fn events(records: &[Value]) -> Vec<String> {
    read(&TRANSCRIPTS, PATH, records).events
}

#[test]
fn a_prompt_is_read_without_what_hooks_and_the_agent_add_to_it() {
    let answer = json!([{ "functionResponse": { "name": "x" } }]);
    let mut response = message("user", "u3", "");
    response["content"] = answer;
    let records = [
        header(),
        message("user", "u0", "<session_context>today</session_context>"),
        message(
            "user",
            "u1",
            "<hook_context>seen before</hook_context>\n<hook_context>x</hook_context> add tax",
        ),
        message("user", "u2_response", "x"),
        response,
        message("info", "i1", "x"),
        message("gemini", "g1", "Done."),
    ];
    assert_eq!(events(&records), ["SessionStart | startup", "BeforeAgent | add tax", "AfterAgent | Done."]);
}

#[test]
fn a_message_that_is_written_again_counts_once() {
    let asked = message("user", "u1", "add tax");
    let done = json!({ "output": "Output: no such table\nExit Code: 4" });
    let mut replayed = asked.clone();
    replayed["timestamp"] = json!("2026-11-17T06:00:00.000Z");
    let records = [
        header(),
        asked,
        with_call("g1", "executing", json!({})),
        with_call("g1", "success", done.clone()),
        with_call("g1", "success", done),
        // A resume repeats the header and the history.
        header(),
        json!({ "$set": { "messages": [replayed, message("gemini", "g9", "old"), message("user", "u2", "go on")] } }),
        json!({ "$rewindTo": "u1" }),
    ];
    assert_eq!(
        events(&records),
        [
            "SessionStart | startup",
            "BeforeAgent | add tax",
            "AfterTool | run_shell_command | {\"command\":\"sh check.sh\"} | {\"llmContent\":\"Output: no such table\\nExit Code: 4\",\"error\":null}",
            "SessionStart | resume",
            "BeforeAgent | go on",
        ]
    );
}

#[test]
fn calls_that_were_cancelled_or_have_no_result_are_left_out() {
    let cases = [
        (with_call("g1", "cancelled", json!({ "output": "x" })), 0),
        (with_call("g1", "awaiting_approval", json!({})), 0),
        (with_call("g1", "error", json!({ "error": "no match" })), 1),
    ];
    for (record, expected) in cases {
        assert_eq!(events(&[header(), record.clone()]).len(), expected, "{record}");
    }
    let refused = read(&TRANSCRIPTS, PATH, &[header(), with_call("g1", "cancelled", json!({}))]);
    assert_eq!(refused.unrun, ["BeforeTool | run_shell_command | {\"command\":\"sh check.sh\"} (Refused)"]);
}

#[test]
fn older_versions_write_a_document_with_more_lines_around_an_output() {
    let output = "Command: sh check.sh\nDirectory: (root)\nOutput: no such table\nError: (none)\nExit Code: 4\nSignal: (none)";
    let mut document = header();
    document["messages"] =
        json!([message("user", "u1", "add tax"), with_call("g1", "success", json!({ "output": output }))]);
    assert_eq!(
        events(&[document]),
        [
            "SessionStart | startup",
            "BeforeAgent | add tax",
            "AfterTool | run_shell_command | {\"command\":\"sh check.sh\"} | {\"llmContent\":\"Output: no such table\\nExit Code: 4\",\"error\":null}",
        ]
    );
}

#[test]
fn a_subagent_is_given_its_task_by_the_agent() {
    let mut subagent = header();
    subagent["kind"] = json!("subagent");
    let done = json!({ "output": "Output: 1\nExit Code: 0" });
    let records = [
        subagent,
        message("user", "u1", "count"),
        with_call("g1", "success", done),
        message("gemini", "g2", "1"),
    ];
    let read = read(&TRANSCRIPTS, PATH, &records);
    assert_eq!(read.events.len(), 1, "{:?}", read.events);
    assert_eq!(read.sessions, ["s1"]);
}

#[test]
fn records_that_nobody_knows_are_named() {
    let lines: [&[u8]; 5] =
        [b"{\"type\":\"x-y\"}", b"{}", b"{\"type\":\"user\",\"id\":5}", b"{\"type\":\"us", b"7"];
    let read = read_lines(&TRANSCRIPTS, PATH, &lines);
    let unknown = |name: &str| RecordOutcome::Unknown(name.to_owned());
    let broken = RecordOutcome::Unreadable;
    assert_eq!(read.strange, [unknown("x-y"), unknown("no type"), broken.clone(), broken]);
}
