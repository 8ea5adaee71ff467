//! Each event is stored once: read twice, reported by hooks too, or read by a run that was killed.

use std::fs;
use std::io::Write;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::{Transcript, backfill, jiff_like, rows, start};
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
fn a_killed_run_continues_and_nothing_is_twice_or_missing() {
    let expected = {
        let sandbox = Sandbox::new();
        many_sessions(&sandbox);
        backfill(&sandbox);
        rows(&sandbox)
    };
    let sandbox = Sandbox::new();
    many_sessions(&sandbox);
    for round in 0..6 {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        let mut child = command.arg("backfill").spawn().expect("the program starts");
        std::thread::sleep(Duration::from_millis(10 + 37 * round));
        child.kill().expect("a signal");
        child.wait().expect("an end");
    }
    backfill(&sandbox);
    assert_eq!(rows(&sandbox).len(), expected.len());
    assert_eq!(rows(&sandbox), expected);
}

fn many_sessions(sandbox: &Sandbox) {
    const NAMES: [&str; 8] = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"];
    for (index, name) in NAMES.into_iter().enumerate() {
        let mut transcript = Transcript::of(sandbox, name);
        transcript.second += 5_000 * index as u64;
        for call in 0..60 {
            let id = format!("{name}-{call}");
            transcript = transcript.runs(&id, &format!("make part-{id}"), "ok");
        }
        transcript.write(sandbox);
    }
}
