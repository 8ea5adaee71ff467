//! The spool under processes that are stopped, and under things that only have the name of its files.

use std::fs;
use std::io::Write;
use std::process::Child;
use std::time::Duration;

use super::{event, ran_command, remembered_commands, run_traced};
use crate::payload::{Payload, silent_stop, stop};
use crate::sandbox::Sandbox;

/// Nothing takes this long but a process that hangs.
const HANG_TIMEOUT: Duration = Duration::from_secs(60);

fn ends(mut child: Child) -> bool {
    for _ in 0..HANG_TIMEOUT.as_millis() / 10 {
        if child.try_wait().expect("a child").is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("a child");
    child.wait().expect("a child");
    false
}

fn hook_ends(sandbox: &Sandbox, payload: Payload) {
    assert!(ends(sandbox.start_hook(payload)), "the hook hangs");
}

#[test]
fn a_stopped_writer_neither_hangs_a_turn_nor_loses_its_line() {
    let (sandbox, other) = (Sandbox::new(), Sandbox::new());
    let waiting = |sandbox: &Sandbox| sandbox.data_folder().join("nudge.spool/waiting.jsonl");
    sandbox.hook("claude-code", ran_command("s", "run-before"));
    other.hook("claude-code", ran_command("s", "run-stopped"));
    // A hook that is stopped while it appends has the file open and its lock.
    let mut writer = fs::OpenOptions::new().append(true).open(waiting(&sandbox)).expect("the spool");
    writer.lock_shared().expect("a lock");
    hook_ends(&sandbox, silent_stop());
    sandbox.hook("claude-code", ran_command("s", "run-meanwhile"));
    hook_ends(&sandbox, silent_stop());
    assert_eq!(remembered_commands(&sandbox), ["run-before", "run-meanwhile"]);
    writer.write_all(&fs::read(waiting(&other)).expect("a line")).expect("the writer continues");
    drop(writer);
    hook_ends(&sandbox, silent_stop());
    assert_eq!(remembered_commands(&sandbox), ["run-before", "run-meanwhile", "run-stopped"]);
    let left = fs::read_dir(sandbox.data_folder().join("nudge.spool")).expect("a folder").count();
    assert_eq!(left, 0, "nothing is left of it");
}

#[test]
fn a_spool_that_another_program_locks_costs_no_event() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", ran_command("s", "run-before"));
    let waiting = sandbox.data_folder().join("nudge.spool/waiting.jsonl");
    let stranger = fs::File::open(&waiting).expect("the spool");
    stranger.lock().expect("a lock");
    for n in 0..3 {
        let ran = sandbox.hook("claude-code", ran_command("s", &format!("run-{n}")));
        assert!(!ran.stdout.contains("systemMessage"), "{}", ran.stdout);
    }
    // What is in the locked file has to wait, and every reader says so.
    for _ in 0..2 {
        let shown = sandbox.run(["recent", "--all"]);
        assert!(shown.stdout.contains("run-2") && !shown.stdout.contains("run-before"), "{}", shown.stdout);
        assert!(shown.stderr.contains("1 event is not in the memory yet"), "{}", shown.stderr);
        assert!(shown.stderr.contains("keeps a file of the spool locked"), "{}", shown.stderr);
    }
    assert_eq!(sandbox.run(["status", "--json"]).json()["here"]["events_waiting"], 1);
    drop(stranger);
    assert_eq!(remembered_commands(&sandbox), ["run-0", "run-1", "run-2", "run-before"]);
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_and_devices_under_the_names_of_the_spool_cost_no_event() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    for name in ["waiting.jsonl", "taken-1-1.jsonl", "rejected.jsonl"] {
        for shape in ["pipe", "device", "folder"] {
            let sandbox = Sandbox::new();
            let folder = sandbox.data_folder().join("nudge.spool");
            fs::create_dir_all(&folder).expect("a folder");
            let path = folder.join(name);
            match shape {
                "pipe" => mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe"),
                "device" => rustix::fs::symlink("/dev/zero", &path).expect("a link"),
                _ => fs::create_dir(&path).expect("a folder"),
            }
            hook_ends(&sandbox, ran_command("s", "run-it"));
            hook_ends(&sandbox, silent_stop());
            assert_eq!(remembered_commands(&sandbox), ["run-it"], "{name} is a {shape}");
        }
    }
}

/// The calls that write to the disk, and those that rename and delete.
const DISK_CALLS: &str = "fsync,fdatasync,unlink,unlinkat,pwrite64,write,rename,renameat,renameat2";

