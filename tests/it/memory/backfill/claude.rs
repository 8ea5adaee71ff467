//! What a transcript of Claude Code becomes.

use std::fs;

use expect_test::expect;
use serde_json::json;

use super::{Transcript, backfill, database, rows};
use crate::sandbox::Sandbox;

/// A session with everything that a transcript can say.
fn whole_session(sandbox: &Sandbox) -> Transcript {
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected. \
        To tell you how to proceed, the user said:\nuse the staging server";
    Transcript::of(sandbox, "s1")
        .record("queue-operation", json!({ "operation": "enqueue", "content": "fix the login" }))
        .record("queue-operation", json!({ "operation": "dequeue" }))
        .user("fix the login<system-reminder>be brief</system-reminder>", "p1")
        .record("progress", json!({ "data": { "message": { "role": "user", "content": "fix the login" } } }))
        .runs("t1", "cargo build", "ok")
        .calls("m2", "t2", "Bash", json!({ "command": "cargo test" }))
        .result("t2", "Exit code 101\nerror: test failed", true, json!("Error: Exit code 101\nerror: test failed"))
        .calls("m3", "t3", "Edit", json!({ "file_path": "src/a.rs", "old_string": "one", "new_string": "uno" }))
        .result("t3", "updated", false, json!({ "filePath": "src/a.rs", "originalFile": "one" }))
        .calls("m4", "t4", "Bash", json!({ "command": "deploy" }))
        .result("t4", refused, true, json!("User rejected tool use"))
        .calls("m5", "t5", "Edit", json!({ "file_path": "src/a.rs", "old_string": "zzz", "new_string": "x" }))
        .result("t5", "<tool_use_error>String to replace not found</tool_use_error>", true, json!("Error: x"))
        .calls("m6", "t6", "AskUserQuestion", json!({ "questions": [] }))
        .result("t6", "answered", false, json!({ "answers": { "Which server?": "staging" } }))
        .record("queue-operation", json!({ "operation": "enqueue", "content": "and the logout" }))
        .record("queue-operation", json!({ "operation": "remove" }))
        .says("m7", "The login works.")
        .record("system", json!({ "subtype": "turn_duration", "durationMs": 5 }))
        .user("<task-notification>\n<status>completed</status></task-notification>", "p2")
        .says("m8", "Noted.")
        .user("<bash-input>git log</bash-input>", "p3")
        .user("<bash-stdout>abc first</bash-stdout><bash-stderr></bash-stderr>", "p3")
        .user("<command-name>/status</command-name>\n<command-args></command-args>", "p4")
        .user("<local-command-stdout>all is well</local-command-stdout>", "p4")
        .user("<command-message>greet</command-message>\n<command-name>/greet</command-name>\n<command-args>the shop</command-args>", "p5")
        .record("user", json!({ "promptId": "p5", "isMeta": true, "message": { "role": "user", "content": "Say hello to the shop" } }))
        .says("m9", "Hello, shop!")
        .record("system", json!({ "subtype": "compact_boundary", "compactMetadata": { "trigger": "manual" } }))
        .record("user", json!({ "isCompactSummary": true, "message": { "role": "user", "content": "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nAnalysis:\nlong\n\nSummary:\nThe login was fixed." } }))
        .record("api-request-blob", json!({ "message": { "role": "user", "content": "fix the login" } }))
        .record("brand-new", json!({ "message": { "role": "user", "content": "what is this" } }))
}

