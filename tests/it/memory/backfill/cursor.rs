//! `nudge backfill` for Cursor: its transcripts know less than the database of its editor, and less than hooks.

use std::fs;
use std::time::{Duration, SystemTime};

use expect_test::expect;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::rows;
use super::scene::{at, check, days_ago, write};
use crate::payload::event;
use crate::sandbox::Sandbox;

/// Writes a transcript of the conversation `c1`, in the folder that Cursor names after the project's.
fn transcript(sandbox: &Sandbox) {
    let root = sandbox.path("").to_str().expect("UTF-8").to_owned();
    let words = root.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-");
    let said = |role: &str, parts: Value| json!({ "role": role, "message": { "content": parts } });
    let lines = [
        said("user", json!([{ "type": "text", "text": "<user_query>\nadd tax\n</user_query>" }])),
        said(
            "assistant",
            json!([
                { "type": "tool_use", "name": "Shell", "input": { "command": "sh check.sh" } },
                { "type": "tool_use", "name": "StrReplace",
                  "input": { "path": "src/a.rs", "old_string": "one", "new_string": "uno" } },
            ]),
        ),
        said("assistant", json!([{ "type": "text", "text": "Tax is added." }])),
        json!({ "type": "turn_ended", "status": "success" }),
    ];
    write(sandbox, &format!("home/.cursor/projects/{slug}/agent-transcripts/c1/c1.jsonl"), &lines);
}

const FROM_TRANSCRIPT: [&str; 5] = [
    r#"c1 session_start "session started""#,
    r#"c1 user_prompt "add tax""#,
    r#"c1 command "sh check.sh""#,
    r#"c1 file_edit "src/a.rs: one → uno""#,
    r#"c1 outcome "Tax is added.""#,
];

#[test]
fn a_transcript_without_results_is_read_once_whatever_its_time() {
    let sandbox = Sandbox::new();
    transcript(&sandbox);
    sandbox.run(["backfill", "cursor"]).code(0);
    assert_eq!(rows(&sandbox), FROM_TRANSCRIPT);
    let project: String = super::database(&sandbox)
        .query_row(
            "SELECT count(DISTINCT project_id) || (metadata ->> '$.time_guessed') FROM observations",
            [],
            |row| row.get(0),
        )
        .expect("rows");
    assert_eq!(project, "11");
    // Cursor writes the whole file again, at another time.
    transcript(&sandbox);
    let again = sandbox.run(["backfill", "cursor", "--json"]).json();
    assert_eq!(again["agents"][0]["stored"], 0, "{again}");
    assert_eq!(rows(&sandbox), FROM_TRANSCRIPT);
}

