//! Tables of what a line of a Codex rollout means; `tests/it/memory/backfill` reads whole ones.

#![expect(clippy::needless_pass_by_value, reason = "records read best as values")]

use serde_json::{Value, json};

use super::TRANSCRIPTS;
use super::output::{CallOutput, parse_output};
use crate::harness::transcript::RecordOutcome;
use crate::harness::transcript::reading::{ReadRecords, read, read_lines};

const PATH: &str = "sessions/2026/11/16/rollout-2026-11-16T06-00-00-t1.jsonl";

fn line(kind: &str, payload: Value) -> Value {
    json!({ "timestamp": "2026-11-16T06:00:00.000Z", "type": kind, "payload": payload })
}

fn meta(fields: Value) -> Value {
    let mut meta = json!({ "id": "t1", "cwd": "/p", "cli_version": "0.166.0" });
    for (name, value) in fields.as_object().expect("fields") {
        meta[name] = value.clone();
    }
    line("session_meta", meta)
}

fn paginated() -> Value {
    meta(json!({ "history_mode": "paginated" }))
}

fn event(kind: &str, fields: Value) -> Value {
    let mut payload = json!({ "type": kind, "turn_id": "turn-1" });
    for (name, value) in fields.as_object().expect("fields") {
        payload[name] = value.clone();
    }
    line("event_msg", payload)
}

fn item(item: Value) -> Value {
    event("item_completed", json!({ "item": item }))
}

fn command(id: &str, exit_code: i64) -> Value {
    item(json!({ "type": "CommandExecution", "id": id, "command": ["bash", "-lc", "sh check.sh"],
        "aggregated_output": "out", "exit_code": exit_code }))
}

fn message(role: &str, text: &str) -> Value {
    line(
        "response_item",
        json!({ "type": "message", "role": role, "content": [{ "type": "input_text", "text": text }] }),
    )
}

fn reading(records: &[Value]) -> ReadRecords {
    read(&TRANSCRIPTS, PATH, records)
}

fn events(records: &[Value]) -> Vec<String> {
    reading(records).events
}

#[test]
fn of_a_paginated_rollout_only_the_events_count() {
    let asked = item(
        json!({ "type": "UserMessage", "id": "i1", "content": [{ "type": "text", "text": "add tax" }, { "type": "image" }] }),
    );
    let records = [
        paginated(),
        event("task_started", json!({})),
        asked,
        message("user", "<environment_context>x</environment_context>"),
        message("user", "add tax"),
        command("c1", 4),
        line(
            "response_item",
            json!({ "type": "function_call_output", "call_id": "c1", "output": "Exit code: 4\nOutput:\nx" }),
        ),
        line(
            "compacted",
            json!({ "message": "Another language model started x\nTax is added.", "replacement_history": [{ "role": "user", "content": "add tax" }] }),
        ),
        event("task_complete", json!({ "last_agent_message": "Done." })),
        command("c2", 137),
    ];
    assert_eq!(
        events(&records),
        [
            "SessionStart",
            "UserPromptSubmit | add tax",
            "PostToolUse | Bash | {\"command\":\"sh check.sh\"} | out | exit 4",
            "PostCompact | Tax is added.",
            "Stop | Done.",
            // What Codex kills when it ends has not failed.
            "PostToolUse | Bash | {\"command\":\"sh check.sh\"} | out | interrupted=true",
        ]
    );
}

#[test]
fn items_are_the_calls_that_a_hook_sees() {
    let mcp = |status: &str, result: Value, error: Value| {
        item(json!({ "type": "McpToolCall", "id": "m1", "server": "nudge", "tool": "search",
            "arguments": { "query": "x" }, "status": status, "result": result, "error": error }))
    };
    let patch = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** End Patch\n";
    let called = line(
        "response_item",
        json!({ "type": "custom_tool_call", "name": "apply_patch", "call_id": "p1", "input": patch }),
    );
    let by_user = item(json!({ "type": "CommandExecution", "id": "c1", "command": ["bash", "-lc", "ls"],
        "aggregated_output": "a", "exit_code": 0, "source": "user_shell" }));
    let records = [
        paginated(),
        called,
        item(json!({ "type": "FileChange", "id": "p1", "status": "completed", "stdout": "ok" })),
        item(json!({ "type": "FileChange", "id": "p2", "status": "failed" })),
        mcp("completed", json!({ "content": [], "structuredContent": {} }), json!(null)),
        mcp("failed", json!(null), json!({ "message": "no server" })),
        item(json!({ "type": "WebSearch", "id": "w1", "query": "tax" })),
        item(json!({ "type": "Reasoning", "id": "r1" })),
        line(
            "response_item",
            json!({ "type": "function_call", "name": "spawn_agent", "namespace": "collaboration", "call_id": "s1", "arguments": "{\"message\":\"count\"}" }),
        ),
        item(json!({ "type": "SubAgentActivity", "id": "s1", "kind": "started" })),
        item(json!({ "type": "SubAgentActivity", "id": "s2", "kind": "completed" })),
        by_user,
    ];
    let all = events(&records);
    assert_eq!(
        all[1..],
        [
            format!("PostToolUse | apply_patch | {} | Exit code: 0\nOutput:\nok", json!({ "command": patch })),
            "PostToolUse | mcp__nudge__search | {\"query\":\"x\"} | {\"content\":[]}".to_owned(),
            "PostToolUse | mcp__nudge__search | {\"query\":\"x\"} | {\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no server\"}]}".to_owned(),
            "PostToolUse | WebSearch | {\"query\":\"tax\"}".to_owned(),
            "PostToolUse | spawn_agent | {\"message\":\"count\"} | ".to_owned(),
            "PostToolUse | Bash | {\"command\":\"ls\"} | a | exit 0 | by=\"user\"".to_owned(),
        ]
    );
}

