//! `action: ask`: where the agent asks a person, and where the call is refused until a person allows it.

use expect_test::expect;
use serde_json::json;

use crate::payload::{Payload, bash, event, tool};
use crate::sandbox::{Sandbox, rules};

const ASK: &str = "{ name: a, on: { hook: PreToolUse, tool: Bash }, match: { content: deploy }, action: ask, message: Deploys to production. }";
const STOP: &str = "{ name: b, on: { hook: PreToolUse, tool: Bash }, match: { content: nuke }, action: interrupt, message: Never. }";
const TELL: &str = "{ name: c, on: { hook: PreToolUse, tool: Bash }, match: { content: make }, action: continue, message: Use just. }";

fn asking() -> Sandbox {
    Sandbox::new().rule("a.yaml", &rules(&[ASK, STOP, TELL]))
}

fn decision(sandbox: &Sandbox, payload: Payload) -> String {
    let ran = sandbox.hook("claude-code", payload);
    let reply = if ran.stdout.is_empty() { json!({}) } else { ran.json() };
    reply["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("nothing").to_owned()
}

#[test]
fn claude_asks_in_the_modes_in_which_a_person_answers() {
    let sandbox = asking();
    let of_mode = |mode: &str| decision(&sandbox, bash("deploy").with("permission_mode", mode));
    let modes = ["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk", "auto", "of-2027"];
    assert_eq!(modes.map(of_mode), ["ask", "ask", "ask", "deny", "deny", "deny", "deny"]);
    // A version that reports no mode.
    let payload = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash",
        "tool_input": { "command": "deploy" }, "cwd": sandbox.path("") });
    let ran = sandbox.hook_bytes("claude-code", payload.to_string().as_bytes());
    assert_eq!(ran.json()["hookSpecificOutput"]["permissionDecision"], "ask");
}

