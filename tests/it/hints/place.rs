//! The context that the command line sends: folder, repository, branch and variables, found without git.

use std::fs;
use std::process::Command;

use expect_test::expect;
use serde_json::Value;

use crate::hints::scene::Scene;
use crate::sandbox::Sandbox;

/// Runs git in a folder of the sandbox; what it sets up is read without it.
fn git(sandbox: &Sandbox, folder: &str, args: &[&str]) {
    let mut command: Command = sandbox.command("git");
    command
        .current_dir(sandbox.beside(folder))
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(args);
    let output = command.output().expect("git runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with a branch, a worktree of it, and a commit that is on no branch.
fn scene() -> Scene {
    let sandbox = Sandbox::new();
    fs::remove_dir_all(sandbox.path(".git")).expect("the empty folder");
    git(&sandbox, "project", &["init", "-q", "-b", "dev"]);
    git(&sandbox, "project", &["remote", "add", "origin", "https://me:geheim@github.com/org/repo.git"]);
    git(&sandbox, "project", &["commit", "-q", "--allow-empty", "-m", "one"]);
    git(&sandbox, "project", &["worktree", "add", "-q", "-b", "hotfix/login", "../elsewhere/tree"]);
    Scene::with(sandbox, &[])
}

/// Returns which of these scopes apply in a folder beside the project.
fn holding(scene: &Scene, folder: &str) -> Vec<String> {
    let found = scene.run_in(&format!("../{folder}"), &["query", "--json", "--limit", "100"]).json();
    let mut keys: Vec<String> = found["hints"].as_array().expect("hints").iter().map(key).collect();
    keys.sort();
    keys
}

fn key(hint: &Value) -> String {
    hint["key"].as_str().expect("a key").to_owned()
}

#[test]
fn repository_and_branch_are_read_from_the_files_of_git() {
    let scene = scene();
    scene.done(&["set", "x", "repo", "1", "--scope-repo", "git:org/repo"]);
    scene.done(&["set", "x", "host", "1", "--scope-repo", "git@github.com:org/repo"]);
    scene.done(&["set", "x", "other", "1", "--scope-repo", "git:org/other"]);
    scene.done(&["set", "x", "dev", "1", "--scope-branch", "dev"]);
    scene.done(&["set", "x", "hotfix", "1", "--scope-branch", "hotfix/*"]);
    scene.done(&["set", "x", "head", "1", "--scope-branch", "HEAD"]);
    assert_eq!(holding(&scene, "project/src"), ["dev", "host", "repo"]);
    assert_eq!(holding(&scene, "elsewhere/tree/deep"), ["host", "hotfix", "repo"]);
    assert_eq!(holding(&scene, "elsewhere"), [""; 0]);
    git(&scene.sandbox, "project", &["checkout", "-q", "--detach"]);
    assert_eq!(holding(&scene, "project"), ["host", "repo"]);
    scene.done(&["get", "x", "dev", "--branch", "dev"]);
    scene.run(&["get", "x", "head", "--branch", "HEAD"]).code(1);
}

#[test]
fn a_repository_without_a_remote_is_known_by_its_place() {
    let scene = scene();
    git(&scene.sandbox, "project", &["remote", "remove", "origin"]);
    let root = format!("file://{}", scene.sandbox.beside("project").display());
    scene.done(&["set", "x", "here", "1", "--scope-repo", &root]);
    assert_eq!(holding(&scene, "project/src"), ["here"]);
    assert_eq!(holding(&scene, "elsewhere/tree"), ["here"]);
    assert_eq!(holding(&scene, "home"), [""; 0]);
}

#[test]
fn variables_decide_where_a_scope_asks_for_them() {
    let sandbox = Sandbox::new().env("CI", "").env("STAGE", "test").env("OTHER", "x");
    let scene = Scene::with(sandbox, &[]);
    scene.done(&["set", "x", "ci", "1", "--scope-env-required", "CI"]);
    scene.done(&[
        "set",
        "x",
        "stage",
        "1",
        "--scope-env-match",
        "STAGE=prod",
        "--scope-env-match",
        "STAGE=test",
    ]);
    scene.done(&["set", "x", "prod", "1", "--scope-env-match", "STAGE=prod"]);
    scene.done(&["set", "x", "absent", "1", "--scope-env-required", "ABSENT"]);
    assert_eq!(holding(&scene, "project"), ["ci", "stage"]);
    scene.run(&["get", "x", "prod"]).code(1).stderr(expect![[r#"
        error: `x/prod` is known, but applies elsewhere
          env_match=STAGE=prod: env STAGE differs
        hint: say where you stand with `--cwd`, `--repo`, `--branch`, `--os` or `--env`
    "#]]);
    scene.done(&["get", "x", "prod", "--env", "STAGE=prod"]);
    scene.done(&["get", "x", "absent", "--env", "ABSENT="]);
}

#[test]
#[cfg(unix)]
fn a_folder_is_known_by_the_name_that_the_shell_shows() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("real")).expect("a folder");
    std::os::unix::fs::symlink(sandbox.path("real"), sandbox.path("link")).expect("a link");
    let scene = Scene::with(sandbox, &[]);
    scene.done(&["set", "x", "a", "1", "--scope-cwd-glob", "**/link"]);
    let get = |pwd: &str| {
        let mut command = scene.sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        command.current_dir(scene.sandbox.path("link")).env("PWD", scene.sandbox.path(pwd));
        command.args(["get", "x", "a"]).output().expect("it runs").status.code()
    };
    assert_eq!((get("link"), get("real"), get("nowhere")), (Some(0), Some(1), Some(1)));
}

#[test]
fn a_folder_may_be_named_from_here() {
    let scene = Scene::new();
    scene.done(&["set", "x", "a", "1", "--scope-cwd-glob", "**/project/api"]);
    for cwd in ["api", "./api", "web/../api/"] {
        scene.done(&["get", "x", "a", "--cwd", cwd]);
    }
    let ran = scene.run(&["get", "x", "a", "--cwd", "web"]);
    ran.code(1);
}

/// Credentials that a developer's environment contains, and others that nobody asks for.
#[cfg(target_os = "linux")]
const PRIVATE: [(&str, &str); 6] = [
    ("AWS_SECRET_ACCESS_KEY", "planted-aws"),
    ("GITHUB_TOKEN", "planted-github"),
    ("ANTHROPIC_API_KEY", "planted-anthropic"),
    ("PGPASSWORD", "planted-postgres"),
    ("OTHER", "nobody-asked"),
    ("SSH_AUTH_SOCK", "/run/planted-agent"),
];

#[test]
#[cfg(target_os = "linux")]
fn what_is_sent_has_no_credentials_and_no_other_variables() {
    use crate::mcp_client::Client;
    use crate::payload::{bash, event};
    use crate::server::relay::Relay;

    let mut scene = scene();
    scene.done(&["set", "x", "a", "1", "--scope-env-match", "STAGE=blue"]);
    let relay = Relay::start(&scene.sandbox, |_| true);
    scene.sandbox = scene.sandbox.env("STAGE", "blue");
    for (name, value) in PRIVATE {
        scene.sandbox = scene.sandbox.env(name, value);
    }
    // Commands, hooks, and a PROXY with its agent: all that send something.
    assert_eq!(scene.done(&["get", "x", "a", "--value"]).stdout, "1\n");
    scene.done(&["set", "x", "b", "2"]);
    scene.done(&["query", "--limit", "5"]);
    scene.done(&["status"]);
    let start = event("SessionStart").with("source", "startup");
    let failure =
        bash("make x").with("hook_event_name", "PostToolUseFailure").with("error", "Exit code 2\nno rule");
    for payload in [start, failure] {
        scene.sandbox.hook("claude-code", payload);
    }
    let mut agent = Client::new(&scene.sandbox);
    let found = agent.call_json("nudge_query", serde_json::json!({ "component": "x" }));
    assert!(found["hints"].to_string().contains(r#""key":"b""#), "{found}");

    let sent = relay.recorded();
    for wanted in ["nudge_get_hint", "nudge_set_hint", "nudge_query", "github.com/org/repo"] {
        assert!(sent.contains(wanted), "the relay sees `{wanted}`: {sent}");
    }
    assert!(sent.contains(r#""env":{"STAGE":"blue"}"#), "{sent}");
    for (name, value) in PRIVATE {
        assert!(!sent.contains(name) && !sent.contains(value), "{name} in {sent}");
    }
    for private in ["geheim", "Authorization", "HOME"] {
        assert!(!sent.contains(private), "{private} in {sent}");
    }
}
