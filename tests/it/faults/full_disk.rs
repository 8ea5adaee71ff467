//! A full disk, and a limit on the size of files, which is one that every user can have.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use super::{Mount, ran_command, remembered_commands, rounds};
use crate::mcp_client::Client;
use crate::payload::{Payload, event, silent_stop};
use crate::sandbox::{Ran, Sandbox};

/// Runs the program under a limit on the size of files, in blocks of 512 or 1,024 bytes.
fn limited(sandbox: &Sandbox, blocks: u32, args: &[&str], input: &[u8]) -> Ran {
    let mut command = sandbox.command("sh");
    command.args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_nudge")]);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("a shell");
    drop(child.stdin.take().expect("stdin is piped").write_all(input));
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.code().is_some(), "{args:?} died of a signal: {}", output.status);
    sandbox.ran(&output)
}

fn hook(sandbox: &Sandbox, blocks: u32, payload: Payload) -> Ran {
    let input = sandbox.place(payload).to_string();
    let ran = limited(sandbox, blocks, &["hook", "--harness", "claude-code"], input.as_bytes());
    ran.assert_harmless();
    ran
}

#[test]
fn the_first_event_after_a_full_disk_is_remembered() {
    for round in 0..12 {
        let sandbox = Sandbox::new();
        // Events of all lengths, so that some of them are torn.
        for n in 0..8 {
            let long = "x".repeat(10 * round + 37 * n);
            hook(&sandbox, 4, ran_command("s", &format!("run-full-{n} {long}")));
        }
        sandbox.hook("claude-code", ran_command("s", "run-after"));
        let found = remembered_commands(&sandbox);
        assert!(found.contains(&"run-after".to_owned()), "round {round}: {found:?}");
        let rejected = sandbox.data_folder().join("nudge.spool/rejected.jsonl");
        assert!(!rejected.exists(), "round {round}: a torn line is cut");
    }
}

#[test]
fn on_a_full_disk_hooks_say_so_once_in_a_session() {
    let sandbox = Sandbox::new();
    let said = |session: &str| {
        let hooks = (0..5).map(|n| hook(&sandbox, 0, ran_command(session, &format!("run-{n}"))).stdout);
        hooks.filter(|reply| reply.contains("systemMessage")).count()
    };
    assert_eq!((said("s1"), said("s2")), (1, 1));
}

#[test]
fn readers_name_the_events_that_the_database_has_no_room_for() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", ran_command("s", "run-first"));
    sandbox.run(["recent"]).code(0);
    let long = "x".repeat(1_500);
    for n in 0..40 {
        sandbox.hook("claude-code", ran_command("s", &format!("run-waiting-{n} {long}")));
    }
    let blocks =
        u32::try_from(fs::metadata(sandbox.data_folder().join("nudge.db-wal")).expect("a log").len() / 1_024);
    // The file of shared memory beside the log has 32 KiB, and some shells count in half a KiB.
    let blocks = (blocks.expect("small") / 2).max(72);
    let ran = limited(&sandbox, blocks, &["recent"], b"");
    ran.code(0);
    assert!(ran.stdout.contains("run-first"), "{}", ran.stdout);
    assert!(ran.stderr.contains("40 events are not in the memory yet"), "{}", ran.stderr);
    let ran = limited(&sandbox, blocks, &["search", "nothing-like-it"], b"");
    assert!(ran.stderr.contains("40 events are not in the memory yet"), "{}", ran.stderr);
    let ran = limited(&sandbox, blocks, &["status", "--json"], b"");
    assert_eq!(ran.json()["here"]["events_waiting"], 40);
    let ran = limited(&sandbox, blocks, &["gc"], b"");
    assert!(!ran.stderr.contains("cannot print"), "{}", ran.stderr);
    // There is room again.
    assert_eq!(remembered_commands(&sandbox).len(), 41);
}

#[test]
#[ignore = "needs root to mount a small file system; .ci/run runs it"]
fn a_small_disk_that_is_full_and_then_has_room() {
    for round in 0..rounds(3) {
        let sandbox = Sandbox::new().env("NUDGE_DB", "$BASE/small/nudge.db");
        let folder = sandbox.beside("small");
        let Some(_mount) = Mount::new(&["-t", "tmpfs", "-o", "size=1m", "none"], &folder) else { return };
        sandbox.hook("claude-code", ran_command("s", "run-first"));
        sandbox.run(["recent"]).code(0);
        let mut filler = fs::File::create(folder.join("filler")).expect("a file");
        while filler.write_all(&[0; 4096]).is_ok() {}
        // There is room for some events, and not for what the database would make of them.
        let length = filler.metadata().expect("a file").len();
        filler.set_len(length - 4096 * (3 + round as u64 % 4)).expect("a little room");
        drop(filler);
        let mut accepted = vec!["run-first".to_owned()];
        for n in 0..40 {
            let command = format!("run-full-{n} {}", "x".repeat(500 + 13 * round));
            let reply = sandbox.hook("claude-code", ran_command("s", &command));
            let spooled = fs::read_to_string(folder.join("nudge.spool/waiting.jsonl")).unwrap_or_default();
            if spooled.contains(&format!("run-full-{n} ")) && spooled.ends_with('\n') {
                accepted.push(command);
            } else if n > 30 {
                assert!(!reply.stdout.contains("systemMessage"), "it is said once: {}", reply.stdout);
            }
        }
        assert!(accepted.len() > 1, "some events were accepted");
        let mut client = Client::new(&sandbox);
        let answer =
            client.ask("tools/call", json!({ "name": "search", "arguments": { "query": "nosuchword" } }));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(answer.to_string().contains("not in the memory yet"), "{answer}");
        assert!(sandbox.run(["recent"]).stderr.contains("not in the memory yet"));
        drop(client);
        let gc = sandbox.run(["gc"]);
        assert!(!gc.stderr.contains("cannot print"), "{}", gc.stderr);
        fs::remove_file(folder.join("filler")).expect("room again");
        sandbox.hook("claude-code", ran_command("s", "run-after"));
        accepted.push("run-after".to_owned());
        accepted.sort();
        assert_eq!(remembered_commands(&sandbox), accepted, "round {round}");
    }
}

