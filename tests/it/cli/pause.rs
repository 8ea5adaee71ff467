//! `nudge off`, `nudge on` and `NUDGE_OFF`: hooks answer nothing and remember nothing, and everybody is told.

use std::fs;

use expect_test::expect;
use serde_json::{Value, json};

use crate::payload::{event, prompt, write};
use crate::sandbox::{BLOCK_TODO, Ran, Sandbox};

fn sandbox() -> Sandbox {
    Sandbox::new().rule("a.yaml", BLOCK_TODO)
}

fn violation(sandbox: &Sandbox) -> Ran {
    sandbox.hook("claude-code", write("a.rs", "TODO"))
}

fn observations(sandbox: &Sandbox) -> Value {
    sandbox.run(["status", "--json"]).json()["here"]["observations"].clone()
}

#[test]
fn off_pauses_hooks_until_on() {
    let sandbox = sandbox();
    assert!(violation(&sandbox).blocks());
    let before = observations(&sandbox);
    sandbox.run(["off"]).code(0).stderr(expect![[""]]).stdout(expect![[r#"
        nudge is off everywhere; `nudge on` ends it
    "#]]);
    assert_eq!(violation(&sandbox).stdout, "");
    assert_eq!(sandbox.hook("claude-code", prompt("do it")).stdout, "");
    assert_eq!(observations(&sandbox), before, "nothing is remembered");
    assert_eq!(sandbox.run(["log", "--json"]).json()["total"], 1, "nor traced");
    sandbox.run(["on"]).code(0).stdout(expect![[r#"
        nudge is on again
    "#]]);
    assert!(violation(&sandbox).blocks());
    assert!(!sandbox.data_folder().join("paused.json").exists());
    sandbox.run(["on"]).code(0).stdout(expect![[r#"
        nudge was on already
    "#]]);
}

#[test]
fn a_pause_is_shown_by_status_doctor_the_summary_and_at_session_start() {
    let sandbox = sandbox();
    violation(&sandbox);
    sandbox.run(["off", "--for", "1h"]).code(0);
    let said = "nudge is off everywhere until ";
    for command in ["status", "doctor"] {
        let ran = sandbox.run([command]);
        assert!(ran.code(0).stdout.contains(said), "{command}: {}", ran.stdout);
    }
    assert!(sandbox.run([]).stdout.contains(said));
    let off = sandbox.run(["status", "--json"]).json()["here"]["off"].clone();
    assert!(off["by"] == "user" && off["project"].is_null() && off["until"].is_string(), "{off}");
    for agent in ["claude-code", "codex", "gemini-cli"] {
        let started = sandbox.hook(agent, event("SessionStart").with("source", "startup"));
        let message = started.json()["systemMessage"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains(said) && message.ends_with("(`nudge on` ends it)"), "{agent}: {message}");
    }
    sandbox.run(["on"]).code(0);
    assert!(sandbox.run(["status", "--json"]).json()["here"]["off"].is_null());
}

#[test]
fn a_pause_ends_by_itself() {
    let sandbox = sandbox();
    sandbox.run(["off", "--for", "1h"]).code(0);
    assert_eq!(violation(&sandbox).stdout, "");
    // As if an hour had gone by.
    let file = sandbox.data_folder().join("paused.json");
    let mut pauses: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    for time in ["since", "until"] {
        let then = pauses[0][time].as_i64().unwrap() - 3_601;
        pauses[0][time] = json!(then);
    }
    fs::write(&file, pauses.to_string()).unwrap();
    assert!(violation(&sandbox).blocks());
    // A file that cannot be read pauses nothing.
    fs::write(&file, "half").unwrap();
    assert!(violation(&sandbox).blocks());
    sandbox.run(["off"]).code(0);
    assert_eq!(violation(&sandbox).stdout, "");
}

#[test]
fn one_project_can_be_paused() {
    let sandbox = sandbox();
    sandbox.put("../other/.git/HEAD", "ref: refs/heads/main");
    sandbox.put("../other/.nudge.yaml", BLOCK_TODO);
    let elsewhere = |sandbox: &Sandbox| {
        let other = sandbox.beside("other");
        let payload = write("a.rs", "TODO").with("cwd", other.to_str().unwrap());
        let bytes = payload.with("tool_input", json!({ "file_path": other.join("a.rs"), "content": "TODO" }));
        sandbox.hook_bytes("claude-code", bytes.0.to_string().as_bytes())
    };
    sandbox.run(["off", "--project"]).code(0).stdout(expect![[r#"
        nudge is off in $BASE/project; `nudge on` ends it
    "#]]);
    assert_eq!(violation(&sandbox).stdout, "");
    assert!(elsewhere(&sandbox).blocks());
    // Both pauses apply here; one of them is left.
    sandbox.run(["off", "--all"]).code(0);
    assert_eq!(elsewhere(&sandbox).stdout, "");
    sandbox.run(["on", "--project"]).code(0).stdout(expect![[r#"
        nudge is still off here, everywhere; `nudge on` ends it
    "#]]);
    sandbox.run(["on"]).code(0);
    assert!(violation(&sandbox).blocks() && elsewhere(&sandbox).blocks());
}

#[test]
fn a_variable_pauses_one_agent() {
    let sandbox = sandbox().env("NUDGE_OFF", "1");
    assert_eq!(violation(&sandbox).stdout, "");
    sandbox.run(["on"]).code(0).stdout(expect![[r#"
        nudge is still off here, because NUDGE_OFF is set; unset NUDGE_OFF where the agent is started
    "#]]);
    let kept_on = Sandbox::new().rule("a.yaml", BLOCK_TODO).env("NUDGE_OFF", "0");
    kept_on.run(["off"]).code(0);
    assert!(violation(&kept_on).blocks());
}

#[test]
fn setup_and_doctor_prove_hooks_even_in_a_pause() {
    let sandbox = Sandbox::new();
    sandbox.run(["off"]).code(0);
    let ran = sandbox.run(["setup", "claude"]);
    assert!(ran.code(0).stdout.contains("a test event was answered"), "{}", ran.stdout);
    assert!(sandbox.run(["doctor"]).code(0).stdout.contains("a test event was answered"));
}

#[test]
fn a_time_must_be_one() {
    for time in ["soon", "0s", "5", "-"] {
        let ran = Sandbox::new().run(["off", "--for", time]);
        ran.code(2);
        assert!(ran.stderr.contains("write how long, as in `30m`"), "{time}: {}", ran.stderr);
    }
}
