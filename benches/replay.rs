//! What it costs to try rules on the past: 100,000 calls and 50 rules, compared with reading the same transcripts for a rule
//! that is for none of the calls.
//!
//! `cargo bench --bench replay` builds what users get and prints both times. They are measured in turns, and the best of a
//! few rounds counts, so that a busy machine disturbs both alike. `NUDGE_BENCH_CALLS` changes the number of calls.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark times and prints"
)]

mod timing;

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use timing::{dist, millis};

/// At most this many times what reading takes.
const MAX_RATIO: f64 = 2.0;
/// Times each of the two is measured.
const ROUNDS: usize = 5;
/// Calls of one session.
const CALLS_OF_SESSION: usize = 500;
const RULES: usize = 50;

/// Commands as agents run them.
const COMMANDS: [&str; 6] = [
    "cargo test --all-targets 2>&1 | tail -20",
    "git status && git diff --stat",
    "grep -rn 'fn main' src | wc -l",
    "cd app && pnpm install --frozen-lockfile",
    "for f in src/*.rs; do wc -l $f; done",
    "git commit -m 'fix: handle the empty list'",
];

fn main() {
    let program = dist();
    let calls = std::env::var("NUDGE_BENCH_CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let root = tempfile::tempdir().expect("a temporary folder");
    let megabytes = fill(root.path(), calls) >> 20;
    let none = "  - { name: none, on: { hook: PreToolUse, tool: NoSuchTool }, match: { content: x }, action: interrupt, message: no }\n";
    fs::write(root.path().join("none.yaml"), format!("version: 1\nrules:\n{none}")).expect("a rule file");
    fs::write(root.path().join("rules.yaml"), rules()).expect("a rule file");
    let (mut reading, mut trying) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        reading = reading.min(replay(&program, root.path(), "none.yaml", calls));
        trying = trying.min(replay(&program, root.path(), "rules.yaml", calls));
    }
    let ratio = trying.as_secs_f64() / reading.as_secs_f64();
    println!("{calls} calls in {megabytes} MB: reading {:.0} ms", millis(reading));
    println!("with {RULES} rules {:.0} ms: {ratio:.2}x, limit {MAX_RATIO}x", millis(trying));
    if ratio > MAX_RATIO {
        eprintln!("\nover the limit");
        std::process::exit(1);
    }
}

fn replay(program: &Path, home: &Path, rules: &str, calls: usize) -> Duration {
    let start = Instant::now();
    let output = Command::new(program)
        .args(["test", "--replay", "3650d", "--all", "--json", "--file"])
        .arg(home.join(rules))
        .arg("--transcripts")
        .arg(home)
        .env("HOME", home)
        .current_dir(home)
        .output()
        .expect("the replay runs");
    let elapsed = start.elapsed();
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["calls"], calls, "every call is read");
    elapsed
}

/// Writes transcripts as Claude Code does, and returns their size.
fn fill(home: &Path, calls: usize) -> u64 {
    let folder = home.join(".claude/projects/p");
    fs::create_dir_all(&folder).expect("a folder");
    for session in 0..calls.div_ceil(CALLS_OF_SESSION) {
        let id = format!("{session:08x}-0000-4000-8000-000000000000");
        let file = fs::File::create(folder.join(format!("{id}.jsonl"))).expect("a transcript");
        let mut file = BufWriter::new(file);
        for number in session * CALLS_OF_SESSION..calls.min((session + 1) * CALLS_OF_SESSION) {
            for line in lines(&id, number) {
                writeln!(file, "{line}").expect("a line");
            }
        }
    }
    let files = fs::read_dir(folder).expect("the folder");
    files.flatten().filter_map(|file| file.metadata().ok()).map(|meta| meta.len()).sum()
}

/// A call and its result.
fn lines(session: &str, number: usize) -> [Value; 2] {
    let (name, input) = match number % 5 {
        4 => {
            let content = "export default function handler() { return 1 }\n".repeat(20);
            ("Write", json!({ "file_path": "/nowhere/p/src/a.ts", "content": content }))
        }
        3 => ("Read", json!({ "file_path": "/nowhere/p/src/a.ts" })),
        _ => ("Bash", json!({ "command": COMMANDS[number % COMMANDS.len()], "description": "x" })),
    };
    let id = format!("toolu_{number:08}");
    let line = |kind: &str, content: Value| {
        json!({
            "sessionId": session, "cwd": "/nowhere/p", "version": "2.1.39", "isSidechain": false, "type": kind,
            "timestamp": format!("2026-11-{:02}T10:{:02}:00.000Z", 1 + number % 16, number % 60),
            "uuid": format!("{kind}{number}"), "message": { "role": kind, "content": [content] },
        })
    };
    let called = json!({ "type": "tool_use", "id": id, "name": name, "input": input });
    let ended =
        json!({ "type": "tool_result", "tool_use_id": id, "content": "ok\n".repeat(30), "is_error": false });
    [line("assistant", called), line("user", ended)]
}

/// Half of the rules are for commands, half for files.
fn rules() -> String {
    let mut text = "version: 1\nrules:\n".to_owned();
    for n in 0..RULES {
        let (on, matched) = if n % 2 == 0 {
            ("tool: Write, file: '**/*.ts'", format!("content: 'legacyCall{n}\\s*\\('"))
        } else {
            ("tool: Bash", format!("command: ['tool{n} push --force', 'other{n} -rf *']"))
        };
        text.push_str(&format!(
            "  - {{ name: r{n}, on: {{ hook: PreToolUse, {on} }}, match: {{ {matched} }}, action: interrupt, message: no }}\n"
        ));
    }
    text
}
