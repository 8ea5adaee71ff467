//! What colleagues' rows cost on a developer's machine: bringing a hundred thousand of them, and hooks beside them.
//!
//! `cargo bench --bench colleagues` starts a PostgreSQL of its own, fills it, and compares
//!
//! * `nudge sync --pull` of all rows with one plain transaction that stores the same rows in the same tables;
//! * the hooks of a developer in a team, whose copy has those rows, with the hooks of one without a team, in turns: first
//!   with nothing else going on, then while the rows come in.
//!
//! `NUDGE_ROWS` is the number of rows (100,000), `NUDGE_ROUNDS` how often each hook runs (150).

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a benchmark times and prints"
)]

#[path = "../tests/it/postgres/cluster.rs"]
mod cluster;
mod timing;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use cluster::{Cluster, Database};
use timing::{dist, median, millis};

const SCHEMA: &str = include_str!("../migrations/team/0001.sql");
const COPY_SCHEMA: &str = include_str!("../migrations/team_copy.sql");
const PROJECT: &str = "github.com/acme/shop";
/// Bringing rows takes at most this many times as long as storing them.
const MAX_BRING: f64 = 3.0;
/// The median and the 95th percentile of the hooks that every event runs, in a team against without one.
const MAX_HOOK: (f64, f64) = (1.05, 1.25);
/// The median of a failure and of a session's start, which may read the copy.
const MAX_READING: f64 = 1.15;

fn main() {
    let number =
        |name: &str, usual| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (rows, rounds) = (number("NUDGE_ROWS", 100_000), number("NUDGE_ROUNDS", 150));
    let cluster: &'static Cluster = match Cluster::start(&["shared_buffers = 256MB"]) {
        Ok(cluster) => Box::leak(Box::new(cluster)),
        Err(why) => return println!("colleagues: not run ({why})"),
    };
    let program = dist();
    let root = tempfile::tempdir().unwrap();
    let database = team(cluster, rows);
    let member = Home::new(root.path(), "member", &program);
    member.join(&database.url("bob"));
    let mut is_over = bring(&member, root.path(), &database, rows);
    let alone = Home::new(root.path(), "alone", &program);
    is_over |= hooks("nothing else going on", &alone, &member, rounds, || ());
    let mut bringing: Option<Child> = None;
    is_over |= hooks("while rows come in", &alone, &member, rounds, || {
        let is_over = bringing.as_mut().is_none_or(|child| child.try_wait().unwrap().is_some());
        if is_over {
            // Begins again with an empty copy.
            member.forget_copy();
            bringing = Some(member.command(&["sync", "--pull", "--quiet"]).spawn().unwrap());
        }
    });
    drop(bringing.map(|mut child| (child.kill(), child.wait())));
    if is_over {
        println!("a limit is exceeded");
    }
    std::process::exit(i32::from(is_over));
}

/// Makes a team in which `alice` has told this many rows, every tenth of them a failure.
fn team(cluster: &'static Cluster, rows: usize) -> Database {
    let database = cluster.database();
    database.psql(&format!(
        "BEGIN; {SCHEMA} UPDATE nudge.server SET allowed = '{{%}}'; COMMIT;
         CREATE ROLE alice LOGIN; CREATE ROLE bob LOGIN; GRANT nudge_member TO alice, bob;
         SELECT nudge.member_v1('alice', 'alice', 'member', false), nudge.member_v1('bob', 'bob', 'member', false)"
    ));
    let lots = rows / 100;
    database.psql(&format!(
        "SET SESSION AUTHORIZATION alice;
         DO $$
         DECLARE machine uuid := gen_random_uuid(); previous uuid; this uuid; batch jsonb;
         BEGIN
            PERFORM nudge.hello_v1(machine, ARRAY['{PROJECT}']);
            FOR lot IN 0..{lots} - 1 LOOP
                this := gen_random_uuid();
                SELECT jsonb_agg(jsonb_build_object('kind', 'observation',
                    'obs_type', CASE WHEN n % 10 = 0 THEN 'command_error' ELSE 'command' END,
                    'at', extract(epoch FROM now())::bigint - {rows} + n, 'session', md5((n / 300)::text),
                    'event_key', md5(n::text), 'program', 'cargo',
                    'signature', CASE WHEN n % 10 = 0 THEN format('error: unresolved name `thing_%s` in module_%s', n, n % 97) END,
                    'content', format('cargo test --package shop%s --test case_%s', n % 40, n)
                        || repeat(format(E'\\nrunning %s tests in src/module_%s/file_%s.rs with some words of output; ', n, n % 97, n), 4),
                    'facts', jsonb_build_object('command', format('cargo test --package shop%s', n % 40),
                        'exit_code', CASE WHEN n % 10 = 0 THEN 101 ELSE 0 END)))
                INTO batch FROM generate_series(lot * 100, lot * 100 + 99) AS n;
                PERFORM nudge.push_v1(machine, '{PROJECT}', previous, this, lot * 100 + 1, extract(epoch FROM now())::bigint, batch);
                previous := this;
            END LOOP;
         END $$"
    ));
    database
}

