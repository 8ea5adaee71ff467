//! How long an agent waits for nudge: the whole hook process, as a ratio to spawning `/bin/true` in the same run.
//!
//! `cargo bench --bench hook` builds what users get (`scripts/dist`) and prints a table. The runs of all cases are
//! interleaved, and medians compared, so that a noisy machine disturbs all of them alike.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark times and prints"
)]

mod timing;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use timing::{dist, median, millis, run_true};

struct Case {
    name: &'static str,
    /// The maximum ratio.
    limit: f64,
    rules: usize,
    /// One rule in this many is for this event's tool and file.
    one_in: usize,
    payload: Vec<u8>,
    rounds: usize,
    /// The four packs that `nudge init` switches on are used too.
    packs: bool,
}

/// A hook with the four packs takes at most this many times as long as without them.
const MAX_FOR_PACKS: f64 = 1.3;

fn main() {
    let program = dist();
    let root = tempfile::tempdir().expect("a temporary folder");
    let cases = [
        case("10 rules, Write of 1 KB", 2.5, 10, 1, write_event(1 << 10), 400),
        case("100 rules, Write of 1 KB", 3.0, 100, 1, write_event(1 << 10), 400),
        case("1,000 rules, Write of 1 KB", 6.0, 1_000, 10, write_event(1 << 10), 400),
        case("100 rules, Write of 5 MB", 40.0, 100, 1, write_event(5 << 20), 60),
        case("100 rules, Write of 20 KB", f64::INFINITY, 100, 1, write_event(20 << 10), 400),
        case("100 rules, Bash", f64::INFINITY, 100, 1, bash_event(), 400),
        case("no rules", f64::INFINITY, 0, 1, write_event(1 << 10), 400),
        case("10 rules, Bash", f64::INFINITY, 10, 1, bash_event(), 400),
        with_packs(case("10 rules and packs, Bash", f64::INFINITY, 10, 1, bash_event(), 400)),
        with_packs(case("100 rules and packs, Bash", f64::INFINITY, 100, 1, bash_event(), 400)),
        with_packs(case("10 rules and packs, Write", f64::INFINITY, 10, 1, write_event(1 << 10), 400)),
        with_packs(case("100 rules and packs, Write", f64::INFINITY, 100, 1, write_event(1 << 10), 400)),
    ];
    let homes: Vec<PathBuf> =
        cases.iter().enumerate().map(|(n, case)| set_up(root.path(), n, case)).collect();
    // The first run of each creates the cache.
    for (case, home) in cases.iter().zip(&homes) {
        assert_eq!(
            run(&program, home, &case.payload).1,
            "",
            "a rule fired, or the hook had something to say"
        );
    }
    let mut base = Vec::new();
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); cases.len()];
    for round in 0..cases.iter().map(|case| case.rounds).max().unwrap_or(0) {
        base.push(run_true());
        for (n, case) in cases.iter().enumerate().filter(|(_, case)| round < case.rounds) {
            times[n].push(run(&program, &homes[n], &case.payload).0);
        }
    }
    let one = median(&mut base);
    println!("spawning /bin/true: {:.3} ms (median of {})\n", millis(one), base.len());
    println!("{:<28} {:>9} {:>9} {:>8} {:>8}", "case", "median", "p95", "ratio", "limit");
    let mut over = false;
    for (case, times) in cases.iter().zip(&mut times) {
        let middle = median(times);
        let ratio = middle.as_secs_f64() / one.as_secs_f64();
        let p95 = times[times.len() * 95 / 100];
        let limit = if case.limit.is_finite() { format!("{:.1}x", case.limit) } else { "-".to_owned() };
        over |= ratio > case.limit;
        println!(
            "{:<28} {:>6.3} ms {:>6.3} ms {:>7.2}x {limit:>8}",
            case.name,
            millis(middle),
            millis(p95),
            ratio
        );
    }
    let of = |name: &str| cases.iter().position(|case| case.name == name).expect("a case of this name");
    for (without, with) in [
        ("10 rules, Bash", "10 rules and packs, Bash"),
        ("100 rules, Bash", "100 rules and packs, Bash"),
        ("10 rules, Write of 1 KB", "10 rules and packs, Write"),
        ("100 rules, Write of 1 KB", "100 rules and packs, Write"),
    ] {
        let ratio =
            median(&mut times[of(with)]).as_secs_f64() / median(&mut times[of(without)]).as_secs_f64();
        over |= ratio > MAX_FOR_PACKS;
        println!("{with}: {ratio:.2}x of {without}, limit {MAX_FOR_PACKS}x");
    }
    if over {
        eprintln!("\nover the limit");
        std::process::exit(1);
    }
}

