//! One rule file for all agents: the same action is refused in each of them, in its own format.

use std::fs;

use expect_test::expect;
use serde_json::{Value, json};

use crate::payload::{Payload, write};
use crate::sandbox::{Ran, Sandbox, rules};

fn sandbox() -> Sandbox {
    Sandbox::new().rule(
        "all.yaml",
        &rules(&[
            "{ name: no, on: { hook: PreToolUse, tool: Write|Edit, file: '**/*.rs' }, match: { content: 'unwrap\\(' }, action: interrupt, message: 'no unwrap in {{ file_path }}, line {{ lines }}' }",
            "{ name: mind, on: { hook: PreToolUse, tool: Bash }, match: { content: deploy }, action: continue, message: Mondays only }",
            "{ name: late, on: { hook: PostToolUse, tool: Write }, match: { content: TODO }, action: interrupt, message: no TODO }",
            "{ name: prompt, on: { hook: UserPromptSubmit }, match: { prompt: secret }, action: interrupt, message: no secrets }",
        ]),
    )
}

fn ask(sandbox: &Sandbox, harness: &str, payload: Value) -> Ran {
    sandbox.hook(harness, Payload(payload))
}

fn patch(lines: &[&str]) -> String {
    format!("*** Begin Patch\n{}\n*** End Patch\n", lines.join("\n"))
}

