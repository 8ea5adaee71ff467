//! `nudge rules import`: rules of other tools become rules that load, fire on the same calls, and say so.

use std::fs;

use serde_json::json;

use crate::payload::{bash, tool, write};
use crate::sandbox::Sandbox;

/// Imports a file, switches the rules on, and returns the project.
fn imported(path: &str, text: &str) -> Sandbox {
    let sandbox = Sandbox::new().file(path, text);
    let shown = sandbox.run(["rules", "import", path]);
    assert!(shown.code(0).stdout.contains("written to"), "{}{}", shown.stdout, shown.stderr);
    sandbox.run(["validate", "imported.nudge.yaml"]).code(0);
    let rules = fs::read_to_string(sandbox.path("imported.nudge.yaml")).expect("rules");
    assert!(rules.contains("shadow: true"), "{rules}");
    fs::remove_file(sandbox.path("imported.nudge.yaml")).expect("it moves");
    sandbox.put(".nudge.yaml", rules.replace("    shadow: true\n", ""));
    sandbox
}

#[test]
fn permissions_of_claude_code_block_and_ask() {
    let settings = json!({ "permissions": {
        "deny": ["Bash(git push:*)", "Read(.env)", "Edit(/gen/**)"],
        "ask": ["Bash(npm publish:*)"],
        "allow": ["Bash(ls:*)"],
    } });
    let sandbox = imported("settings.json", &settings.to_string());
    let refused = [
        bash("git push origin main"),
        bash("cd x && sudo git -C . push"),
        tool("Read", json!({ "file_path": ".env" })),
        bash("cat .env"),
        write("gen/a.rs", "x"),
        bash("echo x > gen/a.rs"),
    ];
    for (number, payload) in refused.into_iter().enumerate() {
        assert!(sandbox.hook("claude-code", payload).blocks(), "{number}");
    }
    let fine = [
        bash("git status"),
        bash("git commit -m 'git push'"),
        tool("Read", json!({ "file_path": "src/a.rs" })),
        bash("cat gen/a.rs"),
    ];
    for (number, payload) in fine.into_iter().enumerate() {
        assert_eq!(sandbox.hook("claude-code", payload).stdout, "", "{number}");
    }
    let asked = sandbox.hook("claude-code", bash("npm publish"));
    assert!(asked.stdout.contains(r#""permissionDecision":"ask""#), "{}", asked.stdout);
}

#[test]
fn rules_of_codex_and_of_the_safety_net_find_words_of_commands() {
    let codex = "prefix_rule(pattern=['git', ['push', 'reset'], ['--force', '--hard']], decision='forbidden', match=['git push --force'], not_match=['git push'])\n";
    let net = json!({ "version": 1, "rules": [
        { "name": "n", "command": "git", "subcommand": "push", "block_args": ["--force", "--hard"], "reason": "No." }] });
    for (file, text) in [("default.rules", codex.to_owned()), (".safety-net.json", net.to_string())] {
        let sandbox = imported(file, &text);
        assert!(sandbox.hook("claude-code", bash("git push --force")).blocks(), "{file}");
        assert_eq!(sandbox.hook("claude-code", bash("git push")).stdout, "", "{file}");
    }
}

#[test]
fn what_is_not_carried_over_is_said_and_nothing_is_overwritten() {
    let sandbox =
        Sandbox::new().file("a.rules", "load('x')\nprefix_rule(pattern=['rm'], decision='forbidden')\n");
    let shown = sandbox.run(["rules", "import", "a.rules", "--dry-run"]);
    assert!(shown.code(0).stderr.contains("a.rules:1 `load`: it is not a rule"), "{}", shown.stderr);
    assert!(!sandbox.path("imported.nudge.yaml").exists());
    sandbox.put("imported.nudge.yaml", "mine");
    let refused = sandbox.run(["rules", "import", "a.rules"]);
    assert!(refused.code(1).stderr.contains("move it away first"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(sandbox.path("imported.nudge.yaml")).expect("a file"), "mine");
    for (name, text, why) in
        [("x.txt", "hello", "has no rules of a tool that is known"), ("none", "", "cannot be read")]
    {
        if name != "none" {
            sandbox.put(name, text);
        }
        let refused = sandbox.run(["rules", "import", name]);
        assert!(refused.code(1).stderr.contains(why), "{}", refused.stderr);
    }
}

#[test]
fn the_report_in_json_has_the_counts_of_the_past() {
    let sandbox = Sandbox::new().file("a.rules", "prefix_rule(pattern=['rm'], decision='forbidden')\n");
    let report = sandbox.run(["rules", "import", "a.rules", "--json"]).code(0).json();
    assert_eq!(
        (&report["tool"], &report["rules"]["rules"], &report["problems"], &report["counts"]["fired"]),
        (&json!("codex-rules"), &json!(1), &json!([]), &json!(0))
    );
}
