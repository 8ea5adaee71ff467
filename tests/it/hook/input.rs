//! Events whose sender keeps stdin open: a whole object is an event, and a sender that stalls delays nobody.

use std::io::Write;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::payload::{Payload, event, prompt, write};
use crate::sandbox::{BLOCK_TODO, Sandbox};
use crate::servers::TIMEOUT;

fn start(sandbox: &Sandbox, args: &[&str]) -> Child {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// Waits for the end while stdin stays open, and returns the code and what was printed.
#[track_caller]
fn ended(mut child: Child) -> (Option<i32>, String) {
    let stdin = child.stdin.take();
    let pause = Duration::from_millis(10);
    for _ in 0..TIMEOUT.as_millis() / pause.as_millis() {
        if child.try_wait().expect("a child").is_some() {
            let output = child.wait_with_output().expect("its output");
            drop(stdin);
            return (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"));
        }
        std::thread::sleep(pause);
    }
    drop(child.kill());
    panic!("it waits for the end of stdin");
}

fn bytes(sandbox: &Sandbox, payload: Payload) -> Vec<u8> {
    sandbox.place(payload).to_string().into_bytes()
}

#[test]
fn a_whole_event_is_answered_although_stdin_stays_open() {
    let sandbox = Sandbox::new().rule("todo.yaml", BLOCK_TODO);
    let input = bytes(&sandbox, write("a.rs", "TODO: \"}{\\"));
    let mut child = start(&sandbox, &["hook", "--harness", "claude-code"]);
    child.stdin.as_mut().expect("piped").write_all(&input).expect("it reads");
    let (code, stdout) = ended(child);
    assert!(code == Some(0) && stdout.contains("deny"), "{code:?} {stdout}");
}

#[test]
fn a_long_event_is_whole_at_its_end() {
    let sandbox = Sandbox::new();
    let input = bytes(&sandbox, write("a.rs", &"\"}{\\ ".repeat(2_000_000)));
    let mut child = start(&sandbox, &["hook"]);
    child.stdin.as_mut().expect("piped").write_all(&input).expect("it reads");
    assert_eq!(ended(child), (Some(0), String::new()));
}

#[test]
fn an_event_may_come_in_pieces() {
    let sandbox = Sandbox::new().rule("todo.yaml", BLOCK_TODO);
    let mut child = start(&sandbox, &["hook"]);
    let whole = bytes(&sandbox, write("a.rs", "TODO: \"x\\\\\""));
    let stdin = child.stdin.as_mut().expect("piped");
    for piece in whole.chunks(whole.len().div_ceil(8)) {
        stdin.write_all(piece).expect("it reads");
        stdin.flush().expect("it reads");
        std::thread::sleep(Duration::from_millis(20));
    }
    let (code, stdout) = ended(child);
    assert!(code == Some(0) && stdout.contains("deny"), "{code:?} {stdout}");
}

#[test]
fn record_stores_a_whole_event_although_stdin_stays_open() {
    let sandbox = Sandbox::new();
    let mut child = start(&sandbox, &["record"]);
    let input = bytes(&sandbox, prompt("mind the gap"));
    child.stdin.as_mut().expect("piped").write_all(&input).expect("it reads");
    assert_eq!(ended(child), (Some(0), String::new()));
    let found = sandbox.run(["search", "gap", "--json"]);
    assert!(found.stdout.contains("mind the gap"), "{}", found.stdout);
}

#[test]
#[cfg(unix)]
fn a_sender_that_stalls_is_given_up_on() {
    let sandbox = Sandbox::new();
    let half = &bytes(&sandbox, event("Stop"))[..20];
    let mut hook = start(&sandbox, &["hook"]);
    let mut record = start(&sandbox, &["record"]);
    for child in [&mut hook, &mut record] {
        child.stdin.as_mut().expect("piped").write_all(half).expect("it reads");
    }
    assert_eq!(ended(hook), (Some(0), String::new()), "a hook fails open");
    assert_eq!(ended(record), (Some(1), String::new()));
    let doctor = sandbox.run(["doctor"]);
    assert!(doctor.stdout.contains("stdin stalled before the event was whole"), "{}", doctor.stdout);
}

#[test]
fn record_stores_one_event_per_line_and_names_the_line_of_a_mistake() {
    let sandbox = Sandbox::new();
    let line = |text: &str| String::from_utf8(bytes(&sandbox, prompt(text))).expect("UTF-8");
    let both = format!("{}\n\n{}\n", line("alpha one"), line("beta two"));
    let ran = sandbox.run_with(["record"], both.as_bytes());
    ran.code(0);
    for word in ["alpha", "beta"] {
        let found = sandbox.run(["search", word, "--json"]);
        assert_eq!(found.json()["total"], 1, "{word}: {}", found.stdout);
    }
    let garbage = format!("{}\n{} oops\n", line("gamma three"), line("delta four"));
    let ran = sandbox.run_with(["record"], garbage.as_bytes());
    ran.code(1);
    assert!(
        ran.stderr.contains("error: line 2: ") && ran.stderr.contains("2 events before it"),
        "{}",
        ran.stderr
    );
    assert_eq!(sandbox.run(["search", "delta", "--json"]).json()["total"], 1);
}
