//! `nudge backfill` for Copilot CLI: the shapes that its real versions write, in small.

use expect_test::expect;
use serde_json::{Value, json};

use super::scene::{at, check, write};
use crate::sandbox::Sandbox;

#[test]
fn copilot_commands_that_fail_are_failures_whatever_their_status() {
    let sandbox = Sandbox::new();
    let event = |second: u64, kind: &str, data: Value| json!({ "type": kind, "data": data, "id": format!("e{second}"), "timestamp": at(second) });
    let in_subagent = |mut event: Value| {
        event["agentId"] = json!("a1");
        event
    };
    let start = |second, id: &str, command: &str| {
        event(
            second,
            "tool.execution_start",
            json!({ "toolCallId": id, "toolName": "bash", "arguments": { "command": command } }),
        )
    };
    let lines = [
        event(
            0,
            "session.start",
            json!({ "copilotVersion": "1.0.102", "context": { "cwd": sandbox.path(""), "branch": "main" } }),
        ),
        event(20, "user.message", json!({ "content": "add tax", "transformedContent": "<now>add tax" })),
        start(30, "k1", "sh check.sh"),
        event(
            40,
            "tool.execution_complete",
            json!({ "toolCallId": "k1", "success": true, "shellExecution": { "exitCode": 4 }, "result": { "content": "no such table\n<shellId: 0 completed with exit code 4>" } }),
        ),
        event(50, "tool.execution_start", json!({ "toolCallId": "k2", "toolName": "rg", "arguments": {} })),
        event(
            55,
            "tool.execution_complete",
            json!({ "toolCallId": "k2", "success": false, "error": { "message": "Tool 'rg' does not exist." } }),
        ),
        in_subagent(event(60, "user.message", json!({ "content": "count", "source": "agent-x" }))),
        in_subagent(start(70, "k3", "ls | wc -l")),
        in_subagent(event(
            80,
            "tool.execution_complete",
            json!({ "toolCallId": "k3", "success": true, "shellExecution": { "exitCode": 0 }, "result": { "content": "2" } }),
        )),
        event(100, "assistant.message", json!({ "content": "Tax is added.", "toolRequests": [] })),
        event(120, "session.shutdown", json!({})),
        event(130, "galaxy.brain", json!({})),
    ];
    write(&sandbox, "home/.copilot/session-state/p1/events.jsonl", &lines);
    check(
        &sandbox,
        "copilot",
        &expect![[r#"
        p1 session_start "session started (startup)"
        p1 user_prompt "add tax"
        p1 command_error bash "sh check.sh\nno such table" (exit 4)
        p1 command bash "ls | wc -l" (exit 0) (a1)
        p1 outcome "Tax is added."
        p1 session_end "session ended (shutdown)""#]],
    );
}
