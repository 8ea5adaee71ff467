//! Tags in prompts, the mode they begin, and the words that the program knows.

use std::fs;

use expect_test::expect;
use serde_json::{Value, json};

use crate::nexus::session::{said, scene};
use crate::payload::{event, prompt, write};
use crate::sandbox::Sandbox;

fn mode(sandbox: &Sandbox) -> Value {
    let text = fs::read_to_string(sandbox.path(".nexus/state/claude-code/mode.json"));
    let mut mode: Value = text.map_or(Value::Null, |text| serde_json::from_str(&text).expect("JSON"));
    if mode["set_at"].as_str().is_some_and(|at| at.ends_with('Z')) {
        mode["set_at"] = "NOW".into();
    }
    mode
}

#[test]
fn a_tag_is_answered_before_plan_and_tasks() {
    let sandbox = scene();
    let received = said(&sandbox, prompt("[m] the proxy drops idle connections"));
    let paragraphs: Vec<&str> = received.split("\n\n").collect();
    assert_eq!(paragraphs.len(), 3, "{received}");
    assert!(paragraphs[0].starts_with("`[m]` in the user's prompt means in this project: "), "{received}");
    assert!(
        paragraphs[1].starts_with("Tasks in .nexus") && paragraphs[2].starts_with("Plan #1"),
        "{received}"
    );
}

#[test]
fn every_form_is_answered() {
    let sandbox = scene();
    for form in
        ["[plan]", "[plan:auto]", "[run]", "[sync]", "[d]", "[m]", "[m:gc]", "[rule]", "[rule:testing]"]
    {
        let received = said(&sandbox, prompt(&format!("{form} some text")));
        assert!(received.starts_with(&format!("`{form}` in the user's prompt means")), "{form}: {received}");
    }
    fs::remove_file(sandbox.path(".nexus/state/plan.json")).expect("it was there");
    let received = said(&sandbox, prompt("[d] the second one"));
    assert!(received.contains("No plan is open"), "{received}");
}

#[test]
fn what_is_quoted_is_not_answered() {
    let sandbox = Sandbox::new().file(".nexus/memory/a.md", "x");
    for quoted in
        ["```toml\n[run]\nbranch = true\n```", "what is `[plan]`?", "- [d] done", "[run](http://ci)"]
    {
        assert_eq!(said(&sandbox, prompt(quoted)), "", "{quoted}");
    }
    assert_eq!(mode(&sandbox), Value::Null);
}

#[test]
fn a_skill_sets_the_mode_and_the_next_one_takes_its_place() {
    let sandbox = scene();
    sandbox.hook("claude-code", prompt("[m] x"));
    assert_eq!(mode(&sandbox), Value::Null);
    sandbox.hook("claude-code", prompt("[plan:auto] x"));
    assert_eq!(
        mode(&sandbox),
        json!({ "mode": "plan", "auto": true, "set_at": "NOW", "session": "session-1" })
    );
    sandbox.hook("claude-code", prompt("[d] yes"));
    sandbox.hook("claude-code", prompt("[plan] y then [run]"));
    assert_eq!(mode(&sandbox)["mode"], "run");
    sandbox.hook("claude-code", event("SessionEnd").with("reason", "clear"));
    assert_eq!(mode(&sandbox), Value::Null);
}

#[test]
fn closing_the_cycle_by_hand_ends_the_modes_of_our_agents() {
    let sandbox = scene();
    sandbox.hook("claude-code", prompt("[run] all"));
    let of = |harness: &str| sandbox.path(&format!(".nexus/state/{harness}/mode.json"));
    let mode = fs::read_to_string(of("claude-code")).expect("a mode");
    for harness in ["codex", "opencode-nexus"] {
        sandbox.put(&format!(".nexus/state/{harness}/mode.json"), &mode);
    }
    sandbox.run(["task", "close", "--drop"]).code(0);
    let left = ["claude-code", "codex", "opencode-nexus"].map(|harness| of(harness).exists());
    assert_eq!(left, [false, false, true], "the mode of another program is its own");
    assert!(
        !sandbox.path(".nexus/state/cursor").exists(),
        "no folder is created for an agent that was never here"
    );
}

/// The keys of the entries as nexus-core 0.10 has them: agents and skills of its manifest, and the schemas of exceptions
/// and of the memory policy, which allow no others. Those that some entries lack come last.
const ENTRIES: &[(&str, &[&str], &[&str])] = &[
    (
        "/agents",
        &[
            "name",
            "description",
            "task",
            "alias_ko",
            "category",
            "resume_tier",
            "model_tier",
            "capabilities",
            "id",
            "body_hash",
        ],
        &[],
    ),
    (
        "/skills",
        &["name", "description", "summary", "id", "body_hash"],
        &["triggers", "harness_docs_refs", "manual_only"],
    ),
    ("/task_exceptions", &["id", "description", "applies_when", "treatment", "rationale"], &[]),
    ("/memory_policy/categories", &["id", "prefix", "description"], &[]),
];
const POLICY: &[(&str, &[&str])] =
    &[("memory_policy", &["categories", "naming", "access_tracking", "forgetting", "merge"])];

