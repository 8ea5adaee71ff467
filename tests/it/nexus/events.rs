//! The eight events of the contract, sent as Claude Code really sends them; every MUST and SHOULD has a test here.

use std::fs;

use expect_test::expect;
use serde_json::{Value, json};

use crate::nexus::session::{NAMES, recorded, said, scene, tasks, tracker};
use crate::payload::{Payload, bash, edit, event, prompt, stop, tool, write};
use crate::sandbox::Sandbox;

fn start(source: &str) -> Payload {
    event("SessionStart").with("source", source)
}

fn subagent(name: &str, id: &str, kind: &str) -> Payload {
    event(name).with("agent_id", id).with("agent_type", kind)
}

fn ended() -> Payload {
    event("SessionEnd").with("reason", "other")
}

#[test]
fn a_project_without_a_nexus_folder_is_left_alone() {
    let sandbox = Sandbox::new().file(".nudge/config.toml", "[context]\nbudget = 0\n");
    for payload in [
        start("startup"),
        prompt("a login"),
        subagent("SubagentStart", "a1", "architect"),
        write("a.rs", "x").with("agent_id", "a1").with("agent_type", "architect"),
        write("a.rs", "x").after(),
        subagent("SubagentStop", "a1", "architect"),
        stop("done"),
        start("compact"),
        ended(),
    ] {
        assert_eq!(said(&sandbox, payload), "");
    }
    assert!(!sandbox.path(".nexus").exists());
}

#[test]
fn every_recorded_payload_is_answered_in_a_project_with_plan_and_tasks() {
    let sandbox = scene();
    for name in NAMES {
        sandbox.hook("claude-code", recorded(name));
    }
    let doctor = sandbox.run(["doctor"]).stdout;
    assert!(!doctor.contains("plan and tasks:"), "{doctor}");
}

// session_start

#[test]
fn a_session_makes_the_folders_and_an_empty_tracker() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path(".nexus")).expect("a folder");
    sandbox.put(".nexus/state/agent-tracker.json", "[]");
    sandbox.hook("claude-code", recorded("SessionStart.startup"));
    assert_eq!(fs::read_to_string(sandbox.path(".nexus/.gitignore")).expect("a file"), "state/\n");
    assert_eq!(tracker(&sandbox), json!([]));
    assert!(!sandbox.path(".nexus/state/agent-tracker.json").exists(), "the legacy tracker is gone");
    sandbox.put(".nexus/.gitignore", "state/\nmine\n");
    sandbox.hook("claude-code", start("startup"));
    assert_eq!(fs::read_to_string(sandbox.path(".nexus/.gitignore")).expect("a file"), "state/\nmine\n");
}

#[test]
fn a_tracker_is_kept_if_the_session_continues() {
    for (source, kept) in
        [("startup", 0), ("clear", 0), ("resume", 1), ("compact", 1), ("fork", 1), ("of-tomorrow", 1)]
    {
        let sandbox = scene();
        sandbox.hook("claude-code", subagent("SubagentStart", "a1", "engineer"));
        sandbox.hook("claude-code", start(source));
        assert_eq!(tracker(&sandbox).as_array().expect("a list").len(), kept, "{source}");
    }
    let sandbox = scene();
    sandbox.hook("claude-code", recorded("SessionStart.resume"));
    assert_eq!(tracker(&sandbox), json!([]), "one that is not there begins");
}