/// Brings all rows three times, and compares the best with a plain transaction.
fn bring(member: &Home, root: &Path, database: &Database, rows: usize) -> bool {
    let texts = database.psql("SELECT content FROM nudge.records WHERE seq = 1");
    let content = texts.len();
    let mut best = Duration::MAX;
    let mut plain = Duration::MAX;
    for round in 0..3 {
        member.forget_copy();
        let start = Instant::now();
        // An exchange ends after a minute, on a slow machine, too.
        while member.copied() < rows {
            assert!(member.command(&["sync", "--pull", "--quiet"]).status().unwrap().success());
        }
        best = best.min(start.elapsed());
        plain = plain.min(store_plainly(&member.copy(), &root.join(format!("plain{round}.db"))));
    }
    let ratio = best.as_secs_f64() / plain.as_secs_f64();
    println!(
        "{rows} rows of about {content} bytes: brought in {:.0} ms, {:.0} rows/s; stored plainly in {:.0} ms; {ratio:.2} times, limit {MAX_BRING}\n",
        millis(best),
        rows as f64 / best.as_secs_f64(),
        millis(plain)
    );
    ratio > MAX_BRING
}

/// Stores the rows of a copy in a file with the same tables, in one transaction.
fn store_plainly(copy: &Path, path: &Path) -> Duration {
    let columns = "timestamp, received, session_id, project_id, person_id, obs_type, content, file_path, metadata, event_key, program, signature, parts";
    let plain = rusqlite::Connection::open(path).unwrap();
    plain
        .execute_batch(
            "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
        )
        .unwrap();
    plain.execute_batch(COPY_SCHEMA).unwrap();
    plain.execute("ATTACH ?1 AS copy", [copy.to_str().unwrap()]).unwrap();
    // What is measured is storing: the rows wait in memory.
    plain.execute_batch(&format!(
        "PRAGMA temp_store = MEMORY; CREATE TEMP TABLE waiting AS SELECT {columns}, tags FROM copy.observations ORDER BY id"
    ))
    .unwrap();
    let start = Instant::now();
    plain
        .execute_batch(&format!(
            "BEGIN IMMEDIATE; INSERT INTO main.observations ({columns}) SELECT {columns} FROM waiting;
             INSERT INTO main.observations_fts (rowid, content, file_path, parts, tags) SELECT rowid, content, file_path, parts, tags FROM waiting;
             COMMIT"
        ))
        .unwrap();
    start.elapsed()
}

/// A hook, with the numbers of its call in it.
type MakeEvent = fn(&Home, usize) -> Value;

