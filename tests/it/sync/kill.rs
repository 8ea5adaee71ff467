//! Three machines whose connections are cut at any byte, and whose programs are killed: at the end all are equal, what was
//! forgotten stays forgotten, and each has what it never met.

use std::collections::BTreeSet;
use std::fs;

use super::scene::{Machines, bytes_of, contains};

const NAMES: [&str; 3] = ["a", "b", "c"];

/// A small generator of numbers: a run that fails can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("small") % sides
    }
}

#[expect(clippy::disallowed_methods, reason = "a person who runs the experiment chooses the rounds")]
fn rounds(usual: usize) -> usize {
    std::env::var("NUDGE_FAULT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(usual)
}

#[test]
fn machines_are_equal_in_the_end_whatever_was_cut_or_killed() {
    let machines = Machines::new(&NAMES);
    let mut dice = Dice(18);
    let (mut told, mut forgotten, mut faults) = (BTreeSet::new(), BTreeSet::new(), 0);
    for round in 0..rounds(24) {
        let name = NAMES[dice.roll(3)];
        let command = format!("make word{round}x");
        machines.runs(name, &command);
        told.insert(command);
        if round % 4 == 3 {
            let here: Vec<String> = machines.commands(name);
            let one = here[dice.roll(here.len())].clone();
            let word = one.strip_prefix("make ").expect("a word").to_owned();
            machines.on(name).run(["forget", "--query", &word, "--all", "--yes"]).code(0);
            forgotten.insert(one);
        }
        let other = NAMES[dice.roll(3)];
        match dice.roll(4) {
            _ if name == other => {
                let mut call = machines.on(name).command(env!("CARGO_BIN_EXE_nudge"));
                let folder = machines.common_folder();
                let call = call.args(["sync", "file", "--quiet"]).arg(folder);
                let mut call = call.stderr(std::process::Stdio::null()).spawn().expect("it starts");
                std::thread::sleep(std::time::Duration::from_millis(dice.roll(80) as u64));
                drop(call.kill());
                faults += usize::from(!call.wait().expect("it ends").success());
            }
            0 => {
                let mut call = machines.start_sync(name, other);
                std::thread::sleep(std::time::Duration::from_millis(dice.roll(150) as u64));
                drop(call.kill());
                faults += usize::from(!call.wait().expect("it ends").success());
            }
            fault => {
                let (up, down) = match fault {
                    1 => (dice.roll(4_000), 10_000_000),
                    2 => (10_000_000, dice.roll(4_000)),
                    _ => (10_000_000, 10_000_000),
                };
                fs::write(machines.bin("hosts/cut"), format!("{up} {down}\n")).expect("a file");
                faults += usize::from(machines.sync(name, other).code != Some(0));
                fs::remove_file(machines.bin("hosts/cut")).expect("a file");
            }
        }
    }
    assert!(faults > 3, "only {faults} faults");
    for (name, host) in [("a", "b"), ("b", "c"), ("c", "a"), ("a", "b")] {
        machines.sync(name, host).code(0);
    }
    let expected: Vec<String> = told.difference(&forgotten).cloned().collect();
    for name in NAMES {
        assert_eq!(machines.commands(name), expected, "{name}, after {faults} faults");
        assert_eq!(machines.rows(name), machines.rows("a"), "{name}");
        let bytes = bytes_of(&machines.on(name).data_folder());
        for gone in &forgotten {
            assert!(!contains(&bytes, gone), "`{gone}` is on {name}");
        }
    }
}

#[test]
fn a_connection_that_is_cut_at_any_byte_loses_and_doubles_nothing() {
    let (mut up, mut down) = (1, 1);
    let machines = Machines::new(&["a", "b"]);
    let mut count = 0;
    while up < 3_000 {
        machines.runs("a", &format!("make a{count}"));
        machines.runs("b", &format!("make b{count}"));
        count += 1;
        for cut in [format!("{up} 10000000\n"), format!("10000000 {down}\n")] {
            fs::write(machines.bin("hosts/cut"), cut).expect("a file");
            machines.sync("a", "b");
        }
        fs::remove_file(machines.bin("hosts/cut")).expect("a file");
        (up, down) = (up + 401, down + 457);
    }
    machines.sync("a", "b").code(0);
    assert_eq!(machines.commands("a").len(), 2 * count);
    assert_eq!(machines.rows("a"), machines.rows("b"));
}
