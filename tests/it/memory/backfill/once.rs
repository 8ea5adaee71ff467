//! Each event is stored once: read twice, reported by hooks too, or read by a run that was killed.

use std::fs;
use std::io::Write;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::{Transcript, backfill, database, jiff_like, rows, start};
use crate::payload::{self, bash, event, prompt};
use crate::sandbox::Sandbox;

#[test]
fn reading_again_stores_only_what_is_new() {
    let sandbox = Sandbox::new();
    let first = Transcript::of(&sandbox, "s1").user("one", "p1").runs("t1", "make", "ok").says("m1", "done");
    let path = first.write(&sandbox);
    let count =
        |value: &Value| ["read", "stored", "known"].map(|name| value[name].as_u64().expect("a count"));
    assert_eq!(count(&backfill(&sandbox)), [1, 4, 0]);
    assert_eq!(count(&backfill(&sandbox)), [0, 0, 0]);
    // The time of a file proves nothing.
    let touched = SystemTime::now() - Duration::from_secs(60);
    fs::File::options().append(true).open(&path).expect("a file").set_modified(touched).expect("a time");
    assert_eq!(count(&backfill(&sandbox))[1..], [0, 0]);
    // It has grown, and the last record is not finished yet.
    let more = first.user("two", "p2").runs("t2", "make install", "ok").says("m2", "installed");
    let text = more.text();
    let (whole, half) = text.split_at(text.len() - 30);
    fs::write(&path, whole).expect("a transcript");
    assert_eq!(backfill(&sandbox)["stored"], 2);
    let mut file = fs::File::options().append(true).open(&path).expect("a file");
    file.write_all(half.as_bytes()).expect("the rest");
    file.set_modified(SystemTime::now() - Duration::from_secs(900)).expect("a time");
    drop(file);
    assert_eq!(backfill(&sandbox)["stored"], 1);
    let all = rows(&sandbox);
    // It was written again, with other bytes and the same records.
    fs::write(&path, text.replace("\",\"", "\" ,\"")).expect("a transcript");
    let again = backfill(&sandbox);
    assert_eq!((again["stored"].clone(), again["known"].clone()), (json!(0), json!(7)));
    assert_eq!(rows(&sandbox), all);
    fs::remove_file(&path).expect("a file");
    assert_eq!(backfill(&sandbox)["transcripts"], 0);
    assert_eq!(rows(&sandbox), all);
}

/// Sends what hooks see of the same session.
fn live(sandbox: &Sandbox) {
    let done = |payload: payload::Payload, id: &str| payload.after().with("tool_use_id", id);
    let events = [
        prompt("one").with("prompt_id", "p1"),
        done(bash("make"), "t1").with("tool_response", json!({ "stdout": "ok", "stderr": "" })),
        payload::stop("done").with("prompt_id", "p1"),
    ];
    for event in events {
        sandbox.hook("claude-code", event.session("s1"));
    }
    sandbox.hook("claude-code", payload::silent_stop().session("s1"));
}

#[test]
fn what_hooks_have_stored_stays_one_observation_whichever_comes_first() {
    let transcript = |sandbox: &Sandbox| {
        Transcript::of(sandbox, "s1").user("one", "p1").runs("t1", "make", "ok").says("m1", "done")
    };
    let hooks_first = Sandbox::new();
    live(&hooks_first);
    transcript(&hooks_first).write(&hooks_first);
    // What hooks have spooled is known to a run that only counts, too.
    let counted = hooks_first.run(["backfill", "--json", "--dry-run"]).code(0).json();
    assert_eq!([&counted["agents"][0]["stored"], &counted["agents"][0]["known"]], [&json!(1), &json!(3)]);
    let counts = backfill(&hooks_first);
    // The start of the session is new: no hook reported it.
    assert_eq!((counts["stored"].clone(), counts["known"].clone()), (json!(1), json!(3)));
    let transcript_first = Sandbox::new();
    transcript(&transcript_first).write(&transcript_first);
    assert_eq!(backfill(&transcript_first)["stored"], 4);
    live(&transcript_first);
    let sorted = |sandbox| {
        let mut rows = rows(sandbox);
        rows.sort();
        rows
    };
    assert_eq!(sorted(&transcript_first), sorted(&hooks_first));
}

#[test]
fn a_start_that_a_hook_reported_is_not_added_again() {
    let sandbox = Sandbox::new();
    let mut transcript = Transcript::of(&sandbox, "s1").user("one", "p1");
    // Hooks store the time of the clock.
    let now = jiff_like(start() + 3 * 86_400);
    transcript.lines.iter_mut().for_each(|line| line["timestamp"] = json!(now));
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session("s1"));
    transcript.write(&sandbox);
    assert_eq!(backfill(&sandbox)["types"], json!({ "user_prompt": 1 }));
}

#[test]
fn what_was_forgotten_does_not_come_back() {
    let sandbox = Sandbox::new();
    let transcript = Transcript::of(&sandbox, "s1").user("the salary is 5", "p1").runs("t1", "make", "ok");
    let path = transcript.write(&sandbox);
    assert_eq!(backfill(&sandbox)["stored"], 3);
    sandbox.run(["forget", "--session", "s1", "--yes"]).code(0);
    assert_eq!(rows(&sandbox), Vec::<String>::new());
    fs::write(&path, transcript.text().replace("\",\"", "\" ,\"")).expect("a transcript");
    let counts = backfill(&sandbox);
    assert_eq!((counts["stored"].clone(), counts["forgotten"].clone()), (json!(0), json!(3)));
}