fn count_syncs(trace: &str) -> usize {
    trace.lines().filter(|line| line.contains("sync(")).count()
}

#[test]
#[ignore = "needs strace; .ci/run runs it"]
fn a_turn_waits_for_the_disk_once_at_its_end() {
    let sandbox = Sandbox::new();
    let log = sandbox.beside("trace");
    // The first turn creates the database.
    sandbox.hook("claude-code", ran_command("s", "run-first"));
    sandbox.hook("claude-code", stop("done"));
    let run = |name: &str, more: serde_json::Value| {
        let input = event(&sandbox, "s", name, more);
        run_traced(&sandbox, &["hook", "--harness", "claude-code"], &input, (DISK_CALLS, None), &log);
        fs::read_to_string(&log).expect("a trace")
    };
    let spooled = || fs::read_dir(sandbox.data_folder().join("nudge.spool")).expect("a folder").count();
    let mut commands = vec!["run-first".to_owned()];
    // The first session of a day also deletes what has expired.
    run("SessionStart", serde_json::json!({ "source": "startup" }));
    for turn in 0..3 {
        for n in 0..3 {
            let command = format!("run-{turn}-{n}");
            sandbox.hook("claude-code", ran_command("s", &command));
            commands.push(command);
            let failure = serde_json::json!({ "tool_name": "Bash", "tool_input": { "command": "make" },
                "tool_use_id": format!("failed-{turn}-{n}"), "error": "Exit code 2\nerror: no such thing" });
            let start = serde_json::json!({ "source": "startup" });
            for (name, more) in [("PostToolUseFailure", failure), ("SessionStart", start)] {
                let trace = run(name, more);
                assert_eq!(count_syncs(&trace), 0, "{name}: {trace}");
            }
        }
        assert!(spooled() > 0, "the lines stay until they are on the disk");
        let trace = run("Stop", serde_json::json!({}));
        // Only the log: the name of the log was written to the disk when the log was new.
        assert_eq!(count_syncs(&trace), 1, "turn {turn}: {trace}");
        assert_eq!(spooled(), 0, "turn {turn}");
    }
    commands.sort();
    assert_eq!(remembered_commands(&sandbox), commands);
}

#[test]
fn what_is_forgotten_before_the_end_of_a_turn_does_not_come_back() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", ran_command("s", "run-kept"));
    sandbox.hook("claude-code", ran_command("s", "run-forgotten"));
    let start = || crate::payload::event("SessionStart").with("source", "startup").session("other");
    sandbox.hook("claude-code", start());
    // What the session start was told waits there for the next drain; the commands are in the database.
    let database = rusqlite::Connection::open(sandbox.data_folder().join("nudge.db")).expect("a database");
    let sql = "SELECT count(*) FROM observations WHERE content LIKE 'run-%'";
    assert_eq!(database.query_row(sql, [], |row| row.get::<_, u32>(0)).expect("a count"), 2);
    drop(database);
    sandbox.run(["forget", "--query", "forgotten", "--yes"]).code(0);
    sandbox.hook("claude-code", start());
    hook_ends(&sandbox, stop("done"));
    assert_eq!(remembered_commands(&sandbox), ["run-kept"]);
}

#[test]
#[ignore = "needs strace; .ci/run runs it"]
fn a_drain_is_on_the_disk_before_the_spool_is_deleted() {
    let sandbox = Sandbox::new();
    let log = sandbox.beside("trace");
    for turn in 0..3 {
        for n in 0..5 {
            sandbox.hook("claude-code", ran_command("s", &format!("run-{turn}-{n}")));
        }
        let input = event(&sandbox, "s", "Stop", serde_json::json!({}));
        run_traced(&sandbox, &["hook", "--harness", "claude-code"], &input, (DISK_CALLS, None), &log);
        let trace = fs::read_to_string(&log).expect("a trace");
        let deleted = trace.lines().position(|line| line.contains("unlink") && line.contains("taken-"));
        let synced = trace.lines().position(|line| line.contains("sync("));
        assert!(synced.is_some() && synced < deleted, "turn {turn}: {trace}");
        let synced = trace.lines().take(deleted.unwrap_or(0)).filter(|line| line.contains("sync(")).count();
        // The log, once; a new file takes more.
        assert!(turn == 0 || synced == 1, "turn {turn} has one durable drain: {synced}\n{trace}");
    }
}
