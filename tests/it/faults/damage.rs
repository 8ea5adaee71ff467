//! The memory when reads fail, files are damaged, and many processes meet both at once: no row is ever lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use super::{event, rounds, run_traced};
use crate::sandbox::Sandbox;

const HOOK: [&str; 3] = ["hook", "--harness", "claude-code"];
const CALLS: [&str; 10] =
    ["pread64", "pwrite64", "read", "write", "openat", "fsync", "fdatasync", "ftruncate", "unlink", "rename"];
const ERRORS: [&str; 4] = ["EIO", "ENOSPC", "EMFILE", "EACCES"];

fn database(sandbox: &Sandbox) -> PathBuf {
    sandbox.data_folder().join("nudge.db")
}

fn hook(sandbox: &Sandbox, name: &str, more: serde_json::Value) {
    sandbox.hook_bytes("claude-code", &event(sandbox, "s", name, more));
}

/// Sends an event that is remembered.
fn run(sandbox: &Sandbox, number: usize) {
    let bash = json!({
        "tool_name": "Bash", "tool_input": { "command": format!("echo number-{number}") },
        "tool_use_id": format!("t{number}"), "tool_response": { "stdout": "" },
    });
    hook(sandbox, "PostToolUse", bash);
}

/// Returns a sandbox that remembers this many commands.
fn filled(rows: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    (0..rows).for_each(|number| run(&sandbox, number));
    hook(&sandbox, "Stop", json!({}));
    assert_eq!(live(&sandbox), rows);
    sandbox
}

/// Counts the rows of the live memory.
fn live(sandbox: &Sandbox) -> usize {
    count(&database(sandbox)).expect("a database")
}

fn count(path: &Path) -> rusqlite::Result<usize> {
    // A connection that may write would empty the log when it is closed.
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.query_row("SELECT count(*) FROM observations", [], |row| row.get(0))
}

fn damaged(sandbox: &Sandbox) -> Vec<PathBuf> {
    let entries = fs::read_dir(sandbox.data_folder()).expect("a folder").flatten();
    let is_database = |path: &PathBuf| {
        let name = path.to_string_lossy().into_owned();
        name.contains("nudge.db.damaged-") && !name.ends_with("-wal") && !name.ends_with("-shm")
    };
    entries.map(|entry| entry.path()).filter(is_database).collect()
}

/// Returns which of these points are tried: all by hand, some in CI.
fn sample(points: usize, in_ci: usize) -> impl Iterator<Item = usize> {
    (1..=points).step_by(points.div_ceil(rounds(in_ci)).max(1))
}

fn calls(sandbox: &Sandbox, call: &str, log: &Path) -> usize {
    run_traced(sandbox, &HOOK, &event(sandbox, "s", "Stop", json!({})), (call, None), log);
    fs::read_to_string(log)
        .expect("a trace")
        .lines()
        .filter(|line| line.contains(&format!("{call}(")))
        .count()
}

#[test]
#[ignore = "needs strace; .ci/run runs it"]
fn a_failing_read_leaves_the_memory_where_it_is() {
    let sandbox = filled(20);
    let log = sandbox.beside("trace");
    let mut rows = 20;
    run(&sandbox, rows);
    let points = calls(&sandbox, "pread64", &log);
    rows += 1;
    for (point, how) in sample(points + 8, 6).flat_map(|point| ["", "+", "+2", "+3"].map(|how| (point, how)))
    {
        run(&sandbox, rows);
        rows += 1;
        let inject = format!("pread64:error=EIO:when={point}{how}");
        let stop = event(&sandbox, "s", "Stop", json!({}));
        run_traced(&sandbox, &HOOK, &stop, ("pread64", Some(&inject)), &log);
        assert!(live(&sandbox) >= rows - 1, "{inject}: {} of {rows} rows", live(&sandbox));
        hook(&sandbox, "Stop", json!({}));
        assert_eq!((live(&sandbox), damaged(&sandbox).len()), (rows, 0), "{inject}");
    }
}

#[test]
#[ignore = "needs strace; .ci/run runs it"]
fn a_failing_call_loses_no_row() {
    let sandbox = filled(20);
    let log = sandbox.beside("trace");
    let mut rows = 20;
    for call in CALLS {
        run(&sandbox, rows);
        rows += 1;
        let points = calls(&sandbox, call, &log);
        hook(&sandbox, "Stop", json!({}));
        for (point, error) in sample(points, 2).flat_map(|point| ERRORS.map(|error| (point, error))) {
            run(&sandbox, rows);
            rows += 1;
            let inject = format!("{call}:error={error}:when={point}");
            let stop = event(&sandbox, "s", "Stop", json!({}));
            run_traced(&sandbox, &HOOK, &stop, (call, Some(&inject)), &log);
            hook(&sandbox, "Stop", json!({}));
            assert_eq!((live(&sandbox), damaged(&sandbox).len()), (rows, 0), "{inject}");
        }
    }
}

