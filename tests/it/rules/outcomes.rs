//! What rules see of a call's end, how often they speak, and tools that other agents or servers name differently.

use expect_test::expect;
use serde_json::json;

use crate::payload::{Payload, bash, event, prompt, stop, tool, write};
use crate::sandbox::{Sandbox, rules};

fn ruled(rule: &str) -> Sandbox {
    Sandbox::new().file(".nudge.yaml", rules(&[rule]))
}

fn failed(command: &str, error: &str) -> Payload {
    bash(command).with("hook_event_name", "PostToolUseFailure").with("error", error)
}

#[test]
fn a_rule_on_post_tool_use_speaks_after_a_failure_too() {
    let sandbox = ruled(
        "{ name: a, on: { hook: PostToolUse, tool: Bash }, match: { content: make }, action: continue, message: said }",
    );
    sandbox.hook("claude-code", bash("make").after()).reply(expect!["context: said"]);
    sandbox.hook("claude-code", failed("make", "Exit code 2")).reply(expect!["context: said"]);
    let gemini = tool("run_shell_command", json!({ "command": "make" })).with("hook_event_name", "AfterTool");
    let gemini = gemini.with("tool_response", json!({ "llmContent": "Exit Code: 3" }));
    assert!(sandbox.hook("gemini-cli", gemini).stdout.contains("said"));
    let codex = bash("make").after().with("tool_response", "Exit code: 1\nboom");
    assert!(sandbox.hook("codex", codex).stdout.contains("said"));
}

