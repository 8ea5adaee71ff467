//! What is refused in a project with `.nexus/`: by the role of an agent always, by settings only where a user asks.

use std::fs;

use expect_test::expect;
use serde_json::{Value, json};

use crate::nexus::session::{recorded, scene, tasks};
use crate::payload::{Payload, bash, edit, edit_notebook, event, multi_edit, prompt, stop, tool, write};
use crate::sandbox::{BLOCK_TODO, Sandbox};

fn by(kind: &str, payload: Payload) -> Payload {
    payload.with("agent_id", "a1").with("agent_type", kind)
}

fn task_add() -> Payload {
    tool("mcp__plugin_nudge_nudge__nx_task_add", json!({ "title": "t", "context": "c" }))
}

#[test]
fn an_agent_does_not_do_what_its_role_forbids_and_learns_what_to_do() {
    let sandbox = scene();
    sandbox.hook("claude-code", by("nexus:reviewer", edit("a.rs", "x", "y"))).reply(expect!["deny: `Edit` is not for the agent `reviewer` in this project (no_file_edit). Hand back what should change, with file and line; an agent that may edit (engineer, writer) carries it out."]);
    sandbox.hook("claude-code", by("engineer", task_add())).reply(expect!["deny: `mcp__plugin_nudge_nudge__nx_task_add`, which adds a task, is not for the agent `engineer` in this project (no_task_create). Say in the final message which task is missing and why; the main conversation adds it with nx_task_add."]);
    for payload in [
        write("a.rs", "x"),
        multi_edit("a.rs", &[("x", "y")]),
        edit_notebook("a.ipynb", "x"),
        task_add(),
        tool("mcp__nudge__nx_task_update", json!({ "id": 1, "status": "completed" })),
        tool("mcp__nudge__nx_task_close", json!({})),
    ] {
        assert!(sandbox.hook("claude-code", by("architect", payload.clone())).blocks(), "{}", payload.0);
    }
}

#[test]
fn what_is_for_editing_is_refused_whatever_its_input_is() {
    let sandbox = scene();
    for name in ["Write", "Edit", "MultiEdit", "NotebookEdit", "write_file", "apply_patch"] {
        for input in [
            json!({}),
            Value::Null,
            json!([]),
            json!("x"),
            json!({ "content": "x" }),
            json!({ "file_path": 5 }),
        ] {
            let payload = by("reviewer", tool(name, input));
            assert!(sandbox.hook("claude-code", payload.clone()).blocks(), "{}", payload.0);
            let payload = by("engineer", payload);
            assert!(!sandbox.hook("claude-code", payload.clone()).blocks(), "{}", payload.0);
        }
    }
}

#[test]
fn what_reads_and_what_others_do_is_never_refused() {
    let sandbox = scene();
    for payload in [
        by("architect", tool("Read", json!({ "file_path": "a.rs" }))),
        by("architect", tool("Grep", json!({ "pattern": "x" }))),
        by("architect", bash("ls")),
        by("architect", tool("mcp__nudge__nx_task_list", json!({}))),
        by("engineer", write("a.rs", "x")),
        by("general-purpose", write("a.rs", "x")),
        write("a.rs", "x"),
        task_add(),
        recorded("PreToolUse.Write"),
        recorded("PreToolUse.Bash.sub"),
    ] {
        sandbox.hook("claude-code", payload).reply(expect!["nothing"]);
    }
    let elsewhere = Sandbox::new();
    elsewhere.hook("claude-code", by("architect", write("a.rs", "x"))).reply(expect!["nothing"]);
}

#[test]
fn a_rule_that_blocks_speaks_first() {
    let sandbox = scene().rule("todo.yaml", BLOCK_TODO);
    sandbox
        .hook("claude-code", by("architect", write("a.rs", "TODO")))
        .reply(expect!["deny: Do it now (lines 1)."]);
    let blocked = prompt("[run] TODO");
    let rule = "version: 1\nrules:\n  - { name: a, on: { hook: UserPromptSubmit }, match: { prompt: TODO }, action: interrupt, message: No. }\n";
    sandbox.put(".nudge/prompt.yaml", rule);
    sandbox.hook("claude-code", blocked).reply(expect!["block: No."]);
    assert!(!sandbox.path(".nexus/state/claude-code/mode.json").exists(), "the prompt never happened");
}

