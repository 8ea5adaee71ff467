//! What permissions of Claude Code and rules of Codex become.

use expect_test::{Expect, expect};
use serde_json::json;

use super::{file, rules_of};
use crate::imports::rule_tool_of;

/// Shows what one permission becomes, without its name and what is the same for all.
fn permission(list: &str, text: &str) -> String {
    let settings = json!({ "permissions": { list: [text] } }).to_string();
    let import = rules_of("claude-permissions", &[file("settings.json", &settings)]);
    match import.left_out.as_slice() {
        [] => {
            let lines = import.text.lines().skip(3).map(str::trim);
            let left = ["- name:", "hook:", "on:", "match:", "shadow:", "message:", "case_sensitive"];
            let lines = lines.filter(|line| !left.iter().any(|start| line.starts_with(start)));
            lines.collect::<Vec<_>>().join("; ")
        }
        left => format!("left out: {}", left[0].why),
    }
}

#[test]
fn a_permission_becomes_a_rule_about_the_same_calls() {
    for (list, text, expected) in [
        ("deny", "Bash(git push:*)", r#"tool: "Bash"; command: ["git push"]; action: interrupt"#),
        ("ask", "Bash(npm publish *)", r#"tool: "Bash"; command: ["npm publish"]; action: ask"#),
        ("deny", "Bash(git * main *)", r#"tool: "Bash"; command: ["git main"]; action: interrupt"#),
        (
            "deny",
            "Bash(git push)",
            r#"tool: "Bash"; content: "(?:\\A|[;&|\\n])\\s*git push\\s*(?:\\z|[;&|\\n])"; action: interrupt"#,
        ),
        (
            "deny",
            "Bash(curl * | sh)",
            r#"tool: "Bash"; content: "(?:\\A|[;&|\\n])\\s*curl [^;&|\\n]* \\| sh\\s*(?:\\z|[;&|\\n])"; action: interrupt"#,
        ),
        ("deny", "Bash", r#"tool: "Bash"; action: interrupt"#),
        ("deny", "Bash(*)", r#"tool: "Bash"; action: interrupt"#),
        ("deny", "Read(.env)", r#"does: read; file: "**/.env"; action: interrupt"#),
        ("deny", "Read(./.env)", r#"does: read; file: ".env"; action: interrupt"#),
        ("deny", "Read(./secrets/**)", r#"does: read; file: "secrets/**"; action: interrupt"#),
        ("deny", "Read(secrets/)", r#"does: read; file: "**/secrets/**"; action: interrupt"#),
        ("deny", "Read(~/.ssh/**)", r#"does: read; file: "**/.ssh/**"; action: interrupt"#),
        ("deny", "Edit(/src/gen/*.rs)", r#"does: change; file: "src/gen/*.rs"; action: interrupt"#),
        ("deny", "Write(//etc/**)", r#"does: change; file: "**/etc/**"; action: interrupt"#),
        (
            "deny",
            "WebFetch(domain:*.example.com)",
            r#"tool: "WebFetch"; content: "(?i)https?://[^/]*\\.example\\.com([:/?#]|\\z)"; action: interrupt"#,
        ),
        ("deny", "WebFetch", r#"tool: "WebFetch"; action: interrupt"#),
        ("ask", "mcp__github", r#"tool: "mcp__github__.*"; action: ask"#),
        ("ask", "mcp__github__*", r#"tool: "mcp__github__.*"; action: ask"#),
        ("ask", "mcp__github__delete_repo", r#"tool: "mcp__github__delete_repo"; action: ask"#),
        ("deny", "Agent(Explore)", "left out: a condition on this tool cannot be expressed"),
        ("deny", "Bash(git push", "left out: its bracket is not closed"),
        ("deny", "rm -rf", "left out: it is not the name of a tool"),
        ("allow", "Bash(ls:*)", "left out: a rule cannot give a permission; Claude Code still does"),
    ] {
        assert_eq!(permission(list, text), expected, "{list} {text}");
    }
}

fn codex(text: &str, expected: &Expect) {
    let import = rules_of("codex-rules", &[file("a.rules", text)]);
    let rules: Vec<String> =
        import.text.lines().skip(3).map(|line| format!("{}\n", line.trim_start())).collect();
    let left = import.left_out.iter().map(|one| format!("{}: {}\n", one.what, one.why)).collect::<String>();
    expected.assert_eq(&format!("{}{left}", rules.concat()));
}

#[test]
fn literal_calls_of_codex_become_rules() {
    codex(
        r#"
# A comment (with "brackets
prefix_rule(
    pattern = ["git", ["push", 'fetch'], "--force"],  # alternatives
    decision = "forbidden",
    justification = """Ask
first""",
    match = ["git push --force", ["git", "push", "--force", "a b"]],
    not_match = ["git push"],
)
prefix_rule(pattern=["gh", "pr", "create"], decision="prompt")
prefix_rule(pattern=["ls"])
host_executable(name = "git", paths = ["/usr/bin/git"])
WORDS = ["rm", "-rf"]
prefix_rule(pattern = WORDS, decision = "forbidden")
prefix_rule(pattern = ["echo", "a b"], decision = "forbidden")
def f():
    return prefix_rule(pattern = ["x"], decision = "forbidden")
prefix_rule(pattern = ["unfinished", decision
"#,
        &expect![[r#"
            - name: "codex-git-push-force"
            on:
            hook: PreToolUse
            tool: "Bash"
            match:
            command: ["git push --force", "git fetch --force"]
            action: interrupt
            shadow: true
            message: "Ask\nfirst"
            examples:
            fires:
            - { tool: Bash, content: "git push --force" }
            - { tool: Bash, content: "git push --force 'a b'" }
            quiet:
            - { tool: Bash, content: "git push" }
            - name: "codex-gh-pr-create"
            on:
            hook: PreToolUse
            tool: "Bash"
            match:
            command: ["gh pr create"]
            action: ask
            shadow: true
            message: "A rule for `gh pr create` says no."
            a.rules:13 `host_executable`: paths of programs are not compared here
            a.rules:14 `WORDS`: it is not a rule
            a.rules:15 `prefix_rule`: it is computed, and only what is written down can be read
            a.rules:16 `prefix_rule`: the word `a b` cannot be in a pattern
            a.rules:17 `def`: it is not a rule
            a.rules:19 `prefix_rule`: it is computed, and only what is written down can be read
            1 with `allow`: a rule cannot give a permission; Codex still does
        "#]],
    );
}

#[test]
fn no_text_stops_the_reader() {
    for text in
        ["", "(", ")", "\"", "'''", "prefix_rule(", "prefix_rule(a=[[[[[[[[[[[[", "ü=\n é(", "#", "r", "\\"]
    {
        rules_of("codex-rules", &[file("a.rules", text)]);
    }
    let deep = format!("prefix_rule(pattern={}", "[".repeat(100_000));
    rules_of("codex-rules", &[file("a.rules", &deep)]);
}

#[test]
fn a_file_is_recognised_by_its_name_or_what_is_in_it() {
    let id = |name: &str, text: &str| rule_tool_of(name, text).map(|tool| tool.id);
    assert_eq!(id("hookify.a.local.md", ""), Some("hookify"));
    assert_eq!(id("default.rules", ""), Some("codex-rules"));
    assert_eq!(id("settings.json", r#"{"permissions":{}}"#), Some("claude-permissions"));
    assert_eq!(id(".safety-net.json", r#"{"rules":[]}"#), Some("cc-safety-net"));
    assert_eq!(id("x.json", "{"), None);
    assert_eq!(id("x.json", "{}"), None);
}