#[test]
fn what_a_tool_returned_can_be_matched() {
    let sandbox = ruled(
        "{ name: a, on: { hook: PostToolUse, tool: Bash }, match: { output: 'deprecat(ed|ion)' }, action: continue, message: 'found {{ matched }}' }",
    );
    let done =
        |stdout: &str| bash("make").after().with("tool_response", json!({ "stdout": stdout, "stderr": "" }));
    sandbox.hook("claude-code", done("x is deprecated")).reply(expect!["context: found deprecated"]);
    sandbox.hook("claude-code", done("fine")).reply(expect!["nothing"]);
    sandbox.hook("claude-code", failed("make", "deprecation")).reply(expect!["context: found deprecation"]);
    sandbox
        .run(["test", "--rule", "a", "--tool", "Bash", "--tool-output", "it is deprecated"])
        .code(0)
        .stdout(expect![[r#"
        Rule: a
        Result: CONTINUE
        Message:
          found deprecated
    "#]]);
    let before =
        ruled("{ name: a, on: { hook: PreToolUse }, match: { output: x }, action: continue, message: m }");
    before.run(["validate"]).code(1);
}

#[test]
fn searches_and_mcp_tools_are_about_files() {
    let sandbox = ruled(
        "{ name: a, on: { hook: PreToolUse, file: ['**/.env', 'src/generated/**'] }, action: interrupt, message: no }",
    );
    let input = json!({ "pattern": "KEY", "path": ".env", "output_mode": "content" });
    sandbox.hook("claude-code", tool("Grep", input)).reply(expect!["deny: no"]);
    for key in ["path", "file_path", "filename"] {
        let input = json!({ key: "src/generated/x.ts", "content": "x" });
        sandbox.hook("claude-code", tool("mcp__filesystem__write_file", input)).reply(expect!["deny: no"]);
    }
    let folder = json!({ "pattern": "KEY", "path": "src" });
    sandbox.hook("claude-code", tool("Grep", folder)).reply(expect!["nothing"]);
    // A search in all files of one name reads that file.
    for glob in [".env", "**/.env", ".env*"] {
        let input = json!({ "pattern": "KEY", "glob": glob, "output_mode": "content" });
        sandbox.hook("claude-code", tool("Grep", input)).reply(expect!["deny: no"]);
    }
    let named = json!({ "pattern": "KEY", "path": "src/generated", "glob": "x.ts" });
    sandbox.hook("claude-code", tool("Grep", named)).reply(expect!["deny: no"]);
    let many = json!({ "pattern": "KEY", "glob": "*.{ts,tsx}" });
    sandbox.hook("claude-code", tool("Grep", many)).reply(expect!["nothing"]);
}

#[test]
fn other_names_of_a_tool_do_not_avoid_its_rules() {
    let shell = ruled(
        "{ name: a, on: { hook: PreToolUse, tool: Bash }, match: { content: rm }, action: interrupt, message: no }",
    );
    for name in ["PowerShell", "powershell", "pwsh"] {
        shell.hook("claude-code", tool(name, json!({ "command": "rm -r x" }))).reply(expect!["deny: no"]);
    }
    let web = ruled(
        "{ name: a, on: { hook: PreToolUse, tool: WebFetch }, match: { content: evil }, action: interrupt, message: no }",
    );
    let fetch =
        tool("web_fetch", json!({ "prompt": "read https://evil.com" })).with("hook_event_name", "BeforeTool");
    assert!(web.hook("gemini-cli", fetch).stdout.contains("\"deny\""));
}

#[test]
fn cursors_deletions_and_mcp_calls_are_seen() {
    let write = ruled(
        "{ name: a, on: { hook: PreToolUse, tool: Write, file: 'a.rs' }, action: interrupt, message: no }",
    );
    let delete = tool("Delete", json!({ "file_path": "a.rs" })).with("hook_event_name", "preToolUse");
    assert!(write.hook("cursor", delete).stdout.contains("\"deny\""));
    let mcp = ruled(
        "{ name: a, on: { hook: PreToolUse, tool: 'mcp__.*__recall' }, match: { content: secret }, action: interrupt, message: no }",
    );
    let call = tool("recall", json!("{\"query\":\"secret\"}")).with("hook_event_name", "beforeMCPExecution");
    assert!(mcp.hook("cursor", call).stdout.contains("\"deny\""));
}

#[test]
fn all_files_that_break_a_rule_are_named() {
    let sandbox = ruled(
        "{ name: a, on: { hook: PreToolUse, tool: Write }, match: { content: TODO }, action: interrupt, message: 'TODO in {{ file_path }}' }",
    );
    let command = "echo TODO > a.rs; echo fine > b.rs; printf 'x\\nTODO\\n' > c.rs";
    sandbox.hook("claude-code", bash(command)).reply(expect![[r#"
        deny: TODO in a.rs
        Also in: c.rs (line 2)"#]]);
}

#[test]
fn once_is_armed_again_after_a_compaction() {
    let sandbox =
        ruled("{ name: a, on: { hook: PreToolUse }, once: session, action: continue, message: hello }");
    sandbox.hook("claude-code", bash("ls")).reply(expect!["context: hello"]);
    sandbox.hook("claude-code", bash("ls")).reply(expect!["nothing"]);
    sandbox.hook("claude-code", event("SessionStart").with("source", "compact"));
    sandbox.hook("claude-code", bash("ls")).reply(expect!["context: hello"]);
    sandbox.hook("claude-code", bash("ls")).reply(expect!["nothing"]);
}

#[test]
fn what_was_refused_once_is_refused_again() {
    let sandbox = ruled(
        "{ name: a, on: { hook: PreToolUse, tool: Bash }, once: session, action: interrupt, message: think }",
    );
    sandbox.hook("claude-code", bash("git push")).reply(expect!["deny: think"]);
    sandbox.hook("claude-code", bash("git push")).reply(expect!["deny: think"]);
    sandbox.hook("claude-code", bash("git status")).reply(expect!["nothing"]);
    sandbox.hook("claude-code", bash("git push")).reply(expect!["deny: think"]);
}

#[test]
fn another_programs_stop_hook_does_not_disable_ours() {
    let sandbox = ruled(
        "{ name: a, on: { hook: Stop }, match: { message: should work }, action: interrupt, message: Test it. }",
    );
    let stopped = |active: bool| stop("It should work.").with("stop_hook_active", active);
    sandbox.hook("claude-code", prompt("begin"));
    sandbox.hook("claude-code", stopped(true)).reply(expect!["block: Test it."]);
    // Our own refusal is the one time; the agent must be able to end.
    sandbox.hook("claude-code", stopped(true)).reply(expect!["user: Test it."]);
    sandbox.hook("claude-code", prompt("next"));
    sandbox.hook("claude-code", stopped(false)).reply(expect!["block: Test it."]);
}

#[test]
fn an_exception_is_looked_for_in_the_file_that_a_command_adds_to() {
    let sandbox = ruled("{ name: a, on: { hook: PreToolUse, tool: Write, file: 'src/*.rs' }, unless: { content: '\\A// SPDX' }, action: interrupt, message: header }")
        .file("src/a.rs", "// SPDX-License-Identifier: MIT\n")
        .file("src/b.rs", "fn b() {}\n");
    for command in [
        "echo 'fn a() {}' >> src/a.rs",
        "sed -i s/a/b/ src/a.rs",
        "touch src/a.rs",
        "echo x | tee -a src/a.rs",
    ] {
        sandbox.hook("claude-code", bash(command)).reply(expect!["nothing"]);
    }
    for command in ["echo x >> src/b.rs", "sed -i s/a/b/ src/b.rs", "echo x > src/a.rs", "touch src/new.rs"] {
        sandbox.hook("claude-code", bash(command)).reply(expect!["deny: header"]);
    }
}

#[test]
fn what_a_command_adds_is_judged_and_what_was_there_is_not() {
    let sandbox = ruled("{ name: a, on: { hook: PreToolUse, tool: Write }, match: { content: TODO }, action: interrupt, message: 'line {{ lines }}' }")
        .file("a.rs", "TODO\nfine\n");
    sandbox.hook("claude-code", bash("echo fine >> a.rs")).reply(expect!["nothing"]);
    sandbox.hook("claude-code", bash("echo TODO >> a.rs")).reply(expect!["deny: line 3"]);
    sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect!["deny: line 1"]);
}

#[test]
fn check_judges_rules_that_have_only_an_exception() {
    let sandbox = ruled("{ name: a, on: { hook: PreToolUse, tool: Write, file: 'src/*.rs' }, unless: { content: '\\A// SPDX' }, action: interrupt, message: header }")
        .file("src/a.rs", "// SPDX\n")
        .file("src/b.rs", "fn b() {}\n");
    let ran = sandbox.run(["check", "--json"]);
    ran.code(1);
    let found = ran.json();
    let files: Vec<&str> =
        found["findings"].as_array().expect("a list").iter().filter_map(|it| it["file"].as_str()).collect();
    assert_eq!(files, ["src/b.rs"]);
}
