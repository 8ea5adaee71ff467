//! What `.nexus/` costs: the whole hook in a project that has it, as a ratio to the same hook in one without it.
//!
//! `cargo bench --bench nexus` builds what users get and prints a table. The project has 50 notes, 200 tasks, a plan and
//! a history of 500 cycles. Runs are interleaved, and medians compared.

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

use serde_json::{Value, json};

use timing::{dist, median, millis};

const ROUNDS: usize = 300;
/// The maximum ratio for events that happen all the time.
const LIMIT: f64 = 1.5;
/// Events that change a file under the lock happen once per subagent or note, and are as slow as the disk.
const RARE: f64 = f64::INFINITY;

fn main() {
    let program = dist();
    let root = tempfile::tempdir().expect("a temporary folder");
    let (without, with) = (home(root.path(), "without"), home(root.path(), "with"));
    furnish(&with.join("project/.nexus"));
    let cases: [(&str, f64, Value); 9] = [
        ("PreToolUse, Write", LIMIT, tool("PreToolUse", "Write", "src/a.rs")),
        ("PreToolUse, Write of an engineer", LIMIT, of_agent(tool("PreToolUse", "Write", "src/a.rs"))),
        ("PostToolUse, Write", LIMIT, tool("PostToolUse", "Write", "src/a.rs")),
        ("PostToolUse, Read", LIMIT, tool("PostToolUse", "Read", "src/a.rs")),
        ("PostToolUse, Read of a note", RARE, tool("PostToolUse", "Read", ".nexus/memory/pattern-note-7.md")),
        ("UserPromptSubmit", LIMIT, event("UserPromptSubmit", &json!({ "prompt": "go on with the parser" }))),
        (
            "Stop",
            LIMIT,
            event("Stop", &json!({ "stop_hook_active": false, "last_assistant_message": "done" })),
        ),
        ("SubagentStart", RARE, of_agent(event("SubagentStart", &json!({})))),
        ("SubagentStop", RARE, of_agent(event("SubagentStop", &json!({ "last_assistant_message": "done" })))),
    ];
    let mut times = vec![(Vec::new(), Vec::new()); cases.len()];
    for round in 0..=ROUNDS {
        for ((_, _, payload), (bare, furnished)) in cases.iter().zip(&mut times) {
            let one = run(&program, &without, payload, round);
            let other = run(&program, &with, payload, round);
            // The first run of each creates the caches.
            if round > 0 {
                bare.push(one);
                furnished.push(other);
            }
        }
    }
    println!("{:<34} {:>9} {:>9} {:>7} {:>7}", "event", "without", "with", "ratio", "limit");
    let mut over = false;
    for ((name, limit, _), (bare, furnished)) in cases.iter().zip(&mut times) {
        let (bare, furnished) = (median(bare), median(furnished));
        let ratio = furnished.as_secs_f64() / bare.as_secs_f64();
        over |= ratio > *limit;
        let limit = if limit.is_finite() { format!("{limit:.1}x") } else { "-".to_owned() };
        let (bare, furnished) = (millis(bare), millis(furnished));
        println!("{name:<34} {bare:>6.3} ms {furnished:>6.3} ms {ratio:>6.2}x {limit:>7}");
    }
    if over {
        eprintln!("\nover the limit");
        std::process::exit(1);
    }
}

/// Makes a home with a project and ten rules.
fn home(root: &Path, name: &str) -> PathBuf {
    let home = root.join(name);
    fs::create_dir_all(home.join("project/.git")).expect("a project");
    fs::create_dir_all(home.join("project/src")).expect("a folder");
    fs::write(home.join("project/src/a.rs"), "fn a() {}\n").expect("a file");
    let rules: String = (0..10)
        .map(|n| {
            format!(
                "  - name: rule-{n}\n    on: {{ hook: PreToolUse, tool: Write, file: \"**/*.rs\" }}\n    \
                 match: {{ content: \"legacyCall{n}\" }}\n    action: interrupt\n    message: no\n"
            )
        })
        .collect();
    let path = home.join("project/.nudge.yaml");
    fs::write(&path, format!("version: 1\nrules:\n{rules}")).expect("a rule file");
    // A file that has just changed is not cached yet.
    let old = SystemTime::now() - Duration::from_secs(3600);
    let file = fs::File::options().append(true).open(&path).expect("the rule file");
    file.set_modified(old).expect("an old file");
    home
}

/// Fills `.nexus/` as it is after a year of work.
fn furnish(nexus: &Path) {
    for folder in ["memory", "context", "rules", "state"] {
        fs::create_dir_all(nexus.join(folder)).expect("a folder");
    }
    for n in 0..50 {
        let text = "A note about what was found out.\n".repeat(20);
        fs::write(nexus.join(format!("memory/pattern-note-{n}.md")), text).expect("a note");
    }
    let task = |id: u64| {
        json!({
            "id": id, "title": format!("Task {id} with a title of some length"), "context": "Why it is to be done. ".repeat(8),
            "acceptance": "What holds when it is done. ".repeat(4), "owner": "engineer", "deps": if id > 1 { vec![id - 1] } else { vec![] },
            "status": if id < 120 { "completed" } else { "pending" }, "created_at": "2026-01-05T14:30:00.000Z",
        })
    };
    let tasks: Vec<Value> = (1..=200).map(task).collect();
    let issues: Vec<Value> = (1..=12)
        .map(|id| json!({ "id": id, "title": format!("Issue {id}"), "status": "decided", "decision": "This way." }))
        .collect();
    let plan =
        json!({ "id": 501, "topic": "A plan", "issues": issues, "created_at": "2026-01-05T14:30:00.000Z" });
    let cycles: Vec<Value> = (1..=500)
        .map(|n| json!({ "schema_version": "0.11", "completed_at": "2026-01-05T14:30:00.000Z", "branch": "main", "plan": plan, "tasks": [task(n)] }))
        .collect();
    let write = |name: &str, value: &Value| fs::write(nexus.join(name), value.to_string()).expect("a file");
    write("state/tasks.json", &json!({ "goal": "All of it", "decisions": [], "tasks": tasks }));
    write("state/plan.json", &plan);
    write("history.json", &json!({ "cycles": cycles }));
}

fn tool(hook: &str, name: &str, file: &str) -> Value {
    let input = json!({ "file_path": format!("{{PROJECT}}/{file}"), "content": "fn a() {}\n".repeat(100) });
    event(hook, &json!({ "tool_name": name, "tool_input": input, "tool_response": { "success": true } }))
}

fn of_agent(mut payload: Value) -> Value {
    payload["agent_id"] = "{AGENT}".into();
    payload["agent_type"] = "engineer".into();
    payload
}

fn event(hook: &str, more: &Value) -> Value {
    let mut payload = json!({ "session_id": "5c4b0a52", "cwd": "{PROJECT}", "hook_event_name": hook, "tool_use_id": "{ID}" });
    more.as_object().into_iter().flatten().for_each(|(key, value)| payload[key] = value.clone());
    payload
}

fn run(program: &Path, home: &Path, payload: &Value, round: usize) -> Duration {
    let project = home.join("project").display().to_string();
    // Twenty agents come and go, as in a long session.
    let agent = format!("agent-{}", round % 20);
    let payload = payload.to_string();
    let payload = payload
        .replace("{PROJECT}", &project)
        .replace("{AGENT}", &agent)
        .replace("{ID}", &format!("t{round}"));
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
    child.wait_with_output().expect("the hook ends");
    start.elapsed()
}