#[test]
fn edits_wait_for_tasks_where_a_user_wants_that() {
    let sandbox = scene();
    fs::remove_file(sandbox.path(".nexus/state/tasks.json")).expect("it was there");
    sandbox.hook("claude-code", write("a.rs", "x")).reply(expect!["nothing"]);
    sandbox.put(".nudge/config.toml", "[nexus]\nedit_gate = true\n");
    sandbox.hook("claude-code", write("a.rs", "x")).reply(expect!["deny: This project has no open task, and edits require one (`nexus.edit_gate`). Add a task with nx_task_add, or plan it with the user with `[plan]`; then retry this edit."]);
    for free in [
        write(".nexus/memory/a-note.md", "x"),
        write("../elsewhere/a.rs", "x"),
        bash("ls"),
        tool("Read", json!({ "file_path": "a.rs" })),
    ] {
        sandbox.hook("claude-code", free).reply(expect!["nothing"]);
    }
    tasks(&sandbox, &["pending"]);
    sandbox.hook("claude-code", write("a.rs", "x")).reply(expect!["nothing"]);
}

#[test]
fn a_run_continues_if_the_user_wants_that_and_never_forever() {
    let sandbox = scene().file(".nudge/config.toml", "[nexus]\nblock_stop = true\n");
    sandbox.hook("claude-code", stop("done")).reply(expect!["nothing"]);
    sandbox.hook("claude-code", prompt("[plan] x"));
    sandbox.hook("claude-code", stop("done")).reply(expect!["nothing"]);
    sandbox.hook("claude-code", prompt("[run]"));
    sandbox.hook("claude-code", stop("done")).reply(expect!["block: 2 of 3 tasks are not completed: #2 Import old files, #3 Describe the format. Continue with them (`[run]`), or close the cycle with `nudge task close`, which asks what becomes of them."]);
    let again = stop("done").with("stop_hook_active", true);
    sandbox.hook("claude-code", again).reply(expect!["user: 2 of 3 tasks are not completed: #2 Import old files, #3 Describe the format. Continue with them (`[run]`), or close the cycle with `nudge task close`, which asks what becomes of them."]);
    tasks(&sandbox, &["completed"]);
    assert!(sandbox.hook("claude-code", stop("done")).blocks());
    fs::remove_file(sandbox.path(".nexus/state/tasks.json")).expect("it was there");
    sandbox.hook("claude-code", stop("done")).reply(expect!["nothing"]);
}

#[test]
fn tasks_follow_their_agent_where_a_user_wants_that() {
    let owned = json!({ "goal": "g", "decisions": [], "tasks": [
        { "id": 1, "title": "t", "context": "c", "status": "pending", "deps": [], "owner_agent_id": "a1", "of_tomorrow": 1 },
        { "id": 2, "title": "t", "context": "c", "status": "pending", "deps": [], "owner_agent_id": "a2" },
        { "id": 3, "title": "t", "context": "c", "status": "pending", "deps": [], "owner": "engineer" },
    ] });
    let turn = |sandbox: &Sandbox| {
        sandbox.put(".nexus/state/tasks.json", owned.to_string());
        let statuses = || {
            let text = fs::read_to_string(sandbox.path(".nexus/state/tasks.json")).expect("tasks");
            let tasks: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(tasks["tasks"][0]["of_tomorrow"], 1);
            ["0", "1", "2"].map(|n| {
                tasks["tasks"][n.parse::<usize>().expect("a number")]["status"]
                    .as_str()
                    .expect("a status")
                    .to_owned()
            })
        };
        sandbox.hook("claude-code", by("engineer", event("SubagentStart")));
        let started = statuses();
        sandbox.hook(
            "claude-code",
            by("engineer", event("SubagentStop").with("last_assistant_message", "It is done.")),
        );
        (started, statuses())
    };
    let sandbox = scene();
    let pending = ["pending"; 3].map(str::to_owned);
    assert_eq!(turn(&sandbox), (pending.clone(), pending));
    sandbox.put(".nudge/config.toml", "[nexus]\ntask_status = true\n");
    let (started, stopped) = turn(&sandbox);
    assert_eq!(started, ["in_progress", "pending", "pending"]);
    assert_eq!(stopped, ["completed", "pending", "pending"]);
}

#[test]
fn an_invalid_switch_is_reported() {
    let sandbox = scene().file(".nudge/config.toml", "[nexus]\nedit_gate = 1\nedit_gat = true\n");
    let reply = sandbox.hook("claude-code", event("SessionStart").with("source", "startup")).stdout;
    assert!(reply.contains("`nexus.edit_gate` must be true or false"), "{reply}");
    assert!(reply.contains("unknown setting `nexus.edit_gat`"), "{reply}");
}

