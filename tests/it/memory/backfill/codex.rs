//! `nudge backfill` for Codex: the shapes that its real versions write, in small.

use std::fs;
use std::time::Duration;

use expect_test::expect;
use serde_json::{Value, json};

use super::scene::{at, check, days_ago, write};
use crate::sandbox::Sandbox;

#[test]
fn codex_events_are_read_and_its_messages_are_not() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.path("");
    let line = |second: u64, kind: &str, payload: Value| json!({ "timestamp": at(second), "type": kind, "payload": payload });
    let item = |second: u64, turn: &str, item: Value| {
        line(second, "event_msg", json!({ "type": "item_completed", "turn_id": turn, "item": item }))
    };
    let command = |id: &str, command: &str, code: i64, source: &str| {
        json!({ "type": "CommandExecution", "id": id, "command": ["/bin/bash", "-lc", command], "source": source,
            "aggregated_output": "out", "exit_code": code })
    };
    let patch = "*** Begin Patch\n*** Add File: b.txt\n+new\n*** End Patch\n";
    let mut parent = vec![
        line(
            0,
            "session_meta",
            json!({ "id": "c1", "session_id": "c1", "cwd": cwd, "cli_version": "0.166.0", "history_mode": "paginated" }),
        ),
        line(1, "event_msg", json!({ "type": "task_started", "turn_id": "u1" })),
        line(
            2,
            "response_item",
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "<environment_context>" }] }),
        ),
        line(
            3,
            "response_item",
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "add tax" }] }),
        ),
        item(
            20,
            "u1",
            json!({ "type": "UserMessage", "id": "i1", "content": [{ "type": "text", "text": "add tax" }] }),
        ),
        item(40, "u1", command("k1", "sh check.sh", 4, "unified_exec_startup")),
        line(
            50,
            "response_item",
            json!({ "type": "custom_tool_call", "call_id": "k2", "name": "apply_patch", "input": patch }),
        ),
        item(60, "u1", json!({ "type": "FileChange", "id": "k2", "changes": {}, "status": "completed" })),
        line(
            70,
            "response_item",
            json!({ "type": "custom_tool_call", "call_id": "k3", "name": "apply_patch", "input": patch }),
        ),
        line(
            75,
            "response_item",
            json!({ "type": "custom_tool_call_output", "call_id": "k3", "output": "apply_patch verification failed" }),
        ),
        item(
            80,
            "u1",
            json!({ "type": "McpToolCall", "id": "k4", "server": "nudge", "tool": "timeline", "arguments": {}, "status": "failed", "error": { "message": "not found" } }),
        ),
        item(100, "u1", command("k5", "echo bang", 0, "user_shell")),
        line(
            120,
            "compacted",
            json!({ "message": "Another language model started:\nTax was added.", "replacement_history": [{ "type": "message", "role": "user", "content": "add tax" }] }),
        ),
        line(
            140,
            "event_msg",
            json!({ "type": "task_complete", "turn_id": "u1", "last_agent_message": "Tax is added." }),
        ),
        item(160, "u1", command("k6", "sleep 30", 137, "unified_exec_startup")),
        line(170, "from_the_future", json!({})),
    ];
    write(&sandbox, "home/.codex/sessions/2026/11/16/rollout-a.jsonl", &parent);
    // A subagent's file repeats its parent.
    parent.insert(0, line(200, "session_meta", json!({ "id": "c2", "session_id": "c1", "parent_thread_id": "c1", "cwd": cwd, "history_mode": "paginated" })));
    parent.retain(|line| line["type"] != "event_msg" && line["type"] != "compacted");
    parent.push(item(220, "u2", command("k7", "ls | wc -l", 0, "unified_exec_startup")));
    write(&sandbox, "home/.codex/sessions/2026/11/16/rollout-b.jsonl", &parent);
    check(
        &sandbox,
        "codex",
        &expect![[r#"
        c1 session_start "session started"
        c1 user_prompt "add tax"
        c1 command_error Bash "sh check.sh\nout" (exit 4)
        c1 file_write apply_patch "b.txt: 1 line"
        c1 command_error mcp__nudge__timeline "nudge timeline \nnot found"
        c1 command Bash "echo bang" (exit 0) (user)
        c1 summary "Tax was added."
        c1 outcome "Tax is added."
        c1 command Bash "sleep 30"
        c1 command Bash "ls | wc -l" (exit 0) (c2)"#]],
    );
}

#[test]
fn older_codex_versions_write_results_as_text() {
    let sandbox = Sandbox::new();
    let line = |second: u64, kind: &str, payload: Value| json!({ "timestamp": at(second), "type": kind, "payload": payload });
    let call = |second, id: &str, name: &str, arguments: Value| {
        line(
            second,
            "response_item",
            json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments.to_string() }),
        )
    };
    let output = |second, id: &str, output: &str| {
        line(
            second,
            "response_item",
            json!({ "type": "function_call_output", "call_id": id, "output": output }),
        )
    };
    let lines = [
        line(0, "session_meta", json!({ "id": "c1", "cwd": sandbox.path(""), "cli_version": "0.47.0" })),
        line(20, "event_msg", json!({ "type": "user_message", "message": "add tax" })),
        call(30, "k1", "shell", json!({ "command": ["bash", "-lc", "sh check.sh"] })),
        output(40, "k1", r#"{"output":"no such table","metadata":{"exit_code":4}}"#),
        call(50, "k2", "exec_command", json!({ "cmd": "make" })),
        output(
            60,
            "k2",
            "Chunk ID: 1\nWall time: 0 seconds\nProcess exited with code 2\nOutput:\nmake: no rule",
        ),
        call(70, "k3", "shell_command", json!({ "command": "ls" })),
        output(80, "k3", "Exit code: 0\nWall time: 0 seconds\nOutput:\na\nb"),
        call(90, "k4", "unheard_of", json!({})),
        output(95, "k4", "unsupported call: unheard_of"),
        line(110, "event_msg", json!({ "type": "agent_message", "message": "Tax is added." })),
    ];
    write(&sandbox, "home/.codex/sessions/rollout-a.jsonl", &lines);
    check(
        &sandbox,
        "codex",
        &expect![[r#"
        c1 session_start "session started"
        c1 user_prompt "add tax"
        c1 command_error Bash "sh check.sh\nno such table" (exit 4)
        c1 command_error Bash "make\nmake: no rule" (exit 2)
        c1 command Bash "ls" (exit 0)
        c1 outcome "Tax is added.""#]],
    );
}

/// A session of Codex with one prompt.
fn rollout(sandbox: &Sandbox, session: &str) -> Vec<Value> {
    let line = |second: u64, kind: &str, payload: Value| json!({ "timestamp": at(second), "type": kind, "payload": payload });
    let cwd = sandbox.path("");
    let turn = format!("turn of {session}");
    let asked =
        json!({ "type": "UserMessage", "id": "i1", "content": [{ "type": "text", "text": "add tax" }] });
    vec![
        line(
            0,
            "session_meta",
            json!({ "id": session, "session_id": session, "cwd": cwd, "history_mode": "paginated" }),
        ),
        line(1, "event_msg", json!({ "type": "task_started", "turn_id": turn })),
        line(20, "event_msg", json!({ "type": "item_completed", "turn_id": turn, "item": asked })),
        line(
            30,
            "event_msg",
            json!({ "type": "task_complete", "turn_id": turn, "last_agent_message": "Done." }),
        ),
    ]
}

#[test]
fn a_rollout_that_codex_archives_and_compresses_is_the_same_session() {
    let sandbox = Sandbox::new();
    write(&sandbox, "home/.codex/sessions/2026/11/16/rollout-a.jsonl", &rollout(&sandbox, "c1"));
    let read = || sandbox.run(["backfill", "codex", "--json"]).code(0).json()["agents"][0].clone();
    assert_eq!(read()["stored"], 3);
    let plain = sandbox.beside("home/.codex/sessions/2026/11/16/rollout-a.jsonl");
    let packed = sandbox.beside("home/.codex/archived_sessions/rollout-a.jsonl.zst");
    fs::create_dir_all(packed.parent().expect("a folder")).expect("a folder");
    fs::write(&packed, compressed(&fs::read(&plain).expect("a file"))).expect("a file");
    let modified = fs::metadata(&plain).and_then(|meta| meta.modified()).expect("a time");
    fs::File::options().append(true).open(&packed).expect("a file").set_modified(modified).expect("a time");
    // While both are there, Codex writes to the plain one.
    assert_eq!(read()["read"], 0);
    fs::remove_file(&plain).expect("a file");
    assert_eq!(read()["read"], 0);
    // Its time has changed, so nobody knows whether something is new.
    fs::File::options()
        .append(true)
        .open(&packed)
        .expect("a file")
        .set_modified(modified - Duration::from_secs(9))
        .expect("a time");
    let again = read();
    assert_eq!(
        (again["read"].clone(), again["stored"].clone(), again["known"].clone()),
        (json!(1), json!(0), json!(3))
    );
    // A session that was compressed before nudge came.
    write(&sandbox, "home/b.jsonl", &rollout(&sandbox, "c2"));
    let bytes = compressed(&fs::read(sandbox.beside("home/b.jsonl")).expect("a file"));
    fs::write(packed.with_file_name("rollout-b.jsonl.zst"), &bytes).expect("a file");
    // What is broken costs nothing else.
    fs::write(packed.with_file_name("rollout-c.jsonl.zst"), &bytes[..bytes.len() / 2]).expect("a file");
    fs::write(packed.with_file_name("rollout-d.jsonl.zst"), b"\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff")
        .expect("a file");
    let report = sandbox.run(["backfill", "codex", "--json"]).json();
    assert_eq!(report["agents"][0]["types"]["user_prompt"], 1, "{report}");
    let failed: Vec<&Value> =
        report["failed"].as_array().expect("a list").iter().map(|one| &one["file"]).collect();
    assert_eq!(failed, ["rollout-c.jsonl.zst", "rollout-d.jsonl.zst"], "{report}");
}

/// Compresses bytes as zstd does that cannot make them smaller: one frame of one raw block.
fn compressed(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).expect("a short file");
    let mut packed = vec![0x28, 0xb5, 0x2f, 0xfd, 0b1010_0000];
    packed.extend(length.to_le_bytes());
    packed.extend(&((length << 3) | 1).to_le_bytes()[..3]);
    packed.extend(bytes);
    packed
}

#[test]
fn a_history_of_prompts_counts_only_for_sessions_that_are_gone() {
    let sandbox = Sandbox::new();
    let asked = |session: &str, text: &str, second: u64| json!({ "session_id": session, "ts": days_ago(2) + second, "text": text });
    let history =
        [asked("c1", "add tax", 20), asked("c1", "never sent", 25), asked("gone", "fix the login", 30)];
    write(&sandbox, "home/.codex/history.jsonl", &history);
    write(&sandbox, "home/.codex/sessions/rollout-a.jsonl", &rollout(&sandbox, "c1"));
    check(
        &sandbox,
        "codex",
        &expect![[r#"
            c1 session_start "session started"
            c1 user_prompt "add tax"
            c1 outcome "Done."
            gone user_prompt "fix the login""#]],
    );
    // Its rollout comes back.
    write(&sandbox, "home/.codex/sessions/rollout-b.jsonl", &rollout(&sandbox, "gone"));
    sandbox.run(["backfill", "codex"]).code(0);
    let rows = super::rows(&sandbox);
    assert_eq!(
        rows.iter().filter(|row| row.starts_with("gone user_prompt")).collect::<Vec<_>>(),
        [r#"gone user_prompt "add tax""#]
    );
}
