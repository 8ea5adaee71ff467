//! Transcripts with secrets, and files that are made to break a reader.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::scene::{at, days_ago, write};
use super::{Transcript, rows};
use crate::memory::scene::files_with;
use crate::sandbox::Sandbox;

#[test]
fn secrets_in_transcripts_are_never_stored() {
    let sandbox = Sandbox::new();
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let transcript = Transcript::of(&sandbox, "s1")
        .user(&format!("my token is {token}"), "p1")
        .runs("t1", &format!("curl -H 'Authorization: Bearer {token}' x"), token)
        .calls("m2", "t2", "Bash", json!({ "command": "deploy" }))
        .result("t2", &format!("Exit code 1\nbad {token}"), true, json!(format!("Error: Exit code 1\nbad {token}")))
        .says("m3", &format!("I used {token}."))
        .record(token, json!({}))
        .record("user", json!({ "gitBranch": token, "version": token, "promptId": "p2", "message": { "role": "user", "content": "go on" } }));
    let mut secret_session = transcript.text();
    secret_session
        .push_str(&transcript.text().replace("\"sessionId\":\"s1\"", &format!("\"sessionId\":\"{token}\"")));
    let path = transcript.write(&sandbox);
    fs::write(&path, secret_session).expect("a transcript");
    let named = path.with_file_name(format!("{token}.jsonl"));
    fs::copy(&path, named).expect("a copy");
    sandbox.run(["backfill"]);
    assert!(!rows(&sandbox).is_empty());
    let own =
        files_with(&sandbox, token).into_iter().filter(|path| !path.iter().any(|part| part == ".claude"));
    assert_eq!(own.collect::<Vec<_>>(), Vec::<PathBuf>::new());
}

#[test]
fn a_hostile_folder_costs_only_what_is_broken() {
    let sandbox = Sandbox::new();
    let path = Transcript::of(&sandbox, "good").user("one", "p1").write(&sandbox);
    let folder = path.parent().expect("a folder").to_owned();
    fs::write(folder.join("empty.jsonl"), "").expect("a file");
    let good = Transcript::of(&sandbox, "odd").user("two", "p2").text();
    let mut odd = b"\xef\xbb\xbfnot json\n[]\n\"text\"\nnull\n{}\r\n{\"type\":5}\n".to_vec();
    odd.extend(format!("{}{}\n", "{\"type\":\"user\",\"message\":".repeat(200), "1").bytes());
    odd.extend(b"{\"type\":\"user\",\"message\":{\"content\":\"\\ud800 \xff\xfe\"},\"sessionId\":7,\"timestamp\":{}}\n");
    for field in ["message", "attachment", "toolUseResult", "timestamp", "uuid", "cwd", "sessionId"] {
        for kind in ["user", "assistant", "system", "attachment", "queue-operation"] {
            odd.extend(format!("{{\"type\":\"{kind}\",\"{field}\":[1e400,{{}},null]}}\n").bytes());
        }
    }
    odd.extend(b"{\"type\":\"user\",\"picture\":\"");
    odd.extend(vec![b'a'; 33 << 20]);
    odd.extend(b"\"}\n");
    odd.extend(good.bytes());
    odd.extend(b"{\"type\":\"user\",\"mess");
    fs::write(folder.join("odd.jsonl"), odd).expect("a file");
    #[cfg(unix)]
    {
        let pipe = folder.join("pipe.jsonl");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        std::os::unix::fs::symlink("/etc/passwd", folder.join("link.jsonl")).expect("a link");
        std::os::unix::fs::symlink(&folder, folder.join("circle")).expect("a link");
    }
    let before = listing(&folder);
    let report = sandbox.run(["backfill", "--json"]).json();
    assert_eq!(report["agents"][0]["types"], json!({ "user_prompt": 2, "session_start": 2 }));
    let unknown = report["unknown"].as_array().expect("a list").iter();
    let unknown: Vec<&str> = unknown.filter_map(|one| one["type"].as_str()).collect();
    assert!(unknown.contains(&"too long") && unknown.contains(&"not JSON"), "{unknown:?}");
    assert_eq!(listing(&folder), before);
}

#[test]
fn settings_that_cannot_be_read_only_delay_what_is_stored() {
    let sandbox = Sandbox::new().file(".nudge/config.toml", "[redact]\nticket = '('\n");
    Transcript::of(&sandbox, "one").user("sort the list of names", "p1").write(&sandbox);
    let ran = sandbox.run(["backfill", "--json"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["agents"][0]["stored"]), (Some(1), &json!(0)), "{report}");
    let why = report["failed"].to_string();
    assert!(why.contains("one.jsonl") && why.contains("the settings of its project"), "{why}");
    sandbox.put(".nudge/config.toml", "[redact]\nticket = 'T-[0-9]+'\n");
    let ran = sandbox.run(["backfill", "--json"]);
    assert_eq!((ran.code, &ran.json()["agents"][0]["stored"]), (Some(0), &json!(2)), "{}", ran.stdout);
}

