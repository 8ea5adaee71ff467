//! `nudge backfill`: what agents wrote down before becomes observations, once, and without secrets.

#![expect(
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    reason = "transcripts have times of the past, and their records read best as values"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use expect_test::expect;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::memory::scene::files_with;
use crate::payload::{self, bash, event, prompt};
use crate::sandbox::Sandbox;

/// A transcript of Claude Code, record by record.
struct Transcript {
    session: &'static str,
    cwd: String,
    lines: Vec<Value>,
    second: u64,
}

/// The first second of every transcript: a few days ago, so that nothing has expired.
fn start() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a clock").as_secs();
    now - 3 * 86_400
}

impl Transcript {
    fn of(sandbox: &Sandbox, session: &'static str) -> Transcript {
        let cwd = sandbox.path("").to_str().expect("UTF-8").trim_end_matches('/').to_owned();
        Transcript { session, cwd, lines: Vec::new(), second: start() }
    }

    /// Adds a record with what every record has.
    fn record(mut self, kind: &str, fields: Value) -> Transcript {
        let time = jiff_like(self.second);
        let mut record = json!({
            "type": kind,
            "uuid": format!("{}-{}", self.session, self.lines.len()),
            "timestamp": time,
            "sessionId": self.session,
            "cwd": self.cwd,
            "version": "2.1.325",
            "gitBranch": "main",
        });
        for (name, value) in fields.as_object().expect("fields") {
            record[name] = value.clone();
        }
        self.lines.push(record);
        self.second += 20;
        self
    }

    fn user(self, text: &str, prompt_id: &str) -> Transcript {
        self.record("user", json!({ "promptId": prompt_id, "message": { "role": "user", "content": text } }))
    }

    fn says(self, id: &str, text: &str) -> Transcript {
        let content = json!([{ "type": "text", "text": text }]);
        self.record(
            "assistant",
            json!({ "message": { "id": id, "content": content, "stop_reason": "end_turn" } }),
        )
    }

    fn calls(self, message: &str, id: &str, name: &str, input: Value) -> Transcript {
        let content = json!([{ "type": "tool_use", "id": id, "name": name, "input": input }]);
        self.record("assistant", json!({ "message": { "id": message, "content": content } }))
    }

    fn result(self, id: &str, content: &str, is_error: bool, beside: Value) -> Transcript {
        let part =
            json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error });
        self.record(
            "user",
            json!({ "message": { "role": "user", "content": [part] }, "toolUseResult": beside }),
        )
    }

    /// Runs a command that succeeds.
    fn runs(self, id: &str, command: &str, output: &str) -> Transcript {
        self.calls(&format!("m-{id}"), id, "Bash", json!({ "command": command })).result(
            id,
            output,
            false,
            json!({ "stdout": output, "stderr": "", "interrupted": false }),
        )
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn write(&self, sandbox: &Sandbox) -> PathBuf {
        let path = file(sandbox, self.session);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, self.text()).expect("a transcript");
        // Nobody adds to it any more.
        let old = SystemTime::now() - Duration::from_secs(3_600);
        fs::File::options().append(true).open(&path).expect("a file").set_modified(old).expect("a time");
        path
    }
}

fn file(sandbox: &Sandbox, session: &str) -> PathBuf {
    sandbox.beside(&format!("home/.claude/projects/-project/{session}.jsonl"))
}

/// Formats seconds as agents write times.
fn jiff_like(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Civil date from days since 1970.
    let z = days as i64 + 719_468;
    let era = z / 146_097;
    let day_of_era = z % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.000Z", rest / 3_600, rest / 60 % 60, rest % 60)
}

fn database(sandbox: &Sandbox) -> Connection {
    Connection::open(sandbox.data_folder().join("nudge.db")).expect("a database")
}