fn case(
    name: &'static str,
    limit: f64,
    rules: usize,
    one_in: usize,
    payload: Vec<u8>,
    rounds: usize,
) -> Case {
    Case { name, limit, rules, one_in, payload, rounds, packs: false }
}

fn with_packs(case: Case) -> Case {
    Case { packs: true, ..case }
}

fn set_up(root: &Path, number: usize, case: &Case) -> PathBuf {
    let home = root.join(number.to_string());
    fs::create_dir_all(home.join("project/.git")).expect("a project");
    if case.rules > 0 {
        let path = home.join("project/.nudge.yaml");
        let packs = if case.packs { "packs: [git, files, secrets, self]\n" } else { "" };
        fs::write(&path, format!("{packs}{}", rules(case.rules, case.one_in))).expect("a rule file");
        // A file that has just changed is not cached yet.
        let old = SystemTime::now() - Duration::from_secs(3600);
        fs::File::options()
            .append(true)
            .open(&path)
            .and_then(|file| file.set_modified(old))
            .expect("an old file");
    }
    home
}

/// Rules as people write them: some plain texts, most with a bit of regex; four in a hundred get past their literals.
fn rules(count: usize, one_in: usize) -> String {
    let mut text = String::from("version: 1\nrules:\n");
    for n in 0..count {
        let (tool, file) = match n % one_in {
            0 => ("Write|Edit", "**/*.ts"),
            k if k % 2 == 0 => ("Bash", "**/*.ts"),
            _ => ("Write|Edit", "src/**/*.py"),
        };
        let pattern = match n % 25 {
            0 => format!("export\\\\s+default\\\\s+forbidden{n}"),
            k if k % 3 == 0 => format!("legacyCall{n}"),
            k if k % 3 == 1 => format!("\\\\bunsafeThing{n}\\\\s*\\\\("),
            _ => format!("(debug|trace)Helper{n}\\\\.\\\\w+"),
        };
        text.push_str(&format!(
            "  - name: rule-{n}\n    on: {{ hook: PreToolUse, tool: \"{tool}\", file: \"{file}\" }}\n    \
             match: {{ content: \"{pattern}\" }}\n    action: interrupt\n    message: \"no: {{{{ lines }}}}\"\n"
        ));
    }
    text
}

fn write_event(size: usize) -> Vec<u8> {
    let lines = "export default function handler(request: Request): Response {\n  const body = request.json();\n  \
                 return new Response(JSON.stringify({ ok: true, body }));\n}\n\n";
    let content: String = lines.chars().cycle().take(size).collect();
    event("Write", &serde_json::json!({ "file_path": "{PROJECT}/src/handler.ts", "content": content }))
}

fn bash_event() -> Vec<u8> {
    event("Bash", &serde_json::json!({ "command": "cargo test --all-targets 2>&1 | tail -20" }))
}

fn event(tool: &str, input: &serde_json::Value) -> Vec<u8> {
    let event = serde_json::json!({
        "session_id": "5c4b0a52-7d3e-4f2b-9d63-0d7c6f1f2a10", "cwd": "{PROJECT}", "hook_event_name": "PreToolUse",
        "transcript_path": "/tmp/none.jsonl", "permission_mode": "acceptEdits",
        "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
    });
    event.to_string().into_bytes()
}

fn run(program: &Path, home: &Path, payload: &[u8]) -> (Duration, String) {
    let project = home.join("project");
    let payload = String::from_utf8_lossy(payload).replace("{PROJECT}", &project.display().to_string());
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(["hook", "--harness", "claude-code"])
        .env_clear()
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the hook starts");
    child.stdin.take().expect("a pipe").write_all(payload.as_bytes()).expect("the hook reads");
    let output = child.wait_with_output().expect("the hook ends");
    (start.elapsed(), String::from_utf8_lossy(&output.stdout).into_owned())
}
