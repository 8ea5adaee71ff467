//! A filled memory to measure with.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::now_ms;
use crate::page::OpenPage;
use crate::{DAYS, PER_SESSION, TRACED};

/// A home of its own with a filled memory.
pub(crate) struct Home {
    pub(crate) path: PathBuf,
    pub(crate) project: PathBuf,
    pub(crate) program: PathBuf,
    pub(crate) rows: usize,
}

impl Home {
    pub(crate) fn new(root: &Path, rows: usize, program: &Path) -> Home {
        let path = root.join(format!("rows-{rows}"));
        let project = path.join("project-0");
        let home = Home { project, program: program.to_owned(), rows, path };
        if !home.path.join("filled").exists() {
            drop(fs::remove_dir_all(&home.path));
            home.fill();
            fs::write(home.path.join("filled"), "").expect("a file");
        }
        home
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).env_clear().env("HOME", &self.path).current_dir(&self.project);
        for kind in ["config", "data", "cache"] {
            command.env(format!("XDG_{}_HOME", kind.to_uppercase()), self.path.join(kind));
        }
        command.env("NUDGE_RUNTIME_DIR", self.path.join("run"));
        command
    }

    /// Fills the memory through the program's own import, what was told through the database, and the trace by hooks.
    pub(crate) fn fill(&self) {
        fs::create_dir_all(self.project.join(".git")).expect("a project");
        fs::create_dir_all(self.path.join("config/nudge")).expect("a folder");
        // Nothing is deleted while it is measured.
        let kinds = ["file_read", "file_edit", "command", "command_error", "search", "user_prompt"];
        let days: String = kinds.iter().map(|kind| format!("{kind} = 0\n")).collect();
        fs::write(self.path.join("config/nudge/config.toml"), format!("[retention]\n{days}"))
            .expect("settings");
        fs::write(self.project.join(".nudge.yaml"), RULES).expect("rules");
        let path = self.path.join("rows.jsonl");
        let mut file = std::io::BufWriter::new(fs::File::create(&path).expect("a file"));
        let now = now_ms() / 1_000;
        for n in 0..self.rows {
            writeln!(file, "{}", self.observation(n, now)).expect("a line");
        }
        file.flush().expect("a file");
        let imported = self.command(&["observations", "import", path.to_str().expect("UTF-8")]).output();
        let imported = imported.expect("it runs");
        assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
        fs::remove_file(path).expect("a file");
        self.tell();
        for n in 0..TRACED {
            self.hook(&self.ran(1_000_000 + n));
        }
        // The first page counts everything, once for a memory.
        let page = OpenPage::new(self);
        let mut connection = page.connection();
        let start = Instant::now();
        while connection.try_ask("overview").is_none() {}
        println!(
            "{} rows were counted for the first page in {:.1} s",
            self.rows,
            start.elapsed().as_secs_f64()
        );
    }

    /// An observation of a made-up past: sessions of four agents over a quarter of a year, nearly half of them in one
    /// project; a word in one row of five, one in fifty, and one in a few rows.
    pub(crate) fn observation(&self, n: usize, now: u64) -> Value {
        let (session, at) = (n / PER_SESSION, n % PER_SESSION);
        let sessions = self.rows.div_ceil(PER_SESSION) as u64;
        let start = now - DAYS * 86_400 + session as u64 * (DAYS * 86_400 - 7_200) / sessions;
        let kind = match at {
            0 => "user_prompt",
            at if at % 40 == 0 => "user_prompt",
            at if at % 20 == 7 => "command_error",
            at => ["file_read", "file_edit", "command", "search", "file_read", "command"][at % 6],
        };
        let project = if session * 37 % 100 < 46 { 0 } else { session % 9 + 1 };
        let root =
            if project == 0 { self.project.clone() } else { self.path.join(format!("project-{project}")) };
        let path = kind.starts_with("file").then(|| format!("src/module_{}/file_{}.rs", n % 40, n % 900));
        let agent = ["claude-code", "codex", "gemini-cli", "cursor"][session % 4];
        let is_blocked = kind == "command_error" && n.is_multiple_of(3);
        let mut metadata = json!({ "harness": agent });
        let (mut program, mut cause) = (Value::Null, None);
        if kind.starts_with("command") {
            let name = ["cargo test", "npm test", "git push", "docker compose"][n / 20 % 4];
            program = json!(name);
            metadata["command"] = json!(format!("{name} --flag-{}", n % 50));
            metadata["exit_code"] = json!(if kind == "command" { 0 } else { 1 });
            if is_blocked {
                metadata["kind"] = json!("rule");
                metadata["rule"] = json!(if n.is_multiple_of(2) { "no-force-push" } else { "no-unwrap" });
            } else if kind == "command_error" {
                let letter = char::from(b'a' + (n / 20 % 24) as u8);
                let error = format!("error: {letter}orb is refused by {letter}atabase near {letter}uffer");
                cause = Some((format!("{name} --flag-{}\n{error}", n % 50), error));
            }
        }
        let common = if n.is_multiple_of(5) { "common" } else { "" };
        let middling = if n.is_multiple_of(50) { "middling" } else { "" };
        json!({
            "timestamp": start + at as u64 * 40, "session_id": format!("session-{session}"),
            "project": format!("project-{project}"), "project_root": root, "obs_type": kind,
            "source_event": "PostToolUse", "tool_name": "Bash",
            "content": cause.as_ref().map_or_else(
                || format!("{} {common} {middling} rareword{}", words(n), n % (self.rows / 8)),
                |(content, _)| content.clone(),
            ),
            "file_path": path, "metadata": metadata, "event_key": format!("{:032x}", n + 1),
            "program": program, "signature": cause.map(|(_, signature)| signature), "pinned": false,
        })
    }

    /// Every session was told something at its start, and every tenth one a way out of another's failure.
    pub(crate) fn tell(&self) {
        let mut database =
            rusqlite::Connection::open(self.path.join("data/nudge/nudge.db")).expect("a database");
        let transaction = database.transaction().expect("a transaction");
        let sql = "SELECT session_id, min(timestamp), min(id) FROM observations GROUP BY session_id";
        let sessions: Vec<(String, i64, i64)> = transaction
            .prepare(sql)
            .and_then(|mut statement| {
                let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
                rows.collect()
            })
            .expect("sessions");
        for (n, (session, at, id)) in sessions.iter().enumerate() {
            let tell = |at_ms: i64, hook: &str, rows: &[i64]| {
                let parts = json!([{ "part": "past", "chars": 900, "rows": rows }, { "part": "rules", "chars": 200, "rows": [] }]);
                let sql = "INSERT INTO told (at_ms, session, harness, hook, chars, parts) VALUES (?1, ?2, 'claude-code', ?3, 1100, ?4)";
                transaction.execute(sql, (at_ms, session, hook, parts.to_string())).expect("a row");
                let told = transaction.last_insert_rowid();
                for row in rows {
                    let sql = "INSERT OR IGNORE INTO told_rows (told, observation, outcome) VALUES (?1, ?2, 'used')";
                    transaction.execute(sql, (told, row)).expect("a row");
                }
            };
            tell(at * 1_000, "SessionStart", &[(id - 100).max(1), (id - 50).max(1)]);
            if n % 10 == 9 {
                tell(at * 1_000 + 300_000, "PostToolUseFailure", &[(id - 2 * PER_SESSION as i64 + 7).max(1)]);
            }
        }
        transaction.commit().expect("a commit");
    }

    pub(crate) fn hook(&self, event: &Value) -> Duration {
        let input = event.to_string();
        let start = Instant::now();
        let mut child = self
            .command(&["hook", "--harness", "claude-code"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the hook starts");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
        assert!(child.wait().expect("it ends").success());
        start.elapsed()
    }

    pub(crate) fn ran(&self, n: usize) -> Value {
        json!({
            "hook_event_name": "PostToolUse", "session_id": format!("bench-{}", n / 100), "cwd": self.project,
            "tool_use_id": format!("ran-{n}-{}", now_ms()), "tool_name": "Bash",
            "tool_input": { "command": format!("cargo build --package p{n}") },
            "tool_response": { "stdout": "Finished in 2 s", "stderr": "", "interrupted": false },
        })
    }
}

pub(crate) const RULES: &str = "version: 1
rules:
  - { name: no-force-push, on: { hook: PreToolUse, tool: Bash }, match: { content: \"push\\\\s+--force\" }, action: interrupt, message: no }
  - { name: no-unwrap, on: { hook: PreToolUse, tool: Write }, match: { content: \"unwrap\\\\(\" }, action: interrupt, message: no }
";

/// Twenty words that look like work.
pub(crate) fn words(n: usize) -> String {
    let mut seed = n as u64 + 1;
    let words = (0..20).map(|_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("word{}", (seed >> 33) % 5_000)
    });
    words.collect::<Vec<_>>().join(" ")
}
