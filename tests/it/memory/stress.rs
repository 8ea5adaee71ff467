//! No event is lost and no agent waits: many at once, a database that is locked, processes that are killed, no room.

use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};
use std::time::Duration;

use rusqlite::Connection;
use serde_json::json;

use crate::payload::{Payload, bash, silent_stop};
use crate::sandbox::Sandbox;

fn done(number: usize) -> Payload {
    bash(&format!("make {number}"))
        .with("hook_event_name", "PostToolUse")
        .with("tool_use_id", format!("t{number}"))
        .with("tool_response", json!({ "stdout": "" }))
}

fn count(sandbox: &Sandbox) -> usize {
    let connection = Connection::open(sandbox.data_folder().join("nudge.db")).expect("a database");
    connection.query_row("SELECT count(*) FROM observations", [], |row| row.get(0)).expect("a count")
}

/// Starts a program with an event on its stdin.
fn start(sandbox: &Sandbox, args: &[&str], payload: Payload) -> Child {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    let mut child = command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let bytes = sandbox.place(payload).to_string();
    // A process that was killed does not read.
    drop(child.stdin.take().expect("a pipe").write_all(bytes.as_bytes()));
    child
}

#[test]
fn four_first_events_at_once_are_all_stored() {
    for round in 0..5 {
        let sandbox = Sandbox::new();
        let started: Vec<Child> = (0..4).map(|n| start(&sandbox, &["record"], done(n))).collect();
        for child in started {
            let output = child.wait_with_output().expect("it ends");
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert_eq!(count(&sandbox), 4, "round {round}");
    }
}

#[test]
fn sixteen_writers_lose_nothing() {
    let sandbox = Sandbox::new();
    let each = 500;
    std::thread::scope(|scope| {
        for writer in 0..16 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                for n in 0..each {
                    sandbox.hook("claude-code", done(writer * 1_000 + n));
                    if n % 10 == 9 {
                        sandbox.hook("claude-code", silent_stop());
                    }
                }
            });
        }
    });
    sandbox.hook("claude-code", silent_stop());
    assert_eq!(count(&sandbox), 16 * each);
}

#[test]
fn a_locked_database_keeps_nobody_waiting_and_loses_nothing() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", done(1));
    sandbox.hook("claude-code", silent_stop());
    let holder = Connection::open(sandbox.data_folder().join("nudge.db")).expect("a database");
    holder.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    for n in 2..6 {
        sandbox.hook("claude-code", done(n));
    }
    // What is in the spool is stored, and a session that starts does not wait.
    let recorded = sandbox.run_with(["record"], sandbox.place(done(6)).to_string().as_bytes());
    assert_eq!((recorded.code, recorded.stderr.as_str()), (Some(0), ""));
    let start = crate::payload::event("SessionStart").with("source", "startup").session("session-2");
    let received = sandbox.hook("claude-code", start).stdout;
    assert!(received.contains("make 1"), "{received}");
    // Even the end of a turn continues without the database.
    sandbox.hook("claude-code", silent_stop());
    assert_eq!(count(&sandbox), 1);
    holder.execute_batch("COMMIT").expect("the lock is given back");
    sandbox.hook("claude-code", silent_stop());
    // The five commands, the recorded one, and the session that started.
    assert_eq!(count(&sandbox), 7);
}

#[test]
fn a_killed_process_loses_no_answered_event() {
    let sandbox = Sandbox::new();
    // A simple generator with a fixed seed, so that a failure can be repeated.
    let mut seed: u64 = 20_261_115;
    let mut answered = Vec::new();
    for n in 0..120 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let args: &[&str] = if n % 3 == 0 { &["record"] } else { &["hook", "--harness", "claude-code"] };
        let mut child = start(&sandbox, args, done(n));
        if n % 2 == 0 {
            std::thread::sleep(Duration::from_micros(seed >> 50));
            drop(child.kill());
        }
        if child.wait().expect("it ends").success() {
            answered.push(format!("t{n}"));
        }
    }
    sandbox.hook("claude-code", silent_stop());
    let connection = Connection::open(sandbox.data_folder().join("nudge.db")).expect("a database");
    let sql = "SELECT metadata ->> '$.tool_use_id' FROM observations";
    let mut statement = connection.prepare(sql).expect("a table");
    let stored: Vec<String> =
        statement.query_map([], |row| row.get(0)).expect("rows").map(|row| row.expect("a row")).collect();
    let lost: Vec<&String> = answered.iter().filter(|id| !stored.contains(id)).collect();
    assert_eq!(lost, Vec::<&String>::new());
    let mut once = stored.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), stored.len(), "stored twice");
    let integrity: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a check");
    assert_eq!(integrity, "ok");
}

