//! Subagents of Gemini CLI, whose hooks do not name them: they are known by the call that starts them.

use expect_test::expect;
use serde_json::{Value, json};

use crate::nexus::scene::{assert_shows, state};
use crate::nexus::session::scene;
use crate::payload::Payload;
use crate::sandbox::Sandbox;

const TRACKER: &str = ".nexus/state/gemini-cli/agent-tracker.json";

fn gemini(name: &str) -> Payload {
    Payload(json!({
        "session_id": "s1", "transcript_path": "/home/u/t.jsonl", "hook_event_name": name,
        "timestamp": "2026-11-18T03:45:19.837Z",
    }))
}

fn before(tool: &str, input: Value) -> Payload {
    gemini("BeforeTool").with("tool_name", tool).with("tool_input", input)
}

fn after(tool: &str, input: Value, words: &str) -> Payload {
    let response = json!({ "llmContent": [{ "text": words }], "returnDisplay": "" });
    gemini("AfterTool").with("tool_name", tool).with("tool_input", input).with("tool_response", response)
}

fn task(role: &str) -> Value {
    json!({ "agent_name": role, "prompt": "TASK: 3" })
}

fn command(text: &str) -> Value {
    json!({ "command": text })
}

fn is_refused(sandbox: &Sandbox, payload: Payload) -> bool {
    sandbox.hook("gemini-cli", payload).stdout.contains("\"deny\"")
}

#[test]
fn a_subagent_is_tracked_from_its_call_to_the_end_of_it() {
    let sandbox = scene();
    sandbox.hook("gemini-cli", before("invoke_agent", task("engineer")));
    assert_eq!(state(&sandbox, TRACKER)[0]["status"], "running");
    sandbox.hook("gemini-cli", after("run_shell_command", command("echo x > src/a.rs"), "Output: (empty)"));
    let report = "Subagent 'engineer' finished.\nTermination Reason: GOAL\nResult:\nThe schema is written.";
    let reply = sandbox.hook("gemini-cli", after("invoke_agent", task("engineer"), report)).stdout;
    assert!(reply.contains("its tasks are not completed: #2 Import old files"), "{reply}");
    let mut tracked = state(&sandbox, TRACKER);
    tracked[0]["agent_id"] = json!("ID");
    let shown = expect![[r#"
        [
          {
            "harness_id": "gemini-cli",
            "agent_name": "engineer",
            "agent_id": "ID",
            "started_at": "NOW",
            "resume_count": 0,
            "status": "completed",
            "stopped_at": "NOW",
            "last_message": "The schema is written.",
            "files_touched": [
              "src/a.rs"
            ]
          }
        ]
    "#]];
    assert_shows(&tracked, &shown);
}

#[test]
fn while_a_tester_works_no_command_writes_and_afterwards_all_may() {
    let sandbox = scene();
    let writes = || before("run_shell_command", command("echo x > src/a.rs"));
    assert!(!is_refused(&sandbox, writes()));
    sandbox.hook("gemini-cli", before("invoke_agent", task("tester")));
    assert!(is_refused(&sandbox, writes()));
    assert!(!is_refused(&sandbox, before("run_shell_command", command("cargo test"))));
    // Other tools are limited by the list in the agent's file, so this one is the main conversation's.
    let own = json!({ "file_path": "a.rs", "content": "x" });
    assert!(!is_refused(&sandbox, before("write_file", own)));
    assert!(!is_refused(&sandbox, writes().session("s2")));
    // An engineer beside it may write, and nobody knows which of them calls.
    sandbox.hook("gemini-cli", before("invoke_agent", task("engineer")));
    assert!(!is_refused(&sandbox, writes()));
    sandbox.hook("gemini-cli", after("invoke_agent", task("engineer"), "Subagent 'engineer' finished."));
    assert!(is_refused(&sandbox, writes()));
    sandbox.hook("gemini-cli", after("invoke_agent", task("tester"), "Subagent 'tester' finished."));
    assert!(!is_refused(&sandbox, writes()));
}

#[test]
fn a_subagent_that_the_user_interrupted_ends_with_the_next_prompt() {
    let sandbox = scene();
    sandbox.hook("gemini-cli", before("invoke_agent", task("tester")));
    sandbox.hook("gemini-cli", gemini("BeforeAgent").with("prompt", "do it yourself"));
    assert_eq!(state(&sandbox, TRACKER)[0]["status"], "completed");
    assert!(!is_refused(&sandbox, before("run_shell_command", command("echo x > src/a.rs"))));
}

#[test]
fn a_command_is_recognised_behind_what_hooks_said_at_the_start() {
    let prompt = "<hook_context>Tasks in .nexus: none\n\n## nudge\n</hook_context>\n\n/nx-plan move the cart";
    let reply = scene().hook("gemini-cli", gemini("BeforeAgent").with("prompt", prompt)).stdout;
    assert!(reply.contains("`[plan]` in the user's prompt means"), "{reply}");
}

#[test]
fn what_codex_says_to_a_subagent_is_not_the_users_prompt() {
    let sandbox = scene();
    let payload = Payload(json!({
        "session_id": "s1", "turn_id": "t1", "agent_id": "a1", "agent_type": "tester", "hook_event_name": "UserPromptSubmit",
        "prompt": "[run] TASK: 3",
    }));
    sandbox.hook("codex", payload).reply(expect!["nothing"]);
    assert_eq!(state(&sandbox, ".nexus/state/codex/mode.json"), Value::Null);
    let remembered = sandbox.run(["search", "TASK"]).stdout;
    assert!(!remembered.contains("user_prompt"), "{remembered}");
}
