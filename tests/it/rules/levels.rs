//! Rules of several folders: all from the top of the repository down to the file add up, each relative to its folder.

use expect_test::expect;

use crate::payload::{bash, write};
use crate::repository::{commit_all, git, repository};
use crate::sandbox::{Sandbox, rules};

fn guide(name: &str, file: &str) -> String {
    let on = if file.is_empty() { String::new() } else { format!(", file: '{file}'") };
    rules(&[&format!(
        "{{ name: {name}, on: {{ hook: PreToolUse{on} }}, action: continue, message: {name} }}"
    )])
}

/// A repository with rules at its top and in a package.
fn monorepo() -> Sandbox {
    let sandbox = repository();
    sandbox.put(".nudge.yaml", guide("top", "packages/**"));
    sandbox.put("packages/a/.nudge.yaml", guide("of-a", "src/**"));
    sandbox.put("packages/b/.nudge.yaml", guide("of-b", "src/**"));
    commit_all(&sandbox, "rules");
    sandbox
}

#[test]
fn the_rules_from_the_top_down_to_the_file_add_up() {
    let sandbox = monorepo();
    let to_a = || write("packages/a/src/x.ts", "1");
    let both = expect![[r#"
        context: top

        ---

        of-a"#]];
    sandbox.hook("claude-code", to_a()).reply(&both);
    sandbox.hook("claude-code", to_a().cwd("packages/a")).reply(&both);
    // Started in one package, the agent writes in the other.
    let started = sandbox.env("CLAUDE_PROJECT_DIR", "$BASE/project/packages/b");
    started.hook("claude-code", to_a().cwd("packages/b")).reply(&both);
    started.hook("claude-code", write("README.md", "1")).reply(expect!["nothing"]);
    started.hook("claude-code", bash("echo 1 > packages/a/src/y.ts")).reply(&both);
}

#[test]
fn dependencies_and_other_repositories_bring_no_rules() {
    let sandbox = monorepo();
    sandbox.put("node_modules/left-pad/.nudge.yaml", guide("stranger", ""));
    sandbox.put("other/.nudge.yaml", guide("neighbour", ""));
    git(&sandbox, "other", &["init", "-q"]);
    sandbox.hook("claude-code", write("node_modules/left-pad/x.js", "1")).reply(expect!["nothing"]);
    sandbox.hook("claude-code", write("other/x.js", "1")).reply(expect!["nothing"]);
}

#[test]
fn a_submodule_has_its_rules_and_those_around_it() {
    let sandbox = monorepo();
    let library = sandbox.beside("library");
    std::fs::create_dir_all(&library).expect("a folder");
    let run = |args: &[&str]| crate::repository::git_in(&sandbox, &library, args);
    run(&["init", "-q", "-b", "main"]);
    std::fs::write(library.join(".nudge.yaml"), guide("of-library", "")).expect("a file");
    run(&["add", "-A"]);
    run(&["commit", "-q", "-m", "library"]);
    git(&sandbox, "", &["submodule", "--quiet", "add", &library.display().to_string(), "packages/lib"]);
    let both = expect![[r#"
        context: top

        ---

        of-library"#]];
    sandbox.hook("codex", write("packages/lib/x.c", "1").cwd("packages/lib")).reply(&both);
    sandbox.hook("claude-code", write("packages/lib/x.c", "1")).reply(&both);
}

#[test]
fn a_worktree_has_the_rules_of_its_own_checkout() {
    let sandbox = repository();
    sandbox.put(".nudge.yaml", guide("protect", "src/generated/**"));
    commit_all(&sandbox, "rules");
    let tree = ".claude/worktrees/agent-1";
    git(&sandbox, "", &["worktree", "add", "-q", tree]);
    let generated = || write(&format!("{tree}/src/generated/x.rs"), "1");
    // Claude Code still names the main checkout as its project.
    let sandbox = sandbox.env("CLAUDE_PROJECT_DIR", "$BASE/project");
    sandbox.hook("claude-code", generated().cwd(tree)).reply(expect!["context: protect"]);
    sandbox.hook("claude-code", generated()).reply(expect!["context: protect"]);
    // On its branch the rule says something else.
    sandbox.put(&format!("{tree}/.nudge.yaml"), guide("protect-more", "src/**"));
    let other = write(&format!("{tree}/src/x.rs"), "1").cwd(tree);
    sandbox.hook("claude-code", other).reply(expect!["context: protect-more"]);
}

#[test]
fn rules_that_are_not_committed_reach_the_worktrees_too() {
    let sandbox = repository();
    sandbox.put(".nudge.yaml", guide("protect", "src/generated/**"));
    git(&sandbox, "", &["worktree", "add", "-q", ".claude/worktrees/agent-1"]);
    let tree = ".claude/worktrees/agent-1";
    let sandbox = sandbox.env("CLAUDE_PROJECT_DIR", "$BASE/project");
    sandbox
        .hook("claude-code", write(&format!("{tree}/src/generated/x.rs"), "1").cwd(tree))
        .reply(expect!["context: protect"]);
}

#[test]
fn the_users_anchored_globs_apply_in_worktrees() {
    let sandbox = repository().user_rules(&guide("mine", "src/generated/**"));
    let tree = ".claude/worktrees/agent-1";
    git(&sandbox, "", &["worktree", "add", "-q", tree]);
    let sandbox = sandbox.env("CLAUDE_PROJECT_DIR", "$BASE/project");
    sandbox
        .hook("claude-code", write(&format!("{tree}/src/generated/x.rs"), "1").cwd(tree))
        .reply(expect!["context: mine"]);
}

#[test]
fn people_see_the_rules_of_all_levels() {
    let sandbox = monorepo();
    let listed = sandbox.run(["rules", "--json"]).json();
    let names: Vec<&str> =
        listed["items"].as_array().expect("a list").iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, ["top", "of-a", "of-b"]);
    sandbox.run(["validate"]).code(0).stdout(expect![[r#"
        .nudge.yaml: 1 rule loaded
          - top (PreToolUse, continue)
        packages/a/.nudge.yaml: 1 rule loaded
          - of-a (PreToolUse, continue)
        packages/b/.nudge.yaml: 1 rule loaded
          - of-b (PreToolUse, continue)
    "#]]);
    sandbox
        .run(["test", "--rule", "of-a", "--tool", "Write", "--file", "packages/a/src/x.ts", "--content", "1"])
        .stdout(expect![[r#"
            Rule: of-a
            Result: CONTINUE
            Message:
              of-a
        "#]]);
}

#[test]
fn check_judges_each_file_by_the_rules_above_it() {
    let sandbox = repository();
    let forbid = |name: &str| {
        let rule = "{ name: NAME, on: { hook: PreToolUse, tool: Write, file: 'src/*' }, match: { content: bad }, action: interrupt, message: NAME }";
        rules(&[&rule.replace("NAME", name)])
    };
    sandbox.put("packages/a/.nudge.yaml", forbid("of-a"));
    sandbox.put("packages/a/src/x.ts", "bad\n");
    sandbox.put("packages/b/src/x.ts", "bad\n");
    sandbox.put("src/x.ts", "bad\n");
    let found = sandbox.run(["check", "--json"]).json();
    let found: Vec<&str> =
        found["findings"].as_array().expect("a list").iter().filter_map(|it| it["file"].as_str()).collect();
    assert_eq!(found, ["packages/a/src/x.ts"]);
}
