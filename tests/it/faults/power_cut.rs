//! Power cuts: a new start finds only what is on the disk some time after a turn.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Mount, ran_command, remembered_commands, rounds};
use crate::payload::silent_stop;
use crate::sandbox::Sandbox;

/// Seconds after the drain; the kernel writes out what it has in RAM after 5 and 30 seconds.
const SECONDS: [u64; 4] = [0, 2, 6, 9];

#[test]
#[ignore = "needs root to mount an image; .ci/run runs it"]
fn a_power_cut_after_a_turn_loses_nothing_that_was_on_the_disk() {
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
        sandbox.hook("claude-code", silent_stop());
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