#[test]
fn a_folder_that_cannot_be_made_is_a_problem_that_is_shown() {
    let sandbox = Sandbox::new();
    let data = sandbox.data_folder();
    fs::create_dir_all(data.parent().expect("a parent")).expect("a folder");
    fs::write(&data, "a file is in the way").expect("a file");
    let ran = sandbox.hook("claude-code", done(1));
    assert!(ran.stdout.contains("an event could not be remembered"), "{}", ran.stdout);
    let recorded = sandbox.run_with(["record"], sandbox.place(done(2)).to_string().as_bytes());
    assert_eq!(recorded.code, Some(1));
    assert!(recorded.stderr.starts_with("error: an event could not be remembered"), "{}", recorded.stderr);
}

#[cfg(unix)]
#[test]
fn without_disk_space_the_problem_is_shown_and_earlier_events_stay() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", done(1));
    sandbox.hook("claude-code", silent_stop());
    // `ulimit -f` counts blocks of 1 KB in Bash: the next line of the spool has no room.
    let line = format!("ulimit -f 0; exec {} hook --harness claude-code", env!("CARGO_BIN_EXE_nudge"));
    let mut shell = sandbox.command("bash");
    shell.args(["-c", &line]);
    let mut child = shell
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash starts");
    let bytes = sandbox.place(done(2)).to_string();
    child.stdin.take().expect("a pipe").write_all(bytes.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(said.contains("an event could not be remembered"), "{said}");
    sandbox.hook("claude-code", silent_stop());
    assert_eq!(count(&sandbox), 1);
}

#[test]
fn a_torn_line_is_set_aside_and_its_neighbours_are_stored() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", done(1));
    let waiting = sandbox.data_folder().join("nudge.spool/waiting.jsonl");
    let mut file = fs::OpenOptions::new().append(true).open(&waiting).expect("the spool");
    file.write_all(b"00000000 {\"torn\": tr\nnot ours\n").expect("a torn line");
    sandbox.hook("claude-code", done(2));
    sandbox.hook("claude-code", silent_stop());
    assert_eq!(count(&sandbox), 2);
    let rejected =
        fs::read_to_string(sandbox.data_folder().join("nudge.spool/rejected.jsonl")).expect("a file");
    assert_eq!(rejected, "00000000 {\"torn\": tr\nnot ours\n");
}

#[test]
fn a_damaged_database_is_set_aside_and_the_events_go_into_a_new_one() {
    let sandbox = Sandbox::new();
    let path = sandbox.data_folder().join("nudge.db");
    fs::create_dir_all(sandbox.data_folder()).expect("a folder");
    fs::write(&path, "this is not a database, but it is long enough for SQLite to check it\n".repeat(100))
        .expect("a file");
    let recorded = sandbox.run_with(["record"], sandbox.place(done(1)).to_string().as_bytes());
    assert_eq!(recorded.code, Some(2), "{}", recorded.stderr);
    assert!(recorded.stderr.starts_with("error: the database is damaged"), "{}", recorded.stderr);
    let again = sandbox.run_with(["record"], sandbox.place(done(2)).to_string().as_bytes());
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(count(&sandbox), 2);
    let kept = fs::read_dir(sandbox.data_folder()).expect("a folder").flatten();
    let kept =
        kept.filter(|entry| entry.file_name().to_string_lossy().starts_with("nudge.db.damaged-")).count();
    assert_eq!(kept, 1);
    let doctor = sandbox.run(["doctor"]);
    assert!(doctor.stdout.contains("the memory was damaged and moved to"), "{}", doctor.stdout);
}

#[test]
fn record_wants_its_three_fields_and_says_which_is_missing() {
    let sandbox = Sandbox::new();
    let whole = sandbox.place(done(1));
    for field in ["session_id", "cwd", "hook_event_name"] {
        for wrong in [None, Some(json!("")), Some(json!(null)), Some(json!(5))] {
            let mut event = whole.clone();
            match &wrong {
                Some(value) => event[field] = value.clone(),
                None => drop(event.as_object_mut().expect("a map").remove(field)),
            }
            let ran = sandbox.run_with(["record"], event.to_string().as_bytes());
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{field} {wrong:?}");
            assert!(ran.stderr.starts_with(&format!("error: the event has no `{field}`")), "{}", ran.stderr);
        }
    }
    for input in ["", "{", "[]", "nothing"] {
        let ran = sandbox.run_with(["record"], input.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{input}");
    }
    assert!(!sandbox.data_folder().join("nudge.db").exists());
    let halved = whole.to_string().replace("make 1", "make \\ud83d");
    let halved = sandbox.run_with(["record"], halved.as_bytes());
    assert_eq!((halved.code, halved.stderr.as_str()), (Some(0), ""));
    let unknown =
        sandbox.run_with(["record"], br#"{"session_id":"s","cwd":"/","hook_event_name":"New","x":1}"#);
    assert_eq!((unknown.code, unknown.stdout.as_str(), unknown.stderr.as_str()), (Some(0), "", ""));
    let stored = sandbox.run_with(["record"], sandbox.place(done(2)).to_string().as_bytes());
    assert_eq!((stored.code, stored.stdout.as_str(), stored.stderr.as_str()), (Some(0), "", ""));
    assert_eq!(count(&sandbox), 2);
}