/// Starts a hook, under `strace` if reads are to fail.
fn start(sandbox: &Sandbox, input: &[u8], inject: Option<&str>) -> Child {
    let mut command: Command = match inject {
        Some(inject) => {
            let mut command = sandbox.command("strace");
            command.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=pread64"]);
            command.args(["-e", &format!("inject={inject}")]).arg(env!("CARGO_BIN_EXE_nudge"));
            command
        }
        None => sandbox.command(env!("CARGO_BIN_EXE_nudge")),
    };
    let piped = command.args(HOOK).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = piped.spawn().expect("it starts");
    drop(std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), input));
    child
}

#[test]
#[ignore = "needs strace; .ci/run runs it"]
fn failing_readers_beside_healthy_ones_lose_no_row() {
    for round in 0..rounds(2) {
        let sandbox = filled(40);
        run(&sandbox, 100);
        let stop = event(&sandbox, "s", "Stop", json!({}));
        let inject = format!("pread64:error=EIO:when={}+", 2 + round % 8);
        let failing = (0..6).map(|_| start(&sandbox, &stop, Some(&inject)));
        let healthy = (0..4).map(|_| start(&sandbox, &stop, None));
        let all: Vec<Child> = failing.collect::<Vec<_>>().into_iter().chain(healthy).collect();
        all.into_iter().for_each(|mut child| drop(child.wait()));
        hook(&sandbox, "Stop", json!({}));
        assert_eq!((live(&sandbox), damaged(&sandbox).len()), (41, 0), "round {round}");
    }
}

#[test]
fn hooks_that_meet_at_a_damaged_file_keep_it() {
    for round in 0..rounds(3) {
        let sandbox = filled(30);
        hook(&sandbox, "SessionEnd", json!({}));
        let rows = live(&sandbox);
        let mut bytes = fs::read(database(&sandbox)).expect("a database");
        // The header, or the middle of the file.
        let from = if round % 2 == 0 { 0 } else { 4096 * 2 };
        bytes[from..from + 2_000].fill(0xa5);
        fs::write(database(&sandbox), &bytes).expect("a damaged file");
        run(&sandbox, 100);
        let stop = event(&sandbox, "s", "Stop", json!({}));
        let all: Vec<Child> = (0..12).map(|_| start(&sandbox, &stop, None)).collect();
        all.into_iter().for_each(|mut child| drop(child.wait()));
        hook(&sandbox, "Stop", json!({}));
        let kept = damaged(&sandbox);
        assert_eq!(kept.len(), 1, "round {round}: {kept:?}");
        assert!(fs::read(&kept[0]).expect("a file") == bytes, "round {round}: the original has changed");
        sandbox.run(["doctor", "--fix"]).code(0);
        assert_eq!(live(&sandbox), rows + 1, "round {round}");
    }
}

#[test]
fn flipped_bits_lose_no_row_that_can_be_read() {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).expect("small")
    };
    let (mut rows, mut found) = (0, 0);
    for round in 0..rounds(8) {
        let sandbox = filled(40);
        let in_log = round % 2 == 1;
        if !in_log {
            hook(&sandbox, "SessionEnd", json!({}));
        }
        let before = live(&sandbox);
        let file = sandbox.data_folder().join(if in_log { "nudge.db-wal" } else { "nudge.db" });
        let mut bytes = fs::read(&file).expect("a file");
        for _ in 0..=random(4) {
            let at = random(bytes.len());
            bytes[at] ^= 1 << random(8);
        }
        fs::write(&file, &bytes).expect("a damaged file");
        drop(fs::remove_file(sandbox.data_folder().join("nudge.db-shm")));
        run(&sandbox, 100);
        hook(&sandbox, "Stop", json!({}));
        hook(&sandbox, "SessionStart", json!({ "source": "startup" }));
        sandbox.run(["doctor", "--fix"]);
        let connection = Connection::open(database(&sandbox)).expect("a database");
        let newest: i64 = connection
            .query_row("SELECT count(*) FROM observations WHERE content LIKE '%number-100%'", [], |row| {
                row.get(0)
            })
            .expect("a healthy database");
        assert_eq!(newest, 1, "round {round}: what happens after the damage is remembered");
        rows += before;
        found += live(&sandbox).saturating_sub(2).min(before);
    }
    // A flipped bit costs a row or a page of rows, not the memory.
    assert!(found * 10 >= rows * 8, "{found} of {rows}");
}
