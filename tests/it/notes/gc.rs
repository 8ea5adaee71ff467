//! `nudge memory gc` on real repositories: each deletion is one commit of one path, and can be undone to the byte.

use std::fs;
use std::path::Path;

use expect_test::expect;
use serde_json::{Value, json};

use crate::repository::{commit_all, git, git_in, paste, repository, with_author};
use crate::sandbox::Sandbox;

pub(super) const NOTE: &str = ".nexus/memory/pattern-old-recipe.md";
pub(super) const TEXT: &str = "# Old recipe\n\nWith \u{fc}mlauts, tabs\tand no end";

/// A repository with one committed note.
pub(super) fn with_note() -> Sandbox {
    let sandbox = repository().file(NOTE, TEXT).file(".nexus/.gitignore", "state/\n");
    commit_all(&sandbox, "a note");
    sandbox
}

/// Deletes the note, which must work.
#[track_caller]
fn delete(sandbox: &Sandbox) -> Value {
    let ran = sandbox.run(["memory", "gc", "pattern-old-recipe", "--apply", "--yes", "--json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(!sandbox.path(NOTE).exists());
    ran.json()
}

/// Tries to delete the note, which must change nothing; returns why.
#[track_caller]
fn refused(sandbox: &Sandbox) -> String {
    let before = (fs::read(sandbox.path(NOTE)).ok(), state(sandbox));
    let ran = sandbox.run(["memory", "gc", "pattern-old-recipe", "--apply", "--yes"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert_eq!((fs::read(sandbox.path(NOTE)).ok(), state(sandbox)), before);
    ran.stderr
}

fn state(sandbox: &Sandbox) -> (String, String) {
    let log = sandbox.command("git").args(["log", "--all", "--format=%H"]).output().expect("git runs");
    let status = sandbox.command("git").args(["status", "--porcelain=v2"]).output().expect("git runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(log.stdout), text(status.stdout))
}

/// Returns the command that the last commit's message has.
fn recovery(sandbox: &Sandbox, folder: &Path) -> String {
    let message = git_in(sandbox, folder, &["log", "-1", "--format=%B"]);
    let line = message.lines().find_map(|line| line.strip_prefix("    git"));
    format!("git{}", line.unwrap_or_else(|| panic!("no command in: {message}")))
}

#[test]
fn a_plan_is_shown_and_nothing_changes() {
    let sandbox = with_note().file(".nexus/memory/empty-note.md", "\n");
    let before = state(&sandbox);
    sandbox
        .run(["memory", "gc"])
        .code(0)
        .stdout(expect![[r#"
        remove   empty-note.md  1 B
                 it is empty
                 never read
        keep     pattern-old-recipe.md  44 B
                 never read
    "#]])
        .stderr(expect![[r#"
            1 note could go; nothing was deleted
            hint: `nudge note gc --apply` asks, and deletes
        "#]]);
    sandbox
        .run(["memory", "gc", "pattern-old-recipe"])
        .code(0)
        .stdout(expect![[r#"
        keep     pattern-old-recipe.md  44 B
                 never read
    "#]])
        .stderr(expect![[r#"
            nothing was deleted
            hint: `nudge note gc pattern-old-recipe --apply` asks, and deletes
        "#]]);
    let plan = sandbox.run(["memory", "gc", "--json"]).json();
    assert_eq!(
        (&plan["dry_run"], &plan["proposed"]),
        (&json!(true), &json!([".nexus/memory/empty-note.md"]))
    );
    // Without a terminal there is nobody to consent.
    sandbox.run(["memory", "gc", "--apply"]).code(1).stderr(expect![[r#"
        error: there is no terminal to ask on
        hint: add `--yes` if you mean it
    "#]]);
    sandbox.run(["memory", "gc", "--yes"]).code(2);
    // Without a `.nexus` folder, `gc` does not create one.
    let bare = repository();
    bare.run(["memory", "gc", "--apply", "--yes"]).code(0).stderr(expect!["nothing to delete\n"]);
    assert!(!bare.path(".nexus").exists());
    assert_eq!(state(&sandbox), before);
    assert!(sandbox.path(".nexus/memory/empty-note.md").exists());
}

#[test]
fn the_command_in_the_commit_restores_the_same_bytes() {
    let sandbox = with_note();
    let received = delete(&sandbox);
    let message = git(&sandbox, "", &["log", "-1", "--format=%an <%ae>%n%B"]);
    let before = git(&sandbox, "", &["rev-parse", "HEAD~1"]);
    expect![[r#"
        Ada <ada@example.org>
        memory: remove pattern-old-recipe.md

        Why: never read

        To restore it, in the root of this repository:

            git checkout $BEFORE -- .nexus/memory/pattern-old-recipe.md

    "#]]
    .assert_eq(&message.replace(before.trim(), "$BEFORE"));
    assert_eq!(received["removed"][0]["recovery"], recovery(&sandbox, &sandbox.path("")));
    assert_eq!(git(&sandbox, "", &["show", "--format=", "--name-status", "HEAD"]), format!("D\t{NOTE}\n"));
    assert_eq!(git(&sandbox, "", &["status", "--porcelain"]), "");
    paste(&sandbox, &sandbox.path(""), &recovery(&sandbox, &sandbox.path("")));
    assert_eq!(fs::read(sandbox.path(NOTE)).expect("it is back"), TEXT.as_bytes());
}

#[test]
fn other_work_is_not_swept_in() {
    let sandbox = with_note().file(".nexus/context/design.md", "design").file(".nexus/rules/rule.md", "rule");
    sandbox.put("staged.txt", "one\n");
    sandbox.put("both.txt", "one\n");
    sandbox.put("gone.txt", "one\n");
    commit_all(&sandbox, "more");
    sandbox.put("staged.txt", "two\n");
    sandbox.put("both.txt", "two\n");
    sandbox.put("new.txt", "new\n");
    git(&sandbox, "", &["add", "staged.txt", "both.txt", "new.txt"]);
    git(&sandbox, "", &["rm", "-q", "--cached", "gone.txt"]);
    git(&sandbox, "", &["mv", "README.md", "READ.md"]);
    sandbox.put("both.txt", "three\n");
    sandbox.put("unstaged.txt", "untracked\n");
    let look = || {
        git(&sandbox, "", &["status", "--porcelain"])
            + &git(&sandbox, "", &["diff", "--cached"])
            + &git(&sandbox, "", &["diff"])
    };
    let before = look();
    delete(&sandbox);
    assert_eq!(look(), before);
    assert_eq!(git(&sandbox, "", &["show", "--format=", "--name-status", "HEAD"]), format!("D\t{NOTE}\n"));
    assert_eq!(fs::read_to_string(sandbox.path(".nexus/context/design.md")).expect("untouched"), "design");
    // Nor can a name reach another folder.
    sandbox.run(["memory", "gc", "../context/design.md", "--apply", "--yes"]).code(1).stderr(expect![[r#"
        error: there is no note `../context/design.md`
        hint: `nudge note` lists them
    "#]]);
}

#[test]
fn a_note_that_was_never_committed_is_kept_in_git_first() {
    for staged in [false, true] {
        let sandbox = repository().file(NOTE, TEXT);
        if staged {
            git(&sandbox, "", &["add", NOTE]);
        }
        delete(&sandbox);
        let log = git(&sandbox, "", &["log", "--format=%s", "--name-status"]);
        assert_eq!(
            log.lines().filter(|line| !line.is_empty()).take(4).collect::<Vec<_>>(),
            [
                "memory: remove pattern-old-recipe.md",
                &format!("D\t{NOTE}"),
                "memory: keep pattern-old-recipe.md",
                &format!("A\t{NOTE}")
            ]
        );
        assert_eq!(git(&sandbox, "", &["status", "--porcelain"]), "?? .nexus/\n");
        paste(&sandbox, &sandbox.path(""), &recovery(&sandbox, &sandbox.path("")));
        assert_eq!(fs::read(sandbox.path(NOTE)).expect("it is back"), TEXT.as_bytes());
    }
}

#[test]
fn the_first_commit_of_a_repository_may_be_ours() {
    let sandbox = with_author(Sandbox::new()).file(NOTE, TEXT);
    git(&sandbox, "", &["init", "-q", "-b", "main"]);
    delete(&sandbox);
    paste(&sandbox, &sandbox.path(""), &recovery(&sandbox, &sandbox.path("")));
    assert_eq!(fs::read(sandbox.path(NOTE)).expect("it is back"), TEXT.as_bytes());
}

#[test]
fn what_could_not_be_brought_back_stays() {
    let sandbox = with_note();
    sandbox.put(NOTE, "changed");
    expect![[r#"
        kept `.nexus/memory/pattern-old-recipe.md`: it has changes that are not committed
        hint: commit or undo them, and try again
    "#]]
    .assert_eq(&refused(&sandbox));
    git(&sandbox, "", &["add", NOTE]);
    sandbox.put(NOTE, TEXT);
    expect![[r#"
        kept `.nexus/memory/pattern-old-recipe.md`: it has staged changes that are not committed
        hint: commit or undo them, and try again
    "#]]
    .assert_eq(&refused(&sandbox));

    let ignored = repository().file(".nexus/.gitignore", "state/\nmemory/\n").file(NOTE, TEXT);
    expect!["kept `.nexus/memory/pattern-old-recipe.md`: git ignores it, so it could not be restored\n"]
        .assert_eq(&refused(&ignored));

    // The last commit has LF; git would write CRLF.
    let filtered = with_note().file(".gitattributes", "*.md text eol=crlf\n");
    commit_all(&filtered, "line endings");
    expect![
        "kept `.nexus/memory/pattern-old-recipe.md`: git would restore it with other bytes (line endings, or a filter)\n"
    ]
    .assert_eq(&refused(&filtered));

    let nobody =
        with_note().env("GIT_AUTHOR_NAME", "").env("GIT_COMMITTER_NAME", "").env("GIT_AUTHOR_EMAIL", "");
    let nobody = nobody.env("GIT_COMMITTER_EMAIL", "").env("EMAIL", "");
    git(&nobody, "", &["config", "user.useConfigOnly", "true"]);
    expect![[r#"
        kept `.nexus/memory/pattern-old-recipe.md`: git does not know who you are, so it cannot commit
        hint: set `git config user.name` and `user.email`
    "#]]
    .assert_eq(&refused(&nobody));
}

#[test]
fn nothing_is_deleted_while_git_is_at_something() {
    let conflict = |verb: &[&str]| {
        let sandbox = with_note();
        git(&sandbox, "", &["checkout", "-q", "-b", "other"]);
        sandbox.put("README.md", "theirs\n");
        commit_all(&sandbox, "theirs");
        git(&sandbox, "", &["checkout", "-q", "main"]);
        sandbox.put("README.md", "ours\n");
        commit_all(&sandbox, "ours");
        sandbox.put("README.md", "ours again\n");
        commit_all(&sandbox, "ours again");
        let output = sandbox.command("git").args(verb).output().expect("git runs");
        assert!(!output.status.success(), "{verb:?} stops at the conflict");
        refused(&sandbox)
    };
    let said = |what: &str| {
        format!("error: {what} is in progress in this repository\nhint: finish or abort it, and try again\n")
    };
    assert_eq!(conflict(&["merge", "other"]), said("a merge"));
    assert_eq!(conflict(&["rebase", "other"]), said("a rebase"));
    assert_eq!(conflict(&["cherry-pick", "other"]), said("a cherry-pick"));
    assert_eq!(conflict(&["revert", "HEAD~1"]), said("a revert"));

    let sandbox = with_note();
    git(&sandbox, "", &["bisect", "start"]);
    assert_eq!(refused(&sandbox), said("a bisect"));
    let sandbox = with_note();
    sandbox.put(".git/index.lock", "");
    assert_eq!(
        refused(&sandbox),
        "error: another git process is running in this repository\nhint: try again in a moment\n"
    );
}

#[test]
fn outside_of_git_it_says_why() {
    let sandbox = Sandbox::new().file(NOTE, TEXT);
    fs::remove_dir(sandbox.path(".git")).expect("the sandbox has one");
    expect![[r#"
        error: `$BASE/project/.nexus/memory` is not in a git repository, so a deleted file could not be restored
        hint: run `git init`, or remove the file yourself
    "#]]
    .assert_eq(&refused(&sandbox));
    let without = Sandbox::new().file(NOTE, TEXT).env("PATH", "/nowhere");
    expect![[r#"
        error: git is not installed, or cannot be started: entity not found
        hint: install git, and try again
    "#]]
    .assert_eq(&without.run(["memory", "gc", "pattern-old-recipe", "--apply", "--yes"]).stderr);
}

#[test]
fn worktrees_work() {
    let sandbox = with_note();
    git(&sandbox, "", &["worktree", "add", "-q", "-b", "side", "../side"]);
    let main = git(&sandbox, "", &["rev-parse", "main"]);
    let side = sandbox.beside("side");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    command.args(["memory", "gc", "pattern-old-recipe", "--apply", "--yes"]).current_dir(&side);
    // As in a hook of the other worktree, for which git sets its location.
    command.env("GIT_DIR", sandbox.path(".git")).env("GIT_INDEX_FILE", sandbox.path(".git/index"));
    sandbox.ran(&command.output().expect("it runs")).code(0);
    assert!(!side.join(NOTE).exists() && sandbox.path(NOTE).exists());
    assert_eq!(git(&sandbox, "", &["rev-parse", "main"]), main);
    assert_eq!(
        git_in(&sandbox, &side, &["log", "-1", "--format=%s", "side"]),
        "memory: remove pattern-old-recipe.md\n"
    );
    paste(&sandbox, &side, &recovery(&sandbox, &side));
    assert_eq!(fs::read(side.join(NOTE)).expect("it is back"), TEXT.as_bytes());
}

#[test]
fn submodules_and_folders_with_odd_names_work() {
    let sandbox = with_note();
    fs::create_dir(sandbox.beside("outer")).expect("a folder");
    let outer = sandbox.beside("outer");
    git_in(&sandbox, &outer, &["init", "-q", "-b", "main"]);
    let source = sandbox.path("");
    git_in(&sandbox, &outer, &["submodule", "--quiet", "add", source.to_str().expect("UTF-8"), "inner"]);
    git_in(&sandbox, &outer, &["commit", "-q", "-m", "begin"]);
    let inner = outer.join("inner");
    // As `git submodule update` leaves it.
    git_in(&sandbox, &inner, &["checkout", "-q", "--detach"]);
    let head = git_in(&sandbox, &outer, &["rev-parse", "HEAD"]);
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    command.args(["memory", "gc", "pattern-old-recipe", "--apply", "--yes"]).current_dir(&inner);
    let ran = sandbox.ran(&command.output().expect("it runs"));
    ran.code(0).stderr(expect!["warning: HEAD is detached, so these commits belong to no branch\n"]);
    assert_eq!(git_in(&sandbox, &outer, &["rev-parse", "HEAD"]), head);
    paste(&sandbox, &inner, &recovery(&sandbox, &inner));
    assert_eq!(fs::read(inner.join(NOTE)).expect("it is back"), TEXT.as_bytes());

    let sandbox = repository().from("apps/[it's] $(x)");
    let note = format!("apps/[it's] $(x)/{NOTE}");
    sandbox.put(&note, TEXT);
    commit_all(&sandbox, "a note");
    let ran = sandbox.run(["memory", "gc", "pattern-old-recipe", "--apply", "--yes"]);
    ran.code(0);
    assert!(!sandbox.path(&note).exists());
    paste(&sandbox, &sandbox.path(""), &recovery(&sandbox, &sandbox.path("")));
    assert_eq!(fs::read(sandbox.path(&note)).expect("it is back"), TEXT.as_bytes());
}

#[test]
#[cfg(unix)]
fn the_projects_hooks_are_left_out() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = with_note();
    for hook in ["pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-checkout"] {
        let path = sandbox.path(".git/hooks").join(hook);
        sandbox.put(&format!(".git/hooks/{hook}"), "#!/bin/sh\ntouch \"$HOME/ran\"\nexit 1\n");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a hook");
    }
    git(&sandbox, "", &["config", "commit.gpgsign", "true"]);
    git(&sandbox, "", &["config", "core.editor", "false"]);
    delete(&sandbox);
    sandbox.run(["memory", "restore", "pattern-old-recipe"]).code(0);
    assert!(!sandbox.beside("home/ran").exists());
}

#[test]
#[cfg(unix)]
fn the_projects_filters_are_left_out() {
    let sandbox = with_note();
    delete(&sandbox);
    sandbox.run(["memory", "restore", "pattern-old-recipe"]).code(0);
    commit_all(&sandbox, "it is back");
    let filter = format!("sh -c 'touch {}; cat'", sandbox.beside("home/ran").display());
    for name in ["clean", "smudge"] {
        git(&sandbox, "", &["config", &format!("filter.evil.{name}"), &filter]);
    }
    git(&sandbox, "", &["config", "log.showSignature", "true"]);
    git(&sandbox, "", &["config", "gpg.program", "touch"]);
    sandbox.put(".git/info/attributes", "*.md filter=evil\n");
    let ran = sandbox.run(["memory", "gc", "pattern-old-recipe", "--apply", "--yes"]);
    assert!(ran.code(1).stderr.contains("a filter of this repository (`evil`) would run"), "{}", ran.stderr);
    assert!(sandbox.path(NOTE).exists() && !sandbox.beside("home/ran").exists());
    // Without the filter it is deleted; with it, it is not restored.
    sandbox.put(".git/info/attributes", "");
    delete(&sandbox);
    sandbox.put(".git/info/attributes", "*.md filter=evil\n");
    sandbox.run(["memory", "restore", "pattern-old-recipe"]).code(1);
    assert!(!sandbox.path(NOTE).exists() && !sandbox.beside("home/ran").exists());
    // An attribute without a program changes nothing.
    sandbox.put(".git/info/attributes", "*.md filter=unknown\n");
    sandbox.run(["memory", "restore", "pattern-old-recipe"]).code(0);
    assert!(sandbox.path(NOTE).exists() && !sandbox.beside("home/ran").exists());
}

#[test]
fn a_deleted_note_is_restored_by_name() {
    let sandbox = with_note();
    sandbox.run(["memory", "restore"]).code(0).stderr(expect!["no deleted note was found in this branch\n"]);
    sandbox
        .run(["memory", "restore", "pattern-old-recipe"])
        .code(1)
        .stderr(expect!["error: `pattern-old-recipe.md` exists, so there is nothing to restore\n"]);
    let received = delete(&sandbox);
    // Others commit meanwhile, and a clone without notes has no folder for them.
    sandbox.put("README.md", "more\n");
    commit_all(&sandbox, "more");
    fs::remove_dir(sandbox.path(".nexus/memory")).expect("it is empty");
    let listed = sandbox.run(["memory", "restore", "--json"]).json();
    assert_eq!(listed["items"][0]["path"], NOTE);
    assert_eq!(listed["items"][0]["commit"], received["removed"][0]["commit"]);
    sandbox
        .run(["memory", "restore", "pattern-old-recipe"])
        .code(0)
        .stdout(expect!["restored .nexus/memory/pattern-old-recipe.md, and staged it\n"]);
    assert_eq!(fs::read(sandbox.path(NOTE)).expect("it is back"), TEXT.as_bytes());
    assert_eq!(git(&sandbox, "", &["status", "--porcelain"]), format!("A  {NOTE}\n"));
    sandbox.run(["memory", "restore", "other-note"]).code(1).stderr(expect![[r#"
        error: no deletion of `other-note.md` was found in this branch
        hint: `nudge note restore` lists what can be restored
    "#]]);
}

#[test]
fn notes_are_merged_and_each_comes_back_by_name() {
    let sandbox = with_note().file(".nexus/memory/pattern-new-recipe.md", "# New recipe\n\nStir.\n");
    commit_all(&sandbox, "another note");
    sandbox.put("staged.txt", "mine");
    git(&sandbox, "", &["add", "staged.txt"]);
    let merge = |from: &str, into: &str| sandbox.run(["memory", "merge", from, "--into", into]);
    merge("pattern-old-recipe", "pattern-old-recipe").code(1).stderr(expect![[r#"
        error: a note cannot be merged into itself: `pattern-old-recipe.md`
    "#]]);
    merge("pattern-old-recipe", "other-note").code(1).stderr(expect![[r#"
        error: there is no note `other-note.md`
        hint: `nudge note` lists them
    "#]]);
    let ran = merge("pattern-old-recipe", "pattern-new-recipe");
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.starts_with(&format!(
            "merged {NOTE} into .nexus/memory/pattern-new-recipe.md, and deleted it in "
        ))
    );
    let text = || fs::read_to_string(sandbox.path(".nexus/memory/pattern-new-recipe.md")).expect("the note");
    let body = TEXT.strip_prefix("# Old recipe\n\n").expect("a title");
    assert_eq!(text(), format!("# New recipe\n\nStir.\n\n## Old recipe\n\n{body}\n"));
    assert!(!sandbox.path(NOTE).exists());
    let swept = git(&sandbox, "", &["show", "--name-only", "--format=", "HEAD"]);
    assert_eq!(swept, format!("{NOTE}\n"), "only the deletion is committed");
    sandbox.run(["memory", "restore", "pattern-old-recipe"]).code(0);
    assert_eq!(fs::read(sandbox.path(NOTE)).expect("it is back"), TEXT.as_bytes());
    // What cannot be deleted is not merged either.
    sandbox.put(NOTE, "changed");
    let before = text();
    let ran = merge("pattern-old-recipe", "pattern-new-recipe");
    assert_eq!((ran.code, text()), (Some(1), before), "{}", ran.stderr);
    assert!(sandbox.path(NOTE).exists());
}
