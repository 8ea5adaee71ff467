//! What the viewer costs: its answers beside `/health` on the same connection, beside a small memory, and what a hook
//! pays while a page is open.
//!
//! `cargo bench --bench ui` builds what users get and prints tables; `NUDGE_BENCH_NO_BUILD=1` takes the program that is
//! there. `NUDGE_BENCH_ROWS` changes the size of the large memory, and `NUDGE_BENCH_HOMES=DIR` keeps the filled
//! memories there for the next run. No two questions are the same, so no answer can be one that was kept.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark times and prints"
)]

mod timing;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use timing::{dist, median, millis};

const LARGE: usize = 1_000_000;
const MIDDLE: usize = 100_000;
const SMALL: usize = 10_000;
/// Observations of a session, so that a million rows are 6,000 sessions.
const PER_SESSION: usize = 166;
const DAYS: u64 = 90;
const DAY_MS: u64 = 86_400_000;
const ROUNDS: usize = 30;
/// Hook calls that the trace has before anything is measured.
const TRACED: usize = 400;

fn main() {
    let program = dist();
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let kept = std::env::var_os("NUDGE_BENCH_HOMES").map(PathBuf::from);
    let root = kept.as_deref().unwrap_or(temporary.path());
    let most = std::env::var("NUDGE_BENCH_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(LARGE);
    let homes: Vec<Home> =
        [SMALL, MIDDLE, most].into_iter().map(|rows| Home::new(root, rows, &program)).collect();
    let mut over = false;
    for home in &homes[1..] {
        over |= against_health(home);
    }
    over |= flat(&homes[0], &homes[2]);
    over |= search(&homes[2]);
    over |= hooks(&homes[2]);
    over |= ram(&homes[2]);
    if over {
        eprintln!("over the limit");
        std::process::exit(1);
    }
}

/// The questions of all pages for a range of a week, each with its limit as a ratio to `/health`.
const QUESTIONS: [&str; 21] = [
    "meta",
    "overview",
    "density",
    "lanes",
    "feed",
    "sessions",
    "session/{session}",
    "search?q=common",
    "search?q=common+rareword77",
    "observation/{id}",
    "walls",
    "wall/{wall}",
    "files",
    "file?path=src/module_3/file_43.rs",
    "rules",
    "rule/no-force-push",
    "told",
    "notes",
    "plan",
    "hints",
    "health",
];

/// Every question against `/health`, in turn on one connection.
fn against_health(home: &Home) -> bool {
    const LIMIT: f64 = 60.0;
    let page = OpenPage::new(home);
    let mut connection = page.connection();
    let names = page.names(&mut connection);
    println!(
        "\n{:<34} {:>9} {:>9} {:>8} {:>7}",
        format!("{} rows, a week", home.rows),
        "median",
        "first",
        "ratio",
        "limit"
    );
    let mut over = false;
    for question in QUESTIONS {
        let question = names.fill(question);
        let (mut health, mut times) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            health.push(connection.get("/health"));
            let from = now_ms() - 7 * DAY_MS + round as u64 * 1_000;
            times.push(connection.ask(&page.asked(&question, from)));
        }
        let first = times[0];
        let middle = median(&mut times);
        let ratio = middle.as_secs_f64() / median(&mut health).as_secs_f64();
        // What the memory's own search costs is measured below.
        let limit = if question.starts_with("search") { f64::INFINITY } else { LIMIT };
        over |= ratio > limit;
        let mark = if ratio > limit { "  over" } else { "" };
        println!(
            "{question:<34.34} {:>6.2} ms {:>6.2} ms {ratio:>7.1}x {LIMIT:>6}x{mark}",
            millis(middle),
            millis(first)
        );
    }
    over
}

/// A large memory against a small one, in turn.
fn flat(small: &Home, large: &Home) -> bool {
    let pages = [OpenPage::new(small), OpenPage::new(large)];
    let mut connections = pages.each_ref().map(OpenPage::connection);
    let names = [0, 1].map(|at| pages[at].names(&mut connections[at]));
    println!(
        "\n{:<34} {:>9} {:>9} {:>8} {:>7}",
        format!("{} rows against {}", large.rows, small.rows),
        "large",
        "small",
        "ratio",
        "limit"
    );
    let mut over = false;
    // A list has as many rows in both, if the range is open; the last two add up a quarter of a year.
    for (question, limit) in [
        ("lanes", 2.0),
        ("sessions", 2.0),
        ("feed", 2.0),
        ("session/{session}", 2.0),
        ("density", 3.0),
        ("overview", 3.0),
    ] {
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..ROUNDS {
            for at in [0, 1] {
                let from = now_ms() - (DAYS + 1) * DAY_MS + round as u64 * 1_000;
                let asked = pages[at].asked(&names[at].fill(question), from);
                times[at].push(connections[at].ask(&asked));
            }
        }
        let [few, many] = &mut times;
        let (few, many) = (median(few), median(many));
        let ratio = many.as_secs_f64() / few.as_secs_f64();
        over |= ratio > limit;
        let mark = if ratio > limit { "  over" } else { "" };
        println!(
            "{question:<34} {:>6.2} ms {:>6.2} ms {ratio:>7.2}x {limit:>6}x{mark}",
            millis(many),
            millis(few)
        );
    }
    over
}

