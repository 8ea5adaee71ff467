//! `nudge check` for CI and commits: what has changed, what is staged, and what a baseline accepts.

use std::fs;

use expect_test::expect;

use crate::repository::{commit_all, git, repository_of};
use crate::sandbox::{BLOCK_TODO, Sandbox};

/// A repository with an old finding that is committed.
fn project() -> Sandbox {
    let sandbox =
        Sandbox::new().rule("a.yaml", BLOCK_TODO).file("old.rs", "TODO old\n").file("fine.rs", "fine\n");
    repository_of(sandbox)
}

#[test]
fn only_changed_and_new_files_are_checked() {
    let sandbox = project();
    sandbox.run(["check", "--changed"]).code(0).stderr(expect![[r#"
        0 files checked by 1 rule: 0 errors, 0 warnings
    "#]]);
    sandbox.put("fine.rs", "fine\nTODO\n");
    sandbox.put("new ü.rs", "TODO\n");
    sandbox.put(".gitignore", "*.log\n");
    sandbox.put("ignored.log", "TODO\n");
    fs::remove_file(sandbox.path("old.rs")).expect("a deleted file");
    sandbox.run(["check", "--changed"]).code(1).stdout(expect![[r#"
        fine.rs:2: interrupt no-todo: Do it now (lines 2).
        new ü.rs:1: interrupt no-todo: Do it now (lines 1).
    "#]]);
    sandbox.run(["check", "--changed", "fine.rs"]).code(1).stdout(expect![[r#"
        fine.rs:2: interrupt no-todo: Do it now (lines 2).
    "#]]);
}

#[test]
fn a_branch_is_checked_from_where_it_left_its_base() {
    let sandbox = project();
    git(&sandbox, "", &["checkout", "-q", "-b", "feature"]);
    sandbox.put("mine.rs", "TODO\n");
    commit_all(&sandbox, "mine");
    git(&sandbox, "", &["checkout", "-q", "main"]);
    sandbox.put("theirs.rs", "TODO\n");
    commit_all(&sandbox, "theirs");
    git(&sandbox, "", &["checkout", "-q", "feature"]);
    sandbox.run(["check", "--changed=main"]).code(1).stdout(expect![[r#"
        mine.rs:1: interrupt no-todo: Do it now (lines 1).
    "#]]);
    sandbox.run(["check", "--changed=--output=x"]).code(1).stdout(expect![[""]]).stderr(expect![[r#"
        error: `--output=x` is not a commit of this repository
        hint: name a branch, tag or commit; a clone for CI may have to fetch it first
    "#]]);
    git(&sandbox, "", &["checkout", "-q", "--orphan", "alone"]);
    commit_all(&sandbox, "alone");
    sandbox.run(["check", "--changed=main"]).code(1).stderr(expect![[r#"
        error: this branch and `main` have no commit in common
        hint: fetch more of the history first: a clone for CI often has only the last commit
    "#]]);
}

#[test]
fn what_is_staged_is_checked_as_it_is_staged() {
    let sandbox = project();
    sandbox.put("fine.rs", "TODO\n");
    sandbox.put("gone.rs", "TODO\n");
    sandbox.put("clean.rs", "clean\n");
    sandbox.put(".nudge/more.yaml", "version: 1\nrules: [] # TODO\n");
    git(&sandbox, "", &["add", "-A"]);
    // What is on the disk meanwhile is not what would be committed.
    sandbox.put("fine.rs", "fine\n");
    sandbox.put("clean.rs", "TODO\n");
    fs::remove_file(sandbox.path("gone.rs")).expect("a deleted file");
    sandbox.run(["check", "--staged"]).code(1).stdout(expect![[r#"
        fine.rs:1: interrupt no-todo: Do it now (lines 1).
        gone.rs:1: interrupt no-todo: Do it now (lines 1).
    "#]]);
    git(&sandbox, "", &["reset", "-q", "fine.rs", "gone.rs"]);
    sandbox.run(["check", "--staged"]).code(0).stdout(expect![[""]]);
}

#[test]
#[cfg(unix)]
fn a_commit_hook_checks_the_index_that_git_names() {
    let sandbox = project();
    let hook = sandbox.path(".git/hooks/pre-commit");
    let program = env!("CARGO_BIN_EXE_nudge");
    fs::create_dir_all(hook.parent().expect("a folder")).expect("hooks");
    fs::write(&hook, format!("#!/bin/sh\nexec '{program}' check --staged\n")).expect("a hook");
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a program");
    sandbox.put("fine.rs", "fine\nTODO\n");
    sandbox.put("other.rs", "TODO\n");
    git(&sandbox, "", &["add", "other.rs"]);
    let commit = |args: &[&str]| {
        let output = sandbox.command("git").arg("commit").args(args).current_dir(sandbox.path("")).output();
        sandbox.ran(&output.expect("git runs"))
    };
    // Only this file is committed: git makes an index of its own for it.
    let refused = commit(&["-qm", "x", "fine.rs"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    // A commit hook prints to the same place as git.
    let shown = format!("{}{}", refused.stdout, refused.stderr);
    assert!(shown.contains("fine.rs:2: interrupt no-todo") && !shown.contains("other.rs"), "{shown}");
    sandbox.put("fine.rs", "fine\nand done\n");
    assert_eq!(commit(&["-qm", "x", "fine.rs"]).code, Some(0));
}

#[test]
fn a_folder_without_git_has_no_changes_to_check() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    for flag in ["--changed", "--staged"] {
        sandbox.run(["check", flag]).code(1).stdout(expect![[""]]).stderr(expect![[r#"
            error: `$BASE/project` is not in a git repository, which knows what has changed
            hint: check all files with `nudge check`
        "#]]);
    }
}

#[test]
#[cfg(unix)]
fn a_project_behind_a_link_is_checked() {
    let sandbox = project();
    sandbox.put("fine.rs", "TODO\n");
    std::os::unix::fs::symlink(sandbox.path(""), sandbox.beside("link")).expect("a link");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    let link = sandbox.beside("link");
    let output = command.args(["check", "--changed"]).current_dir(&link).env("PWD", &link).output();
    sandbox.ran(&output.expect("it runs")).code(1).stdout(expect![[r#"
        fine.rs:1: interrupt no-todo: Do it now (lines 1).
    "#]]);
}

#[test]
fn a_baseline_accepts_what_is_there_and_nothing_new() {
    let sandbox = project();
    sandbox.put("old.rs", "TODO old\nTODO older\n");
    sandbox.run(["check", "--baseline", "accepted.json"]).code(1).stdout(expect![[""]]).stderr(expect![[r#"
        error: the baseline `$BASE/project/accepted.json` cannot be read: No such file or directory (os error 2)
        hint: add --update-baseline to write it: everything that is found now is then accepted
    "#]]);
    sandbox.run(["check", "--baseline", "accepted.json", "--update-baseline"]).code(0).stderr(expect![[r#"
        2 findings accepted in $BASE/project/accepted.json
    "#]]);
    sandbox.run(["check", "--baseline", "accepted.json"]).code(0).stdout(expect![[""]]).stderr(expect![[
        r#"
        4 files checked by 1 rule: 0 errors, 0 warnings
        2 findings accepted by the baseline
    "#
    ]]);
    // Lines may move and be indented; a second one of the same text is new.
    sandbox.put("old.rs", "\n\n    TODO old\nTODO older\nTODO old\n");
    sandbox.run(["check", "--baseline", "accepted.json"]).code(1).stdout(expect![[r#"
        old.rs:5: interrupt no-todo: Do it now (lines 3, 4, 5).
    "#]]);
    sandbox.put("old.rs", "TODO old\n");
    let shown = sandbox.run(["check", "--baseline", "accepted.json"]);
    shown.code(0).stderr(expect![[r#"
        4 files checked by 1 rule: 0 errors, 0 warnings
        1 finding accepted by the baseline
        1 finding of the baseline not found any more: --update-baseline removes what is fixed
    "#]]);
    let report = sandbox.run(["check", "--baseline", "accepted.json", "--json"]).json();
    assert_eq!((&report["accepted"], &report["outdated"]), (&1.into(), &1.into()));
}

#[test]
fn a_broken_baseline_is_no_empty_one() {
    let sandbox = project();
    for (text, why) in [
        ("{", "it is not a baseline: EOF while parsing an object at line 1 column 1"),
        (r#"{"version":2,"findings":[]}"#, "its version is 2, and this nudge knows 1"),
        (r#"{"version":1,"findings":[{"file":1}]}"#, "it is not a baseline: invalid type: integer `1`"),
    ] {
        sandbox.put("b.json", text);
        let shown = sandbox.run(["check", "--baseline", "b.json"]);
        assert!(shown.code(1).stderr.contains(why), "{}", shown.stderr);
    }
}

#[test]
fn the_example_for_pre_commit_and_the_workflow_run_commands_that_exist() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/ci");
    let mut commands = Vec::new();
    for name in ["pre-commit-config.yaml", "github-workflow.yaml"] {
        let text = fs::read_to_string(format!("{folder}/{name}")).expect("an example");
        let lines =
            text.lines().filter_map(|line| line.split_once("nudge ").map(|(_, rest)| rest.to_owned()));
        commands.extend(lines.filter(|line| line.starts_with("check ") || line.starts_with("validate")));
    }
    assert!(commands.len() >= 3, "{commands:?}");
    let sandbox = project();
    git(&sandbox, "", &["branch", "base"]);
    for command in commands {
        let words =
            command.replace("\"origin/$GITHUB_BASE_REF\"", "base").replace("> nudge.sarif || true", "");
        let mut program = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        let output = program.args(words.split_whitespace()).current_dir(sandbox.path("")).output();
        sandbox.ran(&output.expect("it runs")).code(0);
    }
}