#[test]
fn codex_is_refused_a_patch_by_its_files() {
    let sandbox = sandbox();
    sandbox.put("a.rs", "fn a() {\n    b().unwrap();\n    c();\n}\n");
    let applied = |tool: &str, command: &str| {
        let payload = json!({ "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": { "command": command } });
        ask(&sandbox, "codex", payload)
    };
    let new = patch(&[
        "*** Add File: notes.md",
        "+x.unwrap()",
        "*** Add File: b.rs",
        "+fn b() {",
        "+    x.unwrap()",
    ]);
    let denied = expect![[r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no unwrap in b.rs, line 2\n[nudge: no · .nudge/all.yaml:3]"}}
    "#]];
    applied("apply_patch", &new).stdout(&denied);
    applied("Bash", &format!("apply_patch <<'EOF'\n{new}EOF")).stdout(&denied);
    let edit = patch(&[
        "*** Update File: a.rs",
        "@@ fn a() {",
        "     b().unwrap();",
        "-    c();",
        "+    c().unwrap();",
    ]);
    applied("apply_patch", &edit).stdout(expect![[r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no unwrap in a.rs, line 3\n[nudge: no · .nudge/all.yaml:3]"}}
    "#]]);
    // What is only quoted was there before.
    let harmless = patch(&["*** Update File: a.rs", "@@", "     b().unwrap();", "-    c();", "+    d();"]);
    applied("apply_patch", &harmless).stdout(expect![""]);
    applied("apply_patch", &patch(&["*** Delete File: a.rs"])).stdout(expect![""]);
    let moved = patch(&["*** Update File: notes.txt", "*** Move to: c.rs", "@@", "-x", "+y.unwrap()"]);
    applied("apply_patch", &moved).stdout(expect![[r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no unwrap in c.rs, line 1\n[nudge: no · .nudge/all.yaml:3]"}}
    "#]]);
    applied("apply_patch", "no patch at all: x.unwrap()").stdout(expect![""]);
}

#[test]
fn the_others_are_refused_in_their_own_words() {
    let sandbox = sandbox();
    let args = json!({ "filePath": "a.rs", "path": "a.rs", "content": "x.unwrap()" });
    ask(&sandbox, "gemini-cli", json!({ "hook_event_name": "BeforeTool", "tool_name": "write_file", "tool_input": { "file_path": "a.rs", "content": "x.unwrap()" } }))
        .stdout(expect![[r#"
            {"decision":"deny","reason":"no unwrap in $BASE/project/a.rs, line 1\n[nudge: no · .nudge/all.yaml:3]","systemMessage":"blocked `write_file` [nudge: no · .nudge/all.yaml:3]"}
        "#]]);
    ask(&sandbox, "cursor", json!({ "hook_event_name": "preToolUse", "tool_name": "Write", "tool_input": args }))
        .stdout(expect![[r#"
            {"permission":"deny","agent_message":"no unwrap in a.rs, line 1\n[nudge: no · .nudge/all.yaml:3]","user_message":"no unwrap in a.rs, line 1\n[nudge: no · .nudge/all.yaml:3]"}
        "#]]);
    ask(&sandbox, "opencode", json!({ "event": "tool.execute.before", "tool": "write", "args": args }))
        .stdout(expect![[r#"
            {"block":"no unwrap in a.rs, line 1\n[nudge: no · .nudge/all.yaml:3]"}
        "#]]);
    ask(&sandbox, "copilot", json!({ "toolName": "create", "toolArgs": args })).stdout(expect![[r#"
        {"permissionDecision":"deny","permissionDecisionReason":"no unwrap in a.rs, line 1\n[nudge: no · .nudge/all.yaml:3]"}
    "#]]);
}

#[test]
fn a_name_of_another_agents_tool_means_claude_codes_too() {
    let named = |tool: &str| {
        let rule = format!(
            "{{ name: r, on: {{ hook: PreToolUse, tool: {tool} }}, action: interrupt, message: no }}"
        );
        Sandbox::new()
            .rule("r.yaml", &rules(&[rule.as_str()]))
            .hook("claude-code", write("a.txt", "x"))
            .in_words()
    };
    for tool in ["Write", "write_file", "apply_patch", "create", "replace|write"] {
        assert_eq!(named(tool), "deny: no", "{tool}");
    }
    for tool in ["replace", "run_shell_command", "read_file"] {
        assert_eq!(named(tool), "nothing", "{tool}");
    }
}

#[test]
fn whoever_loads_claude_codes_settings_is_answered_in_its_own_words() {
    let sandbox = sandbox();
    let input = json!({ "file_path": "a.rs", "content": "x.unwrap()" });
    let mut payload = json!({ "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": input, "cursor_version": "1.7" });
    ask(&sandbox, "claude-code", payload.clone()).stdout(expect![[r#"
        {"permission":"deny","agent_message":"no unwrap in $BASE/project/a.rs, line 1\n[nudge: no · .nudge/all.yaml:3]","user_message":"no unwrap in $BASE/project/a.rs, line 1\n[nudge: no · .nudge/all.yaml:3]"}
    "#]]);
    payload["cursor_version"] = Value::Null;
    payload["hook_event_name"] = "BeforeTool".into();
    payload["tool_name"] = "write_file".into();
    ask(&sandbox, "claude-code", payload).stdout(expect![[r#"
        {"decision":"deny","reason":"no unwrap in $BASE/project/a.rs, line 1\n[nudge: no · .nudge/all.yaml:3]","systemMessage":"blocked `write_file` [nudge: no · .nudge/all.yaml:3]"}
    "#]]);
}

#[test]
fn what_cannot_be_said_before_a_tool_is_said_after_it() {
    let sandbox = sandbox();
    let used = |event: &str, response: Value| {
        let payload = json!({
            "session_id": "s", "hook_event_name": event, "tool_name": "run_shell_command",
            "tool_input": { "command": "make deploy" }, "tool_response": response,
        });
        ask(&sandbox, "gemini-cli", payload)
    };
    used("BeforeTool", Value::Null).stdout(expect![""]);
    let expected = expect![[r#"
        {"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"Mondays only\n[nudge: mind · .nudge/all.yaml:4]"}}
    "#]];
    used("AfterTool", json!({ "llmContent": "Output: done" })).stdout(&expected);
    used("AfterTool", json!({ "llmContent": "Output: no\nExit Code: 2" })).stdout(&expected);
}

#[test]
fn a_refusal_where_there_is_none_becomes_guidance() {
    let sandbox = sandbox();
    let done = json!({ "event": "tool.execute.after", "tool": "write", "args": { "filePath": "a.txt", "content": "TODO" }, "output": "ok" });
    ask(&sandbox, "opencode", done).stdout(expect![[r#"
        {"context":"no TODO\n[nudge: late · .nudge/all.yaml:5]"}
    "#]]);
    ask(&sandbox, "opencode", json!({ "event": "chat.message", "prompt": "the secret" })).stdout(expect![[
        r#"
        {"context":"no secrets\n[nudge: prompt · .nudge/all.yaml:6]"}
    "#
    ]]);
    ask(&sandbox, "copilot", json!({ "sessionId": "s", "prompt": "the secret" })).stdout(expect![[r#"
        {"additionalContext":"no secrets\n[nudge: prompt · .nudge/all.yaml:6]"}
    "#]]);
}

#[test]
fn doctor_says_what_agents_cannot_do() {
    let sandbox = sandbox();
    let said = || sandbox.run(["doctor"]).stdout;
    assert!(!said().contains("in copilot"), "no agent is here");
    for folder in [".gemini", ".cursor", ".opencode", ".github/hooks"] {
        fs::create_dir_all(sandbox.path(folder)).expect("a folder of an agent");
    }
    let said = said();
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| line.starts_with("in ")).collect();
    expect![[r#"
        in gemini-cli, opencode: guides after the tool has run (`mind`)
        in copilot, cursor, opencode: guides instead of blocking (`late`, `prompt`)"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn failures_of_every_agent_are_remembered_as_such() {
    let sandbox = Sandbox::new();
    let transcript = sandbox.path("rollout.jsonl");
    let closed = json!({ "type": "event_msg", "payload": { "item": { "type": "CommandExecution", "id": "c1", "exit_code": 3 } } });
    fs::write(&transcript, format!("{closed}\n")).expect("a transcript");
    let input = json!({ "command": "make it" });
    let codex = |id: &str| {
        json!({
            "session_id": "codex", "turn_id": "t", "model": "m", "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_input": input, "tool_response": "boom", "tool_use_id": id, "transcript_path": transcript,
        })
    };
    ask(&sandbox, "codex", codex("c1"));
    ask(&sandbox, "codex", codex("c2"));
    ask(
        &sandbox,
        "gemini-cli",
        json!({ "session_id": "gemini", "hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": input, "tool_response": { "llmContent": "Output: boom\nExit Code: 3" } }),
    );
    ask(
        &sandbox,
        "cursor",
        json!({ "conversation_id": "cursor", "hook_event_name": "postToolUse", "tool_name": "Shell", "tool_input": input, "tool_output": "{\"exitCode\":3,\"stderr\":\"boom\"}" }),
    );
    ask(
        &sandbox,
        "opencode",
        json!({ "session_id": "opencode", "event": "tool.execute.after", "tool": "bash", "args": input, "output": "boom", "metadata": { "exit": 3 } }),
    );
    ask(
        &sandbox,
        "copilot",
        json!({ "sessionId": "copilot", "toolName": "bash", "toolArgs": input, "toolResult": { "textResultForLlm": "boom\n<shellId: 0 completed with exit code 3>" } }),
    );
    sandbox.end_turn();
    expect![[r#"
        command_error Bash  "make it\nboom" {"command":"make it","exit_code":3,"harness":"codex","tool_use_id":"c1"}
        command Bash  "make it" {"command":"make it","harness":"codex","tool_use_id":"c2"}
        command_error run_shell_command  "make it\nboom" {"command":"make it","exit_code":3,"harness":"gemini-cli"}
        command_error Shell  "make it\nboom" {"command":"make it","exit_code":3,"harness":"cursor"}
        command_error bash  "make it\nboom" {"command":"make it","exit_code":3,"harness":"opencode"}
        command_error bash  "make it\nboom" {"command":"make it","exit_code":3,"harness":"copilot"}"#]]
    .assert_eq(&sandbox.remembered().join("\n"));
}

#[test]
fn a_patch_is_remembered_by_its_files() {
    let sandbox = Sandbox::new();
    let text = patch(&[
        "*** Add File: a.txt",
        "+x",
        "*** Update File: b.txt",
        "@@",
        "-one",
        "+two",
        "*** Delete File: c.txt",
    ]);
    let payload = json!({
        "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "apply_patch", "tool_input": { "command": text },
        "tool_response": "Exit code: 0\nOutput:\nSuccess.", "tool_use_id": "c1",
    });
    ask(&sandbox, "codex", payload);
    sandbox.end_turn();
    expect![[r#"
        file_write apply_patch a.txt "a.txt: 1 line" {"bytes":2,"hash":"08f0de07b58d2b17","harness":"codex","tool_use_id":"c1"}
        file_edit apply_patch b.txt "b.txt: one → two" {"harness":"codex","tool_use_id":"c1"}
        file_edit apply_patch c.txt "c.txt: deleted" {"harness":"codex","tool_use_id":"c1"}"#]]
    .assert_eq(&sandbox.remembered().join("\n"));
}

#[test]
fn what_no_agent_would_send_is_harmless_in_each() {
    let sandbox = sandbox();
    for harness in ["codex", "gemini-cli", "cursor", "opencode", "copilot"] {
        for input in [
            "",
            "[]",
            "{",
            "{}",
            "\u{0}",
            "{\"hook_event_name\":\"Nope\"}",
            "{\"hook_event_name\":[1],\"toolName\":2}",
        ] {
            let ran = sandbox.hook_bytes(harness, input.as_bytes());
            assert_eq!(ran.stdout, "", "{harness} {input}");
        }
    }
}
