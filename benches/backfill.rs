//! What it costs to read earlier sessions: compared with parsing the same files with `serde_json` alone, on as many
//! threads.
//!
//! `cargo bench --bench backfill` builds what users get and prints a table. `NUDGE_BENCH_SESSIONS` changes the number of
//! small sessions, `NUDGE_BENCH_MB` the size of the large ones.
//!
//! The limit is for the time on the clock. On a machine where others work, that time is theirs too: so both are measured
//! in turns and the best of a few rounds counts, the load of the machine is printed, and the time of the processors, which
//! counts only what the two do, is shown beside it.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark times and prints"
)]

mod timing;

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use timing::{dist, millis};

/// Times each of the two is measured.
const ROUNDS: usize = 3;
/// At most this many times what parsing takes, on the clock.
const MAX_RATIO: f64 = 3.0;
/// At most this much memory, whatever the history.
const MAX_MEGABYTES: u64 = 200;

fn main() {
    let program = dist();
    let number = |name: &str, default: usize| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let root = tempfile::tempdir().expect("a temporary folder");
    let mut over = false;
    println!(
        "{:<16} {:>8} {:>6} {:>10} {:>10} {:>7} {:>9} {:>9} {:>7} {:>8} {:>7}",
        "history", "sessions", "MB", "parsing", "backfill", "ratio", "CPU", "CPU", "ratio", "rows", "peak"
    );
    let large = Home::new(root.path(), "large", &program);
    large.fill(16, number("NUDGE_BENCH_MB", 400) / 16);
    over |= large.measure("long sessions");
    let huge = Home::new(root.path(), "huge", &program);
    huge.fill(1, number("NUDGE_BENCH_MB", 400) / 4);
    over |= huge.measure("one session");
    let small = Home::new(root.path(), "small", &program);
    small.fill(number("NUDGE_BENCH_SESSIONS", 20_000), 0);
    over |= small.measure("short sessions");
    let start = Instant::now();
    small.nudge();
    println!("\nnothing new, {} files: {:.0} ms", small.files().len(), millis(start.elapsed()));
    println!("load of the machine: {}", fs::read_to_string("/proc/loadavg").unwrap_or_default().trim());
    if over {
        eprintln!("over the limit");
        std::process::exit(1);
    }
}

struct Home {
    path: PathBuf,
    program: PathBuf,
}

impl Home {
    fn new(root: &Path, name: &str, program: &Path) -> Home {
        let path = root.join(name);
        fs::create_dir_all(path.join(".claude/projects/-bench")).expect("a folder");
        Home { path, program: program.to_owned() }
    }

    /// Writes sessions of this many megabytes; 0 for a few records.
    fn fill(&self, sessions: usize, megabytes: usize) {
        for session in 0..sessions {
            let path = self.path.join(format!(".claude/projects/-bench/session-{session}.jsonl"));
            let mut file = BufWriter::new(fs::File::create(path).expect("a file"));
            let mut written = 0;
            for turn in 0.. {
                if turn > 0 && written >= megabytes << 20 {
                    break;
                }
                for record in turn_of(session, turn) {
                    let line = format!("{record}\n");
                    written += line.len();
                    file.write_all(line.as_bytes()).expect("room");
                }
            }
        }
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path.join(".claude/projects/-bench")).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    }

    fn measure(&self, name: &str) -> bool {
        let files = self.files();
        let bytes: u64 = files.iter().map(|file| fs::metadata(file).expect("a file").len()).sum();
        // Once, so that both read from memory.
        parse(&files);
        let [mut parsing, mut took, mut parsed, mut read] = [Duration::MAX; 4];
        let (mut peak, mut rows) = (0, 0);
        for _ in 0..ROUNDS {
            let before = cpu();
            parsing = parsing.min(parse(&files));
            let between = cpu();
            self.forget();
            let (round, round_peak, round_rows) = self.nudge();
            let after = cpu();
            (took, peak, rows) = (took.min(round), peak.max(round_peak), round_rows);
            parsed = parsed.min(between.own - before.own);
            read = read.min(after.children - between.children);
        }
        let ratio = took.as_secs_f64() / parsing.as_secs_f64();
        let cpu_ratio = read.as_secs_f64() / parsed.as_secs_f64();
        println!(
            "{name:<16} {:>8} {:>6} {:>7.0} ms {:>7.0} ms {ratio:>6.2}x {:>6.0} ms {:>6.0} ms {cpu_ratio:>6.2}x {rows:>8} {peak:>4} MB",
            files.len(),
            bytes >> 20,
            millis(parsing),
            millis(took),
            millis(parsed),
            millis(read),
        );
        peak > MAX_MEGABYTES || ratio > MAX_RATIO
    }

    /// Deletes the memory.
    fn forget(&self) {
        let folder = self.path.join(".local");
        if folder.exists() {
            fs::remove_dir_all(folder).expect("an empty home");
        }
    }

    /// Reads everything; returns the time, the peak of the memory in megabytes, and the number of stored rows.
    fn nudge(&self) -> (Duration, u64, u64) {
        let start = Instant::now();
        let mut child = Command::new(&self.program)
            .args(["backfill", "--json"])
            .env_clear()
            .env("HOME", &self.path)
            .current_dir(&self.path)
            .stdout(Stdio::piped())
            .spawn()
            .expect("nudge runs");
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        while child.try_wait().expect("a status").is_none() {
            peak = peak.max(peak_of(&status).unwrap_or(0));
            std::thread::sleep(Duration::from_millis(2));
        }
        let took = start.elapsed();
        let output = child.wait_with_output().expect("an end");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (took, peak >> 10, report["agents"][0]["stored"].as_u64().unwrap_or(0))
    }
}

