//! `nudge setup` beside an agent that writes its own files, and killed at every step.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::{rounds, run_traced};
use crate::setup::connect::{put, sandbox, snapshot};

/// What an agent does with its own file: it reads, counts up, and writes, all the time. Returns how many of its writes
/// were there, and how many were gone at the next look.
fn write_until(is_over: &AtomicBool, path: &Path) -> (u64, Vec<u64>) {
    let (mut count, mut lost) = (0, Vec::new());
    let beside = path.with_extension("agent");
    while !is_over.load(Ordering::Relaxed) {
        let mut content: Value = serde_json::from_slice(&fs::read(path).expect("the file is always there"))
            .expect("the file is always whole");
        if content["count"] != count {
            lost.push(count);
        }
        count += 1;
        content["count"] = json!(count);
        fs::write(&beside, content.to_string()).expect("a file");
        fs::rename(&beside, path).expect("the file is replaced");
        std::thread::sleep(Duration::from_micros(1_500));
    }
    (count, lost)
}

#[test]
fn an_agent_that_writes_meanwhile_loses_nothing() {
    let sandbox = sandbox();
    let path = sandbox.beside("home/.claude.json");
    put(&path, "{\"count\": 0, \"theirs\": true}\n");
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = std::thread::spawn({
        let (path, is_over) = (path.clone(), Arc::clone(&is_over));
        move || write_until(&is_over, &path)
    });
    for _ in 0..rounds(4) {
        for args in [["setup", "claude", "--user"].as_slice(), &["setup", "claude", "--user", "--undo"]] {
            let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
            let ran = sandbox.ran(&command.args(args).output().expect("it runs"));
            let is_refused = ran.code == Some(1) && ran.stderr.contains("changed in the meantime");
            assert!(ran.code == Some(0) || is_refused, "{args:?}: {}{}", ran.stdout, ran.stderr);
        }
    }
    is_over.store(true, Ordering::Relaxed);
    let (count, lost) = writer.join().expect("the writer ends");
    assert_eq!(lost, Vec::<u64>::new(), "of {count} writes");
    // In peace all of it can be undone.
    sandbox.run(["setup", "claude", "--user", "--undo"]).code(0);
    let content: Value = serde_json::from_slice(&fs::read(&path).expect("the file")).expect("JSON");
    assert_eq!(content, json!({ "count": count, "theirs": true }));
    let left: Vec<PathBuf> = fs::read_dir(sandbox.beside("home"))
        .expect("home")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().contains(".nudge-setup-"))
        .collect();
    assert_eq!(left, Vec::<PathBuf>::new());
}

/// The calls that change something, and those that read what they depend on.
const CALLS: &str = "openat,read,write,pwrite64,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,fsync,fdatasync,ftruncate,fchmod,chmod,fchown,fsetxattr,flock";

#[test]
#[ignore = "needs strace; .ci/run runs it"]
fn a_setup_and_an_undo_that_are_killed_anywhere_can_be_undone() {
    let sandbox = sandbox();
    put(&sandbox.beside("home/.claude/settings.json"), "{\"model\": \"x\"}\n");
    put(&sandbox.beside("home/.claude.json"), "{\"a\": 1}\n");
    let before = snapshot(&sandbox);
    let log = sandbox.beside("trace");
    let setup = ["setup", "claude", "--user"];
    let undo = ["setup", "claude", "--user", "--undo"];
    let mut points = 0;
    for (args, is_undo) in [(setup.as_slice(), false), (&undo, true)] {
        let prepare = || {
            if is_undo {
                sandbox.run(["setup", "claude", "--user"]).code(0);
            }
        };
        prepare();
        run_traced(&sandbox, args, b"", (CALLS, None), &log);
        let made = calls(&fs::read_to_string(&log).expect("a trace"));
        if !is_undo {
            sandbox.run(["setup", "claude", "--user", "--undo"]).code(0);
        }
        assert_eq!(snapshot(&sandbox), before);
        let all: Vec<(String, usize)> = made
            .into_iter()
            .flat_map(|(name, count)| (1..=count).map(move |when| (name.clone(), when)))
            .collect();
        // All of them by hand; some of them in CI.
        let step = (all.len() / rounds(6)).max(1);
        for (name, when) in all.iter().step_by(step) {
            prepare();
            let inject = format!("{name}:signal=KILL:when={when}");
            run_traced(&sandbox, args, b"", (CALLS, Some(&inject)), &log);
            let ran = sandbox.run(["setup", "claude", "--user", "--undo"]);
            assert_eq!(ran.code, Some(0), "{args:?}, {inject}: {}{}", ran.stdout, ran.stderr);
            let mut after = snapshot(&sandbox);
            after.retain(|path, _| !path.to_string_lossy().contains(".nudge-setup-"));
            assert_eq!(after, before, "{args:?}, {inject}");
            sandbox.run(["doctor", "--fix"]);
            assert_eq!(snapshot(&sandbox), before, "{args:?}, {inject}: what was left is removed");
            points += 1;
        }
    }
    assert!(points >= 10, "{points}");
}

/// Counts the calls of the main process in a trace; those of the proof's shell are its own.
fn calls(trace: &str) -> Vec<(String, usize)> {
    let main = trace.split_whitespace().next().unwrap_or_default().to_owned();
    let mut counts: Vec<(String, usize)> = Vec::new();
    for line in trace.lines().filter(|line| line.starts_with(&main)) {
        let Some((name, _)) = line[main.len()..].trim_start().split_once('(') else { continue };
        match counts.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += 1,
            None if name.chars().all(|c| c.is_ascii_alphanumeric()) => counts.push((name.to_owned(), 1)),
            None => {}
        }
    }
    counts
}
