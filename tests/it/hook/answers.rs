//! What the hook makes of an event: which rules fire, in what order, and what they say together.

use expect_test::expect;
use serde_json::json;

use crate::payload::{bash, edit, event, prompt, stop, tool, write};
use crate::sandbox::{BLOCK_TODO, Sandbox, rules, unsigned};

#[test]
fn a_broken_rule_file_costs_only_itself() {
    Sandbox::new()
        .rule("good.yaml", BLOCK_TODO)
        .rule("bad.yaml", "rules: [")
        .hook("claude-code", write("a.rs", "TODO"))
        .reply(expect!["deny: Do it now (lines 1)."])
        .problem(expect![
            ".nudge/bad.yaml:2:1: not valid YAML: while parsing a node, did not find expected node content"
        ]);
}

#[test]
fn all_rules_that_match_speak_in_their_order() {
    Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&[
                "{ name: one, on: { hook: PreToolUse }, action: continue, message: First. }",
                "{ name: two, on: { hook: PreToolUse }, match: { content: absent }, action: continue, message: Never. }",
                "{ name: three, on: { hook: PreToolUse }, action: continue, message: Third. }",
            ]),
        )
        .hook("claude-code", bash("ls"))
        .reply(expect![[r#"
            context: First.

            ---

            Third."#]]);
}

#[test]
fn any_interrupt_interrupts() {
    Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&[
                "{ name: one, on: { hook: PreToolUse }, action: continue, message: First. }",
                "{ name: two, on: { hook: PreToolUse }, action: interrupt, message: Second. }",
                "{ name: three, on: { hook: PreToolUse }, action: continue, message: Third. }",
            ]),
        )
        .hook("claude-code", bash("ls"))
        .reply(expect![[r#"
            deny: First.

            ---

            Second.

            ---

            Third."#]]);
}

#[test]
fn every_field_of_a_match_must_be_found() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&["{ name: a, on: { hook: PreToolUse }, match: { old_string: old, new_string: new }, action: continue, message: Both. }"]),
    );
    sandbox.hook("claude-code", edit("a.rs", "old", "new")).reply(expect!["context: Both."]);
    sandbox.hook("claude-code", edit("a.rs", "old", "other")).reply(expect![["nothing"]]);
    sandbox.hook("claude-code", edit("a.rs", "other", "new")).reply(expect![["nothing"]]);
    sandbox.hook("claude-code", write("a.rs", "old new")).reply(expect![["nothing"]]);
}

#[test]
fn a_prompt_may_come_under_either_name() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&["{ name: a, on: { hook: UserPromptSubmit }, match: { prompt: deploy }, action: continue, message: 'You said: {{ prompt }}' }"]),
    );
    sandbox.hook("claude-code", prompt("deploy it")).reply(expect!["context: You said: deploy it"]);
    let rfc = event("UserPromptSubmit").with("user_prompt", "deploy it");
    sandbox.hook("claude-code", rfc).reply(expect!["context: You said: deploy it"]);
}

#[test]
fn what_a_machine_says_is_not_a_prompt() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&[
            "{ name: a, on: { hook: UserPromptSubmit }, match: { prompt: deploy }, action: interrupt, message: Matched. }",
            "{ name: b, on: { hook: UserPromptSubmit }, action: continue, message: Always. }",
        ]),
    );
    let by = |source: &str| prompt("deploy").with("source", source);
    sandbox.hook("claude-code", by("user")).reply(expect![[r#"
        block: Matched.

        ---

        Always."#]]);
    sandbox.hook("claude-code", by("sdk")).reply(expect![[r#"
        block: Matched.

        ---

        Always."#]]);
    let report = "<task-notification>\n<summary>deploy done</summary>\n</task-notification>";
    for machine in [by("system"), by("loop_wakeup"), by("schedule_wakeup"), by("poll_event"), prompt(report)]
    {
        sandbox.hook("claude-code", machine).reply(expect![["nothing"]]);
    }
}

#[test]
fn a_prompt_without_words_is_a_prompt() {
    Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&["{ name: a, on: { hook: UserPromptSubmit }, action: continue, message: Always. }"]),
        )
        .hook("claude-code", prompt(""))
        .reply(expect![["context: Always."]]);
}

#[test]
fn the_last_message_may_come_under_either_name_or_from_the_transcript() {
    let line = |kind: &str, text: &str| {
        json!({ "type": kind, "message": { "content": [{ "type": "text", "text": text }] } }).to_string()
            + "\n"
    };
    let tool_use =
        json!({ "type": "assistant", "message": { "content": [{ "type": "tool_use", "name": "Bash" }] } });
    let long = line("user", &"é".repeat(300_000));
    let transcript =
        [long, line("assistant", "all done"), tool_use.to_string() + "\n", line("user", "ok")].concat();
    let sandbox = Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&["{ name: a, on: { hook: Stop }, match: { message: all done }, action: interrupt, message: Run the tests. }"]),
        )
        .file("transcript.jsonl", transcript);
    sandbox.hook("claude-code", stop("all done")).reply(expect![["block: Run the tests."]]);
    let rfc = event("Stop").with("stop_reason", "end_turn").with("assistant_message", "all done");
    sandbox.hook("claude-code", rfc).reply(expect![["block: Run the tests."]]);
    let path = sandbox.path("transcript.jsonl");
    let from_file = event("Stop").with("transcript_path", path.to_str().expect("UTF-8"));
    sandbox.hook("claude-code", from_file).reply(expect![["block: Run the tests."]]);
    let nowhere = event("Stop").with("transcript_path", "/nowhere/t.jsonl");
    sandbox.hook("claude-code", nowhere).reply(expect![["nothing"]]);
}

#[test]
fn the_event_may_be_named_on_the_command_line() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let nameless = sandbox.place(write("a.rs", "TODO").without("hook_event_name")).to_string();
    let expected = expect!["deny: Do it now (lines 1)."];
    sandbox
        .run_with(["hook", "PreToolUse", "--harness", "claude-code"], nameless.as_bytes())
        .reply(&expected);
    sandbox
        .run_with(["hook", "--harness", "claude-code", "PreToolUse"], nameless.as_bytes())
        .reply(&expected);
    sandbox.run_with(["hook", "--harness=claude-code", "PreToolUse"], nameless.as_bytes()).reply(&expected);
    sandbox.run_with(["hook", "PreToolUse"], nameless.as_bytes()).reply(&expected);
    // The payload's own name wins over the caller's.
    let named = sandbox.place(write("a.rs", "TODO")).to_string();
    sandbox.run_with(["hook", "Stop"], named.as_bytes()).reply(expected);
    sandbox.run_with(["hook"], nameless.as_bytes()).reply(expect![["nothing"]]);
}