#[test]
fn words_of_a_refusal_are_kept_once_by_the_hook_and_by_the_transcript() {
    let sandbox = Sandbox::new();
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected. \
         To tell you how to proceed, the user said:\nnever push from here, token=Zx9kQ2def1234567";
    let transcript = Transcript::of(&sandbox, "s1")
        .user("ship it", "p1")
        .calls("m1", "t1", "Bash", json!({ "command": "git push" }))
        .result("t1", refused, true, json!("User rejected tool use"))
        .calls("m3", "t2", "Edit", json!({ "file_path": "schema.sql", "old_string": "a", "new_string": "b" }))
        .result(
            "t2",
            &refused.replace("push from here", "edit it by hand"),
            true,
            json!("User rejected tool use"),
        )
        .says("m2", "I will not push.");
    let path = transcript.write(&sandbox);
    let stop = || {
        let said = payload::stop("I will not push.").with("prompt_id", "p1").session("s1");
        sandbox.hook("claude-code", said.with("transcript_path", path.to_str().expect("UTF-8")));
    };
    let refusals = || -> Vec<String> {
        let sql = "SELECT content FROM observations WHERE metadata ->> '$.kind' = 'refusal'";
        let database = database(&sandbox);
        let mut rows = database.prepare(sql).expect("a statement");
        rows.query_map([], |row| row.get(0)).expect("rows").map(|row| row.expect("a row")).collect()
    };
    stop();
    stop();
    let kept =
        ["never push from here, token=[REDACTED:token]", "never edit it by hand, token=[REDACTED:token]"];
    assert_eq!(refusals(), kept);
    sandbox.run(["backfill", "--all"]).code(0);
    assert_eq!(refusals(), kept);
    let told = sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session("s2"));
    assert!(
        told.stdout.contains("The user refused calls with: ")
            && told.stdout.contains("\\\"never push from here"),
        "{}",
        told.stdout
    );
    let edit = payload::edit("schema.sql", "a", "b").with("tool_use_id", "t9").session("s2");
    let warned = sandbox.hook("claude-code", edit).stdout;
    assert!(
        warned.contains("schema.sql: the user refused the last change: \\\"never edit it by hand"),
        "{warned}"
    );
}

#[test]
fn a_list_and_an_answer_are_one_row_each_whoever_brings_them() {
    let sandbox = Sandbox::new();
    let todo = |state: &str| json!({ "todos": [{ "content": "write it", "status": state }, { "content": "test it", "status": "pending" }] });
    let answers = json!({ "answers": { "Which?": "both" } });
    let transcript = Transcript::of(&sandbox, "s1")
        .user("build it please, all of it", "p1")
        .calls("m1", "t1", "TodoWrite", todo("in_progress"))
        .result("t1", "ok", false, json!({}))
        .calls("m2", "t2", "AskUserQuestion", json!({ "questions": [] }))
        .result("t2", "both", false, answers.clone())
        .calls("m3", "t3", "TodoWrite", todo("completed"))
        .result("t3", "ok", false, json!({}))
        .runs("t9", "make", "ok")
        .says("m4", "The first half is there.");
    transcript.write(&sandbox);
    let rows = || -> Vec<(String, String)> {
        let sql = "SELECT metadata ->> '$.kind', content FROM observations
             WHERE metadata ->> '$.kind' IN ('todo', 'answer') ORDER BY 1";
        let database = database(&sandbox);
        let mut rows = database.prepare(sql).expect("a statement");
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        rows.query_map([], read).expect("rows").map(|row| row.expect("a row")).collect()
    };
    let expected = [
        ("answer".to_owned(), "Which? → both".to_owned()),
        ("todo".to_owned(), "[x] write it\n[ ] test it".to_owned()),
    ];
    sandbox.run(["backfill", "--all"]).code(0);
    assert_eq!(rows(), expected);
    let after = |id: &str, name: &str, input: Value, response: Value| {
        let call = payload::tool(name, input).after().with("tool_response", response);
        sandbox.hook("claude-code", call.with("tool_use_id", id).session("s1"));
    };
    after("t2", "AskUserQuestion", json!({ "questions": [] }), answers);
    after("t3", "TodoWrite", todo("completed"), json!({}));
    sandbox.end_turn();
    assert_eq!(rows(), expected);
    // The list goes on in the live session.
    after("t4", "TaskCreate", json!({ "subject": "ship it" }), json!({ "task": { "id": "7" } }));
    after("t5", "TaskUpdate", json!({ "taskId": "7", "status": "in_progress" }), json!({}));
    sandbox.end_turn();
    assert_eq!(rows()[1].1, "[x] write it\n[ ] test it\n[~] ship it");
    // Of a session that is still at work, only that is said.
    sandbox.hook("claude-code", event("SessionEnd").with("reason", "other").session("s1"));
    let told = sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session("s2"));
    assert!(told.stdout.contains("unfinished, 2 of 3: test it | ship it"), "{}", told.stdout);
}