/// How long the processors have worked for this process, and for those that it has started and that have ended.
struct Cpu {
    own: Duration,
    children: Duration,
}

fn cpu() -> Cpu {
    let text = fs::read_to_string("/proc/self/stat").expect("Linux");
    // The name of the program, which is in brackets, may contain spaces.
    let fields: Vec<&str> = text[text.rfind(')').expect("a name") + 2..].split(' ').collect();
    // A tick is a hundredth of a second on every Linux.
    let ticks = |index: usize| Duration::from_millis(10 * fields[index].parse::<u64>().expect("a number"));
    Cpu { own: ticks(11) + ticks(12), children: ticks(13) + ticks(14) }
}

/// Returns the most memory that a process has used so far, in kilobytes.
fn peak_of(status: &str) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().split(' ').next()?.parse().ok()
}

/// Parses every line of all files, on all cores.
fn parse(files: &[PathBuf]) -> Duration {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let bytes = fs::read(file).expect("a file");
                    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                        std::hint::black_box(serde_json::from_slice::<Value>(line).expect("JSON"));
                    }
                }
            });
        }
    });
    start.elapsed()
}

/// The records of one turn: what people see in their transcripts, about sixty observations for each megabyte.
fn turn_of(session: usize, turn: usize) -> Vec<Value> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_secs();
    let name = format!("session-{session}");
    let base = (now - 20 * 86_400) * 1_000 + (session as u64 % 1_000) * 900_000 + turn as u64 * 5_000;
    let (prompt_id, mut records) = (format!("{name}-p{turn}"), Vec::new());
    let mut add = |kind: &str, fields: Value| {
        let mut record = json!({
            "type": kind,
            "uuid": format!("{name}-{turn}-{}", records.len()),
            "timestamp": format!("{}", base + records.len() as u64),
            "sessionId": name,
            "cwd": "/home/dev/shop",
            "version": "2.1.325",
            "gitBranch": "main",
            "promptId": prompt_id,
        });
        for (name, value) in fields.as_object().expect("fields") {
            record[name] = value.clone();
        }
        records.push(record);
    };
    let words = "the cart adds tax to every item and the check passes ".repeat(20);
    add(
        "user",
        json!({ "message": { "role": "user", "content": format!("turn {turn}: make the cart add tax") } }),
    );
    for call in 0..4 {
        let id = format!("{name}-{turn}-{call}");
        let (tool, input, output) = match call {
            0 => ("Bash", json!({ "command": format!("cargo test part_{turn}") }), words.repeat(4)),
            1 => ("Read", json!({ "file_path": format!("/home/dev/shop/src/a{turn}.rs") }), words.repeat(10)),
            2 => (
                "Edit",
                json!({ "file_path": format!("/home/dev/shop/src/a{turn}.rs"), "old_string": words, "new_string": words.replace("tax", "toll") }),
                "updated".to_owned(),
            ),
            _ => (
                "Bash",
                json!({ "command": "sh check.sh" }),
                "Exit code 4\nerror: no such table: users".to_owned(),
            ),
        };
        let part = json!({ "type": "tool_use", "id": id, "name": tool, "input": input });
        add("assistant", json!({ "message": { "id": format!("m-{id}"), "content": [part] } }));
        for _ in 0..3 {
            add(
                "progress",
                json!({ "data": { "type": "agent_progress", "message": { "role": "user", "content": words.repeat(3) } } }),
            );
        }
        let result =
            json!({ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": call == 3 });
        let beside = if call == 3 {
            json!(format!("Error: {output}"))
        } else {
            json!({ "stdout": output, "stderr": "", "originalFile": words })
        };
        add("user", json!({ "message": { "role": "user", "content": [result] }, "toolUseResult": beside }));
    }
    let text = json!([{ "type": "text", "text": format!("Turn {turn} is done: {words}") }]);
    add(
        "assistant",
        json!({ "message": { "id": format!("m-{name}-{turn}"), "content": text, "stop_reason": "end_turn" } }),
    );
    records
}
