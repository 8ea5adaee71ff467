//! A run that is killed at any moment continues: nothing is missing, twice, or left out of the index.

#![expect(clippy::print_stdout, reason = "a failure shows the seed and the moments that led to it")]

use std::fs;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::scene::{at, write};
use super::{Transcript, backfill, database, rows};
use crate::sandbox::Sandbox;

/// This many runs are killed while they work.
const KILLS: usize = 8;
/// A run may be faster than the one that was measured; then the history is read again from the beginning.
const MAX_RUNS: usize = 60;

#[test]
fn a_killed_run_continues_and_nothing_is_twice_or_missing() {
    let (expected, took) = {
        let sandbox = Sandbox::new();
        history(&sandbox);
        let start = Instant::now();
        backfill(&sandbox);
        (rows(&sandbox), start.elapsed())
    };
    // Another one each time; a failure prints it, and NUDGE_TEST_SEED repeats it.
    let seed = std::env::var("NUDGE_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock");
    let mut random = Random(seed.unwrap_or(u64::from(clock.subsec_nanos())));
    println!("NUDGE_TEST_SEED={} of a run of {took:?}", random.0);
    let mut sandbox = Sandbox::new();
    history(&sandbox);
    let (mut kills, mut states) = (0, Vec::new());
    for _ in 0..MAX_RUNS {
        // Most of the first fifth is the start of the program.
        let moment = took.mul_f64(0.2 + 0.9 * random.part());
        if is_killed_at(&sandbox, moment) {
            kills += 1;
            let stored = if sandbox.data_folder().join("nudge.db").exists() { count(&sandbox) } else { 0 };
            println!("killed after {moment:?}: {stored} of {} rows", expected.len());
            states.push(stored);
            if kills == KILLS {
                break;
            }
        } else {
            check(&sandbox, &expected);
            sandbox = Sandbox::new();
            history(&sandbox);
        }
    }
    assert_eq!(kills, KILLS, "the runs were too fast to be killed: {states:?}");
    backfill(&sandbox);
    check(&sandbox, &expected);
}

fn check(sandbox: &Sandbox, expected: &[String]) {
    let found = rows(sandbox);
    assert_eq!(found.len(), expected.len());
    assert_eq!(found, expected);
    let database = database(sandbox);
    let sound: String =
        database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("an answer");
    assert_eq!(sound, "ok");
    // The index has the words of every row, and no others.
    let compare = "INSERT INTO observations_fts (observations_fts, rank) VALUES ('integrity-check', 1)";
    database.execute(compare, []).expect("an index that fits");
}

/// Starts a run and kills it; returns whether it was still at work.
fn is_killed_at(sandbox: &Sandbox, moment: Duration) -> bool {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    let mut child = command.arg("backfill").spawn().expect("the program starts");
    std::thread::sleep(moment);
    child.kill().expect("a signal");
    !child.wait().expect("an end").success()
}

fn count(sandbox: &Sandbox) -> usize {
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'observations'";
    let number = |sql: &str| database(sandbox).query_row(sql, [], |row| row.get(0)).expect("a number");
    if number(tables) == 0 { 0 } else { number("SELECT count(*) FROM observations") }
}

struct Random(u64);

impl Random {
    /// Returns a number between 0 and 1.
    fn part(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1_u64 << 24) as f64
    }
}

/// Writes what is stored in several transactions: sessions of this week, older ones, and those of another agent.
fn history(sandbox: &Sandbox) {
    const NAMES: [&str; 8] = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"];
    for (index, name) in NAMES.into_iter().enumerate() {
        let is_old = index % 2 == 1;
        let mut transcript = Transcript::of(sandbox, name);
        transcript.second += 5_000 * index as u64;
        if is_old {
            transcript.second -= 20 * 86_400;
        }
        for call in 0..60 {
            let id = format!("{name}-{call}");
            transcript = transcript.runs(&id, &format!("make part-{id}"), "ok");
        }
        let path = transcript.write(sandbox);
        if is_old {
            let old = SystemTime::now() - Duration::from_secs(20 * 86_400);
            let file = fs::File::options().append(true).open(path).expect("a file");
            file.set_modified(old).expect("a time");
        }
    }
    let line = |second: u64, kind: &str, payload: Value| json!({ "timestamp": at(second), "type": kind, "payload": payload });
    let meta =
        json!({ "id": "c1", "cwd": sandbox.path(""), "cli_version": "1.0.0", "history_mode": "paginated" });
    let mut codex = vec![line(0, "session_meta", meta)];
    for call in 0..60 {
        let item = json!({ "type": "CommandExecution", "id": format!("c-{call}"),
            "command": ["bash", "-lc", format!("make codex-{call}")], "aggregated_output": "ok", "exit_code": 0 });
        let done = json!({ "type": "item_completed", "turn_id": "t", "item": item });
        codex.push(line(call + 1, "event_msg", done));
    }
    write(sandbox, "home/.codex/sessions/2026/01/01/rollout-1-c1.jsonl", &codex);
}
