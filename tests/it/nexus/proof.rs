//! Two clones and three worktrees, twenty writers, processes killed at seeded moments: nothing is lost, nothing is there
//! twice, and after the merge both clones' cycles are there.
//!
//! `NUDGE_PROOF_ROUNDS` asks for more rounds, each with another seed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::worktrees::nudge_in;
use crate::repository::{commit_all, git, git_in, repository};
use crate::sandbox::Sandbox;

const WRITERS: usize = 20;
const TASKS_EACH: usize = 3;

#[test]
#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "more rounds are asked for by hand")]
fn nothing_is_lost_and_nothing_is_there_twice() {
    let rounds = std::env::var("NUDGE_PROOF_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1);
    for seed in 1..=rounds {
        let (killed, there) = round(seed);
        println!(
            "seed {seed}: {killed} commands that add a task were killed, {there} of the tasks are there"
        );
    }
}

/// A generator of moments; the same seed gives the same ones.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// The titles of tasks that a writer added.
#[derive(Default)]
struct Written {
    acknowledged: Vec<String>,
    /// Their commands were killed, so they are there or not.
    killed: Vec<String>,
}

/// Returns how many commands were killed that added a task, and how many of the tasks are there.
fn round(seed: u64) -> (usize, usize) {
    let sandbox = repository();
    sandbox.run(["init", "--no-rules"]).code(0);
    commit_all(&sandbox, "nexus");
    let clone = sandbox.beside("clone");
    git(&sandbox, "", &["clone", "-q", ".", clone.to_str().expect("UTF-8")]);
    nudge_in(&sandbox, &clone, &["init", "--no-rules"]).code(0);
    let trees: Vec<PathBuf> = (1..=3).map(|number| sandbox.beside(&format!("tree{number}"))).collect();
    for (number, tree) in trees.iter().enumerate() {
        let branch = format!("branch{number}");
        git(&sandbox, "", &["worktree", "add", "-q", tree.to_str().expect("UTF-8"), "-b", &branch]);
    }
    let folders: Vec<PathBuf> = trees.into_iter().chain([sandbox.path(""), clone.clone()]).collect();
    let written: Vec<Written> = std::thread::scope(|scope| {
        let writer = |number: usize| {
            let (sandbox, folder) = (&sandbox, &folders[number % folders.len()]);
            scope.spawn(move || write(sandbox, folder, (number, seed)))
        };
        let writers: Vec<_> = (0..WRITERS).map(writer).collect();
        writers.into_iter().map(|writer| writer.join().expect("it ends")).collect()
    });
    // What is left open is closed, the branches are merged, and then the clones.
    for folder in [sandbox.path(""), clone.clone()] {
        if nudge_in(&sandbox, &folder, &["task", "--json"]).json()["exists"] != false {
            nudge_in(&sandbox, &folder, &["task", "close", "--drop"]).code(0);
        }
    }
    for folder in &folders {
        git_in(&sandbox, folder, &["add", "-A"]);
        git_in(&sandbox, folder, &["commit", "-q", "--allow-empty", "-m", "cycles"]);
    }
    for branch in ["branch0", "branch1", "branch2"] {
        git(&sandbox, "", &["merge", "-q", "--no-edit", branch]);
    }
    git(&sandbox, "", &["pull", "-q", "--no-rebase", "--no-edit", clone.to_str().expect("UTF-8"), "main"]);
    let checked = sandbox.run(["nexus", "check"]);
    assert_eq!(checked.code, Some(0), "seed {seed}: {}", checked.stdout);
    let acknowledged: Vec<&String> = written.iter().flat_map(|one| &one.acknowledged).collect();
    let killed: Vec<&String> = written.iter().flat_map(|one| &one.killed).collect();
    (killed.len(), assert_complete(&sandbox, &acknowledged, &killed, seed))
}

/// Adds tasks, closes cycles, and is sometimes killed.
#[expect(clippy::disallowed_methods, reason = "a moment to kill at is a part of a measured duration")]
fn write(sandbox: &Sandbox, folder: &Path, (number, seed): (usize, u64)) -> Written {
    let mut moments = Moments(seed * 1_000 + number as u64);
    let mut written = Written::default();
    for task in 0..TASKS_EACH {
        let title = format!("writer {number} task {task}");
        let started = Instant::now();
        if nudge_in(sandbox, folder, &["task", "add", &title]).code == Some(0) {
            written.acknowledged.push(title);
        }
        // What a whole command takes now, with all others at work: a kill comes at any moment of that, or just after.
        let whole = started.elapsed();
        let mut moment = || whole.mul_f64(moments.next(110) as f64 / 100.0);
        let (close_at, add_at) = (moment(), moment());
        let choice = if moments.next(2) == 0 { "--drop" } else { "--carry" };
        if moments.next(3) == 0 {
            kill_during(sandbox, folder, &["task", "close", choice], close_at);
        }
        if moments.next(4) == 0 {
            let title = format!("killed {number} task {task}");
            kill_during(sandbox, folder, &["task", "add", &title], add_at);
            written.killed.push(title);
        }
    }
    written
}

/// Starts a command and ends it with `kill -9` after a while, wherever it is then.
fn kill_during(sandbox: &Sandbox, folder: &Path, args: &[&str], after: Duration) {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    command.args(args).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    std::thread::sleep(after);
    drop(child.kill());
    child.wait().expect("it ends");
}

/// Returns how many of the killed commands had written their task.
fn assert_complete(sandbox: &Sandbox, acknowledged: &[&String], killed: &[&String], seed: u64) -> usize {
    let text = std::fs::read_to_string(sandbox.path(".nexus/history.json")).expect("a history");
    let history: Value = serde_json::from_str(&text).expect("a whole file");
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    let cycles = history["cycles"].as_array().expect("cycles");
    for task in cycles.iter().flat_map(|cycle| cycle["tasks"].as_array().expect("tasks")) {
        *found.entry(task["title"].as_str().expect("a title")).or_default() += 1;
    }
    for title in acknowledged {
        assert_eq!(found.get(title.as_str()), Some(&1), "seed {seed}: {title}");
    }
    let twice: Vec<_> = found.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "seed {seed}: {twice:?}");
    assert_eq!(acknowledged.len(), WRITERS * TASKS_EACH, "seed {seed}: every writer was answered");
    let mut times: Vec<String> =
        cycles.iter().map(|cycle| format!("{} {}", cycle["completed_at"], cycle["branch"])).collect();
    times.sort();
    times.dedup();
    assert_eq!(times.len(), cycles.len(), "seed {seed}: no cycle is there twice");
    killed.iter().filter(|title| found.contains_key(title.as_str())).count()
}
