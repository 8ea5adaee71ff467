//! Where the command line says that it stands: folder, repository, branch and variables, found without git.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
#[cfg(target_os = "linux")]
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Command;
#[cfg(target_os = "linux")]
use std::sync::{Arc, Mutex};

use expect_test::expect;
use serde_json::{Value, json};

use crate::hints_scene::Scene;
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

/// Says which of these scopes hold in a folder beside the project.
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

/// Answers a connection as a server would, and collects all that it was sent.
#[cfg(target_os = "linux")]
fn listen(mut stream: UnixStream, heard: &Mutex<String>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a second hand"));
    loop {
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).expect("a line") == 0 {
                return;
            }
        }
        for line in head.lines() {
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        let body = String::from_utf8(body).expect("UTF-8");
        let reply = match () {
            () if head.starts_with("GET /health") => json!({ "status": "ok", "instance": "x", "pid": 1 }),
            () if body.contains("env_names") => json!({ "result": { "names": ["STAGE", "ABSENT"] } }),
            () => json!({ "error": { "code": 40401, "message": "no", "data": { "reason": "E_NOT_FOUND" } } }),
        };
        heard.lock().expect("a text").push_str(&format!("{head}{body}\n"));
        let reply = reply.to_string();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", reply.len());
        stream.write_all(format!("{head}{reply}").as_bytes()).expect("it reads");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_is_sent_has_no_credentials_and_no_other_variables() {
    let scene = scene();
    // Only the server of the private folder gets anything, so the one that listens is there.
    let folder = tempfile::tempdir().expect("a folder");
    let listener = UnixListener::bind(folder.path().join("server.sock")).expect("a socket");
    let heard: Arc<Mutex<String>> = Arc::default();
    let collected = Arc::clone(&heard);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let collected = Arc::clone(&collected);
            std::thread::spawn(move || listen(stream, &collected));
        }
    });
    let mut command = scene.sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    let address = json!({ "pid": 1, "port": 9, "started": "", "instance": "x" });
    fs::write(folder.path().join("server.pid"), address.to_string()).expect("a file");
    command.env("NUDGE_RUNTIME_DIR", folder.path());
    command.env("STAGE", "blue").env("OTHER", "nobody-asked").args(["get", "x", "a"]);
    assert_eq!(command.output().expect("it runs").status.code(), Some(1));
    let heard = heard.lock().expect("a text").clone();
    assert!(heard.contains("nudge_get_hint") && heard.contains("github.com/org/repo"), "{heard}");
    assert!(heard.contains(r#""env":{"STAGE":"blue"}"#), "{heard}");
    for private in ["geheim", "OTHER", "nobody-asked", "HOME"] {
        assert!(!heard.contains(private), "{private} in {heard}");
    }
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
        error: `x/prod` is known, but holds elsewhere
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