/// Returns every observation as one line, in the order of time.
fn rows(sandbox: &Sandbox) -> Vec<String> {
    let connection = database(sandbox);
    let sql = "SELECT session_id, obs_type, content, metadata ->> '$.kind', metadata ->> '$.by',
            metadata ->> '$.exit_code'
        FROM observations ORDER BY timestamp, id";
    let mut statement = connection.prepare(sql).expect("a table");
    let rows = statement.query_map([], |row| {
        let (session, kind, content): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (detail, by, code): (Option<String>, Option<String>, Option<i64>) =
            (row.get(3)?, row.get(4)?, row.get(5)?);
        let more = detail.into_iter().chain(by).chain(code.map(|code| format!("exit {code}")));
        let more = more.map(|word| format!(" ({word})")).collect::<String>();
        Ok(format!("{session} {kind} {content:?}{more}"))
    });
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// Reads everything; returns the counts of Claude Code.
fn backfill(sandbox: &Sandbox) -> Value {
    let ran = sandbox.run(["backfill", "--json"]);
    ran.json()["agents"][0].clone()
}

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

#[test]
fn only_a_part_is_read_if_that_is_wanted() {
    let sandbox = Sandbox::new();
    Transcript::of(&sandbox, "here").user("here", "p1").write(&sandbox);
    let mut there = Transcript::of(&sandbox, "there");
    there.cwd = sandbox.beside("elsewhere").to_str().expect("UTF-8").to_owned();
    there.user("there", "p2").write(&sandbox);
    let mut old = Transcript::of(&sandbox, "old");
    old.second -= 400 * 86_400;
    old.user("too old for retention", "p3").write(&sandbox);
    let stored = |args: [&str; 3]| sandbox.run(args).json()["agents"][0]["types"]["user_prompt"].clone();
    assert_eq!(stored(["backfill", "--json", "--dry-run"]), json!(2));
    assert_eq!(stored(["backfill", "--json", "--project"]), json!(1));
    assert_eq!(rows(&sandbox).len(), 2);
    assert_eq!(stored(["backfill", "--json", "--since=1d"]), Value::Null);
    // What was left out before is read when more is wanted.
    assert_eq!(stored(["backfill", "--json", "--since=30d"]), json!(1));
    assert_eq!(stored(["backfill", "--json", "--all"]), Value::Null);
    sandbox.run(["backfill", "nobody"]).code(2);
}

#[test]
fn doctor_warns_before_an_agent_deletes_what_was_never_read() {
    let sandbox = Sandbox::new();
    let path = Transcript::of(&sandbox, "s1").user("one", "p1").write(&sandbox);
    let warned = || sandbox.run(["doctor"]).stdout.contains("nudge backfill");
    assert!(!warned());
    let old = SystemTime::now() - Duration::from_secs(27 * 86_400);
    fs::File::options().append(true).open(&path).expect("a file").set_modified(old).expect("a time");
    assert!(warned());
    backfill(&sandbox);
    assert!(!warned());
}

#[test]
fn setup_says_how_much_could_be_remembered() {
    let sandbox = Sandbox::new();
    Transcript::of(&sandbox, "s1").user("one", "p1").write(&sandbox);
    let ran = sandbox.run(["setup", "claude", "--yes"]);
    assert!(ran.stderr.contains("1 transcript of earlier sessions"), "{}", ran.stderr);
    assert!(ran.stderr.contains("nudge backfill"), "{}", ran.stderr);
    backfill(&sandbox);
    assert!(!sandbox.run(["setup", "claude", "--yes"]).stderr.contains("backfill"));
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
    let kept = ["never push from here, token=[REDACTED:token]"];
    assert_eq!(refusals(), kept);
    sandbox.run(["backfill", "--all"]).code(0);
    assert_eq!(refusals(), kept);
    let told = sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session("s2"));
    assert!(told.stdout.contains("The user refused calls with: \\\"never push from here"), "{}", told.stdout);
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
    let told = sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session("s2"));
    assert!(told.stdout.contains("unfinished, 2 of 3: test it | ship it"), "{}", told.stdout);
}
