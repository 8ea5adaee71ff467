//! `command`: rules for the commands that a shell tool runs.

use expect_test::expect;
use serde_json::json;

use crate::payload::{Payload, bash, tool, write};
use crate::sandbox::{Sandbox, rules};

fn denies(sandbox: &Sandbox, command: &str) -> bool {
    sandbox.hook("claude-code", bash(command)).stdout.contains("deny")
}

const FORCE: &str = "{ name: force, on: { hook: PreToolUse, tool: Bash }, \
    match: { command: [\"git push --force\", \"git push -f\"] }, unless: { command: \"git push sandbox\" }, \
    action: interrupt, message: \"no: {{ matched }}\" }";

#[test]
fn a_rule_may_be_for_a_command() {
    let sandbox = Sandbox::new().file(".nudge.yaml", rules(&[FORCE]));
    assert!(denies(&sandbox, "cd x && sudo git -C y push -fu origin main"));
    assert!(denies(&sandbox, "bash -lc 'git push --force'"));
    assert!(!denies(&sandbox, "git commit -m 'no git push --force' && git push"));
    assert!(!denies(&sandbox, "git push -f sandbox main"));
    assert!(denies(&sandbox, "git push -f sandbox; git push -f origin"));
    assert!(denies(&sandbox, "echo 'it; git push -f"));
    let why = sandbox.run(["why"]).stdout.clone();
    assert!(why.contains("which could not be read: something in it never ends"), "{why}");
    sandbox
        .run(["test", "--rule", "force", "--tool", "Bash", "--content", "ls; git push  -f origin | cat"])
        .code(0)
        .stdout(expect![[r#"
            Rule: force
            Result: INTERRUPT
            Message:
              no: git push  -f origin
        "#]]);
    sandbox.run(["test", "--rule", "force", "--tool", "Bash", "--content", "git push"]).stdout(expect![[
        r#"
        Rule: force
        Result: NO MATCH
        Reason: its `command` is not found
    "#
    ]]);
}

#[test]
fn a_rule_may_be_for_any_touch_of_a_file() {
    let rule = |does: &str| {
        format!(
            "{{ name: a, on: {{ hook: PreToolUse, does: {does}, file: \"gen/**\" }}, action: interrupt, message: \"no: {{{{ file_path }}}}\" }}"
        )
    };
    let sandbox = Sandbox::new().file(".nudge.yaml", rules(&[&rule("change")])).file("gen/a.ts", "x");
    for command in [
        "echo x > gen/a.ts",
        "rm -rf gen",
        "cd gen && rm *.ts",
        "mv gen/a.ts b.ts",
        "git checkout -- gen/a.ts",
        "prettier --write gen/a.ts",
        "python3 -c \"open('gen/a.ts', 'w')\"",
        "sed -i s/a/b/ ./gen/../gen/a.ts",
        "git apply x.patch && truncate -s 0 gen/a.ts",
    ] {
        assert!(denies(&sandbox, command), "{command}");
    }
    for command in
        ["cat gen/a.ts", "grep -r x gen", "ls gen", "cp gen/a.ts b.ts", "echo gen/a.ts", "git add gen"]
    {
        assert!(!denies(&sandbox, command), "{command}");
    }
    assert!(sandbox.hook("claude-code", write("gen/b.ts", "x")).stdout.contains("no: "));
    let sandbox = Sandbox::new().file(".nudge.yaml", rules(&[&rule("read")])).file("gen/a.ts", "x");
    assert!(denies(&sandbox, "cat gen/a.ts"));
    assert!(denies(&sandbox, "base64 < gen/a.ts"));
    assert!(!denies(&sandbox, "touch gen/a.ts; echo x > gen/b.ts"));
    assert!(!sandbox.hook("claude-code", write("gen/b.ts", "x")).stdout.contains("deny"));
    let sandbox = Sandbox::new().file(".nudge.yaml", rules(&[&rule("delete")])).file("gen/a.ts", "x");
    assert!(denies(&sandbox, "find gen -name '*.ts' -delete"));
    assert!(!denies(&sandbox, "echo x > gen/a.ts; cat gen/a.ts"));
    let alone = rule("read").replace(", file: \"gen/**\"", "");
    let sandbox = Sandbox::new().file(".nudge.yaml", rules(&[&alone]));
    let output = sandbox.run(["validate"]);
    let text = format!("{}{}", output.code(1).stdout, output.stderr);
    assert!(text.contains("`does` needs a `file`"), "{text}");
}

#[test]
fn a_pattern_that_can_never_match_is_an_error_with_its_place() {
    let rule = FORCE.replace("git push -f\"", "a && b\"");
    let sandbox = Sandbox::new().file(".nudge.yaml", rules(&[&rule]));
    let output = sandbox.run(["validate"]);
    let text = format!("{}{}", output.code(1).stdout, output.stderr);
    assert!(text.contains("`command` can never match: `&` does not join commands in a pattern"), "{text}");
    assert!(text.contains(".nudge.yaml:3:"), "{text}");
}

#[test]
fn a_shell_tools_own_folder_counts() {
    let rule = "{ name: a, on: { hook: PreToolUse, does: change, file: \"gen/**\" }, action: interrupt, message: no }";
    let sandbox =
        Sandbox::new().file(".nudge.yaml", rules(&[rule])).file("gen/a.ts", "x").file("src/b.ts", "x");
    let is_refused = |agent: &str, payload: Payload| {
        let reply = sandbox.hook(agent, payload).stdout;
        reply.contains("deny") || reply.contains("block")
    };
    let codex = |folder: &str| tool("exec_command", json!({ "cmd": "rm a.ts", "workdir": folder }));
    let gemini = |folder: &str| {
        let call = tool("run_shell_command", json!({ "command": "rm a.ts", "dir_path": folder }));
        call.with("hook_event_name", "BeforeTool")
    };
    assert!(is_refused("codex", codex("gen")));
    assert!(is_refused("gemini-cli", gemini("gen")));
    assert!(!is_refused("codex", codex("src")));
    assert!(!is_refused("gemini-cli", gemini("src")));
    assert!(!is_refused("codex", codex(".")));
}

/// The project by any of its names, the folders around it, and what is in a home folder.
#[test]
fn the_project_is_not_deleted_by_another_of_its_names() {
    let sandbox = Sandbox::new().file(".nudge.yaml", "version: 1\npacks: [files]\n");
    let root = sandbox.beside("project").to_string_lossy().into_owned();
    let home = sandbox.beside("home").to_string_lossy().into_owned();
    let name = "project";
    for command in [
        format!("rm -rf {root}"),
        format!("rm -rf {root}/"),
        format!("rm -rf '{root}'/*"),
        format!("rm -rf ../{name}"),
        format!("cd .. && rm -rf {name}"),
        format!("pushd .. && sudo rm -rf {name}"),
        format!("rm -rf build {root}/src/.."),
        format!("rm -rf ~/../{name}"),
        format!("rm -rf \"$HOME/../{name}\""),
        format!("rimraf {root}"),
        format!("find . -name '*' -delete; rm -rf {home}"),
        format!("rm -rf {home}/Documents"),
        "rm -rf /home/alice/code".to_owned(),
        "rm -rf /Users/me/*".to_owned(),
        "find . -name '*' -delete".to_owned(),
    ] {
        assert!(denies(&sandbox, &command), "{command}");
    }
    for command in [
        format!("rm -rf {root}/dist"),
        format!("rm -rf {root}/dist/*"),
        format!("rm -rf {root}-2"),
        format!("cd .. && rm -rf {name}/dist"),
        format!("cd .. && ls {name}"),
        format!("rm -rf {home}/.cache"),
        "rm -rf dist && find . -name '*.pyc' -delete".to_owned(),
    ] {
        assert!(!denies(&sandbox, &command), "{command}");
    }
}

#[test]
fn a_folder_for_temporary_files_that_is_no_project_may_be_deleted_by_its_path() {
    let sandbox = Sandbox::new().user_rules("version: 1\npacks: [files]\n");
    std::fs::remove_dir_all(sandbox.path(".git")).expect("no repository");
    let root = sandbox.beside("project").to_string_lossy().into_owned();
    assert!(!denies(&sandbox, &format!("rm -rf {root}")));
    assert!(denies(&sandbox, "rm -rf ."));
}

#[test]
fn the_end_of_a_long_command_is_searched_too() {
    let sandbox = Sandbox::new().file(".nudge.yaml", rules(&[FORCE]));
    let numbered: String = (0..12_000).map(|number| format!("echo a{number}\n")).collect();
    for before in
        ["echo a\n".repeat(10_000), "echo a; ".repeat(12_500), "git status\n".repeat(9_000), numbered]
    {
        assert!(denies(&sandbox, &format!("{before}git push --force")), "{} bytes", before.len());
        assert!(!denies(&sandbox, &format!("{before}git push")), "{} bytes", before.len());
    }
}
