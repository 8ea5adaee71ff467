//! Two clones and three worktrees, twenty writers, processes killed at seeded moments: nothing is lost, nothing is there
//! twice, and after the merge both clones' cycles are there.
//!
//! `NUDGE_PROOF_ROUNDS` asks for more rounds, each with another seed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use super::worktrees::nudge_in;
use crate::repository::{commit_all, git, git_in, repository};
use crate::sandbox::Sandbox;

const WRITERS: usize = 20;
const TASKS_EACH: usize = 3;

#[test]
#[expect(clippy::disallowed_methods, reason = "more rounds are asked for by hand")]
fn nothing_is_lost_and_nothing_is_there_twice() {
    let rounds = std::env::var("NUDGE_PROOF_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1);
    for seed in 1..=rounds {
        round(seed);
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

fn round(seed: u64) {
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
    let acknowledged: Vec<String> = std::thread::scope(|scope| {
        let writer = |number: usize| {
            let (sandbox, folder) = (&sandbox, &folders[number % folders.len()]);
            scope.spawn(move || write(sandbox, folder, (number, seed)))
        };
        let writers: Vec<_> = (0..WRITERS).map(writer).collect();
        writers.into_iter().flat_map(|writer| writer.join().expect("it ends")).collect()
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
    assert_complete(&sandbox, &acknowledged, seed);
}

/// Adds tasks, closes cycles, and is sometimes killed; returns the titles that were acknowledged.
fn write(sandbox: &Sandbox, folder: &Path, (number, seed): (usize, u64)) -> Vec<String> {
    let mut moments = Moments(seed * 1_000 + number as u64);
    let mut acknowledged = Vec::new();
    for task in 0..TASKS_EACH {
        let title = format!("writer {number} task {task}");
        if nudge_in(sandbox, folder, &["task", "add", &title]).code == Some(0) {
            acknowledged.push(title);
        }
        let choice = if moments.next(2) == 0 { "--drop" } else { "--carry" };
        if moments.next(3) == 0 {
            kill_during(sandbox, folder, &["task", "close", choice], moments.next(12));
        }
        if moments.next(4) == 0 {
            let title = format!("killed {number} task {task}");
            kill_during(sandbox, folder, &["task", "add", &title], moments.next(12));
        }
    }
    acknowledged
}

/// Starts a command and ends it with `kill -9` after some milliseconds, wherever it is then.
fn kill_during(sandbox: &Sandbox, folder: &Path, args: &[&str], milliseconds: u64) {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    command.args(args).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    std::thread::sleep(Duration::from_millis(milliseconds));
    drop(child.kill());
    child.wait().expect("it ends");
}

fn assert_complete(sandbox: &Sandbox, acknowledged: &[String], seed: u64) {
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
}
