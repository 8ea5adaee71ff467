//! A repository does not choose what the user's own rules see, nor which files `nudge setup` writes.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use expect_test::expect;

use crate::payload::write;
use crate::sandbox::{Sandbox, rules};
use crate::setup::connect::{agents, put, sandbox};

const NO_INFRA: &str = "{ name: no-infra, on: { hook: PreToolUse, file: 'infra/**' }, match: { content: '.' }, action: interrupt, message: Hands off. }";

/// What a repository may put into a folder to make it look like a project.
const MARKS: [&str; 3] = [".nudge.yaml", ".nudge.yml", ".nudge/rules.yaml"];

fn user_rules() -> Sandbox {
    Sandbox::new().user_rules(&rules(&[NO_INFRA]))
}

fn without_git(sandbox: Sandbox) -> Sandbox {
    fs::remove_dir_all(sandbox.path(".git")).expect("a sandbox is a repository");
    sandbox
}

#[track_caller]
fn assert_protected(sandbox: &Sandbox, cwd: &str, what: &str) {
    let ran = sandbox.hook("claude-code", write("infra/main.tf", "x").cwd(cwd));
    assert_eq!(ran.in_words(), "deny: Hands off.", "{what}");
    let ran = sandbox.hook("claude-code", write("app/main.rs", "x").cwd(cwd));
    assert_eq!(ran.in_words(), "nothing", "{what}");
}

#[test]
fn a_folder_of_the_repository_does_not_move_the_root_of_the_users_rules() {
    // A linked worktree has a file of that name.
    for git in [".git/HEAD", ".git"] {
        for mark in MARKS {
            let sandbox = without_git(user_rules()).file(git, "ref: refs/heads/main\n").file("app/src/a", "");
            assert_protected(&sandbox, "app", "without a mark");
            sandbox.put(&format!("app/{mark}"), "version: 1\nrules: []\n");
            for cwd in ["", "app", "app/src"] {
                assert_protected(&sandbox, cwd, &format!("{git}, app/{mark}, from `{cwd}`"));
            }
        }
    }
}

#[test]
fn without_git_the_outermost_mark_is_the_root_of_the_users_rules() {
    let sandbox = without_git(user_rules())
        .file(".nudge.yaml", "version: 1\nrules: []\n")
        .file("app/.nudge.yaml", "version: 1\nrules: []\n");
    assert_protected(&sandbox, "app", "two marks");
}

#[test]
fn a_mark_still_moves_the_root_of_the_repositorys_own_rules() {
    let sandbox = Sandbox::new()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file("app/.nudge.yaml", rules(&[NO_INFRA]))
        .file("app/infra/a", "");
    sandbox.hook("claude-code", write("app/infra/a", "x").cwd("app")).reply(expect!["deny: Hands off."]);
    sandbox.hook("claude-code", write("infra/a", "x").cwd("app")).reply(expect!["nothing"]);
}

#[test]
fn check_and_test_see_the_users_rules_from_the_same_root() {
    let sandbox = user_rules()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file("app/.nudge.yaml", rules(&[&NO_INFRA.replace("no-infra", "own")]))
        .file("infra/a", "x\n")
        .file("app/infra/a", "x\n")
        .from("app");
    let path = sandbox.path("infra/a").display().to_string();
    let tested = sandbox.run(["test", "--tool", "Write", "--file", &path, "--content", "x", "--json"]).json();
    let fired = |result: &serde_json::Value| (result["rule"].clone(), result["result"].clone());
    let fired: Vec<_> = tested["items"].as_array().expect("a list").iter().map(fired).collect();
    assert_eq!(
        fired,
        [("no-infra".into(), "interrupt".into()), ("own".into(), "no_match".into())],
        "{tested}"
    );
    let checked = sandbox.run(["check", "..", "--json"]).stdout;
    let checked: serde_json::Value = serde_json::from_str(&checked).expect("JSON");
    let finding = |one: &serde_json::Value| format!("{}: {}", one["rule"], one["file"]);
    let findings: Vec<String> = checked["findings"].as_array().expect("a list").iter().map(finding).collect();
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(findings[0].starts_with("\"own\": \"infra/a"), "{findings:?}");
    assert!(
        findings[1].starts_with("\"no-infra\": ") && findings[1].contains("project/infra/a"),
        "{findings:?}"
    );
}

