//! `nudge backfill`: what agents wrote down before becomes observations, once, and without secrets.

#![expect(
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    reason = "transcripts have times of the past, and their records read best as values"
)]

mod background;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod hostile;
mod killed;
mod offered;
mod once;
mod opencode;
mod scene;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use serde_json::{Value, json};

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
