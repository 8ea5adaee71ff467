//! A failure that was overcome in one session and comes back in another, in many ecosystems: the right difference is shown,
//! and another failure of the same program is left alone.
//!
//! All scenes of `tests/fixtures/remedies.json` share one memory, so that each failure is told from all others.

use serde::Deserialize;

use crate::payload::{Payload, bash, edit, event};
use crate::sandbox::Sandbox;

#[derive(Deserialize)]
struct Scene {
    name: String,
    failed: Run,
    then: Vec<Step>,
    /// The same cause with other names and numbers, in another session.
    again: Run,
    /// What the agent must be shown then.
    told: String,
    /// Another cause, of which nothing is known.
    other: Run,
}

#[derive(Deserialize)]
struct Run {
    command: String,
    output: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Step {
    Edit { edit: String, old: String, new: String },
    Command { run: String, output: String },
}

/// Plays a failure, and returns what the agent is shown.
fn fail(sandbox: &Sandbox, session: &str, run: &Run) -> String {
    let payload = bash(&run.command)
        .with("hook_event_name", "PostToolUseFailure")
        .with("tool_use_id", format!("{session} fails"))
        .with("error", format!("Exit code 1\n{}", run.output));
    sandbox.hook("claude-code", payload.session(session)).stdout
}

fn payload_of(step: &Step) -> Payload {
    match step {
        Step::Edit { edit: path, old, new } => edit(path, old, new).after(),
        Step::Command { run, output } => {
            let response = serde_json::json!({ "stdout": output, "stderr": "", "interrupted": false });
            bash(run).after().with("tool_response", response)
        }
    }
}

#[test]
fn the_right_difference_is_shown_in_every_ecosystem_and_other_failures_are_left_alone() {
    let scenes: Vec<Scene> =
        serde_json::from_str(include_str!("../../fixtures/remedies.json")).expect("scenes");
    let sandbox = Sandbox::new();
    let mut wrong = Vec::new();
    for (number, scene) in scenes.iter().enumerate() {
        let session = format!("first-{number}");
        let told = fail(&sandbox, &session, &scene.failed);
        if !told.is_empty() {
            wrong.push(format!("{}: the first failure was answered with {told}", scene.name));
        }
        for (at, step) in scene.then.iter().enumerate() {
            let id = format!("{session} step {at}");
            sandbox.hook("claude-code", payload_of(step).session(&session).with("tool_use_id", id));
        }
        sandbox.hook("claude-code", event("SessionEnd").session(&session).with("reason", "exit"));
    }
    for (number, scene) in scenes.iter().enumerate() {
        let told = fail(&sandbox, &format!("again-{number}"), &scene.again);
        if !told.contains("Seen before") || !told.contains(&scene.told) {
            wrong.push(format!("{}: not told, but `{told}`", scene.name));
        }
        let told = fail(&sandbox, &format!("other-{number}"), &scene.other);
        if !told.is_empty() {
            wrong.push(format!("{}: another failure was answered with {told}", scene.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), 3 * scenes.len(), wrong.join("\n"));
}
