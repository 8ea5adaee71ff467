//! `nudge backfill` for OpenCode: its database, and the files of versions before it.

use std::fs;

use expect_test::expect;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::scene::{check, days_ago, write};
use crate::sandbox::Sandbox;

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
