//! Tables of what a record of OpenCode means; `tests/it/memory/backfill` reads whole databases.

#![expect(clippy::needless_pass_by_value, reason = "records read best as values")]

use serde_json::{Value, json};

use super::TRANSCRIPTS;
use crate::harness::transcript::RecordOutcome;
use crate::harness::transcript::reading::{read, read_lines};

const PATH: &str = "opencode.db";

fn record(kind: &str, session: &str, fields: Value) -> Value {
    let mut record = json!({
        "kind": kind, "id": format!("{kind}-{session}"), "root": "s1", "session": session, "directory": "/p",
        "version": "1.18.33", "at_ms": 1_790_000_000_000_i64,
    });
    for (name, value) in fields.as_object().expect("fields") {
        record[name] = value.clone();
    }
    record
}

fn events(records: &[Value]) -> Vec<String> {
    read(&TRANSCRIPTS, PATH, records).events
}

#[test]
fn prompts_lose_the_marks_of_the_command_line_and_the_last_word_ends_a_turn() {
    let text = |role: &str, text: &str, finish: &str| {
        record("text", "s1", json!({ "role": role, "text": text, "finish": finish }))
    };
    let records = [
        record("session", "s1", json!({})),
        text("user", "\"add tax\"", ""),
        text("assistant", "I look.", "tool-calls"),
        text("assistant", "Done.", "stop"),
        text("user", "say \"no\"", ""),
        text("assistant", "No.", "stop"),
        record("text", "s1", json!({ "role": "assistant", "text": "Tax is added.", "is_summary": true })),
    ];
    assert_eq!(
        events(&records),
        [
            "session.start | startup",
            "chat.message | add tax",
            "session.idle | Done.",
            "chat.message | say \"no\"",
            "session.compacted | Tax is added.",
            "session.idle | No.",
        ]
    );
}

#[test]
fn a_call_counts_when_it_has_ended() {
    let tool = |status: &str, exit: Value, error: Value| {
        let input = json!({ "command": "sh check.sh" });
        let fields = json!({ "tool": "bash", "call_id": "c1", "status": status, "input": input, "output": "x", "exit": exit, "error": error });
        record("tool", "s1", fields)
    };
    let records = [
        tool("completed", json!(4), json!(null)),
        tool("error", json!(null), json!("no match")),
        tool("running", json!(null), json!(null)),
        tool("pending", json!(null), json!(null)),
    ];
    assert_eq!(
        events(&records),
        [
            "tool.execute.after | bash | {\"command\":\"sh check.sh\"} | x | {\"exit\":4}",
            "tool.execute.after | bash | {\"command\":\"sh check.sh\"} | x | no match | {\"exit\":null}",
        ]
    );
}

#[test]
fn a_subagent_works_in_the_session_at_the_root() {
    let fields = json!({ "tool": "bash", "status": "completed", "input": { "command": "ls" }, "exit": 0 });
    let records = [
        record("session", "child", json!({})),
        record("text", "child", json!({ "role": "user", "text": "count the files" })),
        record("tool", "child", fields),
    ];
    let read = read(&TRANSCRIPTS, PATH, &records);
    assert_eq!(read.events, ["tool.execute.after | bash | {\"command\":\"ls\"} | {\"exit\":0} | child"]);
    assert_eq!(read.sessions, ["s1"]);
}

#[test]
fn records_that_nobody_knows_are_named() {
    let lines: [&[u8]; 5] = [b"{\"kind\":\"x-y\"}", b"{}", b"{\"kind\":7}", b"{\"kind\":\"te", b"[]"];
    let read = read_lines(&TRANSCRIPTS, PATH, &lines);
    let unknown = |name: &str| RecordOutcome::Unknown(name.to_owned());
    let broken = RecordOutcome::Unreadable;
    assert_eq!(
        read.strange,
        [unknown("x-y"), unknown("no type"), unknown("no type"), broken.clone(), broken]
    );
}
