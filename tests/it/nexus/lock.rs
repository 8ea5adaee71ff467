//! A lock that another process keeps: hooks continue at once and lose nothing, and commands say who has the lock.

use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::nexus::session::{scene, tracker};
use crate::payload::{Payload, bash, event, prompt, tool};
use crate::sandbox::Sandbox;
use crate::servers::wait_until;

/// A process that keeps the lock of the project until it is dropped.
struct Keeper(Child);

impl Keeper {
    fn of(sandbox: &Sandbox) -> Keeper {
        let lock = sandbox.path(".nexus/state/.lock");
        let taken = sandbox.beside("taken");
        fs::create_dir_all(lock.parent().expect("a folder")).expect("a folder");
        let mut command = Command::new("flock");
        command.arg(&lock).arg("sh").arg("-c").arg("touch \"$0\"; exec sleep 600").arg(&taken);
        let child = command.stdin(Stdio::null()).spawn().expect("util-linux is here");
        wait_until("the lock is taken", || taken.exists());
        Keeper(child)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // `flock` waits for its command, which has the lock too.
        let children = format!("/proc/{0}/task/{0}/children", self.0.id());
        for pid in fs::read_to_string(children).unwrap_or_default().split_whitespace() {
            drop(Command::new("kill").arg(pid).status());
        }
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn read(n: usize) -> Payload {
    tool("Read", json!({ "file_path": ".nexus/memory/pattern-release.md" }))
        .after()
        .with("tool_use_id", format!("t{n}"))
}

fn agent(name: &str, id: &str) -> Payload {
    event(name).with("agent_id", id).with("agent_type", "engineer")
}

fn reads(sandbox: &Sandbox) -> Value {
    let listed = sandbox.run(["memory", "list", "--json"]).code(0).json();
    let notes = listed["items"].as_array().expect("a list");
    let note = notes
        .iter()
        .find(|note| note["path"] == ".nexus/memory/pattern-release.md")
        .expect("the note is listed");
    note["reads"].clone()
}

#[test]
fn a_hook_continues_and_what_it_saw_is_counted_nevertheless() {
    let sandbox = scene();
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup"));
    sandbox.hook("claude-code", read(0));
    sandbox.hook("claude-code", read(1));
    let keeper = Keeper::of(&sandbox);
    let ran = sandbox.hook("claude-code", read(2));
    assert!(!ran.stdout.contains("nudge: "), "nothing is lost, so nothing is off: {}", ran.stdout);
    sandbox.hook("claude-code", agent("SubagentStart", "a1"));
    sandbox.hook("claude-code", agent("SubagentStop", "a1"));
    sandbox.hook("claude-code", prompt("[run] go"));
    assert_eq!(tracker(&sandbox), json!([]), "nobody writes without the lock");
    assert_eq!(reads(&sandbox), 3, "who looks sees what waits, too");
    drop(keeper);
    sandbox.hook("claude-code", bash("ls").after());
    let tracked = tracker(&sandbox);
    assert_eq!(
        (&tracked[0]["agent_id"], &tracked[0]["status"], &tracked[1]),
        (&json!("a1"), &json!("completed"), &Value::Null)
    );
    assert_eq!(reads(&sandbox), 3);
    let state = sandbox.path(".nexus/state/claude-code");
    let mode = fs::read_to_string(state.join("mode.json")).expect("the mode was set");
    assert!(mode.contains("\"run\""), "{mode}");
    assert!(!state.join("waiting.jsonl").exists() && !state.join("waiting.taken.jsonl").exists());
}

#[test]
fn the_doctor_says_who_keeps_the_lock() {
    let sandbox = scene();
    let keeper = Keeper::of(&sandbox);
    let stopped = Command::new("kill").args(["-STOP", &keeper.0.id().to_string()]).status();
    assert!(stopped.is_ok_and(|status| status.success()));
    let stat = format!("/proc/{}/stat", keeper.0.id());
    wait_until("it has stopped", || fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") T ")));
    let ran = sandbox.run(["doctor"]);
    let pid = keeper.0.id();
    let said =
        format!(".lock: error: `flock` with pid {pid} (stopped) has kept `.nexus` locked for too long");
    let hint = format!("hint: resume it with `kill -CONT {pid}`, or end it with `kill -KILL {pid}`");
    assert!(ran.code(1).stdout.contains(&said) && ran.stdout.contains(&hint), "{}", ran.stdout);
    let ran = sandbox.run(["memory", "add", "some-note", "text"]);
    assert!(ran.code(1).stderr.contains(&format!("`flock` with pid {pid}")), "{}", ran.stderr);
}

/// Runs a hook that must come to its end by itself, and returns what it says to people.
fn ends(sandbox: &Sandbox, payload: Payload) -> String {
    let child = sandbox.start_hook(payload);
    let is_over = format!("/proc/{}/stat", child.id());
    wait_until("the hook has ended", || fs::read_to_string(&is_over).is_ok_and(|stat| stat.contains(") Z ")));
    let ran = sandbox.ran(&child.wait_with_output().expect("it has ended"));
    ran.code(0).stdout.clone()
}

fn make_pipe(sandbox: &Sandbox, path: &str) {
    let path = sandbox.path(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

#[test]
fn no_hook_waits_for_a_pipe_in_place_of_a_file() {
    let sandbox = scene();
    make_pipe(&sandbox, ".nexus/state/.lock");
    let said = ends(&sandbox, agent("SubagentStart", "a1"));
    assert!(said.contains("cannot lock `.nexus/state/.lock`: it is not a regular file"), "{said}");

    let sandbox = scene();
    make_pipe(&sandbox, ".nexus/state/claude-code/waiting.jsonl");
    let keeper = Keeper::of(&sandbox);
    let said = ends(&sandbox, agent("SubagentStart", "a1"));
    assert!(said.contains("waiting.jsonl`: it is not a regular file"), "{said}");
    drop(keeper);
    ends(&sandbox, agent("SubagentStart", "a2"));
    assert_eq!(tracker(&sandbox)[0]["agent_id"], "a2");

    let sandbox = scene();
    make_pipe(&sandbox, ".nexus/state/claude-code/tool-log.jsonl");
    let said = ends(&sandbox, bash("ls").after());
    assert!(said.contains("tool-log.jsonl`: it is not a regular file"), "{said}");
}

#[test]
fn many_changes_that_wait_are_spread_over_hooks() {
    let sandbox = scene();
    let line = |n: usize| {
        let note = format!(".nexus/memory/{}{n}.md", "x".repeat(150));
        format!("{}\n", json!({ "read_note": { "note": note, "agent": "a", "at": 1 } }))
    };
    sandbox.put(".nexus/state/claude-code/waiting.jsonl", (0..5000).map(line).collect::<String>());
    sandbox.hook("claude-code", bash("ls")).code(0);
    let lines = |name: &str| {
        let text = fs::read_to_string(sandbox.path(".nexus/state/claude-code").join(name));
        text.expect("the file is there").lines().count()
    };
    assert_eq!((lines("memory-access.jsonl"), lines("waiting.taken.jsonl")), (100, 4900));
}
