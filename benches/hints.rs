//! What hints cost: the PRIMARY under load, and the command line that asks it.
//!
//! `cargo bench --bench hints` builds what users get and fills a server with 5,000 hints. A question over HTTP is compared
//! with an empty `/health` of the same server, round by round; a process with spawning `/bin/true`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark times and prints"
)]

mod timing;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use timing::{dist, median, millis, run_true};

const HINTS: usize = 5_000;
const CONNECTIONS: usize = 8;
const ROUNDS: usize = 12;
/// Requests of one connection in one round.
const REQUESTS: usize = 1_000;

fn main() {
    let program = dist();
    let root = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start(&program, root.path());
    let empty = server.memory();
    server.fill();
    println!("{HINTS} hints; memory of the PRIMARY: {empty} KB empty, {} KB filled", server.memory());
    let mut over = load(&server);
    over |= one_at_a_time(&server);
    over |= processes(&server);
    let memory = server.memory();
    println!("\nmemory of the PRIMARY after all this: {memory} KB (limit 40960)");
    over |= memory > 40 << 10;
    if over {
        eprintln!("over the limit");
        std::process::exit(1);
    }
}

/// Eight connections that are kept open: `get_hint` against an empty `/health`.
fn load(server: &Server) -> bool {
    let health = |_: usize| server.get("/health");
    let hint = |n: usize| {
        let context =
            json!({ "cwd": format!("/work/component-{}/src", n % 50), "branch": "main", "os": "linux" });
        let params = json!({ "component": component(n), "key": key(n), "context": context });
        server.post("nudge.get_hint", &params)
    };
    let mut of_health = Vec::new();
    let mut of_hints = Vec::new();
    let (mut health_time, mut hints_time) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..ROUNDS {
        health_time += at_once(server, &health, &mut of_health);
        hints_time += at_once(server, &hint, &mut of_hints);
    }
    let rate = |time: Duration| (ROUNDS * CONNECTIONS * REQUESTS) as f64 / time.as_secs_f64();
    let (health_rate, hints_rate) = (rate(health_time), rate(hints_time));
    let p99 = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() * 99 / 100]
    };
    let (health_p99, hints_p99) = (p99(&mut of_health), p99(&mut of_hints));
    let share = hints_rate / health_rate;
    let slower = hints_p99.as_secs_f64() / health_p99.as_secs_f64();
    println!("\n{CONNECTIONS} connections, kept open");
    println!("/health   {health_rate:>8.0} requests/s, p99 {:.3} ms", millis(health_p99));
    println!("get_hint  {hints_rate:>8.0} requests/s, p99 {:.3} ms", millis(hints_p99));
    println!("          {:>7.0}% of the rate (limit 60%), {slower:.2}x the p99 (limit 3x)", share * 100.0);
    share < 0.6 || slower > 3.0
}

