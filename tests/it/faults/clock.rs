//! A clock that jumps by years: nothing that is remembered is lost, while it is wrong and afterwards.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::{ran_command, remembered_commands};
use crate::payload::event;
use crate::sandbox::Sandbox;

/// Moves the wall clock of a process by `CLOCK_OFFSET` seconds; the monotonic clock stays.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, at);
    const char *offset = getenv("CLOCK_OFFSET");
    if (clock == CLOCK_REALTIME && offset) at->tv_sec += atoll(offset);
    return result;
}
"#;

const DAY: i64 = 86_400;

fn compile_shim(sandbox: &Sandbox) -> String {
    let (source, library) = (sandbox.beside("clock.c"), sandbox.beside("clock.so"));
    fs::write(&source, SHIM).expect("a source");
    let mut cc = Command::new("cc");
    let built = cc.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).arg("-ldl").status();
    assert!(built.expect("cc starts: it has compiled SQLite").success());
    library.to_str().expect("UTF-8").to_owned()
}

/// A day of work under a clock that is wrong by this many days: a session with some commands.
fn work(sandbox: &Sandbox, shim: &str, offset_days: i64, name: &str) -> Vec<String> {
    let run = |payload: crate::payload::Payload| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        command.args(["hook", "--harness", "claude-code"]);
        command.env("LD_PRELOAD", shim).env("CLOCK_OFFSET", (offset_days * DAY).to_string());
        let input = sandbox.beside("event");
        fs::write(&input, sandbox.place(payload).to_string()).expect("an event");
        let ran = command.stdin(fs::File::open(input).expect("an event")).output().expect("a hook");
        let ran = sandbox.ran(&ran);
        ran.assert_harmless();
        ran.stdout
    };
    let mut said = vec![run(event("SessionStart").with("source", "startup").session(name))];
    for n in 0..6 {
        said.push(run(ran_command(name, &format!("run-{name}-{n}"))));
    }
    said.push(run(event("Stop").session(name)));
    said
}

#[test]
fn a_clock_that_jumps_costs_nothing_that_is_remembered() {
    for years in [3, 73, -1, -20] {
        let sandbox = Sandbox::new();
        let shim = compile_shim(&sandbox);
        let jump = years * 365;
        let mut said = Vec::new();
        for (name, offset) in [
            ("before", -1),
            ("before2", 0),
            ("wrong", jump),
            ("wrong2", jump + 1),
            ("wrong3", jump + 2),
            ("after", 1),
            ("after2", 2),
            ("after3", 40),
        ] {
            said.push((name, work(&sandbox, &shim, offset, name).concat()));
        }
        assert_eq!(remembered_commands(&sandbox).len(), 8 * 6, "{years} years");
        let doubted: Vec<&str> = said
            .iter()
            .filter(|(_, said)| said.contains("not removed automatically"))
            .map(|one| one.0)
            .collect();
        assert_eq!(doubted.first(), Some(&"wrong"), "it is said, and once: {doubted:?}");
    }
}

#[test]
fn gc_by_hand_asks_if_the_clock_looks_wrong() {
    let sandbox = Sandbox::new();
    sandbox.put_user_settings("[retention]\ncommand = 1\n");
    let shim = compile_shim(&sandbox);
    work(&sandbox, &shim, -100, "a");
    work(&sandbox, &shim, -95, "b");
    let gc = |args: &[&str]| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        command.arg("gc").args(args).stdin(std::process::Stdio::null());
        sandbox.ran(&command.output().expect("gc ends"))
    };
    let would = gc(&["--dry-run"]);
    would.code(0);
    assert!(would.stderr.contains("warning: ") && would.stderr.contains("6 would go"), "{}", would.stderr);
    let refused = gc(&[]);
    refused.code(1);
    assert!(refused.stderr.contains("add `--yes` if you mean it"), "{}", refused.stderr);
    assert_eq!(remembered_commands(&sandbox).len(), 12);
    gc(&["--yes"]).code(0);
    assert_eq!(remembered_commands(&sandbox).len(), 6);
    assert_eq!(gc(&["--restore", "--json"]).json(), json!({ "restored": 6, "duplicates": 0 }));
    assert_eq!(remembered_commands(&sandbox).len(), 12);
}