#[test]
fn the_shell_does_not_help_a_role_around_its_limits() {
    let sandbox = scene();
    for command in [
        "echo x > src/sneaky.rs",
        "sed -i s/a/b/ src/lib.rs",
        "cd src && printf x | tee lib.rs",
        "rm src/lib.rs",
        "git checkout -- src/lib.rs",
        "bash -lc 'cp a.rs b.rs'",
        "nudge task add sneaky",
        "nudge note add x",
        "nudge task close",
        "nudge plan start other",
    ] {
        for role in ["architect", "nudge:tester", "reviewer"] {
            let ran = sandbox.hook("claude-code", by(role, bash(command)));
            assert!(ran.blocks(), "{role}: {command}: {}", ran.stdout);
        }
    }
    for command in [
        "cargo test 2>&1 | tee /tmp/out.txt",
        "ls > /dev/null; git log --oneline | head",
        "echo x > .nexus/state/artifacts/a.md",
        "nudge task; nudge search x",
    ] {
        sandbox.hook("claude-code", by("tester", bash(command))).reply(expect!["nothing"]);
    }
    sandbox
        .hook("claude-code", by("engineer", bash("echo x > src/a.rs; rm src/b.rs")))
        .reply(expect!["nothing"]);
    sandbox.hook("claude-code", by("engineer", bash("nudge task done 1"))).reply(expect!["nothing"]);
    sandbox.hook("claude-code", bash("echo x > src/a.rs; nudge task close")).reply(expect!["nothing"]);
    sandbox.hook("claude-code", by("architect", bash("echo x > src/a.rs"))).reply(expect!["deny: `Bash`, which writes `src/a.rs`, is not for the agent `architect` in this project (no_file_edit). Hand back what should change, with file and line; an agent that may edit (engineer, writer) carries it out."]);
}

#[test]
fn tools_that_change_files_or_the_plan_are_known_by_what_they_do() {
    let sandbox = scene();
    let mcp = |name: &str, input: Value| tool(name, input);
    for payload in [
        mcp("mcp__filesystem__write_file", json!({ "path": "src/a.rs", "content": "x" })),
        mcp("mcp__nudge__nx_memory_store", json!({ "text": "x" })),
        mcp("mcp__nudge__nx_memory_gc", json!({ "confirm": true, "paths": ["a.md"] })),
        mcp("mcp__nudge__nx_plan_start", json!({ "topic": "t", "issues": [], "research_summary": "r" })),
    ] {
        assert!(sandbox.hook("claude-code", by("reviewer", payload.clone())).blocks(), "{}", payload.0);
        assert!(
            !sandbox.hook("claude-code", payload.clone()).blocks(),
            "the main conversation: {}",
            payload.0
        );
    }
    for (role, payload) in [
        ("engineer", mcp("mcp__nudge__nx_task_close", json!({}))),
        ("tester", mcp("mcp__nudge__nx_plan_decide", json!({ "issue_id": 1, "decision": "x" }))),
    ] {
        let ran = sandbox.hook("claude-code", by(role, payload));
        assert!(ran.stdout.contains("is up to the main conversation"), "{}", ran.stdout);
    }
    let look = mcp("mcp__nudge__nx_memory_gc", json!({}));
    sandbox.hook("claude-code", by("reviewer", look)).reply(expect!["nothing"]);
}

#[test]
fn what_a_command_writes_counts_as_edited() {
    let sandbox = scene();
    let run = |command: &str| {
        let ran = bash(command).with("hook_event_name", "PostToolUse");
        let response = json!({ "stdout": "", "stderr": "", "interrupted": false });
        sandbox.hook("claude-code", by("engineer", ran.with("tool_response", response)));
    };
    sandbox.hook("claude-code", by("engineer", event("SubagentStart")));
    run("echo hi > src/c.rs; sed -i s/a/b/ src/d.rs");
    run("cat src/c.rs; rm -f src/e.rs");
    sandbox.hook("claude-code", by("engineer", event("SubagentStop")));
    let text =
        fs::read_to_string(sandbox.path(".nexus/state/claude-code/agent-tracker.json")).expect("there");
    let tracker: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(tracker[0]["files_touched"], json!(["src/c.rs", "src/d.rs", "src/e.rs"]), "{tracker}");
    // The gate on edits without tasks knows it, too.
    fs::remove_file(sandbox.path(".nexus/state/tasks.json")).expect("it was there");
    sandbox.put(".nudge/config.toml", "[nexus]\nedit_gate = true\n");
    assert!(sandbox.hook("claude-code", bash("echo x > a.rs")).blocks());
    sandbox.hook("claude-code", bash("echo x > /tmp/a.rs; ls")).reply(expect!["nothing"]);
}
