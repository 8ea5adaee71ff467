//! Rules that teams asked for and that a rule could not say at first: a branch, an agent, a person's decision, what happened
//! before. Two are said in another way: a rule rewrites no command but names the right one, and a session begins with its
//! first prompt. The tests and failures of a session are in `session.rs`.

use serde_json::json;

use crate::payload::{Payload, bash, prompt, write};
use crate::repository::{git, repository};
use crate::sandbox::{Sandbox, rules};

fn with_rule(sandbox: Sandbox, rule: &str) -> Sandbox {
    sandbox.file(".nudge.yaml", rules(&[rule]))
}

fn decision(sandbox: &Sandbox, payload: Payload) -> String {
    let ran = sandbox.hook("claude-code", payload);
    let reply = if ran.stdout.is_empty() { json!({}) } else { ran.json() };
    reply["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("nothing").to_owned()
}

fn worked(command: &str) -> Payload {
    bash(command).after()
}

#[test]
fn only_one_agent_or_subagent_may_not_do_something() {
    let sandbox = with_rule(
        Sandbox::new(),
        "{ name: a, on: { hook: PreToolUse, tool: Bash }, match: { command: terraform }, when: { agent: codex }, action: interrupt, message: no }",
    );
    assert_eq!(decision(&sandbox, bash("terraform plan")), "nothing");
    assert!(sandbox.hook("codex", bash("terraform plan")).stdout.contains("deny"));
    let sandbox = with_rule(
        Sandbox::new(),
        "{ name: a, on: { hook: PreToolUse, tool: Write }, when: { subagent: reviewer }, action: interrupt, message: no }",
    );
    let by = |kind: &str| write("a.rs", "x").with("agent_id", "a1").with("agent_type", kind);
    assert_eq!(decision(&sandbox, by("reviewer")), "deny");
    assert_eq!(decision(&sandbox, by("engineer")), "nothing");
    assert_eq!(decision(&sandbox, write("a.rs", "x")), "nothing");
}

#[test]
fn nobody_commits_on_the_main_branch() {
    let sandbox = with_rule(
        repository(),
        "{ name: a, on: { hook: PreToolUse }, match: { command: 'git commit' }, when: { branch: main }, action: interrupt, message: 'make a branch' }",
    );
    git(&sandbox, "", &["checkout", "-q", "-B", "main"]);
    assert_eq!(decision(&sandbox, bash("git -C . commit -m x")), "deny");
    assert_eq!(decision(&sandbox, bash("git log --grep 'git commit'")), "nothing");
    git(&sandbox, "", &["checkout", "-q", "-b", "feature"]);
    assert_eq!(decision(&sandbox, bash("git commit -m x")), "nothing");
}

#[test]
fn a_context_that_was_set_earlier_counts() {
    let sandbox = with_rule(
        Sandbox::new(),
        "{ name: a, on: { hook: PreToolUse }, match: { command: 'kubectl {apply,delete}' }, after: { command: 'kubectl config use-context prod' }, without: { command: 'kubectl config use-context dev' }, action: interrupt, message: 'this is production' }",
    );
    assert_eq!(decision(&sandbox, bash("kubectl apply -f a.yaml")), "nothing");
    sandbox.hook("claude-code", worked("kubectl config use-context prod"));
    assert_eq!(decision(&sandbox, bash("kubectl apply -f a.yaml")), "deny");
    assert_eq!(decision(&sandbox, bash("kubectl get pods")), "nothing");
    sandbox.hook("claude-code", worked("kubectl config use-context dev"));
    assert_eq!(decision(&sandbox, bash("kubectl apply -f a.yaml")), "nothing");
}

#[test]
fn a_person_is_asked_about_a_deployment_and_a_deletion() {
    let sandbox = with_rule(
        Sandbox::new(),
        "{ name: a, on: { hook: PreToolUse }, match: { command: ['kubectl delete', 'npm publish'] }, action: ask, message: 'sure?' }",
    );
    for command in ["kubectl -n x delete pod y", "npm publish", "bash -c 'npm publish --tag next'"] {
        assert_eq!(decision(&sandbox, bash(command)), "ask", "{command}");
        let alone = bash(command).with("permission_mode", "bypassPermissions");
        assert_eq!(decision(&sandbox, alone), "deny", "{command}: nobody would be asked");
    }
    assert_eq!(decision(&sandbox, bash("kubectl get pods")), "nothing");
}

#[test]
fn the_right_command_is_named_instead_of_a_rewrite() {
    let sandbox = with_rule(
        Sandbox::new(),
        "{ name: a, on: { hook: PreToolUse }, match: { command: 'npm {install,i,ci}' }, action: interrupt, message: 'Run pnpm install instead of `{{ matched }}`.' }",
    );
    let said = sandbox.hook("claude-code", bash("cd app && npm i lodash")).stdout;
    assert!(said.contains("Run pnpm install instead of `npm i lodash`."), "{said}");
    assert_eq!(decision(&sandbox, bash("pnpm install")), "nothing");
}

#[test]
fn an_exception_is_for_one_call_and_ends_by_itself() {
    // A rule has no date; a person lets one call through, for ten minutes.
    let sandbox = with_rule(
        Sandbox::new(),
        "{ name: a, on: { hook: PreToolUse }, match: { command: 'make deploy' }, action: ask, message: 'sure?' }",
    );
    let alone = || bash("make deploy").with("permission_mode", "bypassPermissions");
    assert_eq!(decision(&sandbox, alone()), "deny");
    let waiting = sandbox.run(["allow", "--list", "--json"]);
    assert!(waiting.stdout.contains("make deploy"), "{}", waiting.stdout);
}

#[test]
fn a_session_begins_with_guidance_once() {
    let sandbox = with_rule(
        Sandbox::new(),
        "{ name: a, on: { hook: UserPromptSubmit }, once: session, action: continue, message: 'The staging server is down this week.' }",
    );
    let said = |text: &str| sandbox.hook("claude-code", prompt(text)).stdout;
    assert!(said("hello").contains("staging server"));
    assert!(!said("and now").contains("staging server"));
}
