//! Power cuts: a new start finds only what is on the disk some time after a turn.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Mount, ran_command, remembered_commands, rounds};
use crate::payload::{Payload, event, silent_stop};
use crate::sandbox::Sandbox;

/// Seconds after the drain; the kernel writes out what it has in RAM after 5 and 30 seconds.
const SECONDS: [u64; 4] = [0, 2, 6, 9];

#[test]
#[ignore = "needs root to mount an image; .ci/run runs it"]
fn a_power_cut_after_a_turn_loses_nothing_that_was_on_the_disk() {
    cut_power_after(&[silent_stop]);
}

#[test]
#[ignore = "needs root to mount an image; .ci/run runs it"]
fn a_power_cut_within_a_turn_loses_nothing_that_was_on_the_disk() {
    let start = || event("SessionStart").with("source", "startup").session("other");
    // The rows are in the database when these are answered, and not on the disk.
    cut_power_after(&[failure, start]);
    cut_power_after(&[start, failure, silent_stop]);
}

fn failure() -> Payload {
    let failed = crate::payload::bash("make").session("s").with("tool_use_id", "failed");
    failed.with("hook_event_name", "PostToolUseFailure").with("error", "Exit code 2\nerror: no such thing")
}

/// Copies the disk at some times after these events, and looks for what was on the disk before them.
fn cut_power_after(events: &[fn() -> Payload]) {
    for round in 0..rounds(1) {
        let sandbox = Sandbox::new().env("NUDGE_DB", "$BASE/disk/nudge/nudge.db");
        let image = sandbox.beside("image");
        run("truncate", &["-s", "24M"], &image);
        run("mkfs.ext4", &["-q"], &image);
        let options = ["-o", "loop", image.to_str().expect("UTF-8")];
        let Some(mount) = Mount::new(&options, &sandbox.beside("disk")) else { return };
        let commands: Vec<String> = (10..30).map(|n| format!("run-{n}")).collect();
        commands.iter().for_each(|command| drop(sandbox.hook("claude-code", ran_command("s", command))));
        // They are on the disk before the drain.
        assert!(Command::new("sync").status().expect("sync starts").success());
        events.iter().for_each(|event| drop(sandbox.hook("claude-code", event())));
        let mut waited = 0;
        for seconds in SECONDS {
            std::thread::sleep(Duration::from_secs(seconds - waited));
            waited = seconds;
            fs::copy(&image, sandbox.beside(&format!("image-{seconds}"))).expect("a copy");
        }
        drop(mount);
        for seconds in SECONDS {
            let copy = sandbox.beside(&format!("image-{seconds}"));
            let options = ["-o", "loop", copy.to_str().expect("UTF-8")];
            let Some(_mount) = Mount::new(&options, &sandbox.beside("disk")) else { return };
            assert_eq!(remembered_commands(&sandbox), commands, "round {round}, after {seconds} s");
        }
    }
}

fn run(program: &str, args: &[&str], path: &Path) {
    assert!(Command::new(program).args(args).arg(path).status().expect("it starts").success(), "{program}");
}
