//! Tables of what an event of Copilot CLI means; `tests/it/memory/backfill` reads whole sessions.

#![expect(clippy::needless_pass_by_value, reason = "records read best as values")]

use serde_json::{Value, json};

use super::TRANSCRIPTS;
use crate::harness::transcript::RecordOutcome;
use crate::harness::transcript::reading::{read, read_lines};

const PATH: &str = "session-state/s1/events.jsonl";

fn record(kind: &str, data: Value) -> Value {
    json!({ "type": kind, "data": data, "id": format!("e-{kind}"), "timestamp": "2026-11-16T06:00:00.000Z" })
}

fn start(id: &str, tool: &str, arguments: Value) -> Value {
    record("tool.execution_start", json!({ "toolCallId": id, "toolName": tool, "arguments": arguments }))
}

fn events(records: &[Value]) -> Vec<String> {
    read(&TRANSCRIPTS, PATH, records).events
}

#[test]
fn the_session_is_the_name_of_the_folder() {
    let started = record("session.start", json!({ "copilotVersion": "1.0.102", "context": { "cwd": "/p" } }));
    let resumed = record("session.resume", json!({ "context": { "cwd": "/p" } }));
    let read = read(&TRANSCRIPTS, PATH, &[started, resumed, record("session.shutdown", json!({}))]);
    assert_eq!(read.events, ["sessionStart | new", "sessionStart | resume", "sessionEnd | shutdown"]);
    assert_eq!(read.sessions, ["s1", "s1", "s1"]);
}

#[test]
fn only_what_a_person_wrote_is_a_prompt() {
    let said = |data: Value| record("user.message", data);
    let mut to_subagent = said(json!({ "content": "count" }));
    to_subagent["agentId"] = json!("a1");
    let records = [
        said(json!({ "content": "add tax" })),
        said(json!({ "content": "x", "source": "skill" })),
        said(json!({ "content": "x", "isAutopilotContinuation": true })),
        to_subagent,
    ];
    assert_eq!(events(&records), ["userPromptSubmitted | add tax"]);
}

#[test]
fn a_call_ends_with_its_exit_code_whatever_its_status_says() {
    let end = |id: &str, data: Value| {
        let mut data = data;
        data["toolCallId"] = json!(id);
        record("tool.execution_complete", data)
    };
    let shell = json!({ "command": "sh check.sh" });
    let content = json!({ "content": "no such table\n<shellId: 0 completed with exit code 4>" });
    let records = [
        start("a", "bash", shell.clone()),
        start("b", "edit", json!({ "path": "a.rs" })),
        start("never", "bash", shell),
        start("c", "rg", json!({})),
        end("b", json!({ "success": false, "error": { "message": "no match" } })),
        end("a", json!({ "success": true, "result": content, "shellExecution": { "exitCode": 4 } })),
        end("c", json!({ "success": false, "error": { "message": "Tool 'rg' does not exist." } })),
        end("unknown", json!({ "success": true })),
    ];
    assert_eq!(
        events(&records),
        [
            "postToolUseFailure | edit | {\"path\":\"a.rs\"} | no match",
            "postToolUse | bash | {\"command\":\"sh check.sh\"} | {\"resultType\":\"success\",\"textResultForLlm\":\"no such table\\n<shellId: 0 completed with exit code 4>\",\"exitCode\":4}",
        ]
    );
}

#[test]
fn a_subagent_and_a_server_are_named() {
    let mut started = start("a", "search", json!({ "query": "tax" }));
    started["data"]["mcpServerName"] = json!("nudge");
    started["data"]["mcpToolName"] = json!("search");
    let mut ended = record(
        "tool.execution_complete",
        json!({ "toolCallId": "a", "success": true, "result": { "content": "1" } }),
    );
    ended["agentId"] = json!("a1");
    let expected = "postToolUse | nudge-search | {\"query\":\"tax\"} | {\"resultType\":\"success\",\"textResultForLlm\":\"1\"} | a1";
    assert_eq!(events(&[started, ended]), [expected]);
}

#[test]
fn the_last_word_of_a_turn_and_the_summary_of_a_compaction_are_kept() {
    let said = |text: &str, calls: Value| {
        record("assistant.message", json!({ "content": text, "toolRequests": calls }))
    };
    let records = [
        said("I look.", json!([{ "toolCallId": "a" }])),
        said("Done.", json!([])),
        record("user.message", json!({ "content": "go on" })),
        said("Wait", json!([])),
        record("abort", json!({ "reason": "user" })),
        record("session.compaction_complete", json!({ "summaryContent": "Tax is added." })),
    ];
    assert_eq!(
        events(&records),
        ["agentStop | Done.", "userPromptSubmitted | go on", "postCompact | Tax is added."]
    );
}

#[test]
fn events_that_nobody_knows_are_named() {
    let lines: [&[u8]; 5] = [
        b"{\"type\":\"x-y\"}",
        b"{\"data\":{}}",
        b"{\"type\":\"hook.start\"}",
        b"{\"type\":\"user.mess",
        b"null",
    ];
    let read = read_lines(&TRANSCRIPTS, PATH, &lines);
    let unknown = |name: &str| RecordOutcome::Unknown(name.to_owned());
    let broken = RecordOutcome::Unreadable;
    assert_eq!(read.strange, [unknown("x-y"), unknown("no type"), broken.clone(), broken]);
}