/// The page's search against the server's own, which agents use.
fn search(home: &Home) -> bool {
    const LIMIT: f64 = 1.3;
    let page = OpenPage::new(home);
    let mut connection = page.connection();
    let mut server = AgentServer::new(home);
    println!("\n{:<34} {:>9} {:>9} {:>8} {:>7}", "search", "page", "agents", "ratio", "limit");
    let mut over = false;
    for words in ["rareword77", "common", "common middling", "word17 word39"] {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            times[0].push(connection.ask(&format!("search?q={}&limit=20", words.replace(' ', "+"))));
            times[1].push(server.search(words));
        }
        let [mine, theirs] = &mut times;
        let (mine, theirs) = (median(mine), median(theirs));
        let ratio = mine.as_secs_f64() / theirs.as_secs_f64();
        over |= ratio > LIMIT;
        let mark = if ratio > LIMIT { "  over" } else { "" };
        println!(
            "{words:<34} {:>6.2} ms {:>6.2} ms {ratio:>7.2}x {LIMIT:>6}x{mark}",
            millis(mine),
            millis(theirs)
        );
    }
    over
}

/// Hooks while a page follows, against hooks while none is open: in blocks, because the first looks need a moment.
fn hooks(home: &Home) -> bool {
    const LIMIT: f64 = 1.1;
    const BLOCKS: usize = 12;
    const BLOCK: usize = 30;
    // So that a block lasts longer than the quarter of a second after which a page looks again.
    const PAUSE: Duration = Duration::from_millis(12);
    let mut times = [Vec::new(), Vec::new()];
    let mut number = 0;
    // A server runs in both cases, as it does beside an agent.
    let page = OpenPage::new(home);
    for block in 0..BLOCKS {
        let stream = (block % 2 == 1).then(|| page.follow());
        for _ in 0..BLOCK {
            number += 1;
            times[block % 2].push(home.hook(&home.ran(number)));
            std::thread::sleep(PAUSE);
        }
        drop(stream);
    }
    let [without, with] = &mut times;
    let (without, with) = (median(without), median(with));
    let ratio = with.as_secs_f64() / without.as_secs_f64();
    println!(
        "\na hook while a page follows: {:.3} ms, while none is open {:.3} ms: {ratio:.2}x (limit {LIMIT}x)",
        millis(with),
        millis(without)
    );
    ratio > LIMIT
}

/// The RAM of a server after all questions of a page, against one that was asked nothing.
fn ram(home: &Home) -> bool {
    const LIMIT: f64 = 1.5;
    let page = OpenPage::new(home);
    let Some(before) = page.resident() else {
        println!("RAM of the server: unknown on this system");
        return false;
    };
    let mut connection = page.connection();
    let names = page.names(&mut connection);
    for question in QUESTIONS {
        connection.ask(&page.asked(&names.fill(question), now_ms() - 7 * DAY_MS));
    }
    let after = page.resident().unwrap_or(before);
    let ratio = after as f64 / before as f64;
    println!("RAM of the server: {after} KB with a page, {before} KB without: {ratio:.2}x (limit {LIMIT}x)");
    ratio > LIMIT
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_millis() as u64
}

/// A home of its own with a filled memory.
struct Home {
    path: PathBuf,
    project: PathBuf,
    program: PathBuf,
    rows: usize,
}