#[test]
fn nothing_is_stored_where_nothing_is_to_be_remembered() {
    let sandbox = Sandbox::new();
    sandbox.put("../home/config/nudge/config.toml", "[observations]\nenabled = false\n");
    let mut nowhere = Transcript::of(&sandbox, "nowhere").user("sort the list of names", "p1");
    nowhere.lines.iter_mut().for_each(|line| drop(line.as_object_mut().and_then(|line| line.remove("cwd"))));
    nowhere.write(&sandbox);
    Transcript::of(&sandbox, "here").user("sort the list of places", "p2").write(&sandbox);
    let report = sandbox.run(["backfill", "--json"]).json();
    assert_eq!(report["agents"][0]["stored"], json!(0), "{report}");
}

/// Returns the names, sizes and times of all files of a folder.
fn listing(folder: &std::path::Path) -> BTreeMap<PathBuf, (u64, SystemTime)> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| {
        let path = entry.expect("an entry").path();
        let meta = path.symlink_metadata().expect("a file");
        (path, (meta.len(), meta.modified().expect("a time")))
    });
    entries.collect()
}

#[test]
fn no_agents_transcript_leaves_a_secret_behind() {
    let sandbox = Sandbox::new();
    let (token, root) = ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", sandbox.path(""));
    let (said, ran) = (format!("my token is {token}"), format!("curl -H 'Authorization: Bearer {token}' x"));
    let time = at(0);
    let line = |kind: &str, payload: Value| json!({ "timestamp": time, "type": kind, "payload": payload });
    let done =
        |item: Value| line("event_msg", json!({ "type": "item_completed", "turn_id": "t", "item": item }));
    let codex = [
        line(
            "session_meta",
            json!({ "id": "c1", "cwd": root, "cli_version": token, "history_mode": "paginated", "git": { "branch": token } }),
        ),
        done(json!({ "type": "UserMessage", "id": "1", "content": [{ "type": "text", "text": said }] })),
        done(json!({ "type": "CommandExecution", "id": "2", "command": ["bash", "-lc", ran],
            "aggregated_output": said, "exit_code": 4 })),
        line(token, json!({})),
        line("event_msg", json!({ "type": "task_complete", "last_agent_message": said })),
    ];
    write(&sandbox, "home/.codex/sessions/2026/01/01/rollout-1-c1.jsonl", &codex);
    let message = |id: &str, kind: &str, content: &str| json!({ "id": id, "timestamp": time, "type": kind, "content": content });
    let mut called = message("2", "gemini", "");
    called["toolCalls"] = json!([{ "id": "k", "name": "run_shell_command", "args": { "command": ran }, "status": "success",
        "result": [{ "functionResponse": { "response": { "output": said } } }] }]);
    let header = json!({ "sessionId": token, "startTime": time });
    let gemini =
        [header, message("1", "user", &said), called, message("3", "gemini", &said), message("4", token, "")];
    write(&sandbox, "home/.gemini/tmp/shop/chats/session-1.jsonl", &gemini);
    let event =
        |kind: &str, data: Value| json!({ "type": kind, "data": data, "id": kind, "timestamp": time });
    let copilot = [
        event(
            "session.start",
            json!({ "copilotVersion": token, "context": { "cwd": root, "branch": token } }),
        ),
        event("user.message", json!({ "content": said })),
        event(
            "tool.execution_start",
            json!({ "toolCallId": "a", "toolName": "bash", "arguments": { "command": ran } }),
        ),
        event(
            "tool.execution_complete",
            json!({ "toolCallId": "a", "success": true, "result": { "content": said } }),
        ),
        event("assistant.message", json!({ "content": said })),
        event(token, json!({})),
    ];
    write(&sandbox, "home/.copilot/session-state/s1/events.jsonl", &copilot);
    opencode(&sandbox, token, &said, &ran);
    cursor(&sandbox, token, &said, &ran);
    let report = sandbox.run(["backfill", "--json"]).json();
    let stored = |agent: &str| {
        let all = report["agents"].as_array().expect("agents").iter();
        all.filter(|one| one["agent"] == agent).map(|one| one["stored"].clone()).collect::<Vec<_>>()
    };
    for agent in ["codex", "gemini-cli", "copilot"] {
        assert_eq!(stored(agent), [json!(4)], "{agent}: {report}");
    }
    // Each of these has two forms of history.
    for agent in ["opencode", "cursor"] {
        assert_eq!(stored(agent), [json!(8)], "{agent}: {report}");
    }
    let agents = [".codex", ".gemini", ".copilot", "opencode", ".cursor", "Cursor"];
    let own = files_with(&sandbox, token);
    let own =
        own.into_iter().filter(|path| !path.iter().any(|part| agents.iter().any(|agent| part == *agent)));
    assert_eq!(own.collect::<Vec<_>>(), Vec::<PathBuf>::new());
}

