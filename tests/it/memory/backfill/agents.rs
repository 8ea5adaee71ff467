//! `nudge backfill` for agents other than Claude Code: the shapes that their real versions write, in small.

use std::fs;
use std::time::{Duration, SystemTime};

use expect_test::{Expect, expect};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Writes a transcript that nobody adds to any more.
pub(super) fn write(sandbox: &Sandbox, path: &str, lines: &[Value]) {
    let path = sandbox.beside(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).expect("a file");
    let old = SystemTime::now() - Duration::from_secs(3_600);
    fs::File::options().append(true).open(&path).expect("a file").set_modified(old).expect("a time");
}

/// Reads one agent twice, and compares what is stored.
pub(super) fn check(sandbox: &Sandbox, agent: &str, expected: &Expect) {
    sandbox.run(["backfill", agent, "--json"]).code(0);
    let again = sandbox.run(["backfill", agent, "--json"]).json();
    assert_eq!(again["agents"][0]["stored"], 0, "{again}");
    let connection = Connection::open(sandbox.data_folder().join("nudge.db")).expect("a database");
    let sql =
        "SELECT session_id, obs_type, tool_name, content, metadata ->> '$.exit_code', metadata ->> '$.by',
            metadata ->> '$.agent_id'
        FROM observations ORDER BY timestamp, id";
    let mut statement = connection.prepare(sql).expect("a table");
    let rows = statement.query_map([], |row| {
        let text = |index: usize| row.get::<_, Option<String>>(index);
        let code = row.get::<_, Option<i64>>(4)?.map(|code| format!("exit {code}"));
        let more = code.into_iter().chain(text(5)?).chain(text(6)?).map(|word| format!(" ({word})"));
        let tool = text(2)?.map(|tool| format!(" {tool}")).unwrap_or_default();
        Ok(format!(
            "{} {}{tool} {:?}{}",
            text(0)?.unwrap_or_default(),
            text(1)?.unwrap_or_default(),
            text(3)?.unwrap_or_default(),
            more.collect::<String>()
        ))
    });
    let rows: Vec<String> = rows.expect("rows").map(|row| row.expect("a row")).collect();
    expected.assert_eq(&rows.join("\n"));
}

/// A time of some days ago, in seconds; each call of a test counts up from there.
pub(super) fn days_ago(days: u64) -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a clock").as_secs() - days * 86_400
}

/// Returns a time as text in milliseconds, which agents also write.
pub(super) fn at(second: u64) -> String {
    ((days_ago(2) + second) * 1_000).to_string()
}

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

