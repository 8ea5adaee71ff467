//! A sandbox whose project is a real git repository, with an author of its own.

use std::path::Path;

use crate::sandbox::Sandbox;

/// A sandbox whose project is a repository with one commit.
pub(crate) fn repository() -> Sandbox {
    repository_of(Sandbox::new())
}

/// Makes a repository of the sandbox's project, with one commit.
pub(crate) fn repository_of(sandbox: Sandbox) -> Sandbox {
    let sandbox = with_author(sandbox);
    git(&sandbox, "", &["init", "-q", "-b", "main"]);
    sandbox.put("README.md", "# Shop\n");
    commit_all(&sandbox, "begin");
    sandbox
}

/// Gives the sandbox an author, for git and for every program that calls it.
pub(crate) fn with_author(sandbox: Sandbox) -> Sandbox {
    ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"]
        .iter()
        .fold(sandbox, |sandbox, name| sandbox.env(name, "Ada"))
        .env("GIT_AUTHOR_EMAIL", "ada@example.org")
        .env("GIT_COMMITTER_EMAIL", "ada@example.org")
        .env("GIT_CONFIG_NOSYSTEM", "1")
}

/// Runs git in a folder of the project, which must succeed, and returns what it prints.
#[track_caller]
pub(crate) fn git(sandbox: &Sandbox, folder: &str, args: &[&str]) -> String {
    git_in(sandbox, &sandbox.path(folder), args)
}

#[track_caller]
pub(crate) fn git_in(sandbox: &Sandbox, folder: &Path, args: &[&str]) -> String {
    let mut command = sandbox.command("git");
    // Submodules of a test come from this disk.
    let output = command.args(["-c", "protocol.file.allow=always"]).args(args).current_dir(folder).output();
    let ran = sandbox.ran(&output.expect("git runs"));
    assert_eq!(ran.code, Some(0), "git {args:?}: {}{}", ran.stdout, ran.stderr);
    ran.stdout
}

#[track_caller]
pub(crate) fn commit_all(sandbox: &Sandbox, subject: &str) {
    git(sandbox, "", &["add", "-A"]);
    git(sandbox, "", &["commit", "-q", "-m", subject]);
}

/// Runs a command line in a folder as a person would paste it.
#[track_caller]
pub(crate) fn paste(sandbox: &Sandbox, folder: &Path, line: &str) {
    let output = sandbox.command("sh").args(["-c", line]).current_dir(folder).output().expect("a shell");
    let ran = sandbox.ran(&output);
    assert_eq!(ran.code, Some(0), "{line}: {}{}", ran.stdout, ran.stderr);
}
