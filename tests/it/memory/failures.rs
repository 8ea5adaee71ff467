//! What counts as a failure, and which line says what went wrong.

use serde_json::{Value, json};

use super::scene::{failed, play};
use crate::payload::{Payload, bash, event, silent_stop};
use crate::sandbox::Sandbox;

fn context_of(sandbox: &Sandbox, payload: Payload) -> String {
    let reply = sandbox.hook("claude-code", payload).stdout;
    let reply: Value = serde_json::from_str(&reply).unwrap_or_default();
    reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

fn start(session: &str) -> Payload {
    event("SessionStart").with("source", "startup").session(session)
}

fn rows(sandbox: &Sandbox, kind: &str) -> Vec<Value> {
    let exported = sandbox.run(["observations", "export", "--all"]).stdout;
    let rows = exported.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    rows.filter(|row| row["obs_type"] == kind).collect()
}

/// A commit whose message speaks of an error, and a hook that prints the message before it refuses it.
fn refused_commit() -> (String, &'static str) {
    let body = "error: connection refused by the auth server was shown to users\nIt cannot happen any more.";
    let command = format!("git commit -m \"$(cat <<'EOF'\nfix: the login\n\n{body}\nEOF\n)\"");
    let output = "Exit code 1\n⧗   input: fix: the login\n\nerror: connection refused by the auth server was shown to users\nIt cannot happen any more.\n✖   body must have a leading blank line [body-leading-blank]\nhusky - commit-msg script failed (code 1)";
    (command, output)
}

#[test]
fn a_line_of_the_commit_message_is_not_told_as_the_error() {
    let sandbox = Sandbox::new();
    let (command, output) = refused_commit();
    for session in ["session-1", "session-2"] {
        play(&sandbox, vec![failed(&command, output).session(session), silent_stop().session(session)]);
    }
    let again = context_of(&sandbox, failed(&command, output).session("session-3"));
    assert!(again.contains("found then: ✖ body must have a leading blank line"), "{again}");
    let told = context_of(&sandbox, start("session-4"));
    assert!(told.contains("git commit: ✖ body must have a leading blank line"), "{told}");
    assert!(!told.contains("connection refused"), "{told}");
}

#[test]
fn a_long_message_leaves_room_for_what_the_hook_printed() {
    let sandbox = Sandbox::new();
    let lines: String =
        (0..60).map(|n| format!("Reason {n}: error: the server could not be reached\n")).collect();
    let command = format!("git commit -F - <<'EOF'\nfix: the login\n\n{lines}EOF");
    play(&sandbox, vec![failed(&command, "Exit code 1\n✖   subject must not be empty"), silent_stop()]);
    let row = &rows(&sandbox, "command_error")[0];
    assert!(row["content"].as_str().expect("text").ends_with("\n✖   subject must not be empty"), "{row}");
    assert_eq!(row["signature"], "✖ subject must not be empty");
    // What is read back from a file is derived from the same text again.
    let copy = Sandbox::new();
    let exported = sandbox.run(["observations", "export", "--all"]).stdout;
    copy.run_with(["observations", "import", "-"], exported.as_bytes()).code(0);
    assert_eq!(rows(&copy, "command_error")[0]["signature"], "✖ subject must not be empty");
}

#[test]
fn a_message_behind_a_pipe_is_no_failure_because_of_its_words() {
    let sandbox = Sandbox::new();
    let command = "git commit -m \"$(cat <<'EOF'\nfix: the parser\n\nFAILED tests/test_cart.py was printed twice\nEOF\n)\" 2>&1 | tail -5";
    let output = "FAILED tests/test_cart.py was printed twice\n 1 file changed, 2 insertions(+)";
    let done = bash(command).after().with("tool_response", json!({ "stdout": output, "stderr": "" }));
    play(&sandbox, vec![done, silent_stop()]);
    assert_eq!(rows(&sandbox, "command_error"), Vec::<Value>::new());
}

const FAILED_RUN: &str = "running 2 tests\ntest cart::adds ... ok\ntest cart::totals ... FAILED\n\nfailures:\n\n---- cart::totals stdout ----\nthread 'cart::totals' panicked at src/cart.rs:9:5:\nassertion `left == right` failed\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";

/// What an agent sends after a command: the name of its event and tool, and the response.
fn answered(harness: &str, command: &str, output: &str, session: &str) -> Payload {
    let (name, tool, response) = match harness {
        "gemini-cli" => ("AfterTool", "run_shell_command", json!({ "llmContent": output })),
        _ => ("PostToolUse", "Bash", json!({ "stdout": output, "stderr": "" })),
    };
    let response = if harness == "codex" { json!(output) } else { response };
    bash(command)
        .with("hook_event_name", name)
        .with("tool_name", tool)
        .with("tool_response", response)
        .with("tool_use_id", format!("{session}-1"))
        .session(session)
}

#[test]
fn a_run_that_says_it_failed_is_a_failure_without_an_exit_code() {
    for harness in ["claude-code", "codex", "gemini-cli"] {
        let sandbox = Sandbox::new();
        for session in ["session-1", "session-2"] {
            sandbox.hook(harness, answered(harness, "cargo test", FAILED_RUN, session));
            sandbox.hook("claude-code", silent_stop().session(session));
        }
        let failures = rows(&sandbox, "command_error");
        assert_eq!(failures.len(), 2, "{harness}: {failures:?}");
        assert_eq!(failures[0]["program"], "cargo test", "{harness}");
        assert_eq!(failures[0]["metadata"]["exit_code"], Value::Null, "{harness}");
        let told = context_of(&sandbox, start("session-4"));
        assert!(!told.contains("Works here"), "{harness}: {told}");
    }
}

#[test]
fn a_run_that_passes_in_the_end_or_a_file_that_is_read_is_no_failure() {
    let retried = format!("{FAILED_RUN}\nretrying\ntest result: ok. 2 passed; 0 failed; 0 ignored");
    for (command, output) in [("cargo test", retried.as_str()), ("cat build.log", FAILED_RUN)] {
        let sandbox = Sandbox::new();
        play(&sandbox, vec![answered("claude-code", command, output, "session-1"), silent_stop()]);
        assert_eq!(rows(&sandbox, "command_error"), Vec::<Value>::new(), "{command}");
    }
}

#[test]
fn the_result_of_an_older_gemini_cli_has_its_exit_code() {
    let sandbox = Sandbox::new();
    let text = "Command: make check\nDirectory: (root)\nOutput: cart.c:9: total is wrong\nError: (none)\nExit Code: 2\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 77";
    sandbox.hook("gemini-cli", answered("gemini-cli", "make check", text, "session-1"));
    sandbox.hook("claude-code", silent_stop());
    let failures = rows(&sandbox, "command_error");
    assert_eq!(failures[0]["metadata"]["exit_code"], 2, "{failures:?}");
    assert_eq!(failures[0]["content"], "make check\ncart.c:9: total is wrong");
}

#[test]
fn what_an_earlier_version_stored_as_a_success_does_not_work_here() {
    let sandbox = Sandbox::new();
    let line = |session: &str, content: &str| {
        let facts = json!({ "metadata": { "command": "cargo test", "exit_code": 0, "kind": "tests" }, "program": "cargo test", "session_id": session });
        super::scene::line(content, facts)
    };
    let failed = "cargo test\ntest result: FAILED. 1 passed; 1 failed; 0 ignored";
    super::scene::import(&sandbox, &[line("a", failed), line("b", failed)]);
    let told = context_of(&sandbox, start("session-1"));
    assert!(!told.contains("Works here"), "{told}");
    super::scene::import(&sandbox, &[line("c", "cargo test\ntest result: ok. 2 passed; 0 failed")]);
    let told = context_of(&sandbox, start("session-2"));
    assert!(told.contains("Works here: cargo test (test result: ok. 2 passed"), "{told}");
}