/// Writes a session into the database of OpenCode, and one into the files of its older versions.
fn opencode(sandbox: &Sandbox, token: &str, said: &str, ran: &str) {
    let folder = sandbox.beside("home/data/opencode");
    fs::create_dir_all(&folder).expect("a folder");
    let database = Connection::open(folder.join("opencode.db")).expect("a database");
    let tables = "CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
         CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
         CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);";
    database.execute_batch(tables).expect("tables");
    let ms = i64::try_from(days_ago(2) * 1_000).expect("a time");
    let root = sandbox.path("").to_str().expect("UTF-8").to_owned();
    let session = (token, None::<&str>, &root, token, ms, ms + 90);
    database.execute("INSERT INTO session VALUES (?1, ?2, ?3, ?4, ?5, ?6)", session).expect("a session");
    let text = |said: &str| json!({ "type": "text", "text": said });
    let tool = json!({ "type": "tool", "tool": "bash", "callID": "k", "state": { "status": "completed",
        "input": { "command": ran }, "output": said, "metadata": { "exit": 4 }, "time": { "end": ms + 20 } } });
    let said_by = [
        (json!({ "role": "user" }), text(said)),
        (json!({ "role": "assistant", "finish": "tool-calls" }), tool),
        (json!({ "role": "assistant", "finish": "stop" }), text(said)),
    ];
    let old =
        |path: String, value: Value| write(sandbox, &format!("home/data/opencode/storage/{path}"), &[value]);
    let about = json!({ "id": "ses_1", "version": token, "directory": root, "time": { "created": ms } });
    old("session/p/ses_1.json".to_owned(), about);
    for (index, (mut message, mut part)) in said_by.into_iter().enumerate() {
        let (id, at) = (format!("msg_{index}"), ms + 10 + 10 * i64::try_from(index).expect("a number"));
        let values = (&id, token, at, message.to_string());
        database.execute("INSERT INTO message VALUES (?1, ?2, ?3, ?4)", values).expect("a message");
        let values = (&id, &id, token, at, part.to_string());
        database.execute("INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?5)", values).expect("a part");
        (message["id"], message["time"]) = (json!(id), json!({ "created": at }));
        part["id"] = json!(format!("prt_{id}"));
        old(format!("message/ses_1/{id}.json"), message);
        old(format!("part/{id}/prt.json"), part);
    }
}

/// Writes a conversation into the database of Cursor's editor, and another one as a transcript.
fn cursor(sandbox: &Sandbox, token: &str, said: &str, ran: &str) {
    let folder = sandbox.beside("home/config/Cursor/User/globalStorage");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("state.vscdb");
    let database = Connection::open(&path).expect("a database");
    let table = "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)";
    database.execute_batch(table).expect("a table");
    let put = |key: String, value: Value| {
        let values = (key, value.to_string().into_bytes());
        database.execute("INSERT INTO cursorDiskKV VALUES (?1, ?2)", values).expect("a row");
    };
    let root = sandbox.path("").to_str().expect("UTF-8").trim_end_matches('/').to_owned();
    let (begun, headers) = (days_ago(2) * 1_000, ["b1", "b2", "b3"].map(|id| json!({ "bubbleId": id })));
    put(
        format!("composerData:{token}"),
        json!({ "composerId": token, "createdAt": begun, "lastUpdatedAt": begun + 90, "fullConversationHeadersOnly": headers }),
    );
    let call = json!({ "name": "run_terminal_cmd", "toolCallId": "t1", "status": "completed",
        "rawArgs": json!({ "command": ran }).to_string(), "result": json!({ "output": said, "exitCodeV2": 4 }).to_string() });
    let bubbles = [
        json!({ "type": 1, "text": said, "createdAt": at(10), "workspaceUris": [format!("file://{root}")] }),
        json!({ "type": 2, "createdAt": at(20), "toolFormerData": call }),
        json!({ "type": 2, "text": said, "createdAt": at(40) }),
    ];
    for (index, bubble) in bubbles.into_iter().enumerate() {
        put(format!("bubbleId:{token}:b{}", index + 1), bubble);
    }
    drop(database);
    let settled = SystemTime::now() - Duration::from_secs(3_600);
    fs::File::options().append(true).open(path).expect("a file").set_modified(settled).expect("a time");
    let line = |role: &str, part: Value| json!({ "role": role, "message": { "content": [part] } });
    let lines = [
        line("user", json!({ "type": "text", "text": format!("<user_query>\n{said}\n</user_query>") })),
        line("assistant", json!({ "type": "tool_use", "name": "Shell", "input": { "command": ran } })),
        line("assistant", json!({ "type": "text", "text": said })),
        json!({ "type": "turn_ended", "status": token }),
    ];
    write(sandbox, "home/.cursor/projects/shop/agent-transcripts/c2/c2.jsonl", &lines);
}