#[test]
fn a_chain_of_links_is_followed_as_far_as_the_kernel_follows_it() {
    for length in [1, 39, 40, 41] {
        let sandbox = user_rules().file(".git/HEAD", "ref: refs/heads/main\n").file("infra/a", "");
        symlink("infra/new", sandbox.path("link1")).expect("a link");
        for n in 2..=length {
            symlink(format!("link{}", n - 1), sandbox.path(&format!("link{n}"))).expect("a link");
        }
        let first = format!("link{length}");
        let ran = sandbox.hook("claude-code", write(&first, "x"));
        assert_eq!(ran.in_words(), "deny: Hands off.", "{length} links");
        // Whatever the kernel writes through is covered.
        let is_written = fs::write(sandbox.path(&first), "x").is_ok();
        assert_eq!(is_written, length <= 40 || cfg!(not(target_os = "linux")), "{length} links");
    }
}

/// Returns the project files that setup would write for an agent, relative to the project.
fn project_files(agent: &str) -> Vec<PathBuf> {
    let shown = sandbox().run(["setup", agent, "--project", "--dry-run", "--json"]).json();
    let files = shown["agents"][0]["files"].as_array().expect("a list of files").clone();
    let path = |file: &serde_json::Value| {
        let path = file["path"].as_str().expect("a path");
        PathBuf::from(path.strip_prefix("$BASE/project/").expect("a path in the project"))
    };
    files.iter().map(path).collect()
}

/// Returns every file, link and folder of home and project, without what nudge keeps for itself.
fn everything(sandbox: &Sandbox) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    let mut folders = vec![sandbox.beside("home"), sandbox.path("")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let kind = path.symlink_metadata().expect("an entry").file_type();
            if kind.is_dir() && ![sandbox.data_folder(), sandbox.cache_folder()].contains(&path) {
                folders.push(path.clone());
            }
            let bytes = kind.is_file().then(|| fs::read(&path).expect("a file"));
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}

#[track_caller]
fn assert_refused(sandbox: &Sandbox, agent: &str, link: &Path) {
    let about = format!("{agent}: {}", link.display());
    let before = everything(sandbox);
    for args in [["setup", agent, "--project", "--yes"], ["setup", agent, "--project", "--dry-run"]] {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, Some(1), "{about}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("this link leads out of the project"), "{about}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("hint: nothing was changed; replace the link"),
            "{about}: {}",
            ran.stderr
        );
        assert!(ran.stderr.contains(&format!("{}", link.display())), "{about}: {}", ran.stderr);
    }
    assert!(everything(sandbox) == before, "{about}: something was written");
    sandbox.run(["setup", agent, "--project", "--undo", "--yes"]).code(0);
    assert!(everything(sandbox) == before, "{about}: undo wrote something");
}

#[test]
fn setup_follows_no_link_of_a_repository_out_of_it() {
    for agent in &agents() {
        for file in project_files(agent) {
            // The file itself, and every folder on the way to it; once to something that is there, once to nothing.
            for part in file.ancestors().filter(|part| !part.as_os_str().is_empty()) {
                for is_there in [true, false] {
                    let sandbox = sandbox();
                    let target = sandbox.beside("home/theirs");
                    match (is_there, part == file) {
                        (true, true) => put(&target, "{}\n"),
                        (true, false) => fs::create_dir(&target).expect("a folder"),
                        (false, _) => {}
                    }
                    let link = sandbox.path(part.to_str().expect("UTF-8"));
                    fs::create_dir_all(link.parent().expect("a folder")).expect("folders");
                    symlink(&target, &link).expect("a link");
                    assert_refused(&sandbox, agent, part);
                }
            }
        }
    }
}

#[test]
fn setup_follows_a_link_that_stays_in_the_project() {
    let sandbox = sandbox().file("settings/claude/settings.json", "{}\n");
    symlink("settings/claude", sandbox.path(".claude")).expect("a link");
    sandbox.run(["setup", "claude", "--project", "--yes"]).code(0);
    let written = fs::read_to_string(sandbox.path("settings/claude/settings.json")).expect("a file");
    assert!(written.contains("nudge hook"), "{written}");
}

#[test]
fn what_a_repository_contains_does_not_keep_the_user_from_being_connected() {
    for agent in &agents() {
        for in_project in ["--project", "by hand"] {
            let sandbox = sandbox();
            if in_project == "--project" {
                sandbox.run(["setup", agent, "--project", "--yes"]).code(0);
            } else {
                let line = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "nudge hook --harness x"}]}]}}"#;
                for file in [
                    ".claude/settings.json",
                    ".claude/settings.local.json",
                    ".gemini/settings.json",
                    ".cursor/hooks.json",
                ] {
                    sandbox.put(file, line);
                }
            }
            let ran = sandbox.run(["setup", agent, "--yes", "--json"]);
            assert_eq!(ran.json()["agents"][0]["state"], "connected", "{agent} {in_project}: {}", ran.stdout);
            let again = sandbox.run(["setup", agent, "--user", "--yes", "--json"]);
            assert_eq!(
                again.json()["agents"][0]["state"],
                "unchanged",
                "{agent} {in_project}: {}",
                again.stdout
            );
        }
    }
}