#[test]
fn a_transcript_becomes_what_its_hooks_would_have_stored() {
    let sandbox = Sandbox::new();
    whole_session(&sandbox).write(&sandbox);
    sandbox.run(["backfill", "--dry-run"]).code(0).stdout(expect![[r#"
        Claude Code: 1 transcript, 1 with something new (10 KB)
          ✔ 14 observations would be stored
            file_edit 1, command 2, command_error 1, user_prompt 5, session_start 1, outcome 3, summary 1
    "#]]);
    assert!(!sandbox.data_folder().join("nudge.db").exists());
    sandbox
        .run(["backfill"])
        .code(0)
        .stdout(expect![[r#"
        Claude Code: 1 transcript, 1 with something new (10 KB)
          ✔ 14 observations stored
            file_edit 1, command 2, command_error 1, user_prompt 5, session_start 1, outcome 3, summary 1
    "#]])
        .stderr(expect![[r#"
        warning: claude-code: 1 record of type brand-new not known, newest 2.1.325
    "#]]);
    expect![[r#"
        s1 session_start "session started"
        s1 user_prompt "fix the login"
        s1 command "cargo build" (exit 0)
        s1 command_error "cargo test\nerror: test failed" (exit 101)
        s1 file_edit "src/a.rs: one → uno"
        s1 user_prompt "use the staging server" (refusal)
        s1 user_prompt "Which server? → staging" (answer)
        s1 user_prompt "and the logout"
        s1 outcome "The login works."
        s1 outcome "Noted."
        s1 command "git log" (user)
        s1 user_prompt "/greet the shop"
        s1 outcome "Hello, shop!"
        s1 summary "The login was fixed.""#]]
    .assert_eq(&rows(&sandbox).join("\n"));
    let metadata: String = database(&sandbox)
        .query_row("SELECT metadata FROM observations WHERE obs_type = 'command_error'", [], |row| row.get(0))
        .expect("a failure");
    expect![[r#"{"command":"cargo test","exit_code":101,"duration_ms":20000,"harness":"claude-code","branch":"main","tool_use_id":"t2","origin":"transcript","version":"2.1.325"}"#]].assert_eq(&metadata);
}

#[test]
fn a_fork_adds_only_what_it_does_not_repeat() {
    let sandbox = Sandbox::new();
    let old = Transcript::of(&sandbox, "old").user("one", "p1").runs("t1", "make", "ok").says("m1", "done");
    old.write(&sandbox);
    let mut fork = Transcript::of(&sandbox, "fork");
    fork.second = old.second + 100;
    let mut fork = fork.record("mode", json!({}));
    for line in &old.lines {
        let mut copy = line.clone();
        copy["sessionId"] = json!("fork");
        copy["promptId"] = json!("p9");
        fork.lines.push(copy);
    }
    let fork = fork.user("two", "p9").runs("t2", "make install", "ok");
    fork.write(&sandbox);
    let counts = backfill(&sandbox);
    assert_eq!((counts["stored"].clone(), counts["copies"].clone()), (json!(7), json!(3)));
    let of_fork: Vec<String> = rows(&sandbox).into_iter().filter(|row| row.starts_with("fork")).collect();
    expect![[r#"
        fork session_start "session started"
        fork user_prompt "two"
        fork command "make install" (exit 0)"#]]
    .assert_eq(&of_fork.join("\n"));
}

#[test]
fn a_subagent_works_in_the_session_of_its_parent() {
    let sandbox = Sandbox::new();
    let parent = Transcript::of(&sandbox, "s1").user("count the files", "p1");
    let path = parent.write(&sandbox);
    let child = Transcript::of(&sandbox, "s1")
        .record("user", json!({ "isSidechain": true, "agentId": "a1", "message": { "role": "user", "content": "count" } }))
        .record("assistant", json!({ "isSidechain": true, "agentId": "a1", "message": { "id": "c1", "content": [
            { "type": "tool_use", "id": "t1", "name": "Bash", "input": { "command": "ls | wc -l" } }] } }))
        .record("user", json!({ "isSidechain": true, "agentId": "a1", "message": { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "t1", "content": "2" }] } }));
    let folder = path.with_extension("").join("subagents");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("agent-a1.jsonl"), child.text()).expect("a transcript");
    // The agent that writes summaries repeats the whole conversation.
    fs::write(folder.join("agent-acompact-1.jsonl"), parent.text()).expect("a transcript");
    assert_eq!(backfill(&sandbox)["transcripts"], 2);
    expect![[r#"
        s1 session_start "session started"
        s1 user_prompt "count the files"
        s1 command "ls | wc -l" (exit 0)"#]]
    .assert_eq(&rows(&sandbox).join("\n"));
}
