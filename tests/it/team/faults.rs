//! Six machines tell and forget while connections are cut, clients killed, backends ended and the server crashed.
//!
//! In the end nothing is lost, nothing is there twice, nothing that was forgotten is back, and all machines are equal.
//! `NUDGE_ROUNDS` sets how many faults there are, `NUDGE_SEED` which.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use super::proxy::{Cut, Proxy};
use super::scene::{Machine, machine_at};
use crate::postgres::cluster::{self, Cluster};

const SCHEMA: &str = include_str!("../../../migrations/team/0001.sql");

/// Random numbers that a seed repeats.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn number(name: &str, default: u64) -> u64 {
    #[expect(clippy::disallowed_methods, reason = "a person sets how long the test is")]
    let value = std::env::var(name).ok();
    value.and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[derive(Debug, Default)]
struct Counts {
    cuts: usize,
    killed: usize,
    ended: usize,
    crashed: usize,
    told: usize,
    forgotten: usize,
}

#[test]
fn nothing_is_lost_doubled_or_back_whoever_dies_when() {
    // Only a machine that has a cluster at all has another one, which this test may crash.
    if cluster::cluster().is_none() {
        return;
    }
    let cluster: &'static Cluster = Box::leak(Box::new(Cluster::start(&[]).expect("a cluster")));
    let (rounds, seed) = (number("NUDGE_ROUNDS", 40), number("NUDGE_SEED", 0x5eed_0018));
    let mut dice = Dice(seed.max(1));
    cluster.psql("postgres", "CREATE DATABASE team");
    cluster.psql(
        "team",
        &format!("BEGIN; {SCHEMA} UPDATE nudge.server SET allowed = '{{github.com/acme/%}}'; COMMIT"),
    );
    let proxy = Proxy::start(cluster.folder.join(".s.PGSQL.5432"));
    let machines: Vec<Machine> = ["ann", "ann", "ben", "ben", "cyd", "cyd"]
        .iter()
        .enumerate()
        .map(|(index, name)| {
            if index % 2 == 0 {
                cluster.psql(
                    "team",
                    &format!("CREATE ROLE {name} LOGIN; GRANT nudge_member TO {name}; SELECT nudge.member_v1('{name}', '{name}', 'member', false)"),
                );
            }
            machine_at(&proxy.url(name, "team"), name).join("work")
        })
        .collect();
    let mut counts = Counts::default();
    let mut expected: BTreeSet<(String, String)> = BTreeSet::new();
    let mut own: Vec<Vec<String>> = vec![Vec::new(); machines.len()];
    let mut faults = 0;
    while faults < rounds {
        let at = dice.below(machines.len() as u64) as usize;
        let machine = &machines[at];
        let words: Vec<String> = (0..dice.below(30))
            .map(|_| {
                counts.told += 1;
                format!("make word-{}", counts.told)
            })
            .collect();
        machine.tell(&words);
        expected.extend(words.iter().map(|word| (machine.member.clone(), word.clone())));
        own[at].extend(words);
        if dice.below(3) == 0 && !own[at].is_empty() {
            let index = dice.below(own[at].len() as u64) as usize;
            let word = own[at].swap_remove(index);
            machine.forget(&word);
            expected.remove(&(machine.member.clone(), word));
            counts.forgotten += 1;
        }
        faults += fault(&mut dice, machine, &proxy, cluster, &mut counts);
    }
    proxy.cut_next(Cut::Never);
    // Everybody tells the rest, and then everybody reads it.
    for _ in 0..2 {
        for machine in &machines {
            let done = machine.synced();
            assert_eq!(done["waiting"], 0, "{}: {done}", machine.member);
        }
    }
    let mut log = std::io::stderr();
    let _ = std::io::Write::write_fmt(
        &mut log,
        format_args!("team faults: seed {seed:#x}, {faults} faults, {counts:?}\n"),
    );
    let rows = cluster.psql(
        "team",
        "SELECT m.name || E'\\t' || content FROM nudge.records r JOIN nudge.members m ON m.id = r.member_id
         WHERE kind = 'observation' ORDER BY 1",
    );
    let rows: Vec<(String, String)> = rows
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(who, what)| (who.to_owned(), what.to_owned()))
        .collect();
    let on_server: BTreeSet<_> = rows.iter().cloned().collect();
    let lost: Vec<_> = expected.difference(&on_server).collect();
    let back: Vec<_> = on_server.difference(&expected).collect();
    assert!(lost.is_empty() && back.is_empty(), "seed {seed:#x}: lost {lost:?}, back {back:?}");
    assert_eq!(rows.len(), expected.len(), "seed {seed:#x}: doubled");
    for machine in &machines {
        let copied = machine.copied_list();
        assert_eq!(copied.len(), expected.len(), "seed {seed:#x}: {}", machine.member);
        assert_eq!(
            copied.into_iter().collect::<BTreeSet<_>>(),
            expected,
            "seed {seed:#x}: {}",
            machine.member
        );
    }
}

/// Runs one exchange that something happens to; returns how many faults there were.
fn fault(dice: &mut Dice, machine: &Machine, proxy: &Proxy, cluster: &Cluster, counts: &mut Counts) -> u64 {
    match dice.below(20) {
        0..=9 => {
            let before = proxy.cuts();
            let bytes = dice.below(9_000) as usize;
            proxy.cut_next(if dice.below(60) == 0 { Cut::SilentAfter(bytes) } else { Cut::After(bytes) });
            let ran = machine.sync();
            assert!(matches!(ran.code, Some(0 | 75)), "{:?}: {}", ran.code, ran.stderr);
            proxy.cut_next(Cut::Never);
            let cuts = proxy.cuts() - before;
            counts.cuts += cuts.min(1);
            cuts.min(1) as u64
        }
        10..=16 => {
            let mut command = machine.sandbox.command(env!("CARGO_BIN_EXE_nudge"));
            let mut child = command
                .args(["sync", "--quiet"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the program starts");
            std::thread::sleep(Duration::from_micros(dice.below(90_000)));
            let was_running = child.try_wait().expect("a state").is_none();
            drop(child.kill());
            drop(child.wait());
            counts.killed += usize::from(was_running);
            u64::from(was_running)
        }
        17..=18 => {
            let (cluster_folder, bin) = (cluster.folder.clone(), cluster.bin.clone());
            let wait = dice.below(60_000);
            let ended = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_micros(wait));
                let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'nudge'";
                let output = std::process::Command::new(bin.join("psql"))
                    .args([
                        "-X", "-q", "-A", "-t", "-U", "postgres", "-d", "team", "-p", "5432", "-c", sql, "-h",
                    ])
                    .arg(cluster_folder)
                    .output();
                output
                    .ok()
                    .and_then(|output| String::from_utf8(output.stdout).ok()?.trim().parse::<u64>().ok())
            });
            let ran = machine.sync();
            assert!(matches!(ran.code, Some(0 | 75)), "{:?}: {}", ran.code, ran.stderr);
            let ended = ended.join().expect("no panic").unwrap_or(0).min(1);
            counts.ended += ended as usize;
            ended
        }
        _ => {
            let mut command = machine.sandbox.command(env!("CARGO_BIN_EXE_nudge"));
            let child = command
                .args(["sync", "--quiet"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            std::thread::sleep(Duration::from_micros(dice.below(60_000)));
            cluster.crash();
            let code = child.expect("the program starts").wait().expect("it ends").code();
            assert!(matches!(code, Some(0 | 75)), "{code:?}");
            counts.crashed += 1;
            1
        }
    }
}
