//! What the memory costs: the hook with a large database, the drain, searches through the running server.
//!
//! `cargo bench --bench memory` builds what users get and prints tables. Processes are compared with spawning
//! `/bin/true` in the same run, interleaved, by their medians. `NUDGE_BENCH_ROWS=1000000` also searches a million rows.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark times and prints"
)]

mod agent;
mod timing;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use agent::AgentServer;
use timing::{dist, median, millis, run_true};

const ROUNDS: usize = 200;
const ROWS: usize = 100_000;

fn main() {
    let program = dist();
    let root = tempfile::tempdir().expect("a temporary folder");
    let mut over = false;
    let home = Home::new(root.path(), "large", &program);
    home.fill(ROWS);
    home.write_rules(100);
    over |= processes(&home);
    over |= crowd(&home);
    over |= drain(root.path(), &program);
    searches(&home, ROWS);
    let small = Home::new(root.path(), "small", &program);
    small.fill(10_000);
    let most = std::env::var("NUDGE_BENCH_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(ROWS);
    if most > ROWS {
        let huge = Home::new(root.path(), "huge", &program);
        huge.fill(most);
        searches(&huge, most);
        over |= flat(&small, &huge, most);
    } else {
        over |= flat(&small, &home, ROWS);
    }
    println!("\nbinary: {} KB", fs::metadata(&program).expect("a binary").len() >> 10);
    if over {
        eprintln!("over the limit");
        std::process::exit(1);
    }
}

/// Makes the n-th event of a case.
type Make<'h> = Box<dyn Fn(usize) -> Value + 'h>;

/// The hook and similar commands, one process each.
fn processes(home: &Home) -> bool {
    let cases: [(&str, f64, Make<'_>); 4] = [
        ("PostToolUse, 100 rules + record", 3.5, Box::new(|n| home.ran(n))),
        ("failed command with déjà vu", 12.0, Box::new(|n| home.failed(n))),
        ("session start with context", 12.0, Box::new(|n| home.started(n))),
        ("prompt", f64::INFINITY, Box::new(|n| home.prompt(n))),
    ];
    let mut base = Vec::new();
    let mut times = vec![Vec::new(); cases.len()];
    for round in 0..ROUNDS {
        base.push(run_true());
        for (index, (_, _, event)) in cases.iter().enumerate() {
            times[index].push(home.hook(&event(round)).0);
        }
    }
    let one = median(&mut base);
    println!("beside {ROWS} observations; spawning /bin/true: {:.3} ms\n", millis(one));
    println!("{:<34} {:>9} {:>9} {:>8} {:>7}", "process", "median", "p95", "ratio", "limit");
    let mut over = false;
    for ((name, limit, _), times) in cases.iter().zip(&mut times) {
        let middle = median(times);
        let ratio = middle.as_secs_f64() / one.as_secs_f64();
        over |= ratio > *limit;
        let p95 = times[times.len() * 95 / 100];
        let limit = if limit.is_finite() { format!("{limit:.1}x") } else { "-".to_owned() };
        println!("{name:<34} {:>6.3} ms {:>6.3} ms {ratio:>7.2}x {limit:>7}", millis(middle), millis(p95));
    }
    println!("peak memory of a hook: {}", peak_memory(home).unwrap_or("unknown".to_owned()));
    over
}

/// Eight writers at once against eight times `/bin/true` at once.
fn crowd(home: &Home) -> bool {
    let at_once = |work: &(dyn Fn(usize) + Sync)| {
        let mut times: Vec<Duration> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|writer| {
                    scope.spawn(move || {
                        let each = (0..60).map(|n| {
                            let start = Instant::now();
                            work(writer * 1_000 + n);
                            start.elapsed()
                        });
                        each.collect::<Vec<_>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect()
        });
        times.sort_unstable();
        times[times.len() * 95 / 100]
    };
    let trues = at_once(&|_| {
        run_true();
    });
    let hooks = at_once(&|n| {
        home.hook(&home.ran(100_000 + n));
    });
    let ratio = hooks.as_secs_f64() / trues.as_secs_f64();
    println!(
        "\n8 writers at once: p95 {:.3} ms, of /bin/true {:.3} ms: {ratio:.2}x (limit 4x)",
        millis(hooks),
        millis(trues)
    );
    ratio > 4.0
}

/// Ten thousand spooled events against one plain transaction of the same rows.
fn drain(root: &Path, program: &Path) -> bool {
    const EVENTS: usize = 10_000;
    let home = Home::new(root, "drain", program);
    home.spool(EVENTS);
    let start = Instant::now();
    home.nudge(&["recent", "--limit", "1"]);
    let drained = start.elapsed();
    // Exactly the stored rows, with everything that is indexed, in one plain transaction.
    let kept = rusqlite::Connection::open(home.path.join("data/nudge/nudge.db")).expect("a database");
    let columns = "id, timestamp, session_id, obs_type, source_event, tool_name, content, file_path, metadata, event_key, program, signature, subject, parts";
    let mut statement = kept.prepare(&format!("SELECT {columns} FROM observations")).expect("a table");
    let rows: Vec<Vec<rusqlite::types::Value>> = statement
        .query_map([], |row| (0..14).map(|column| row.get(column)).collect())
        .expect("rows")
        .map(|row| row.expect("a row"))
        .collect();
    assert_eq!(rows.len(), EVENTS);
    let mut connection = rusqlite::Connection::open(root.join("plain.db")).expect("a database");
    let schema = include_str!("../migrations/0001_observations.sql");
    let modes = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;";
    connection.execute_batch(&format!("{modes} {schema}")).expect("a schema");
    let start = Instant::now();
    let transaction = connection.transaction().expect("a transaction");
    let places = "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14";
    for row in &rows {
        let insert = format!("INSERT INTO observations ({columns}) VALUES ({places})");
        let mut insert = transaction.prepare_cached(&insert).expect("a statement");
        insert.execute(rusqlite::params_from_iter(row)).expect("a row");
        let index = "INSERT INTO observations_fts (rowid, content, file_path, parts) VALUES (?1, ?2, ?3, ?4)";
        let mut index = transaction.prepare_cached(index).expect("a statement");
        index.execute((&row[0], &row[6], &row[7], &row[13])).expect("a row");
    }
    transaction.commit().expect("a commit");
    let plain = start.elapsed();
    let ratio = drained.as_secs_f64() / plain.as_secs_f64();
    println!(
        "\ndraining {EVENTS} events: {:.0} ms, a plain transaction {:.0} ms: {ratio:.2}x (limit 3x)",
        millis(drained),
        millis(plain)
    );
    ratio > 3.0
}

/// Searches through the running server.
fn searches(home: &Home, rows: usize) {
    println!("\n{:<34} {:>9} {:>9}", format!("search at {rows} rows"), "median", "p95");
    let mut server = AgentServer::start(home.command(&["serve"]));
    let all = Value::Null;
    for (name, arguments) in [
        ("rare word", json!({ "query": "rareword77", "project": all })),
        ("common word", json!({ "query": "common", "project": all })),
        ("two words", json!({ "query": "common middling", "project": all })),
        ("prefix", json!({ "query": "rarew*", "project": all })),
        ("common word of one project", json!({ "query": "common", "project": "project-3" })),
    ] {
        let mut times: Vec<Duration> = (0..40).map(|_| server.call("search", &arguments)).collect();
        let middle = median(&mut times);
        println!("{name:<34} {:>6.2} ms {:>6.2} ms", millis(middle), millis(times[times.len() * 95 / 100]));
    }
    let file = home.path.join("data/nudge/nudge.db");
    let bytes = fs::metadata(file).map_or(0, |meta| meta.len());
    println!("{:.0} bytes for 1,000 observations", bytes as f64 / rows as f64 * 1_000.0);
}

/// The time of the most frequent queries must not grow with the database.
fn flat(small: &Home, large: &Home, rows: usize) -> bool {
    let mut times = [[Vec::new(), Vec::new()], [Vec::new(), Vec::new()]];
    let mut servers = [small, large].map(|home| AgentServer::start(home.command(&["serve"])));
    for n in 0..60 {
        for (index, home) in [small, large].into_iter().enumerate() {
            times[0][index].push(servers[index].call("recent_context", &json!({ "project": "project-3" })));
            times[1][index].push(home.hook(&home.started(50_000 + n)).0);
        }
    }
    let mut over = false;
    println!();
    for (name, [few, many]) in ["recent_context", "session start"].into_iter().zip(&mut times) {
        let ratio = median(many).as_secs_f64() / median(few).as_secs_f64();
        over |= ratio > 2.0;
        println!("{name} at {rows} rows: {ratio:.2}x its time at 10,000 (limit 2x)");
    }
    over
}

/// A separate home, with the program in it.
struct Home {
    path: PathBuf,
    project: PathBuf,
    program: PathBuf,
}

impl Home {
    fn new(root: &Path, name: &str, program: &Path) -> Home {
        let path = root.join(name);
        let project = path.join("project-3");
        fs::create_dir_all(project.join(".git")).expect("a project");
        Home { path, project, program: program.to_owned() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).env_clear().env("HOME", &self.path).current_dir(&self.project);
        for kind in ["config", "data", "cache"] {
            command.env(format!("XDG_{}_HOME", kind.to_uppercase()), self.path.join(kind));
        }
        command
    }

    fn nudge(&self, args: &[&str]) -> String {
        let output = self.command(args).stdin(Stdio::null()).output().expect("it runs");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn hook(&self, event: &Value) -> (Duration, String) {
        let input = event.to_string();
        let start = Instant::now();
        let mut child = self
            .command(&["hook", "--harness", "claude-code"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the hook starts");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        (start.elapsed(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Fills the database through the program's own import.
    fn fill(&self, rows: usize) {
        let path = self.path.join("rows.jsonl");
        let mut file = std::io::BufWriter::new(fs::File::create(&path).expect("a file"));
        for n in 0..rows {
            writeln!(file, "{}", observation(n, rows)).expect("a line");
        }
        file.flush().expect("a file");
        self.nudge(&["observations", "import", path.to_str().expect("UTF-8")]);
        fs::remove_file(path).expect("a file");
    }

    /// Spools events through the hook's own format, by taking the hook's line as a pattern.
    fn spool(&self, events: usize) {
        let waiting = self.path.join("data/nudge/nudge.spool/waiting.jsonl");
        self.hook(&self.ran(0));
        let line = fs::read_to_string(&waiting).expect("a spooled line");
        let pattern: Value = serde_json::from_str(&line[9..]).expect("JSON");
        let mut lines = String::new();
        let rows: Vec<Value> = (0..events)
            .map(|n| {
                let mut row = pattern.clone();
                row["content"] = json!(format!("cargo test --package crate-{} {}", n % 97, words(n)));
                row["metadata"]["command"] = row["content"].clone();
                row["event_key"] = json!(format!("{n:032x}"));
                row
            })
            .collect();
        for row in &rows {
            let json = row.to_string();
            let sum = json
                .bytes()
                .fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
            lines.push_str(&format!("{sum:08x} {json}\n"));
        }
        fs::write(waiting, lines).expect("a spool");
    }

    fn write_rules(&self, count: usize) {
        let mut text = String::from("version: 1\nrules:\n");
        for n in 0..count {
            text.push_str(&format!("  - {{ name: r{n}, on: {{ hook: PostToolUse, tool: Bash }}, match: {{ content: \"forbidden{n}\\\\s+\\\\w+\" }}, action: continue, message: m }}\n"));
        }
        let path = self.project.join(".nudge.yaml");
        fs::write(&path, text).expect("a rule file");
        let old = std::time::SystemTime::now() - Duration::from_secs(3600);
        fs::File::options()
            .append(true)
            .open(&path)
            .and_then(|file| file.set_modified(old))
            .expect("an old file");
    }

    fn event(&self, hook: &str, session: &str, n: usize) -> Value {
        json!({ "hook_event_name": hook, "session_id": session, "cwd": self.project, "tool_use_id": format!("{hook}-{n}") })
    }

    fn ran(&self, n: usize) -> Value {
        let mut event = self.event("PostToolUse", "bench", n);
        event["tool_name"] = json!("Bash");
        event["tool_input"] = json!({ "command": format!("cargo build --package p{n}") });
        event["tool_response"] = json!({ "stdout": "Finished in 2 s", "stderr": "", "interrupted": false });
        event
    }

    fn failed(&self, n: usize) -> Value {
        let mut event = self.event("PostToolUseFailure", "bench", n);
        event["tool_name"] = json!("Bash");
        event["tool_input"] = json!({ "command": "cargo test" });
        event["error"] = json!("Exit code 101\nerror[E0425]: cannot find value `x` in this scope");
        event
    }

    fn started(&self, n: usize) -> Value {
        let mut event = self.event("SessionStart", &format!("bench-{n}"), n);
        event["source"] = json!("startup");
        event
    }

    fn prompt(&self, n: usize) -> Value {
        let mut event = self.event("UserPromptSubmit", "bench", n);
        event["prompt"] = json!(format!("please look at module {n}"));
        event
    }
}

/// An observation of a made-up past: ten projects, many sessions, a word in one row of five, one in fifty, and one in a few rows.
fn observation(n: usize, rows: usize) -> Value {
    let kinds = ["command", "file_edit", "file_read", "command_error", "search", "user_prompt"];
    let kind = kinds[n % kinds.len()];
    let common = if n.is_multiple_of(5) { "common" } else { "" };
    let middling = if n.is_multiple_of(50) { "middling" } else { "" };
    let path = (kind.starts_with("file")).then(|| format!("src/module_{}/file_{}.rs", n % 40, n % 900));
    // From the last days, or retention would delete it during the measurement.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_secs()
        as usize;
    json!({
        "timestamp": now - rows + n, "session_id": format!("session-{}", n / 80),
        "project": format!("project-{}", n % 10), "project_root": null, "obs_type": kind, "source_event": "PostToolUse",
        "tool_name": "Bash", "content": format!("{} {common} {middling} rareword{}", words(n), n % (rows / 8)),
        "file_path": path, "metadata": { "command": format!("run {n}"), "exit_code": 0 },
        "event_key": format!("{:032x}", n + 1), "program": null, "signature": null, "pinned": false,
    })
}

/// Twenty words that look like work.
fn words(n: usize) -> String {
    let mut seed = n as u64 + 1;
    let words = (0..20).map(|_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("word{}", (seed >> 33) % 5_000)
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Asks GNU time, if it is installed, for the maximum RAM of a hook.
fn peak_memory(home: &Home) -> Option<String> {
    let inner = home.command(&[]);
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%M KB"]).arg(&home.program).args(["hook", "--harness", "claude-code"]);
    command.env_clear().envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(home.ran(99_999).to_string().as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    String::from_utf8_lossy(&output.stderr).lines().last().map(str::to_owned)
}
