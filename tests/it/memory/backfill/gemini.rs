//! `nudge backfill` for Gemini CLI: the shapes that its real versions write, in small.

use std::fs;

use expect_test::expect;
use serde_json::json;

use super::scene::{at, check, write};
use crate::sandbox::Sandbox;

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