/// Fills a disk to its last block.
fn fill(folder: &Path) {
    let mut filler = fs::File::create(folder.join("filler")).expect("a file");
    for block in [65_536, 4_096, 1_024, 1] {
        while filler.write(&vec![0; block]).is_ok_and(|written| written > 0) {}
        drop(filler.sync_all());
    }
}

/// Puts the data folder onto an ext4 of 16 MiB with blocks of this size.
fn small_ext4(sandbox: &Sandbox, block: &str) -> Option<Mount> {
    let image = sandbox.beside("image");
    fs::File::create(&image).and_then(|file| file.set_len(16 << 20)).expect("an image");
    let image = image.to_str().expect("UTF-8");
    let made = Command::new("mkfs.ext4").args(["-q", "-m", "0", "-b", block, image]).status();
    assert!(made.expect("mkfs.ext4 starts").success());
    Mount::new(&["-o", "loop", image], &sandbox.data_folder())
}

#[test]
#[ignore = "needs root to mount a small file system; .ci/run runs it"]
fn a_full_ext4_keeps_the_next_events_and_kills_nobody() {
    for block in ["1024", "4096"] {
        let sandbox = Sandbox::new();
        let folder = sandbox.data_folder();
        let Some(_mount) = small_ext4(&sandbox, block) else { return };
        let start = |session: &str| event("SessionStart").with("source", "startup").session(session);
        sandbox.hook("claude-code", start("s"));
        sandbox.hook("claude-code", ran_command("s", "run-first"));
        sandbox.hook("claude-code", silent_stop().session("s"));
        fill(&folder);
        let spooled = || {
            let files = fs::read_dir(folder.join("nudge.spool")).expect("a folder").flatten();
            files.map(|file| fs::read_to_string(file.path()).unwrap_or_default()).collect::<String>()
        };
        let (mut accepted, mut said) = (vec!["run-first".to_owned()], 0);
        for n in 0..400 {
            let command = format!("run-full-{n} {}", "x".repeat(700));
            let reply = sandbox.hook("claude-code", ran_command("s", &command));
            said += usize::from(reply.stdout.contains("systemMessage"));
            if spooled().contains(&format!("run-full-{n} ")) {
                accepted.push(command);
            }
        }
        assert!(accepted.len() > 50, "{block}: {} events fit into the reserve", accepted.len());
        assert!(accepted.len() < 400, "{block}: the reserve is used up");
        assert_eq!(said, 1, "{block}: it is said once");
        // Neither a turn nor a session nor a reader dies of a signal.
        sandbox.hook("claude-code", silent_stop().session("s"));
        sandbox.hook("claude-code", start("t"));
        for _ in 0..2 {
            let shown = sandbox.run(["recent"]);
            assert!(shown.code.is_some() && !shown.stderr.is_empty(), "{block}: {:?}", shown.code);
        }
        fs::remove_file(folder.join("filler")).expect("room again");
        sandbox.hook("claude-code", ran_command("s", "run-last"));
        accepted.push("run-last".to_owned());
        accepted.sort();
        assert_eq!(remembered_commands(&sandbox), accepted, "{block}");
    }
}

/// The first process that opens a database cuts SQLite's shared memory and allocates it again; another program may have
/// taken its blocks meanwhile.
#[test]
#[ignore = "needs root to mount a small file system; .ci/run runs it"]
fn a_program_that_takes_every_free_block_kills_nobody() {
    for block in ["1024", "4096"] {
        let sandbox = Sandbox::new();
        let folder = sandbox.data_folder();
        let Some(_mount) = small_ext4(&sandbox, block) else { return };
        let start = || event("SessionStart").with("source", "startup").session("s");
        sandbox.hook("claude-code", start());
        for n in 0..3 {
            sandbox.hook("claude-code", ran_command("s", &format!("run-{n}")));
        }
        sandbox.hook("claude-code", silent_stop().session("s"));
        fill(&folder);
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut filler = fs::File::create(folder.join("more")).expect("a file");
                while !is_done.load(Ordering::Relaxed) {
                    if filler.write(&[0; 1_024]).is_err() {
                        std::thread::sleep(Duration::from_micros(300));
                    }
                }
            });
            let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                for n in 0..rounds(30) {
                    sandbox.hook("claude-code", ran_command("s", &format!("run-full-{n}")));
                    sandbox.hook("claude-code", silent_stop().session("s"));
                    sandbox.hook("claude-code", start());
                    assert!(sandbox.run(["recent"]).code.is_some(), "{block}: a reader died of a signal");
                }
            }));
            is_done.store(true, Ordering::Relaxed);
            if let Err(panic) = stopped {
                std::panic::resume_unwind(panic);
            }
        });
        for filler in ["filler", "more"] {
            fs::remove_file(folder.join(filler)).expect("room again");
        }
        let found = remembered_commands(&sandbox);
        assert!((0..3).all(|n| found.contains(&format!("run-{n}"))), "{block}: {found:?}");
    }
}