impl Home {
    fn new(root: &Path, rows: usize, program: &Path) -> Home {
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

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).env_clear().env("HOME", &self.path).current_dir(&self.project);
        for kind in ["config", "data", "cache"] {
            command.env(format!("XDG_{}_HOME", kind.to_uppercase()), self.path.join(kind));
        }
        command.env("NUDGE_RUNTIME_DIR", self.path.join("run"));
        command
    }

    /// Fills the memory through the program's own import, what was told through the database, and the trace by hooks.
    fn fill(&self) {
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
    fn observation(&self, n: usize, now: u64) -> Value {
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
                cause = Some(format!("error: {letter}orb is refused by {letter}atabase near {letter}uffer"));
            }
        }
        let common = if n.is_multiple_of(5) { "common" } else { "" };
        let middling = if n.is_multiple_of(50) { "middling" } else { "" };
        json!({
            "timestamp": start + at as u64 * 40, "session_id": format!("session-{session}"),
            "project": format!("project-{project}"), "project_root": root, "obs_type": kind,
            "source_event": "PostToolUse", "tool_name": "Bash",
            "content": cause.unwrap_or_else(|| {
                format!("{} {common} {middling} rareword{}", words(n), n % (self.rows / 8))
            }),
            "file_path": path, "metadata": metadata, "event_key": format!("{:032x}", n + 1),
            "program": program, "signature": null, "pinned": false,
        })
    }

    /// Every session was told something at its start, and every tenth one a way out of another's failure.
    fn tell(&self) {
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

    fn hook(&self, event: &Value) -> Duration {
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

    fn ran(&self, n: usize) -> Value {
        json!({
            "hook_event_name": "PostToolUse", "session_id": format!("bench-{}", n / 100), "cwd": self.project,
            "tool_use_id": format!("ran-{n}-{}", now_ms()), "tool_name": "Bash",
            "tool_input": { "command": format!("cargo build --package p{n}") },
            "tool_response": { "stdout": "Finished in 2 s", "stderr": "", "interrupted": false },
        })
    }
}

const RULES: &str = "version: 1
rules:
  - { name: no-force-push, on: { hook: PreToolUse, tool: Bash }, match: { content: \"push\\\\s+--force\" }, action: interrupt, message: no }
  - { name: no-unwrap, on: { hook: PreToolUse, tool: Write }, match: { content: \"unwrap\\\\(\" }, action: interrupt, message: no }
";

/// Twenty words that look like work.
fn words(n: usize) -> String {
    let mut seed = n as u64 + 1;
    let words = (0..20).map(|_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("word{}", (seed >> 33) % 5_000)
    });
    words.collect::<Vec<_>>().join(" ")
}

/// `nudge ui`, and a page that came in by its link.
struct OpenPage {
    server: Child,
    port: u16,
    halves: String,
    project: PathBuf,
}

impl OpenPage {
    fn new(home: &Home) -> OpenPage {
        // Another server of this machine may have the usual port.
        let free =
            TcpListener::bind(("127.0.0.1", 0)).and_then(|free| free.local_addr()).expect("a free port");
        let mut server = home
            .command(&["ui", "--no-open", "--json", "--port", &free.port().to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
        let mut text = String::new();
        let link: Value = loop {
            assert!(output.read_line(&mut text).expect("it writes") > 0, "no link: {text}");
            if let Ok(link) = serde_json::from_str(&text) {
                break link;
            }
        };
        let url = link["url"].as_str().unwrap_or_else(|| panic!("no link: {link}"));
        let (address, ticket) = url.split_once("/ui/#in=").expect("a ticket");
        let port = address.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("a port");
        let ticket = ticket.split('/').next().unwrap_or(ticket);
        let mut connection = Connection::new(port, String::new());
        let entered = connection.post("/ui/api/enter", &json!({ "ticket": ticket }));
        let (head, body) = entered.split_once("\r\n\r\n").expect("a reply");
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        let cookie = cookie.split(';').next().unwrap_or_default();
        let body: Value = serde_json::from_str(body).expect("JSON");
        let key = body["data"]["key"].as_str().expect("a key");
        let halves = format!("Cookie: {cookie}\r\nX-Nudge-Key: {key}\r\nSec-Fetch-Site: same-origin\r\n");
        OpenPage { server, port, halves, project: home.project.clone() }
    }

    fn connection(&self) -> Connection {
        Connection::new(self.port, self.halves.clone())
    }

    /// Returns a question with project and range.
    fn asked(&self, question: &str, from_ms: u64) -> String {
        let separator = if question.contains('?') { '&' } else { '?' };
        let project = self.project.display().to_string().replace('/', "%2F");
        format!("{question}{separator}project={project}&from_ms={from_ms}&to_ms={}", now_ms())
    }

    /// Finds a session, an observation and a wall to ask about.
    fn names(&self, connection: &mut Connection) -> Names {
        let mut data = |question: &str, days: u64| {
            let answer = connection.reply(&self.asked(question, now_ms() - days * DAY_MS));
            let body = answer.split_once("\r\n\r\n").expect("a reply").1;
            serde_json::from_str::<Value>(body).expect("JSON")["data"].clone()
        };
        let sessions = data("sessions?limit=60", DAYS + 1);
        // Not one of the hooks of this run, which are short.
        let session = sessions["rows"].as_array().and_then(|rows| {
            rows.iter()
                .filter_map(|row| row["id"].as_str())
                .find(|id| id.starts_with("session-"))
                .map(str::to_owned)
        });
        let walls = data("walls", 6);
        // A small memory may have none in this range, and is not asked for one.
        let wall = walls["rows"][0]["key"].as_str().unwrap_or_default().to_owned();
        Names { session: session.expect("a session"), wall, id: 4_242 }
    }

    /// Opens the stream, and waits for its first event.
    fn follow(&self) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        let head =
            format!("GET /ui/api/stream HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", self.port, self.halves);
        stream.write_all(head.as_bytes()).expect("it reads");
        let (mut seen, mut part) = (String::new(), [0; 4096]);
        while !seen.contains("event: hello") {
            let count = stream.read(&mut part).expect("a stream");
            assert!(count > 0, "{seen}");
            seen.push_str(&String::from_utf8_lossy(&part[..count]));
        }
        stream
    }

    /// Returns the RAM of the server in KB.
    fn resident(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        let stopped = Command::new("kill").arg(self.server.id().to_string()).status();
        if !stopped.is_ok_and(|status| status.success()) {
            drop(self.server.kill());
        }
        drop(self.server.wait());
    }
}

/// `nudge serve`, asked as an agent asks it.
struct AgentServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl AgentServer {
    fn new(home: &Home) -> AgentServer {
        let mut child = home
            .command(&["serve"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let (input, output) =
            (child.stdin.take().expect("a pipe"), BufReader::new(child.stdout.take().expect("a pipe")));
        let mut server = AgentServer { child, input, output, next: 0 };
        let client = json!({ "name": "bench", "version": "1" });
        server.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        );
        writeln!(server.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .expect("it reads");
        server
    }

    fn search(&mut self, words: &str) -> Duration {
        let start = Instant::now();
        let arguments = json!({ "query": words, "project": null, "limit": 20 });
        let reply = self.ask("tools/call", &json!({ "name": "search", "arguments": arguments }));
        let took = start.elapsed();
        assert!(reply["result"]["isError"] != true && reply["error"].is_null(), "{reply}");
        took
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        writeln!(self.input, "{request}").expect("it reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).expect("JSON")
    }
}

impl Drop for AgentServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// What the questions are about.
struct Names {
    session: String,
    wall: String,
    id: u64,
}

impl Names {
    fn fill(&self, question: &str) -> String {
        let filled = question.replace("{session}", &self.session).replace("{wall}", &self.wall);
        filled.replace("{id}", &self.id.to_string())
    }
}

/// A connection that stays open.
struct Connection {
    stream: BufReader<TcpStream>,
    port: u16,
    halves: String,
}

impl Connection {
    fn new(port: u16, halves: String) -> Connection {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
        stream.set_nodelay(true).expect("a socket");
        Connection { stream: BufReader::new(stream), port, halves }
    }

    /// Asks a question of the page, which must have an answer.
    fn ask(&mut self, question: &str) -> Duration {
        let start = Instant::now();
        let reply = self.reply(question);
        let took = start.elapsed();
        assert!(reply.starts_with("HTTP/1.1 200"), "{question}: {reply}");
        took
    }

    /// Asks a question that may take longer than a page waits.
    fn try_ask(&mut self, question: &str) -> Option<()> {
        self.reply(question).starts_with("HTTP/1.1 200").then_some(())
    }

    fn get(&mut self, path: &str) -> Duration {
        let start = Instant::now();
        let reply = self.send(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port));
        let took = start.elapsed();
        assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
        took
    }

    fn reply(&mut self, question: &str) -> String {
        self.send(&format!(
            "GET /ui/api/{question} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n",
            self.port, self.halves
        ))
    }

    fn post(&mut self, path: &str, body: &Value) -> String {
        let (port, body) = (self.port, body.to_string());
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    fn send(&mut self, request: &str) -> String {
        self.stream.get_mut().write_all(request.as_bytes()).expect("it reads");
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let start = head.len();
            assert!(self.stream.read_line(&mut head).expect("a reply") > 0, "{request}: {head}");
            let line = head[start..].to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().expect("a number");
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("a body");
        head + &String::from_utf8_lossy(&body)
    }
}
