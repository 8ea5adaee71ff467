//! What it costs to exchange rows by a folder: compared with one plain import of the same rows.
//!
//! `cargo bench --bench sync` builds what users get and prints a table. `NUDGE_BENCH_ROWS` changes the number of rows. Both
//! are measured in turns, and the best of a few rounds counts.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark times and prints"
)]

mod timing;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;

use timing::{dist, millis};

/// Times each of the two is measured.
const ROUNDS: usize = 3;
/// At most this many times what an import of the same rows takes.
const MAX_RATIO: f64 = 1.5;

fn main() {
    let program = dist();
    let rows = std::env::var("NUDGE_BENCH_ROWS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let root = tempfile::tempdir().expect("a temporary folder");
    let export = root.path().join("export.jsonl");
    fs::write(&export, lines(rows)).expect("a file");
    let carried = root.path().join("carried");
    fs::create_dir(&carried).expect("a folder");
    let from = Home::new(root.path(), "from", &program);
    from.run(&["observations", "import", text(&export)]);
    let write = from.timed(&["sync", "file", text(&carried)]);
    let (mut import, mut bring) = (Duration::MAX, Duration::MAX);
    let mut idle = Duration::MAX;
    for round in 0..ROUNDS {
        let plain = Home::new(root.path(), &format!("plain{round}"), &program);
        import = import.min(plain.timed(&["observations", "import", text(&export)]));
        let folder = root.path().join(format!("carried{round}"));
        fs::create_dir(&folder).expect("a folder");
        for entry in fs::read_dir(&carried).expect("a folder") {
            let entry = entry.expect("an entry");
            fs::copy(entry.path(), folder.join(entry.file_name())).expect("a copy");
        }
        let synced = Home::new(root.path(), &format!("synced{round}"), &program);
        bring = bring.min(synced.timed(&["sync", "file", text(&folder)]));
        idle = idle.min(synced.timed(&["sync", "file", text(&folder)]));
    }
    let ratio = bring.as_secs_f64() / import.as_secs_f64();
    println!("{rows} rows");
    println!("import          {:>8.0} ms", millis(import));
    println!("bring by file   {:>8.0} ms   {ratio:.2} times an import", millis(bring));
    println!("write the file  {:>8.0} ms", millis(write));
    println!("nothing new     {:>8.0} ms", millis(idle));
    if ratio > MAX_RATIO {
        eprintln!("over the limit of {MAX_RATIO}");
        std::process::exit(1);
    }
}

/// A home of its own.
struct Home {
    folder: PathBuf,
    program: PathBuf,
}

impl Home {
    fn new(root: &Path, name: &str, program: &Path) -> Home {
        let folder = root.join(name);
        fs::create_dir(&folder).expect("a folder");
        Home { folder, program: program.to_owned() }
    }

    fn run(&self, args: &[&str]) {
        let mut command = Command::new(&self.program);
        command
            .args(args)
            .env_clear()
            .env("HOME", &self.folder)
            .env("XDG_DATA_HOME", self.folder.join("data"));
        command
            .env("XDG_CONFIG_HOME", self.folder.join("config"))
            .env("XDG_CACHE_HOME", self.folder.join("cache"));
        let status = command.current_dir(&self.folder).stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.expect("it runs").success(), "{args:?}");
    }

    fn timed(&self, args: &[&str]) -> Duration {
        let start = Instant::now();
        self.run(args);
        start.elapsed()
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Returns an export of rows such as agents leave.
fn lines(rows: usize) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let mut lines = String::new();
    for n in 0..rows {
        let command = format!("cargo test --package shop{} --test case_{n}", n % 40);
        let output =
            format!("running {n} tests in src/module_{}/file_{n}.rs with some words of output; ", n % 97);
        let row = json!({
            "timestamp": now - (rows - n) as u64, "session_id": format!("session-{}", n / 300),
            "project": format!("shop{}", n % 5), "project_root": format!("/home/me/shop{}", n % 5),
            "obs_type": "command", "source_event": "PostToolUse", "tool_name": "Bash",
            "content": format!("{command}\n{}", output.repeat(5)),
            "metadata": { "command": command, "exit_code": 0, "harness": "claude-code" },
            "event_key": format!("{:032x}", n + 1), "program": "cargo",
        });
        lines.push_str(&row.to_string());
        lines.push('\n');
    }
    lines
}