/// Fills the editor's database with the same conversation, with its results.
fn database(sandbox: &Sandbox) {
    let folder = sandbox.beside("home/config/Cursor/User/globalStorage");
    fs::create_dir_all(&folder).expect("a folder");
    let connection = Connection::open(folder.join("state.vscdb")).expect("a database");
    connection
        .execute_batch(
            "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
             CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);",
        )
        .expect("tables");
    let root = sandbox.path("").to_str().expect("UTF-8").trim_end_matches('/').to_owned();
    let put = |key: &str, value: Value| {
        // Cursor stores bytes.
        let values = (key, value.to_string().into_bytes());
        connection.execute("INSERT INTO cursorDiskKV VALUES (?1, ?2)", values).expect("a row");
    };
    let ms = |second: u64| (days_ago(2) + second) * 1_000;
    let headers: Vec<Value> = ["b1", "b2", "b3", "b4", "gone"].map(|id| json!({ "bubbleId": id })).to_vec();
    put(
        "composerData:c1",
        json!({ "composerId": "c1", "createdAt": ms(0), "lastUpdatedAt": ms(100), "fullConversationHeadersOnly": headers }),
    );
    put("composerData:empty", json!({ "composerId": "empty", "createdAt": ms(0) }));
    connection.execute("INSERT INTO cursorDiskKV VALUES ('composerData:odd', x'ff00')", []).expect("a row");
    put(
        "bubbleId:c1:b1",
        json!({ "type": 1, "text": "add tax", "createdAt": at(10), "workspaceUris": [format!("file://{root}")] }),
    );
    let call = |name: &str, id: &str, arguments: Value, result: Value| json!({ "name": name, "toolCallId": id, "rawArgs": arguments.to_string(), "result": result.to_string(), "status": "completed" });
    let failed = call(
        "run_terminal_cmd",
        "t1",
        json!({ "command": "sh check.sh" }),
        json!({ "output": "no such table", "exitCodeV2": 4 }),
    );
    put("bubbleId:c1:b2", json!({ "type": 2, "createdAt": at(20), "toolFormerData": failed }));
    let edited = call(
        "search_replace",
        "t2",
        json!({ "file_path": "src/a.rs", "old_string": "one", "new_string": "uno" }),
        json!({}),
    );
    put("bubbleId:c1:b3", json!({ "type": 2, "createdAt": at(30), "toolFormerData": edited }));
    put(
        "bubbleId:c1:b4",
        json!({ "type": 2, "text": "Tax is added.", "createdAt": at(40), "toolFormerData": { "additionalData": {} } }),
    );
    connection
        .execute("INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', 'never read')", [])
        .expect("a row");
    drop(connection);
    // Nobody goes on in it.
    let old = SystemTime::now() - Duration::from_secs(3_600);
    let file = fs::File::options().append(true).open(folder.join("state.vscdb")).expect("a file");
    file.set_modified(old).expect("a time");
}

#[test]
fn the_editors_database_knows_how_commands_ended_and_wins_over_the_transcript() {
    for transcript_first in [true, false] {
        let sandbox = Sandbox::new();
        transcript(&sandbox);
        if transcript_first {
            sandbox.run(["backfill", "cursor"]).code(0);
        }
        database(&sandbox);
        check(
            &sandbox,
            "cursor",
            &expect![[r#"
                c1 session_start "session started"
                c1 user_prompt "add tax"
                c1 command_error Shell "sh check.sh\nno such table" (exit 4)
                c1 file_edit StrReplace "src/a.rs: one → uno"
                c1 outcome "Tax is added.""#]],
        );
    }
}

#[test]
fn what_hooks_saw_of_a_conversation_is_only_completed_by_texts() {
    let sandbox = Sandbox::new();
    let live = event("postToolUse")
        .with("conversation_id", "c1")
        .with("tool_name", "Shell")
        .with("tool_use_id", "t1")
        .with("tool_input", json!({ "command": "sh check.sh" }))
        .with("tool_output", "{\"exitCode\":4,\"stdout\":\"no such table\"}");
    sandbox.hook("cursor", live);
    transcript(&sandbox);
    sandbox.run(["backfill", "cursor"]).code(0);
    let mut kinds: Vec<String> =
        rows(&sandbox).iter().filter_map(|row| row.split(' ').nth(1)).map(str::to_owned).collect();
    kinds.sort();
    assert_eq!(kinds, ["command_error", "outcome", "session_start", "user_prompt"]);
}

#[test]
fn a_project_only_gets_its_own_conversations_out_of_a_database() {
    let sandbox = Sandbox::new();
    database(&sandbox);
    let stored = |folder: &str| {
        fs::create_dir_all(sandbox.beside(folder)).expect("a folder");
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        let ran =
            command.args(["backfill", "--project", "--json"]).current_dir(sandbox.beside(folder)).output();
        let report: Value = serde_json::from_slice(&ran.expect("it runs").stdout).expect("JSON");
        let cursor = report["agents"].as_array().expect("agents").iter().find(|one| one["agent"] == "cursor");
        cursor.expect("Cursor")["stored"].clone()
    };
    assert_eq!(stored("elsewhere"), 0);
    let here = sandbox.run(["backfill", "--project", "--json"]).json();
    let cursor = here["agents"].as_array().expect("agents").iter().find(|one| one["agent"] == "cursor");
    assert_eq!(cursor.expect("Cursor")["stored"], 5);
}