#[test]
fn gemini_messages_are_read_once_however_often_they_are_written() {
    let sandbox = Sandbox::new();
    let call = |id: &str, command: &str, output: &str, second: u64| {
        json!({ "id": id, "name": "run_shell_command", "args": { "command": command }, "status": "success",
            "timestamp": at(second), "result": [{ "functionResponse": { "response": { "output": output } } }] })
    };
    let asked = json!({ "id": "1", "timestamp": at(10), "type": "user", "content": [{ "text": "<hook_context>old</hook_context>\n\nadd tax" }] });
    let without = json!({ "id": "2", "timestamp": at(20), "type": "gemini", "content": "I look around." });
    let mut with = without.clone();
    with["toolCalls"] = json!([
        call(
            "k1",
            "sh check.sh",
            "<untrusted_context>\nOutput: no such table\nExit Code: 4\nProcess Group PGID: 1\n</untrusted_context>",
            40
        ),
        call("k2", "ls", "Output: a", 40),
    ]);
    let results = json!({ "id": "3", "timestamp": at(50), "type": "user", "content": [{ "functionResponse": { "response": {} } }] });
    let said = json!({ "id": "4", "timestamp": at(60), "type": "gemini", "content": "Tax is added." });
    let header = json!({ "sessionId": "g1", "startTime": at(0), "kind": "main" });
    let context = json!({ "id": "0", "timestamp": at(0), "type": "user", "content": [{ "text": "<session_context>…" }] });
    let mut replayed = with.clone();
    replayed["timestamp"] = json!(at(900));
    let history = json!({ "$set": { "messages": [context, asked, replayed, said] } });
    let more = json!({ "id": "5", "timestamp": at(1_000), "type": "user", "content": "go on" });
    let lines = [
        header.clone(),
        json!({ "$set": { "lastUpdated": "x" } }),
        asked,
        without,
        with,
        results,
        said,
        header,
        history,
        more,
    ];
    write(&sandbox, "home/.gemini/tmp/shop/chats/session-1.jsonl", &lines);
    let root = sandbox.path("").to_str().expect("UTF-8").to_owned();
    fs::write(sandbox.beside("home/.gemini/tmp/shop/.project_root"), root).expect("a file");
    // A resume in another minute leaves a file with nothing but the context.
    write(&sandbox, "home/.gemini/tmp/shop/chats/session-2.jsonl", &lines[..2]);
    check(
        &sandbox,
        "gemini",
        &expect![[r#"
        g1 session_start "session started (startup)"
        g1 user_prompt "add tax"
        g1 command_error run_shell_command "sh check.sh\nno such table" (exit 4)
        g1 command run_shell_command "ls" (exit 0)
        g1 outcome "Tax is added."
        g1 user_prompt "go on""#]],
    );
}

#[test]
fn copilot_commands_that_fail_are_failures_whatever_their_status() {
    let sandbox = Sandbox::new();
    let event = |second: u64, kind: &str, data: Value| json!({ "type": kind, "data": data, "id": format!("e{second}"), "timestamp": at(second) });
    let in_subagent = |mut event: Value| {
        event["agentId"] = json!("a1");
        event
    };
    let start = |second, id: &str, command: &str| {
        event(
            second,
            "tool.execution_start",
            json!({ "toolCallId": id, "toolName": "bash", "arguments": { "command": command } }),
        )
    };
    let lines = [
        event(
            0,
            "session.start",
            json!({ "copilotVersion": "1.0.102", "context": { "cwd": sandbox.path(""), "branch": "main" } }),
        ),
        event(20, "user.message", json!({ "content": "add tax", "transformedContent": "<now>add tax" })),
        start(30, "k1", "sh check.sh"),
        event(
            40,
            "tool.execution_complete",
            json!({ "toolCallId": "k1", "success": true, "shellExecution": { "exitCode": 4 }, "result": { "content": "no such table\n<shellId: 0 completed with exit code 4>" } }),
        ),
        event(50, "tool.execution_start", json!({ "toolCallId": "k2", "toolName": "rg", "arguments": {} })),
        event(
            55,
            "tool.execution_complete",
            json!({ "toolCallId": "k2", "success": false, "error": { "message": "Tool 'rg' does not exist." } }),
        ),
        in_subagent(event(60, "user.message", json!({ "content": "count", "source": "agent-x" }))),
        in_subagent(start(70, "k3", "ls | wc -l")),
        in_subagent(event(
            80,
            "tool.execution_complete",
            json!({ "toolCallId": "k3", "success": true, "shellExecution": { "exitCode": 0 }, "result": { "content": "2" } }),
        )),
        event(100, "assistant.message", json!({ "content": "Tax is added.", "toolRequests": [] })),
        event(120, "session.shutdown", json!({})),
        event(130, "galaxy.brain", json!({})),
    ];
    write(&sandbox, "home/.copilot/session-state/p1/events.jsonl", &lines);
    check(
        &sandbox,
        "copilot",
        &expect![[r#"
        p1 session_start "session started (startup)"
        p1 user_prompt "add tax"
        p1 command_error bash "sh check.sh\nno such table" (exit 4)
        p1 command bash "ls | wc -l" (exit 0) (a1)
        p1 outcome "Tax is added."
        p1 session_end "session ended (shutdown)""#]],
    );
}

#[test]
fn opencode_is_read_from_its_database_which_stays_as_it_is() {
    let sandbox = Sandbox::new();
    let folder = sandbox.beside("home/data/opencode");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("opencode.db");
    let connection = Connection::open(&path).expect("a database");
    // Nothing is in the file itself until OpenCode closes it.
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0").expect("a log");
    connection
        .execute_batch(
            "CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
             CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
             CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);",
        )
        .expect("tables");
    let ms = |second: u64| i64::try_from((days_ago(2) + second) * 1_000).expect("a time");
    let session = |id: &str, parent: Option<&str>, second: u64| {
        let folder = sandbox.path("").to_str().expect("UTF-8").to_owned();
        let values = (id, parent, folder, "1.18.33", ms(second), ms(second + 500));
        connection.execute("INSERT INTO session VALUES (?1, ?2, ?3, ?4, ?5, ?6)", values).expect("a session");
    };
    let part = |session: &str, second: u64, message: Value, part: Value| {
        let id = format!("{second:04}");
        let values = (&id, session, ms(second), message.to_string());
        connection.execute("INSERT INTO message VALUES (?1, ?2, ?3, ?4)", values).expect("a message");
        let values = (&id, &id, session, ms(second), part.to_string());
        connection.execute("INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?5)", values).expect("a part");
    };
    let tool = |id: &str, command: &str, code: i64, second: u64| {
        json!({ "type": "tool", "tool": "bash", "callID": id, "state": { "status": "completed", "input": { "command": command },
            "output": "out", "metadata": { "exit": code }, "time": { "end": ms(second) } } })
    };
    session("o1", None, 0);
    part("o1", 20, json!({ "role": "user" }), json!({ "type": "text", "text": "\"add tax\"\n" }));
    part(
        "o1",
        30,
        json!({ "role": "user" }),
        json!({ "type": "text", "text": "machine", "synthetic": true }),
    );
    part("o1", 40, json!({ "role": "assistant", "finish": "tool-calls" }), tool("k1", "sh check.sh", 4, 45));
    session("o2", Some("o1"), 50);
    part("o2", 60, json!({ "role": "user" }), json!({ "type": "text", "text": "count" }));
    part("o2", 70, json!({ "role": "assistant" }), tool("k2", "ls | wc -l", 0, 75));
    part(
        "o1",
        90,
        json!({ "role": "assistant", "finish": "stop" }),
        json!({ "type": "text", "text": "Tax is added." }),
    );
    let before = fs::read(&path).expect("a file");
    check(
        &sandbox,
        "opencode",
        &expect![[r#"
        o1 session_start "session started (startup)"
        o1 user_prompt "add tax"
        o1 command_error bash "sh check.sh\nout" (exit 4)
        o1 command bash "ls | wc -l" (exit 0) (o2)
        o1 outcome "Tax is added.""#]],
    );
    assert_eq!(fs::read(&path).expect("a file"), before);
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

#[test]
fn opencode_before_its_database_has_a_file_for_each_part() {
    let sandbox = Sandbox::new();
    let ms = |second: u64| (days_ago(2) + second) * 1_000;
    let put =
        |path: &str, value: Value| write(&sandbox, &format!("home/data/opencode/storage/{path}"), &[value]);
    let folder = sandbox.path("").to_str().expect("UTF-8").to_owned();
    let session = |id: &str, parent: Option<&str>, second: u64| json!({ "id": id, "version": "1.1.65", "parentID": parent, "directory": folder, "time": { "created": ms(second) } });
    let tool = |id: &str, command: &str, code: i64, second: u64| {
        json!({ "id": id, "type": "tool", "tool": "bash", "callID": id, "state": { "status": "completed",
            "input": { "command": command }, "output": "out", "metadata": { "exit": code }, "time": { "end": ms(second) } } })
    };
    put("session/p1/ses_1.json", session("ses_1", None, 0));
    put("session/p1/ses_2.json", session("ses_2", Some("ses_1"), 50));
    put("message/ses_1/msg_1.json", json!({ "id": "msg_1", "role": "user", "time": { "created": ms(20) } }));
    put("part/msg_1/prt_1.json", json!({ "id": "prt_1", "type": "text", "text": "\"add tax\"" }));
    put(
        "part/msg_1/prt_2.json",
        json!({ "id": "prt_2", "type": "text", "text": "machine", "synthetic": true }),
    );
    put(
        "message/ses_1/msg_2.json",
        json!({ "id": "msg_2", "role": "assistant", "finish": "stop", "time": { "created": ms(40) } }),
    );
    put("part/msg_2/prt_3.json", tool("prt_3", "sh check.sh", 4, 45));
    put("part/msg_2/prt_4.json", json!({ "id": "prt_4", "type": "text", "text": "Tax is added." }));
    put(
        "message/ses_2/msg_3.json",
        json!({ "id": "msg_3", "role": "assistant", "time": { "created": ms(60) } }),
    );
    put("part/msg_3/prt_5.json", tool("prt_5", "ls | wc -l", 0, 70));
    check(
        &sandbox,
        "opencode",
        &expect![[r#"
            ses_1 session_start "session started (startup)"
            ses_1 user_prompt "add tax"
            ses_1 outcome "Tax is added."
            ses_1 command_error bash "sh check.sh\nout" (exit 4)
            ses_1 command bash "ls | wc -l" (exit 0) (ses_2)"#]],
    );
}

#[test]
fn a_folder_that_gemini_names_with_a_hash_is_found_among_the_known_projects() {
    let sandbox = Sandbox::new();
    let root = sandbox.path("").to_str().expect("UTF-8").trim_end_matches('/').to_owned();
    let hashed = std::process::Command::new("sh")
        .args(["-c", &format!("printf %s '{root}' | sha256sum | cut -c1-64")])
        .output();
    let name = String::from_utf8(hashed.expect("sha256sum").stdout).expect("a hash").trim().to_owned();
    let asked = json!({ "id": "1", "timestamp": at(10), "type": "user", "content": "add tax" });
    let document = json!({ "sessionId": "g1", "projectHash": name, "startTime": at(0), "messages": [asked] });
    write(&sandbox, &format!("home/.gemini/tmp/{name}/chats/session-1.json"), &[document]);
    let report = sandbox.run(["backfill", "gemini", "--project", "--json"]).code(0).json();
    assert_eq!(report["agents"][0]["types"], json!({ "user_prompt": 1, "session_start": 1 }), "{report}");
}