#[test]
fn content_is_the_main_text_of_any_tool() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&["{ name: a, on: { hook: PreToolUse }, match: { content: needle }, action: continue, message: '{{ tool_name }}: {{ matched }}' }"]),
    );
    sandbox.hook("claude-code", bash("echo needle")).reply(expect!["context: Bash: needle"]);
    let fetch = tool("WebFetch", json!({ "url": "https://example.com/needle", "prompt": "read" }));
    sandbox.hook("claude-code", fetch).reply(expect!["context: WebFetch: needle"]);
    let fetch = tool("WebFetch", json!({ "url": "https://example.com", "prompt": "find the needle" }));
    sandbox.hook("claude-code", fetch).reply(expect!["context: WebFetch: needle"]);
    let deep = json!({ "query": { "terms": ["hay", "needle"] }, "limit": 3 });
    sandbox
        .hook("claude-code", tool("mcp__memory__recall", deep))
        .reply(expect!["context: mcp__memory__recall: needle"]);
    // The description is not the command.
    let described = tool("Bash", json!({ "command": "ls", "description": "needle" }));
    sandbox.hook("claude-code", described).reply(expect![["nothing"]]);
}

#[test]
fn a_shell_command_that_writes_a_file_is_a_write() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&["{ name: a, on: { hook: PreToolUse, tool: Write, file: '**/*.ts' }, match: { content: console }, action: interrupt, message: 'No: {{ file_path }}' }"]),
    );
    let command = "cat > src/app.ts <<'EOF'\nconsole.log(1)\nEOF";
    sandbox.hook("claude-code", bash(command)).reply(expect!["deny: No: src/app.ts"]);
    sandbox.hook("claude-code", bash("echo 'console' > app.md")).reply(expect![["nothing"]]);
}

#[test]
fn tools_are_named_in_full() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&[
            "{ name: w, on: { hook: PreToolUse, tool: Write }, action: continue, message: Write }",
            "{ name: we, on: { hook: PreToolUse, tool: Write|Edit }, action: continue, message: Write|Edit }",
            "{ name: any, on: { hook: PreToolUse, tool: .* }, action: continue, message: .* }",
            "{ name: bash, on: { hook: PreToolUse, tool: Bash.* }, action: continue, message: Bash.* }",
            "{ name: mcp, on: { hook: PreToolUse, tool: mcp__.* }, action: continue, message: mcp }",
            "{ name: anchored, on: { hook: PreToolUse, tool: ^Edit$ }, action: continue, message: ^Edit$ }",
        ]),
    );
    let fired = |name: &str| {
        let reply = sandbox.hook("claude-code", tool(name, json!({}))).json();
        let text = reply["hookSpecificOutput"]["additionalContext"].as_str().expect("context").to_owned();
        text.split("\n\n---\n\n").map(unsigned).collect::<Vec<_>>()
    };
    assert_eq!(fired("Write"), ["Write", "Write|Edit", ".*"]);
    assert_eq!(fired("Edit"), ["Write|Edit", ".*", "^Edit$"]);
    assert_eq!(fired("TodoWrite"), [".*"]);
    assert_eq!(fired("MultiEdit"), [".*"]);
    assert_eq!(fired("NotebookEdit"), [".*"]);
    assert_eq!(fired("Bash"), [".*", "Bash.*"]);
    assert_eq!(fired("BashOutput"), [".*", "Bash.*"]);
    assert_eq!(fired("mcp__memory__recall"), [".*", "mcp"]);
    assert_eq!(fired("write"), [".*"]);
}

#[test]
fn tool_is_ignored_where_there_is_no_tool() {
    Sandbox::new()
        .rule(
            "a.yaml",
            &rules(&["{ name: a, on: { hook: Stop, tool: Write }, action: interrupt, message: Fired. }"]),
        )
        .hook("claude-code", stop("done"))
        .reply(expect![["block: Fired."]]);
}
