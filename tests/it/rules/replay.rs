//! `nudge test --replay` and `nudge validate --replay`: rules on the calls of earlier sessions.

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, rules};

/// A transcript of Claude Code: each call with how it ended.
fn transcript(calls: &[(&str, &str)]) -> String {
    let mut lines = Vec::new();
    for (number, (command, ending)) in calls.iter().enumerate() {
        let (id, at) = (format!("toolu_{number}"), format!("2026-11-01T06:{number:02}:00.000Z"));
        let record = |kind: &str, message: Value| {
            json!({ "type": kind, "uuid": format!("{kind}{number}"), "sessionId": "s1", "timestamp": at,
                "cwd": "/gone/shop", "version": "2.1.325", "message": message })
        };
        let call = json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } });
        lines.push(record("assistant", json!({ "id": format!("m{number}"), "content": [call] })));
        let is_error = *ending != "ok";
        let result =
            json!({ "type": "tool_result", "tool_use_id": id, "content": ending, "is_error": is_error });
        lines.push(record("user", json!({ "content": [result] })));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

const REFUSED: &str = "The user doesn't want to proceed with this tool use. Stop.";
const CALLS: [(&str, &str); 5] = [
    ("git push --force", "ok"),
    ("git push --force origin x", "Exit code 1\nrejected"),
    ("git push --force origin y", REFUSED),
    ("git push", "ok"),
    ("ls", "ok"),
];

fn sandbox(text: &str) -> Sandbox {
    let rule = "{ name: no-force, on: { hook: PreToolUse, tool: Bash }, match: { content: '--force' }, action: interrupt, message: no }";
    let other = "{ name: quiet, on: { hook: PostToolUse, tool: Bash }, match: { output: never }, action: continue, message: no }";
    Sandbox::new().rule("a.yaml", &rules(&[rule, other])).file("h/.claude/projects/-shop/s1.jsonl", text)
}

#[test]
fn a_replay_says_what_a_rule_would_have_stopped_and_how_it_ended() {
    let sandbox = sandbox(&transcript(&CALLS));
    let ran = sandbox.run(["test", "--replay", "2026-01-01", "--transcripts", "h", "--json"]);
    let report = ran.code(0).json();
    assert_eq!(
        ["calls", "commands", "fired", "failed", "refused", "went_well", "false_alarms"]
            .map(|name| &report[name]),
        [5, 4, 3, 1, 1, 1, 1].map(|count: i64| json!(count)).each_ref(),
    );
    let outcomes: Vec<(&Value, &Value)> =
        report["firings"].as_array().unwrap().iter().map(|one| (&one["what"], &one["outcome"])).collect();
    assert_eq!(
        outcomes,
        [
            (&json!("git push --force origin y"), &json!("refused")),
            (&json!("git push --force origin x"), &json!("failed")),
            (&json!("git push --force"), &json!("well")),
        ]
    );
    let one =
        sandbox.run(["test", "--replay", "2026-01-01", "--transcripts", "h", "--rule", "quiet", "--json"]);
    assert_eq!((&one.code(0).json()["fired"], &one.json()["rules"][0]["considered"]), (&json!(0), &json!(4)));
    sandbox.run(["test", "--replay", "--rule", "nobody"]).code(1);
}

#[test]
fn a_replay_knows_what_happened_earlier_in_each_session() {
    let calls = [
        ("cargo publish", "ok"),
        ("echo x > src/a.rs", "ok"),
        ("cargo publish --dry-run", "ok"),
        ("cargo test", "Exit code 101\nboom"),
        ("cargo publish --again", "ok"),
        ("cargo test", "ok"),
        ("cargo publish --last", "ok"),
    ];
    let rule = "{ name: tested, on: { hook: PreToolUse, tool: Bash }, match: { content: '^cargo publish' }, after: { file: 'src/**' }, without: { content: '^cargo test' }, action: interrupt, message: no }";
    let sandbox = Sandbox::new()
        .rule("a.yaml", &rules(&[rule]))
        .file("h/.claude/projects/-shop/s1.jsonl", transcript(&calls));
    let report =
        sandbox.run(["test", "--replay", "2026-01-01", "--transcripts", "h", "--json"]).code(0).json();
    let fired: Vec<&Value> = report["firings"].as_array().unwrap().iter().map(|one| &one["what"]).collect();
    assert_eq!(fired, ["cargo publish --again", "cargo publish --dry-run"]);
}

#[test]
fn false_alarms_decide_the_exit_code_of_a_validation() {
    let sandbox = sandbox(&transcript(&CALLS));
    let replay = ["validate", "--replay", "2026-01-01", "--transcripts", "h"];
    sandbox.run(replay).code(1);
    let [validate, replay, since, transcripts, folder] = replay;
    sandbox.run([validate, replay, since, transcripts, folder, "--max-false-alarms", "1"]).code(0);
}

#[test]
fn broken_transcripts_and_no_history_are_said_and_stop_nothing() {
    let broken = format!("not json\n{{\n{}\u{0}\n[]\n", transcript(&CALLS));
    let sandbox = sandbox(&broken);
    let report =
        sandbox.run(["test", "--replay", "2026-01-01", "--transcripts", "h", "--json"]).code(0).json();
    assert_eq!((&report["calls"], &report["fired"]), (&json!(5), &json!(3)));
    assert!(report["not_replayed"][0]["count"].as_u64() > Some(0));
    // In this project nothing happened.
    let report = sandbox.run(["test", "--replay", "--json"]).code(0).json();
    assert_eq!((&report["calls"], &report["fired"]), (&json!(0), &json!(0)));
    sandbox.run(["test", "--replay", "--transcripts", "nowhere"]).code(1);
}