/// Runs each hook of both in turns, and compares them.
fn hooks(when: &str, alone: &Home, member: &Home, rounds: usize, mut before: impl FnMut()) -> bool {
    let cases: [(&str, MakeEvent, bool); 5] = [
        (
            "PostToolUse",
            |home, n| {
                home.event("PostToolUse", &bash(n), json!({"tool_response": {"stdout": "ok", "stderr": ""}}))
            },
            false,
        ),
        (
            "UserPromptSubmit",
            |home, n| {
                home.event("UserPromptSubmit", &json!({}), json!({"prompt": format!("look at case {n}")}))
            },
            false,
        ),
        ("Stop", |home, _| home.event("Stop", &json!({}), json!({"last_assistant_message": "done"})), false),
        (
            "a failure",
            |home, n| {
                home.event(
                    "PostToolUseFailure",
                    &bash(n),
                    json!({"error": format!("Exit code 101\nerror: no such thing as x{n} in crate y{n}")}),
                )
            },
            true,
        ),
        (
            "SessionStart",
            |home, _| home.event("SessionStart", &json!({}), json!({"source": "startup"})),
            true,
        ),
    ];
    println!("{when}\n{:<18} {:>19} {:>19} {:>8} {:>8}", "", "alone, p50 (p95)", "in a team", "p50", "p95");
    let mut is_over = false;
    for (name, make, reads) in cases {
        let mut times: [Vec<Duration>; 2] = Default::default();
        for round in 0..rounds + 5 {
            before();
            // The first of the two is not always the same.
            for at in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
                let home = [alone, member][at];
                let took = home.hook(&make(home, round));
                if round >= 5 {
                    times[at].push(took);
                }
            }
        }
        let [own, team] = &mut times;
        let middle = (median(own), median(team));
        let late = |times: &[Duration]| times[times.len() * 95 / 100];
        let ratio = |one: Duration, other: Duration| other.as_secs_f64() / one.as_secs_f64();
        let (p50, p95) = (ratio(middle.0, middle.1), ratio(late(own), late(team)));
        let limits = if reads { (MAX_READING, f64::INFINITY) } else { MAX_HOOK };
        is_over |= p50 > limits.0 || p95 > limits.1;
        println!(
            "{name:<18} {:>6.2} ({:>6.2}) ms {:>6.2} ({:>6.2}) ms {p50:>7.2}x {p95:>7.2}x  limit {}x{}",
            millis(middle.0),
            millis(late(own)),
            millis(middle.1),
            millis(late(team)),
            limits.0,
            if reads { String::new() } else { format!(", {}x", limits.1) },
        );
    }
    println!();
    is_over
}

fn bash(number: usize) -> Value {
    json!({"command": format!("cargo run --example case_{number}")})
}

/// A developer with a clone of the project.
struct Home {
    folder: PathBuf,
    program: PathBuf,
}

impl Home {
    fn new(root: &Path, name: &str, program: &Path) -> Home {
        let home = Home { folder: root.join(name), program: program.to_owned() };
        let git = home.folder.join("shop/.git");
        fs::create_dir_all(git.join("refs/heads")).unwrap();
        fs::create_dir_all(git.join("objects")).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(
            git.join("config"),
            "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:acme/shop.git\n",
        )
        .unwrap();
        for number in 0..20 {
            home.hook(&home.event(
                "PostToolUse",
                &bash(number),
                json!({"tool_response": {"stdout": "ok", "stderr": ""}}),
            ));
        }
        home
    }

    fn join(&self, url: &str) {
        let path = self.folder.join("config/nudge/config.toml");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = format!(
            "[team]\nurl = \"{url}\"\nunasked = true\nrows = 3\nkeep = 10000000\nmost_a_day = 10000000\n\n[team.projects]\n\"{PROJECT}\" = \"off\"\n"
        );
        fs::write(path, text).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).env_clear().current_dir(self.folder.join("shop"));
        command.env("HOME", &self.folder).env("PATH", "/usr/bin:/bin");
        for (name, folder) in [("DATA", "data"), ("CONFIG", "config"), ("CACHE", "cache"), ("STATE", "state")]
        {
            command.env(format!("XDG_{name}_HOME"), self.folder.join(folder));
        }
        command.env("XDG_RUNTIME_DIR", self.folder.join("run"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn event(&self, name: &str, input: &Value, more: Value) -> Value {
        let mut event = json!({
            "session_id": format!("session-{}", self.folder.file_name().unwrap().display()), "cwd": self.folder.join("shop"),
            "transcript_path": self.folder.join("none.jsonl"), "hook_event_name": name,
        });
        let fields = event.as_object_mut().unwrap();
        if name.starts_with("PostToolUse") {
            fields.insert("tool_name".to_owned(), "Bash".into());
            fields.insert("tool_input".to_owned(), input.clone());
            fields.insert("tool_use_id".to_owned(), format!("{:?}", Instant::now()).into());
        }
        if let Value::Object(more) = more {
            fields.extend(more);
        }
        event
    }

    fn hook(&self, event: &Value) -> Duration {
        let text = event.to_string();
        let start = Instant::now();
        let mut child =
            self.command(&["hook", "--harness", "claude-code"]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        start.elapsed()
    }

    fn copy(&self) -> PathBuf {
        self.folder.join("data/nudge/team.db")
    }

    fn forget_copy(&self) {
        for ending in ["", "-wal", "-shm"] {
            drop(fs::remove_file(format!("{}{ending}", self.copy().display())));
        }
    }

    fn copied(&self) -> usize {
        let Ok(copy) = rusqlite::Connection::open(self.copy()) else { return 0 };
        copy.query_row("SELECT count(*) FROM observations", [], |row| row.get(0)).unwrap_or(0)
    }
}