/// Uses all connections at once; returns how long everything took.
fn at_once(
    server: &Server,
    request: &(dyn Fn(usize) -> Vec<u8> + Sync),
    times: &mut Vec<Duration>,
) -> Duration {
    let mut connections: Vec<Connection> = (0..CONNECTIONS).map(|_| server.connect()).collect();
    let requests: Vec<Vec<Vec<u8>>> =
        (0..CONNECTIONS).map(|one| (0..REQUESTS).map(|n| request(one * REQUESTS + n)).collect()).collect();
    let start = Instant::now();
    let taken: Vec<Vec<Duration>> = std::thread::scope(|scope| {
        let threads: Vec<_> = connections
            .iter_mut()
            .zip(&requests)
            .map(|(connection, requests)| {
                scope.spawn(|| requests.iter().map(|request| connection.time(request)).collect())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).collect()
    });
    times.extend(taken.into_iter().flatten());
    start.elapsed()
}

/// A query that looks at every hint with a regex, against a `get`; in turns, on one connection.
fn one_at_a_time(server: &Server) -> bool {
    let mut connection = server.connect();
    let (mut gets, mut queries) = (Vec::new(), Vec::new());
    for n in 0..300 {
        let context = json!({ "cwd": "/work/here", "branch": "main", "os": "linux" });
        let params = json!({ "component": component(n), "key": key(n), "context": context });
        gets.push(connection.time(&server.post("nudge.get_hint", &params)));
        let params = json!({ "regex": format!("rebuild.*component-{}[0-9]", n % 10), "limit": 10, "context": context });
        queries.push(connection.time(&server.post("nudge.query", &params)));
    }
    let (get, query) = (median(&mut gets), median(&mut queries));
    let ratio = query.as_secs_f64() / get.as_secs_f64();
    println!(
        "\nget {:.3} ms, query with a regex over all {HINTS}: {:.3} ms: {ratio:.1}x (limit 20x)",
        millis(get),
        millis(query)
    );
    ratio > 20.0
}

/// `nudge get` as a process, in the folder of a repository.
fn processes(server: &Server) -> bool {
    let (mut base, mut gets) = (Vec::new(), Vec::new());
    for n in 0..200 {
        base.push(run_true());
        let mut command = server.command(&["get", &component(n), &key(n)]);
        let start = Instant::now();
        let output = command.stdin(Stdio::null()).output().expect("it runs");
        gets.push(start.elapsed());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let (base, get) = (median(&mut base), median(&mut gets));
    let ratio = get.as_secs_f64() / base.as_secs_f64();
    println!("\n`nudge get` {:.3} ms, /bin/true {:.3} ms: {ratio:.2}x (limit 8x)", millis(get), millis(base));
    ratio > 8.0
}

fn component(n: usize) -> String {
    format!("component-{}", n % 50)
}

fn key(n: usize) -> String {
    format!("key-{}", n / 50 % (HINTS / 50))
}

/// A PRIMARY in its own home, which runs as long as its input is open.
struct Server {
    child: Child,
    program: PathBuf,
    home: PathBuf,
    port: u16,
}

impl Server {
    fn start(program: &Path, home: &Path) -> Server {
        fs::create_dir_all(home.join("project/.git")).expect("a project");
        fs::write(home.join("project/.git/HEAD"), "ref: refs/heads/main\n").expect("a branch");
        let mut server =
            Server { child: idle(), program: program.to_owned(), home: home.to_owned(), port: 0 };
        server.child = server
            .command(&["serve", "--port", "18765"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let address = home.join("runtime/server.pid");
        let patience = Instant::now();
        while server.port == 0 {
            assert!(patience.elapsed() < Duration::from_secs(30), "the server does not start");
            let text = fs::read_to_string(&address).unwrap_or_default();
            let known: Value = serde_json::from_str(&text).unwrap_or_default();
            server.port =
                known["port"].as_u64().and_then(|port| u16::try_from(port).ok()).unwrap_or_default();
            std::thread::sleep(Duration::from_millis(10));
        }
        server
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).env_clear().env("HOME", &self.home).current_dir(self.home.join("project"));
        command.env("NUDGE_RUNTIME_DIR", self.home.join("runtime"));
        command
    }

    /// Fills the store through the program's own import.
    fn fill(&self) {
        let mut components = serde_json::Map::new();
        for n in 0..HINTS {
            let hints = components.entry(component(n)).or_insert_with(|| json!({ "hints": {} }));
            hints["hints"][key(n)] = hint(n);
        }
        let path = self.home.join("hints.json");
        fs::write(&path, json!({ "schema_version": "1.0", "components": components }).to_string())
            .expect("a file");
        let output =
            self.command(&["import", path.to_str().expect("UTF-8"), "--json"]).output().expect("it runs");
        let received: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(received["imported"], HINTS, "{received} {}", String::from_utf8_lossy(&output.stderr));
    }

    fn get(&self, path: &str) -> Vec<u8> {
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port).into_bytes()
    }

    fn post(&self, method: &str, params: &Value) -> Vec<u8> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        format!(
            "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .into_bytes()
    }

    fn connect(&self) -> Connection {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        Connection { stream: BufReader::new(stream) }
    }

    /// Returns the resident RAM of the server, in KB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A placeholder until the child is started.
fn idle() -> Child {
    Command::new("/bin/true").spawn().expect("/bin/true runs")
}

/// A hint as people keep them: half of them scoped.
fn hint(n: usize) -> Value {
    let scope = match n % 4 {
        0 => json!({ "os": ["linux"], "branch": ["main", "release/*"] }),
        1 => json!({ "cwd_glob": ["/work/**", "**/project"] }),
        _ => json!({}),
    };
    json!({
        "value": { "type": "command", "shell": "bash", "cmd": format!("make rebuild-{n} TARGET=component-{}", n % 50) },
        "meta": { "tags": ["build", format!("tag-{}", n % 30)], "priority": n % 10 + 1, "scope": scope },
        "version": 1, "created_at": "2026-11-01T00:00:00Z", "updated_at": "2026-11-01T00:00:00Z",
    })
}

struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Sends a request, and waits for the whole answer.
    fn time(&mut self, request: &[u8]) -> Duration {
        let start = Instant::now();
        self.stream.get_mut().write_all(request).expect("the server reads");
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("the server answers");
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        let mut length = 0;
        loop {
            line.clear();
            self.stream.read_line(&mut line).expect("a header");
            if line == "\r\n" {
                break;
            }
            let (name, value) = line.split_once(':').expect("a header");
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("a body");
        let taken = start.elapsed();
        assert!(
            length > 0 && !body.windows(9).any(|part| part == b"\"error\":{"),
            "{}",
            String::from_utf8_lossy(&body)
        );
        taken
    }
}