#[test]
fn a_subagent_works_for_its_root_and_a_second_header_is_its_parents() {
    let records = [
        meta(json!({ "session_id": "root", "parent_thread_id": "root", "history_mode": "paginated" })),
        meta(json!({ "id": "root" })),
        item(json!({ "type": "UserMessage", "id": "i1", "content": [{ "type": "text", "text": "count" }] })),
        command("c1", 0),
        event("task_complete", json!({ "last_agent_message": "1" })),
    ];
    let read = reading(&records);
    assert_eq!(read.events, ["PostToolUse | Bash | {\"command\":\"sh check.sh\"} | out | t1 | exit 0"]);
    assert_eq!(read.sessions, ["root"]);
}

#[test]
fn a_thread_that_goes_on_in_another_file_does_not_start_again() {
    let goes_on = meta(json!({ "history_mode": "paginated", "history_base": { "thread_id": "t1" } }));
    assert_eq!(events(&[goes_on]), Vec::<String>::new());
    let fork = meta(json!({ "history_mode": "paginated", "history_base": { "thread_id": "t0" } }));
    assert_eq!(events(&[fork]), ["SessionStart"]);
}

#[test]
fn older_rollouts_have_messages_and_results_as_text() {
    let call = |id: &str, name: &str, arguments: Value| {
        line(
            "response_item",
            json!({ "type": "function_call", "name": name, "call_id": id, "arguments": arguments.to_string() }),
        )
    };
    let output = |id: &str, text: &str| {
        line("response_item", json!({ "type": "function_call_output", "call_id": id, "output": text }))
    };
    let records = [
        meta(json!({})),
        message("user", "# AGENTS.md instructions"),
        message("user", "add tax"),
        event("user_message", json!({ "message": "add tax" })),
        call("a", "shell", json!({ "command": ["bash", "-lc", "make"] })),
        call("b", "exec_command", json!({ "cmd": "sh check.sh" })),
        output("b", "Chunk ID: 1\nWall time: 1 seconds\nProcess exited with code 4\nOutput:\nno such table"),
        output("a", "{\"output\":\"ok\",\"metadata\":{\"exit_code\":0}}"),
        call("c", "shell", json!({ "command": ["ls"] })),
        output("c", "unsupported call: shell"),
        event("agent_message", json!({ "message": "I look." })),
        event("agent_message", json!({ "message": "Done." })),
    ];
    assert_eq!(
        events(&records),
        [
            "SessionStart",
            "UserPromptSubmit | add tax",
            "PostToolUse | Bash | {\"command\":\"sh check.sh\"} | no such table | exit 4",
            "PostToolUse | Bash | {\"command\":\"make\"} | ok | exit 0",
            "Stop | Done.",
        ]
    );
    // Without events, the messages are all there is.
    let held = [meta(json!({})), message("user", "<turn_aborted>"), message("user", "add tax")];
    assert_eq!(events(&held), ["SessionStart", "UserPromptSubmit | add tax"]);
}

#[test]
fn a_result_is_read_in_the_words_of_every_version() {
    let check = |text: &str, expected: Option<(&str, Option<i64>)>| {
        let expected = expected.map(|(text, exit_code)| CallOutput { text: text.to_owned(), exit_code });
        assert_eq!(parse_output(&json!(text)), expected, "{text}");
    };
    check("{\"output\":\"ok\",\"metadata\":{\"exit_code\":0}}", Some(("ok", Some(0))));
    check("Exit code: 4\nWall time: 1 seconds\nOutput:\nno", Some(("no", Some(4))));
    check("Wall time: 1 seconds\nProcess exited with code 3\nOutput:\n", Some(("", Some(3))));
    check("Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\nso far", Some(("so far", None)));
    check("aborted by user", None);
    check("apply_patch verification failed: no such file", None);
    assert_eq!(parse_output(&json!({})), None);
    assert_eq!(
        parse_output(&json!([{ "type": "input_text", "text": "Exit code: 0\nOutput:\nok" }])),
        Some(CallOutput { text: "ok".to_owned(), exit_code: Some(0) })
    );
}

#[test]
fn lines_that_nobody_knows_are_named() {
    let lines: [&[u8]; 6] = [
        b"{\"type\":\"x-y\",\"payload\":{}}",
        b"{\"payload\":{}}",
        b"{\"type\":\"world_state\"}",
        b"{\"type\":\"event_msg\",\"payload\":7}",
        b"{\"type\":\"event_m",
        b"[]",
    ];
    let read = read_lines(&TRANSCRIPTS, PATH, &lines);
    let unknown = |name: &str| RecordOutcome::Unknown(name.to_owned());
    let broken = RecordOutcome::Unreadable;
    assert_eq!(read.strange, [unknown("x-y"), unknown("no type"), broken.clone(), broken]);
}
