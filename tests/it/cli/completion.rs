//! Completion at the shell's prompt: what is offered, and that nothing is written or said besides.

use std::collections::BTreeSet;
use std::path::Path;

use expect_test::expect;

use crate::hints::scene::Scene;
use crate::memory::scene::remembered;
use crate::payload;
use crate::sandbox::{Ran, Sandbox, rules};

/// Completes the last of these words, as bash asks for it.
fn complete(sandbox: &Sandbox, words: &[&str]) -> Ran {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    command.env("NUDGE_COMPLETE", "bash").env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string());
    let output = command.arg("--").args(words).output().expect("the program runs");
    sandbox.ran(&output)
}

fn offered(sandbox: &Sandbox, words: &[&str]) -> Vec<String> {
    let ran = complete(sandbox, words);
    ran.code(0).stderr(expect![[""]]);
    let values = ran.stdout.lines().filter(|line| !line.starts_with('-'));
    values.map(str::to_owned).collect()
}

/// Returns every file below a folder, with its size and when it was changed.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let meta = entry.metadata().expect("its metadata");
        if meta.is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.insert(format!("{} {} {:?}", entry.path().display(), meta.len(), meta.modified()));
        }
    }
    found
}

#[test]
fn rules_sessions_and_tasks_are_offered() {
    let names = ["no-todo", "quiet", "$(touch owned)"].map(|name| {
        format!("{{ name: '{name}', on: {{ hook: Stop }}, match: {{ message: x }}, action: continue, message: m }}")
    });
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let sandbox = remembered().rule("a.yaml", &rules(&names));
    sandbox.run(["task", "add", "one"]).code(0);
    sandbox.run(["task", "add", "two"]).code(0);
    sandbox.run(["task", "done", "1"]).code(0);
    let before = files(&sandbox.beside("."));
    // A name that a shell would run is not put on its line.
    assert_eq!(offered(&sandbox, &["nudge", "test", "--rule", ""]), ["no-todo", "quiet"]);
    assert_eq!(offered(&sandbox, &["nudge", "test", "--rule", "q"]), ["quiet"]);
    assert_eq!(offered(&sandbox, &["nudge", "sessions", ""]), ["session-1"]);
    assert_eq!(offered(&sandbox, &["nudge", "why", "--session", ""]), ["session-1"]);
    assert_eq!(offered(&sandbox, &["nudge", "task", "done", ""]), ["2"]);
    assert_eq!(files(&sandbox.beside(".")), before, "completion wrote something");
}

#[test]
fn components_and_keys_are_those_of_the_server() {
    let scene = Scene::new();
    scene.done(&["set", "web", "build", "make"]);
    scene.done(&["set", "web", "test", "make test"]);
    scene.done(&["set", "api", "run", "make run"]);
    let sandbox = &scene.sandbox;
    assert_eq!(offered(sandbox, &["nudge", "get", ""]), ["api", "web"]);
    assert_eq!(offered(sandbox, &["nudge", "hint", "get", "w"]), ["web"]);
    assert_eq!(offered(sandbox, &["nudge", "get", "web", ""]), ["build", "test"]);
    assert_eq!(offered(sandbox, &["nudge", "hint", "rm", "api", ""]), ["run"]);
}

#[test]
fn completion_never_fails() {
    let sandbox = Sandbox::new();
    assert_eq!(offered(&sandbox, &["nudge", "get", ""]), Vec::<String>::new());
    complete(&sandbox, &["nudge", "nonsense", "--what", ""]).code(0).stderr(expect![[""]]);
    complete(&sandbox, &["nudge"]).code(0).stderr(expect![[""]]);
    let other = Sandbox::new().env("NUDGE_COMPLETE", "tcsh").run(["--", "nudge", ""]);
    other.code(0).stdout(expect![[""]]).stderr(expect![[""]]);
    assert!(!sandbox.data_folder().exists());
    // A hook answers whatever the environment says.
    let hook = Sandbox::new().env("NUDGE_COMPLETE", "bash");
    hook.hook("claude-code", payload::bash("ls")).reply(expect![["nothing"]]);
}

#[test]
fn a_variable_that_somebody_exported_silences_no_command() {
    let rule = "{ name: no-log, on: { hook: PreToolUse }, match: { content: console }, action: interrupt, message: no }";
    for shell in ["bash", "no-shell"] {
        let sandbox = Sandbox::new().rule("a.yaml", &rules(&[rule])).env("NUDGE_COMPLETE", shell);
        let event = sandbox.place(payload::write("a.ts", "console.log(1)")).to_string();
        // A line that the hook does not recognise by hand takes the long way, through all commands.
        let line = ["--color", "never", "hook", "--harness", "claude-code"];
        let blocked = sandbox.run_with(line, event.as_bytes());
        assert!(blocked.stdout.contains("deny"), "{shell}: {}", blocked.stdout);
        assert!(sandbox.run(["rules"]).stdout.contains("no-log"), "{shell}");
    }
}
