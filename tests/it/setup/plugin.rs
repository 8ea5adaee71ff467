//! The plugin for Claude Code: it lists only what exists, and if the program is missing it says so once.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> Value {
    let text = fs::read_to_string(file(path)).expect("a file of the plugin");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn it_has_the_version_of_the_program_and_is_on_the_market() {
    let plugin = read("plugin/.claude-plugin/plugin.json");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    let market = &read(".claude-plugin/marketplace.json")["plugins"][0];
    assert_eq!((&market["name"], &market["source"]), (&plugin["name"], &json!("./plugin")));
}

#[test]
fn it_hears_of_the_same_events_as_the_settings() {
    let sandbox = Sandbox::new();
    sandbox.run(["setup", "claude", "--user"]).code(0);
    let settings = fs::read_to_string(sandbox.beside("home/.claude/settings.json")).expect("the settings");
    let settings: Value = serde_json::from_str(&settings).expect("JSON");
    let events =
        |value: &Value| value["hooks"].as_object().expect("hooks").keys().cloned().collect::<Vec<_>>();
    assert_eq!(events(&read("plugin/hooks/hooks.json")), events(&settings));
}

#[test]
fn without_the_program_a_session_is_warned_once_and_continues() {
    let check = |event: Value, expected: Expect| {
        let (code, stdout) = call(&Sandbox::new(), "/usr/bin:/bin", &event);
        assert_eq!(code, Some(0));
        expected.assert_eq(&stdout);
    };
    check(
        json!({"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}),
        expect![[r#"
            {"systemMessage":"The plugin nudge does nothing yet: the program `nudge` is not on the PATH. Install it, and start a new session."}
        "#]],
    );
    check(json!({"hook_event_name": "SessionStart", "source": "compact"}), expect![""]);
    check(json!({"hook_event_name": "PreToolUse", "tool_name": "Bash"}), expect![""]);
    check(json!({"hook_event_name": "Stop"}), expect![""]);
}

#[test]
fn with_the_program_rules_are_heard() {
    let sandbox = Sandbox::new().rule("a.yaml", crate::sandbox::BLOCK_TODO);
    let folder = Path::new(env!("CARGO_BIN_EXE_nudge")).parent().expect("a folder");
    let input = json!({"file_path": sandbox.path("a.rs"), "content": "TODO"});
    let event = json!({"hook_event_name": "PreToolUse", "cwd": sandbox.path(""), "tool_name": "Write", "tool_input": input});
    let (code, stdout) = call(&sandbox, &format!("{}:/usr/bin:/bin", folder.display()), &event);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("Do it now"), "{stdout}");
}

/// Calls the script as the hooks do.
fn call(sandbox: &Sandbox, path: &str, event: &Value) -> (Option<i32>, String) {
    let mut command: Command = sandbox.command("/bin/sh");
    command.arg(file("plugin/hooks/nudge.sh")).args(["hook", "--harness", "claude-code"]).env("PATH", path);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the script starts");
    serde_json::to_writer(child.stdin.take().expect("stdin is piped"), event).expect("the script reads");
    let output = child.wait_with_output().expect("the script ends");
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}
