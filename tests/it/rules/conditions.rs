//! `when`: rules for a branch, an agent, a permission mode, a subagent, or a file that is new.

use expect_test::expect;

use crate::payload::{Payload, bash, write};
use crate::repository::{git, repository};
use crate::sandbox::{Sandbox, rules};

fn when(sandbox: Sandbox, conditions: &str) -> Sandbox {
    let rule = format!(
        "{{ name: a, on: {{ hook: PreToolUse }}, when: {{ {conditions} }}, action: interrupt, message: no }}"
    );
    sandbox.file(".nudge.yaml", rules(&[&rule]))
}

fn denies(sandbox: &Sandbox, payload: Payload) -> bool {
    sandbox.hook("claude-code", payload).stdout.contains("deny")
}

#[test]
fn a_rule_may_be_for_a_branch() {
    let sandbox = when(repository(), "branch: 'main|release/.*'");
    git(&sandbox, "", &["checkout", "-q", "-B", "main"]);
    assert!(denies(&sandbox, bash("make")));
    git(&sandbox, "", &["checkout", "-q", "-b", "mainline"]);
    sandbox.hook("claude-code", bash("make")).reply(expect!["nothing"]);
    let why = sandbox.run(["why"]).stdout;
    assert!(why.contains("its `when: branch` was not true"), "{why}");
    git(&sandbox, "", &["checkout", "-q", "-b", "release/1"]);
    assert!(denies(&sandbox, bash("make")));
    // Outside of a repository there is no branch.
    assert!(!denies(&when(Sandbox::new(), "branch: '.*'"), bash("make")));
}

#[test]
fn a_rule_may_be_for_an_agent_a_mode_or_a_subagent() {
    let sandbox = when(Sandbox::new(), "agent: codex");
    assert!(!denies(&sandbox, bash("make")));
    assert!(sandbox.hook("codex", bash("make")).stdout.contains("deny"));
    let sandbox = when(Sandbox::new(), "mode: 'bypassPermissions|auto'");
    assert!(!denies(&sandbox, bash("make")));
    assert!(denies(&sandbox, bash("make").with("permission_mode", "bypassPermissions")));
    assert!(!denies(&sandbox, bash("make").without("permission_mode")));
    let sandbox = when(Sandbox::new(), "subagent: 'test.*'");
    assert!(!denies(&sandbox, bash("make")));
    let by = |kind: &str| bash("make").with("agent_id", "a1").with("agent_type", kind);
    assert!(denies(&sandbox, by("tester")));
    assert!(!denies(&sandbox, by("architect")));
    // Without an agent, such a condition counts as true.
    sandbox.run(["test", "--rule", "a", "--tool", "Bash", "--content", "make"]).code(0).stdout(expect![[
        r#"
        Rule: a
        Result: INTERRUPT
        Message:
          no
    "#
    ]]);
}

#[test]
fn a_rule_may_be_for_new_files_or_for_existing_ones() {
    let new = when(Sandbox::new(), "new_file: true").file("old.ts", "1");
    assert!(denies(&new, write("new.ts", "1")));
    assert!(denies(&new, bash("echo 1 > new.ts")));
    assert!(!denies(&new, write("old.ts", "2")));
    assert!(!denies(&new, bash("make")));
    let existing = when(Sandbox::new(), "new_file: false").file("old.ts", "1");
    assert!(denies(&existing, write("old.ts", "2")));
    assert!(!denies(&existing, write("new.ts", "1")));
}

#[test]
fn mistakes_in_conditions_are_reported() {
    let check = |rule: &str, message: &str| {
        let ran = Sandbox::new().file(".nudge.yaml", rules(&[rule])).run(["validate"]);
        assert_eq!(ran.code, Some(1), "{}", ran.stdout);
        assert!(ran.stdout.contains(message), "{}", ran.stdout);
    };
    let on = |hook: &str, when: &str| {
        format!("{{ name: a, on: {{ hook: {hook} }}, when: {when}, action: continue, message: m }}")
    };
    check(&on("PreToolUse", "{ brnch: main }"), "did you mean `branch`?");
    check(&on("PreToolUse", "{ branch: '(' }"), "`branch` is not a regex");
    check(&on("PreToolUse", "{ new_file: yes please }"), "`new_file` must be true or false");
    check(&on("PostToolUse", "{ new_file: true }"), "`new_file` does not exist on PostToolUse");
    check(&on("PreToolUse", "main"), "`when` must be a map");
}