#[test]
fn the_vocabulary_can_be_read_whole() {
    let words = Sandbox::new().run(["nexus", "vocabulary", "--json"]).json();
    let parts: Vec<&String> = words.as_object().expect("a map").keys().collect();
    assert_eq!(
        parts,
        [
            "capabilities",
            "categories",
            "resume_tiers",
            "tags",
            "invocations",
            "task_exceptions",
            "memory_policy",
            "agents",
            "skills"
        ]
    );
    assert_eq!(words["tags"][4]["trigger"], "[m]");
    assert_eq!(
        words["agents"][0]["capabilities"],
        json!(["no_file_edit", "no_task_create", "no_task_update"])
    );
    for (part, required, optional) in ENTRIES {
        for entry in words.pointer(part).and_then(Value::as_array).expect(part) {
            let found: Vec<&str> = entry.as_object().expect(part).keys().map(String::as_str).collect();
            let missing: Vec<_> = required.iter().filter(|key| !found.contains(key)).collect();
            let unknown: Vec<_> =
                found.iter().filter(|key| !required.contains(key) && !optional.contains(key)).collect();
            assert!(missing.is_empty() && unknown.is_empty(), "{part}: {missing:?} {unknown:?} {entry}");
        }
    }
    for (part, keys) in POLICY {
        let found: Vec<&String> = words[*part].as_object().expect(part).keys().collect();
        assert_eq!(found, *keys, "{part}");
    }
    for (part, count) in
        [("agents", 9), ("skills", 4), ("capabilities", 4), ("resume_tiers", 3), ("categories", 3)]
    {
        assert_eq!(words[part].as_array().map(Vec::len), Some(count), "{part}");
    }
    let hash = words["agents"][0]["body_hash"].as_str().expect("a hash");
    assert!(hash.len() == 71 && hash.starts_with("sha256:"), "{hash}");
    assert_eq!(words["skills"][3]["manual_only"], true);
    assert_eq!(words["capabilities"][1]["blocks_semantic_classes"], json!(["nexus_task_creation"]));
    let shown = Sandbox::new().run(["nexus", "vocabulary"]).stdout;
    assert!(shown.contains("  [plan]  Decide what is to be done"), "{shown}");
    assert!(shown.contains("  engineer  do; must not add tasks\n"), "{shown}");
}

#[test]
fn whether_an_agent_continues_is_decided_from_what_the_hooks_have_seen() {
    let sandbox = scene();
    let check = |args: &[&str], expected: expect_test::Expect| {
        let mut line = vec!["nexus", "resume-check"];
        line.extend(args);
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        let ran = sandbox.ran(&command.args(line).output().expect("it runs"));
        ran.code(0);
        expected.assert_eq(ran.stdout.trim_end());
    };
    let turn = |id: &str, role: &str, file: &str| {
        let own = |name: &str| event(name).with("agent_id", id).with("agent_type", role);
        sandbox.hook("claude-code", own("SubagentStart"));
        sandbox.hook("claude-code", write(file, "x").after().with("agent_id", id));
        sandbox.hook("claude-code", own("SubagentStop"));
    };
    check(&["--task", "2", "--file", "a.rs"], expect!["fresh: no earlier agent can continue"]);
    turn("e1", "engineer", "a.rs");
    check(&["--task", "2", "--file", "a.rs"], expect!["resume e1; it reads again first: a.rs"]);
    check(&["--task", "2", "--file", "b.rs"], expect!["fresh: the earlier agent has not worked on `b.rs`"]);
    check(
        &["--agent", "e1", "--owner", "writer", "--file", "a.rs"],
        expect!["fresh: the task belongs to another role"],
    );
    turn("w1", "writer", "a.rs");
    check(&["--task", "2", "--file", "./a.rs"], expect!["fresh: another agent has changed `a.rs` since"]);
    check(
        &["--agent", "e1", "--policy", "resume", "--file", "a.rs", "--json"],
        expect![[r#"
            {
              "decision": "fresh",
              "reason": "another agent has changed `a.rs` since",
              "agent_id": "e1"
            }"#]],
    );
    check(
        &["--agent", "w1", "--policy", "fresh", "--file", "a.rs"],
        expect!["fresh: the task asks for a new agent"],
    );
    check(&["--previous-owner", "architect"], expect!["resume the earlier agent"]);
    check(&["--previous-owner", "tester"], expect!["fresh: agents with this role always start fresh"]);
    check(
        &["--previous-owner", "x", "--tier", "bounded", "--file", "a", "--touched", "a"],
        expect!["resume the earlier agent; it reads again first: a"],
    );
    check(
        &["--previous-owner", "x", "--tier", "bounded", "--file", "a", "--touched", "a", "--edited", "a"],
        expect!["fresh: another agent has changed `a` since"],
    );
    sandbox.run(["nexus", "resume-check", "--task", "9"]).code(1).stderr(expect![[r#"
        error: task id 9 not found
        hint: `nudge task` lists the tasks
    "#]]);
}