#[test]
fn the_question_is_the_rules_message_and_guidance_goes_to_the_model() {
    let ran = asking().hook("claude-code", bash("make deploy"));
    let specific = &ran.json()["hookSpecificOutput"];
    expect![[r#"
        Deploys to production.
        [nudge: a · .nudge/a.yaml:3]"#]]
    .assert_eq(specific["permissionDecisionReason"].as_str().expect("a reason"));
    expect![[r#"
        Use just.
        [nudge: c · .nudge/a.yaml:5]"#]]
    .assert_eq(specific["additionalContext"].as_str().expect("context"));
}

#[test]
fn interrupt_beats_ask_and_ask_beats_continue() {
    let sandbox = asking();
    let of = |command: &str| decision(&sandbox, bash(command));
    assert_eq!(["deploy nuke", "deploy make", "make"].map(of), ["deny", "ask", "nothing"]);
    // What is blocked does not wait for a person.
    assert_eq!(sandbox.run(["allow", "--list", "--json"]).json()["total"], 0);
}

#[test]
fn a_refusal_says_that_a_person_can_allow_it() {
    let sandbox = asking();
    sandbox
        .hook("claude-code", bash("make deploy").with("permission_mode", "bypassPermissions"))
        .reply(expect![[r#"
            deny: Deploys to production.

            ---

            Use just.

            ---

            Nobody can be asked here, so this is refused: a person can allow this once: `nudge allow`, in a terminal. Do not try to work around it."#]]);
    // Nobody sits before `claude -p`: the agent refuses by itself, and shows the model the reason.
    let headless = asking().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    let specific = &headless.hook("claude-code", bash("deploy")).json()["hookSpecificOutput"];
    assert_eq!(specific["permissionDecision"], "ask");
    assert!(specific["permissionDecisionReason"].as_str().expect("a reason").contains("`nudge allow`"));
    assert_eq!(headless.run(["allow", "--list", "--json"]).json()["total"], 1);
}

#[test]
fn agents_that_cannot_ask_refuse() {
    let call = |harness: &str| match harness {
        "codex" => json!({ "hook_event_name": "PreToolUse", "session_id": "s", "turn_id": "t", "model": "m",
            "permission_mode": "default", "tool_name": "Bash", "tool_input": { "command": "deploy" } }),
        "gemini-cli" => {
            json!({ "hook_event_name": "BeforeTool", "session_id": "s", "timestamp": "2026-01-01T00:00:00Z",
            "tool_name": "run_shell_command", "tool_input": { "command": "deploy" } })
        }
        "cursor" => json!({ "hook_event_name": "preToolUse", "conversation_id": "s", "cursor_version": "1",
            "tool_name": "Shell", "tool_input": { "command": "deploy" } }),
        "opencode" => json!({ "event": "tool.execute.before", "session_id": "s", "tool": "bash",
            "args": { "command": "deploy" } }),
        _ => json!({ "sessionId": "s", "timestamp": 1, "toolName": "bash",
            "toolArgs": "{\"command\":\"deploy\"}" }),
    };
    let reply = |harness: &str| {
        let sandbox = asking();
        let mut payload = call(harness);
        payload["cwd"] = sandbox.path("").to_str().expect("UTF-8").into();
        let ran = sandbox.hook_bytes(harness, payload.to_string().as_bytes());
        let waiting = sandbox.run(["allow", "--list", "--json"]).json()["total"].clone();
        (ran.json(), waiting)
    };
    let (codex, waits) = reply("codex");
    assert_eq!((&codex["hookSpecificOutput"]["permissionDecision"], waits), (&json!("deny"), json!(1)));
    let (gemini, waits) = reply("gemini-cli");
    assert_eq!((&gemini["decision"], waits), (&json!("deny"), json!(1)));
    let (cursor, waits) = reply("cursor");
    assert_eq!((&cursor["permission"], waits), (&json!("deny"), json!(1)));
    let (opencode, waits) = reply("opencode");
    assert!(opencode["block"].as_str().is_some_and(|text| text.contains("`nudge allow`")));
    assert_eq!(waits, json!(1));
    // It asks, according to its documentation.
    let (copilot, waits) = reply("copilot");
    assert_eq!((&copilot["permissionDecision"], waits), (&json!("ask"), json!(0)));
}

#[test]
fn only_a_call_can_be_asked_about() {
    let rule = "{ name: a, on: { hook: Stop }, action: ask, message: m }";
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[rule]));
    sandbox.run(["validate"]).code(1).stdout(expect![[r#"
        .nudge/a.yaml: 0 rules loaded
        .nudge/a.yaml:3:44: error: rule `a`: `ask` does not exist on Stop
             3 |   - { name: a, on: { hook: Stop }, action: ask, message: m }
               |                                            ^
          hint: a person can be asked only before a tool runs, on PreToolUse
    "#]]);
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[&ASK.replace("ask,", "prompt,")]));
    let told = sandbox.run(["validate"]).code(1).stdout.clone();
    assert!(told.contains("did you mean `ask`"), "{told}");
}

#[test]
fn commands_know_what_asks() {
    let sandbox = asking();
    sandbox.run(["test", "--rule", "a", "--tool", "Bash", "--content", "deploy"]).stdout(expect![[r#"
        Rule: a
        Result: ASK
        Message:
          Deploys to production.
    "#]]);
    assert_eq!(sandbox.run(["rules", "--json"]).json()["items"][0]["action"], "ask");
    sandbox.hook("claude-code", bash("deploy"));
    let why = sandbox.run(["why"]).stdout.clone();
    assert!(why.contains("asked in") && why.contains("rule `a` fired: the agent asks a person"), "{why}");
    sandbox.hook("claude-code", bash("deploy").with("permission_mode", "auto"));
    let why = sandbox.run(["why"]).stdout.clone();
    assert!(why.contains("it blocks until `nudge allow`"), "{why}");
}

#[test]
fn a_question_is_not_an_answer_to_other_events() {
    let sandbox = asking();
    sandbox
        .hook("claude-code", tool("Bash", json!({ "command": "deploy" })).after())
        .reply(expect!["nothing"]);
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup")).assert_harmless();
}
