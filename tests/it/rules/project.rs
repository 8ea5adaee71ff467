//! Which project an event belongs to: the agent says, never the folder of the process.

use expect_test::expect;

use crate::payload::{bash, write};
use crate::sandbox::{BLOCK_TODO, Sandbox, rules};

#[test]
fn a_sub_folder_belongs_to_its_project() {
    Sandbox::new()
        .rule("a.yaml", BLOCK_TODO)
        .file("src/deep/er/x", "")
        .hook("claude-code", write("a.rs", "TODO").cwd("src/deep/er"))
        .reply(expect!["deny: Do it now (lines 1)."]);
}

#[test]
fn a_folder_that_is_gone_belongs_to_its_project() {
    Sandbox::new()
        .rule("a.yaml", BLOCK_TODO)
        .hook("claude-code", write("a.rs", "TODO").cwd("build/gone"))
        .reply(expect!["deny: Do it now (lines 1)."]);
}

#[test]
fn the_folder_of_the_process_does_not_matter() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).from("../elsewhere");
    sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect!["deny: Do it now (lines 1)."]);
}

#[test]
fn the_folder_of_the_process_is_the_last_resort() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).from("sub");
    sandbox.hook("claude-code", write("a.rs", "TODO").cwd("")).reply(expect!["deny: Do it now (lines 1)."]);
    let mut placeless = sandbox.place(write("a.rs", "TODO"));
    placeless.as_object_mut().expect("a map").remove("cwd");
    sandbox
        .hook_bytes("claude-code", placeless.to_string().as_bytes())
        .reply(expect!["deny: Do it now (lines 1)."]);
}

#[test]
fn the_same_rules_apply_whether_the_agent_names_its_project_or_not() {
    let sandbox = Sandbox::new()
        .file(
            ".nudge.yaml",
            rules(&["{ name: a, on: { hook: PreToolUse }, action: continue, message: outer }"]),
        )
        .file(
            "inner/.nudge.yaml",
            rules(&["{ name: b, on: { hook: PreToolUse }, action: continue, message: inner }"]),
        );
    let both = expect![[r#"
        context: outer

        ---

        inner"#]];
    sandbox.hook("claude-code", bash("ls").cwd("inner")).reply(&both);
    let sandbox = sandbox.env("CLAUDE_PROJECT_DIR", "$BASE/project");
    sandbox.hook("claude-code", bash("ls").cwd("inner")).reply(&both);
}

#[test]
fn an_agent_started_in_a_sub_folder_has_the_rules_above_it() {
    Sandbox::new()
        .rule("a.yaml", BLOCK_TODO)
        .file("web/index.html", "")
        .env("CLAUDE_PROJECT_DIR", "$BASE/project/web")
        .hook("claude-code", write("web/a.js", "TODO").cwd("web"))
        .reply(expect!["deny: Do it now (lines 1)."]);
}

#[test]
fn an_agents_project_that_is_not_a_folder_is_ignored() {
    for wrong in ["/nowhere/at/all", "relative", ""] {
        Sandbox::new()
            .rule("a.yaml", BLOCK_TODO)
            .env("CLAUDE_PROJECT_DIR", wrong)
            .hook("claude-code", write("a.rs", "TODO"))
            .reply(expect![["deny: Do it now (lines 1)."]]);
    }
}

#[test]
fn a_nested_repository_is_a_project_of_its_own() {
    Sandbox::new()
        .rule("a.yaml", BLOCK_TODO)
        .file("vendor/lib/.git", "gitdir: ../../.git/modules/lib")
        .hook("claude-code", write("vendor/lib/a.rs", "TODO").cwd("vendor/lib"))
        .reply(expect![["nothing"]]);
}

#[test]
fn globs_are_relative_to_the_project_and_not_to_the_folder() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        &rules(&[
            "{ name: a, on: { hook: PreToolUse, file: 'src/*.rs' }, action: continue, message: fired }",
        ]),
    );
    sandbox.hook("claude-code", write("src/a.rs", "").cwd("src")).reply(expect![["context: fired"]]);
    // A relative path is meant from the folder the agent is in.
    let mut relative = sandbox.place(write("x", "").cwd("src"));
    relative["tool_input"]["file_path"] = "a.rs".into();
    sandbox.hook_bytes("claude-code", relative.to_string().as_bytes()).reply(expect![["context: fired"]]);
}