#[test]
fn a_subagent_begins_no_session() {
    let sandbox = scene();
    sandbox.hook("claude-code", subagent("SubagentStart", "a1", "engineer"));
    assert_eq!(said(&sandbox, start("startup").with("agent_id", "a1")), "");
    assert_eq!(tracker(&sandbox).as_array().expect("a list").len(), 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_reported_once_and_stops_nobody() {
    let sandbox = Sandbox::new()
        .file(".nexus/state", "not a folder")
        .file(".nudge/config.toml", "[context]\nbudget = 0\n");
    let reply = sandbox.hook("claude-code", start("startup")).stdout;
    assert!(reply.contains("the project's plan and tasks: "), "{reply}");
    for payload in [
        prompt("[run]"),
        subagent("SubagentStart", "a1", "engineer"),
        write("a.rs", "x").after(),
        tool("Read", json!({ "file_path": "a.rs" })).after(),
        subagent("SubagentStop", "a1", "engineer"),
        stop("done"),
        start("compact"),
        ended(),
    ] {
        sandbox.hook("claude-code", payload);
    }
    assert!(sandbox.run(["doctor"]).stdout.contains("the project's plan and tasks: "));
}

#[test]
fn the_harness_has_a_name_of_its_own() {
    let sandbox = scene().env("NEXUS_HARNESS_ID", "claude-nexus");
    sandbox.hook("claude-code", subagent("SubagentStart", "a1", "engineer"));
    let text = fs::read_to_string(sandbox.path(".nexus/state/claude-nexus/agent-tracker.json"));
    let tracked: Value = serde_json::from_str(&text.expect("a tracker")).expect("JSON");
    assert_eq!(tracked[0]["harness_id"], "claude-nexus");
    let sandbox = scene().env("NEXUS_HARNESS_ID", "../Elsewhere");
    let reply = sandbox.hook("claude-code", start("startup")).stdout;
    assert!(reply.contains("NEXUS_HARNESS_ID is `../Elsewhere`"), "{reply}");
    assert_eq!(tracker(&sandbox), json!([]), "the harness's own id holds");
}

// user_message

#[test]
fn a_prompt_gets_the_state_of_plan_and_tasks() {
    let sandbox = scene();
    expect![[r#"
        Tasks in .nexus: 3 in all, 1 completed, 1 pending, in progress #2 Import old files; ready: #3 Describe the format.

        Plan #1 `Move to SQLite` in .nexus: 1 pending, 1 decided; to decide: #2 How do old files get in?.
        [nudge: tasks, plan]"#]]
    .assert_eq(&said(&sandbox, prompt("go on")));
}

#[test]
fn a_prompt_without_plan_tasks_or_tags_passes_unchanged() {
    let sandbox = Sandbox::new().file(".nexus/memory/a-note.md", "x");
    assert_eq!(said(&sandbox, recorded("UserPromptSubmit")), "");
}

#[test]
fn a_turn_of_a_machine_is_not_a_prompt() {
    let sandbox = scene();
    assert_eq!(said(&sandbox, prompt("<task-notification>[run]</task-notification>")), "");
    assert_eq!(said(&sandbox, prompt("[run]").with("source", "loop_wakeup")), "");
    assert!(!sandbox.path(".nexus/state/claude-code/mode.json").exists());
}

// subagent_spawn, agent_resume, subagent_complete

#[test]
fn a_subagent_is_tracked_from_its_start_to_its_end_and_when_it_continues() {
    let sandbox = scene();
    let own =
        |payload: Payload| payload.with("agent_id", "ae28a12557cec4a5b").with("agent_type", "p:engineer");
    sandbox.hook("claude-code", start("startup"));
    sandbox.hook("claude-code", recorded("SubagentStart"));
    let timeless = |mut value: Value| {
        for agent in value.as_array_mut().expect("a list") {
            for key in ["started_at", "stopped_at", "last_resumed_at"] {
                if agent[key].as_str().is_some_and(|at| at.ends_with('Z')) {
                    agent[key] = "NOW".into();
                }
            }
        }
        value
    };
    assert_eq!(
        timeless(tracker(&sandbox)),
        json!([{
            "harness_id": "claude-code", "agent_name": "general-purpose", "agent_id": "ae28a12557cec4a5b",
            "started_at": "NOW", "resume_count": 0, "status": "running",
        }])
    );
    for payload in [
        own(write("src/b.rs", "x").after()),
        own(edit("src/a.rs", "x", "y").after()),
        own(write("src/b.rs", "z").after()),
        own(bash("touch c").after()),
        own(tool("Read", json!({ "file_path": "src/read.rs" })).after()),
        own(write("src/failed.rs", "x")).with("hook_event_name", "PostToolUseFailure").with("error", "no"),
        write("src/lead.rs", "x").after(),
    ] {
        sandbox.hook("claude-code", payload);
    }
    sandbox.hook("claude-code", recorded("SubagentStop"));
    assert_eq!(
        timeless(tracker(&sandbox)),
        json!([{
            "harness_id": "claude-code", "agent_name": "general-purpose", "agent_id": "ae28a12557cec4a5b",
            "started_at": "NOW", "resume_count": 0, "status": "completed", "stopped_at": "NOW",
            "last_message": "sub done", "files_touched": ["src/b.rs", "src/a.rs", "c"],
        }])
    );
    sandbox.hook("claude-code", recorded("SubagentStart"));
    sandbox.hook("claude-code", own(write("src/d.rs", "x").after()));
    sandbox.hook("claude-code", recorded("SubagentStop").with("last_assistant_message", "more"));
    assert_eq!(
        timeless(tracker(&sandbox)),
        json!([{
            "harness_id": "claude-code", "agent_name": "general-purpose", "agent_id": "ae28a12557cec4a5b",
            "started_at": "NOW", "last_resumed_at": "NOW", "resume_count": 1, "status": "completed",
            "stopped_at": "NOW", "last_message": "more", "files_touched": ["src/b.rs", "src/a.rs", "c", "src/d.rs"],
        }])
    );
}

#[test]
fn an_agent_that_started_unseen_is_known_when_it_stops() {
    let sandbox = scene();
    sandbox.hook("claude-code", write("a.rs", "x").after().with("agent_id", "a1"));
    sandbox.hook("claude-code", subagent("SubagentStop", "a1", "engineer"));
    let tracked = tracker(&sandbox);
    assert_eq!(
        (&tracked[0]["status"], &tracked[0]["files_touched"]),
        (&json!("completed"), &json!(["a.rs"]))
    );
}

#[test]
fn what_a_subagent_says_is_kept_without_secrets_and_not_at_length() {
    let sandbox = scene();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let message = format!("pushed with {secret} {}", "x".repeat(5_000));
    sandbox.hook(
        "claude-code",
        subagent("SubagentStop", "a1", "engineer").with("last_assistant_message", message),
    );
    let kept = tracker(&sandbox)[0]["last_message"].as_str().expect("a message").to_owned();
    assert!(!kept.contains("16C7e42F") && kept.starts_with("pushed with [REDACTED"), "{kept}");
    assert_eq!(kept.chars().count(), 2_000);
}

#[test]
fn a_malformed_tracker_costs_only_itself() {
    let sandbox = scene().file(".nexus/state/claude-code/agent-tracker.json", "{ torn");
    let reply = sandbox.hook("claude-code", subagent("SubagentStart", "a1", "engineer")).stdout;
    assert!(reply.contains("agent-tracker.json` is malformed"), "{reply}");
    assert_eq!(tracker(&sandbox)[0]["agent_id"], "a1");
}

#[test]
fn a_subagent_gets_its_limits_and_what_there_is_to_read() {
    let sandbox = scene();
    expect![[r#"
        In this project the agent `architect` must not edit files, add tasks or change tasks.

        Knowledge of this project in `.nexus/`; read what concerns the task:
        memory: empirical-slow-link.md, pattern-release.md
        context: architecture.md
        rules: testing.md
        [nudge: role, knowledge]"#]]
    .assert_eq(&said(&sandbox, subagent("SubagentStart", "a1", "nexus:architect")));
    let output = said(&sandbox, subagent("SubagentStart", "a2", "Explore"));
    assert!(output.starts_with("Knowledge of this project"), "{output}");
}

#[test]
fn a_subagent_that_continues_sees_what_others_have_changed() {
    let sandbox = scene();
    let turn = |id: &str, file: &str| {
        said(&sandbox, subagent("SubagentStart", id, "engineer"));
        sandbox.hook("claude-code", write(file, "x").after().with("agent_id", id));
        sandbox.hook("claude-code", subagent("SubagentStop", id, "engineer"));
    };
    turn("a1", "a.rs");
    let output = said(&sandbox, subagent("SubagentStart", "a1", "engineer"));
    assert!(output.contains("This agent is resuming: read `a.rs` again before editing."), "{output}");
    sandbox.hook("claude-code", subagent("SubagentStop", "a1", "engineer"));
    turn("a2", "a.rs");
    let output = said(&sandbox, subagent("SubagentStart", "a1", "engineer"));
    assert!(output.contains("another one has changed `a.rs`: read it again"), "{output}");
}

#[test]
fn a_subagent_that_leaves_tasks_open_is_reported() {
    let sandbox = scene();
    let reply = sandbox.hook("claude-code", subagent("SubagentStop", "a1", "engineer"));
    reply.reply(expect!["user: The agent `engineer` has stopped, and its tasks are not completed: #2 Import old files. Check what is done and set their status with nx_task_update."]);
    // The main conversation hears of it where the subagent hands back.
    let handed_back = recorded("PostToolUse.Agent");
    let mut response = handed_back.0["tool_response"].clone();
    response["agentId"] = "a1".into();
    let output = said(&sandbox, handed_back.clone().with("tool_response", response.clone()));
    assert!(output.starts_with("The agent `engineer` has stopped"), "{output}");
    response["agentId"] = "unknown".into();
    assert_eq!(said(&sandbox, handed_back.with("tool_response", response)), "");
    sandbox.hook("claude-code", subagent("SubagentStop", "a2", "writer")).reply(expect!["nothing"]);
}

// post_tool_use

#[test]
fn every_use_of_a_tool_is_a_line_in_the_log() {
    let sandbox = scene();
    for payload in [
        bash("ls").after(),
        write("src/a.rs", "x").after().with("agent_id", "a1"),
        write("../elsewhere/b.rs", "x").after(),
        recorded("PostToolUseFailure.Bash"),
        recorded("PostToolUse.Bash.sub"),
    ] {
        sandbox.hook("claude-code", payload);
    }
    let log = fs::read_to_string(sandbox.path(".nexus/state/claude-code/tool-log.jsonl")).expect("a log");
    let lines: Vec<String> = log
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).expect("JSON");
            assert!(line["ts"].as_str().is_some_and(|ts| ts.ends_with('Z')));
            line["ts"] = "NOW".into();
            line.to_string().replace(sandbox.beside("").to_str().expect("UTF-8"), "$BASE/")
        })
        .collect();
    expect![[r#"
        {"ts":"NOW","tool":"Bash","status":"ok"}
        {"ts":"NOW","agent_id":"a1","tool":"Write","file":"src/a.rs","status":"ok"}
        {"ts":"NOW","tool":"Write","file":"$BASE/elsewhere/b.rs","status":"ok"}
        {"ts":"NOW","tool":"Bash","status":"error"}
        {"ts":"NOW","agent_id":"ae28a12557cec4a5b","tool":"Bash","status":"ok"}"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn reads_of_notes_are_counted_and_nothing_else_is() {
    let sandbox = scene();
    let read = |path: &str| tool("Read", json!({ "file_path": path })).after();
    let counts = || {
        let text = fs::read_to_string(sandbox.path(".nexus/state/claude-code/memory-access.jsonl"));
        let lines: Vec<Value> =
            text.unwrap_or_default().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        lines
            .iter()
            .map(|line| {
                let path = line["path"].as_str().expect("a path");
                let name = path.rsplit('/').next().expect("a name").to_owned();
                (name, line["access_count"].clone(), line["last_agent"].clone())
            })
            .collect::<Vec<_>>()
    };
    for payload in [
        read("src/a.rs"),
        read(".nexus/context/architecture.md"),
        read(".nexus/memory/none.md"),
        read(".nexus/memory/../context/architecture.md"),
        write(".nexus/memory/pattern-release.md", "x").after(),
        tool("Grep", json!({ "pattern": "x", "path": ".nexus/memory" })).after(),
        read(".nexus/memory/pattern-release.md").with("hook_event_name", "PostToolUseFailure"),
        tool("Read", json!({ "file_path": ".nexus/memory/pattern-release.md" })),
    ] {
        sandbox.hook("claude-code", payload);
    }
    assert_eq!(counts(), []);
    sandbox.hook("claude-code", read(".nexus/memory/pattern-release.md"));
    sandbox.hook("claude-code", ended());
    sandbox.hook("claude-code", read(".nexus/memory/pattern-release.md").with("agent_id", "a1"));
    assert_eq!(counts(), [("pattern-release.md".to_owned(), json!(2), json!("a1"))]);
}

// session_end

#[test]
fn the_end_of_a_session_releases_what_is_its_own_and_nothing_else() {
    let sandbox = scene();
    for payload in [start("startup"), prompt("[run]"), write("a.rs", "x").after()] {
        sandbox.hook("claude-code", payload);
    }
    let kept = || {
        let files = [
            ".nexus/history.json",
            ".nexus/memory/pattern-release.md",
            ".nexus/context/architecture.md",
            ".nexus/rules/testing.md",
            ".nexus/state/plan.json",
            ".nexus/state/tasks.json",
        ];
        files.map(|file| fs::read(sandbox.path(file)).expect("it is there"))
    };
    let before = kept();
    let reply = sandbox.hook("claude-code", recorded("SessionEnd").session("session-1"));
    reply.reply(expect!["user: 2 of 3 tasks are not completed: #2 Import old files, #3 Describe the format. Continue with them (`[run]`), or close the cycle with `nudge task close`, which asks what becomes of them."]);
    assert_eq!(kept(), before);
    for gone in ["agent-tracker.json", "mode.json", "tool-log.jsonl"] {
        assert!(!sandbox.path(&format!(".nexus/state/claude-code/{gone}")).exists(), "{gone}");
    }
}

#[test]
fn another_session_keeps_its_mode() {
    let sandbox = scene();
    sandbox.hook("claude-code", prompt("[run]"));
    sandbox.hook("claude-code", ended().session("session-2"));
    assert!(sandbox.path(".nexus/state/claude-code/mode.json").exists());
    sandbox.hook("claude-code", stop("done").session("session-2")).reply(expect!["nothing"]);
}

// the end of a turn

#[test]
fn a_turn_that_ends_is_reminded_only_during_a_run() {
    let sandbox = scene();
    sandbox.hook("claude-code", recorded("Stop")).reply(expect!["nothing"]);
    for tag in ["[plan]", "[sync]", "[m] x"] {
        sandbox.hook("claude-code", prompt(tag));
        sandbox.hook("claude-code", stop("done")).reply(expect!["nothing"]);
    }
    sandbox.hook("claude-code", prompt("[run]"));
    sandbox.hook("claude-code", stop("done")).reply(expect!["user: 2 of 3 tasks are not completed: #2 Import old files, #3 Describe the format. Continue with them (`[run]`), or close the cycle with `nudge task close`, which asks what becomes of them."]);
    tasks(&sandbox, &["completed", "completed"]);
    sandbox.hook("claude-code", stop("done")).reply(expect![
        "user: All tasks of the cycle are completed, but it is not closed: `nudge task close` moves it to the history."
    ]);
    sandbox.hook("claude-code", tool("mcp__nudge__nx_task_close", json!({})).after());
    assert!(!sandbox.path(".nexus/state/claude-code/mode.json").exists(), "the cycle is closed");
    sandbox.hook("claude-code", stop("done")).reply(expect!["nothing"]);
}

// context_compact

#[test]
fn after_compaction_everything_on_disk_is_shown_again() {
    let sandbox = scene().file(".nudge/config.toml", "[context]\nbudget = 0\n");
    let compact = || recorded("SessionStart.compact").session("session-1");
    for payload in [prompt("[run]"), subagent("SubagentStart", "a1", "engineer")] {
        sandbox.hook("claude-code", payload);
    }
    expect![[r#"
        This session is in the mode `[run]`, set by the user's tag.
        `[run]` in the user's prompt means in this project: Carry out the open tasks. mcp__nudge__nx_task_list says which are ready; where there are none, plan first as for `[plan:auto]`. Leave the main branch before the first edit. Hand each ready task to an agent of its owner's role with TASK, CONTEXT, APPROACH and ACCEPTANCE, empty ones left out; tasks of `lead` are yours; in parallel only where their files differ. Keep the status up to date with mcp__nudge__nx_task_update. `nudge nexus resume-check --task ID --file PATH` says whether an earlier agent continues or a new one starts. When a task fails: one diagnosis by a HOW agent, one more try, then ask the user. At the end check each acceptance, bring `.nexus/context` up to date, ask the user whether open tasks are carried over or archived, call mcp__nudge__nx_task_close with that as `open_tasks`, and commit by naming the paths.
        No agents of the roles are installed (`nudge setup` brings them). There is no agent for `engineer` (must not add tasks): start `general-purpose` and begin its prompt with the role and its limits. The tools are of the MCP server `nudge`; ToolSearch finds them. Without it: `nudge task`, `nudge task start|done ID`, `nudge task close`.

        Goal: All in one file
        Tasks in .nexus: 3 in all, 1 completed, 1 pending, in progress #2 Import old files; ready: #3 Describe the format.
        - #2 in progress: Import old files (engineer)
        - #3 ready: Describe the format
        - #1 completed: Write the schema

        Plan #1 `Move to SQLite` in .nexus: 1 pending, 1 decided; to decide: #2 How do old files get in?.
        - #1 decided: One file or many? → One file
        - #2 pending: How do old files get in?

        Agents of this session:
        - engineer (a1): running

        Knowledge of this project in `.nexus/`; read what concerns the task:
        memory: empirical-slow-link.md, pattern-release.md
        context: architecture.md
        rules: testing.md
        [nudge: mode, tasks, plan, agents, knowledge]"#]]
    .assert_eq(&said(&sandbox, compact()));
    tasks(&sandbox, &["completed"; 400]);
    (0..200).for_each(|n| sandbox.put(&format!(".nexus/memory/{}-{n}.md", "long".repeat(15)), "x"));
    let output = said(&sandbox, compact());
    assert!(output.chars().count() <= 9_500 && output.contains("more: ask nx_task_list"), "{output}");
}

#[test]
fn a_new_session_sees_what_there_is_to_read() {
    let sandbox = scene().file(".nudge/config.toml", "[context]\nbudget = 0\n");
    let output = said(&sandbox, recorded("SessionStart.startup"));
    assert!(output.starts_with("Tasks in .nexus: 3 in all"), "{output}");
    assert!(output.contains("\n\nKnowledge of this project") && output.lines().count() == 7, "{output}");
}
