//! `nudge uninstall`: everything that it lists is gone afterwards, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::memory::scene::{play, story};
use crate::sandbox::{BLOCK_TODO, Sandbox};
use crate::servers::Server;

/// A home with two agents that had settings before, and everything of nudge.
fn sandbox() -> Sandbox {
    let folder = Path::new(env!("CARGO_BIN_EXE_nudge")).parent().expect("a folder");
    let sandbox = Sandbox::new()
        .env("PATH", &format!("{}:/usr/bin:/bin", folder.display()))
        .rule("a.yaml", BLOCK_TODO)
        .user_rules("version: 1\nrules: []\n");
    sandbox.put("../home/.claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    sandbox.put("../home/.codex/config.toml", "model = \"o\" # mine\n");
    sandbox.put_user_settings("[context]\nrows = 5\n");
    sandbox
}

/// Returns every file below a folder with its content; what SQLite keeps beside a database it also makes to read.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => folders.push(entry.path()),
                false if entry.file_name().to_string_lossy().contains(".db-") => {}
                false => found.push((entry.path(), fs::read(entry.path()).unwrap_or_default())),
            }
        }
    }
    found.sort();
    found
}

fn use_it(sandbox: &Sandbox) {
    sandbox.run(["setup", "claude", "codex"]).code(0);
    play(sandbox, story());
    sandbox.run(["recent"]).code(0);
    sandbox.run(["off", "--for", "1h"]).code(0);
}

#[test]
fn uninstall_leaves_a_home_as_it_was() {
    let sandbox = sandbox();
    let home = sandbox.beside("home");
    let config = sandbox.user_rules_path().parent().unwrap().to_owned();
    let before: Vec<_> = files(&home).into_iter().filter(|(path, _)| !path.starts_with(&config)).collect();
    use_it(&sandbox);
    let server = Server::start(&sandbox, &[]);
    assert!(sandbox.runtime_folder().join("server.pid").exists());
    let ran = sandbox.run(["uninstall", "--yes"]);
    ran.code(0);
    for text in ["Claude Code", "Codex", "memory and data", "your settings and rules", ".nudge", "next: `rm "]
    {
        assert!(ran.stdout.contains(text), "{text}: {}", ran.stdout);
    }
    assert!(ran.stdout.contains("stopped 1 server") && ran.stdout.contains("removed: 2 agents disconnected"));
    assert_eq!(files(&home), before);
    for folder in [sandbox.data_folder(), sandbox.cache_folder(), config, sandbox.runtime_folder()] {
        assert!(!folder.exists(), "{}", folder.display());
    }
    assert!(sandbox.path(".nudge/a.yaml").exists(), "files of repositories stay");
    drop(server);
    sandbox.run(["uninstall", "--yes"]).code(0);
}

#[test]
fn a_dry_run_lists_and_changes_nothing() {
    let sandbox = sandbox();
    use_it(&sandbox);
    let before = files(&sandbox.beside("home"));
    let found = sandbox.run(["uninstall", "--dry-run", "--json"]).code(0).json();
    assert_eq!(found["removed"], false);
    let names: Vec<&Value> = found["agents"].as_array().unwrap().iter().map(|one| &one["agent"]).collect();
    assert_eq!(names, ["claude", "codex"]);
    assert_eq!(files(&sandbox.beside("home")), before);
    // Without a terminal it must be said beforehand.
    let asked = sandbox.run(["uninstall"]);
    assert!(asked.code(1).stderr.contains("add `--yes` if you mean it"), "{}", asked.stderr);
    assert_eq!(files(&sandbox.beside("home")), before);
}

#[test]
fn memory_and_settings_can_be_kept() {
    let sandbox = sandbox();
    use_it(&sandbox);
    let ran = sandbox.run(["uninstall", "--yes", "--keep-memory", "--keep-settings"]);
    assert!(ran.code(0).stdout.contains("keep     ~/data/nudge"), "{}", ran.stdout);
    assert!(sandbox.data_folder().join("nudge.db").exists() && !sandbox.data_folder().join("setup").exists());
    assert!(sandbox.user_rules_path().exists());
    assert_eq!(sandbox.run(["sessions", "--json"]).json()["total"], 1);
}

#[test]
fn a_database_elsewhere_goes_without_its_neighbours() {
    let sandbox = sandbox().env("NUDGE_DB", "$BASE/mine/work.db");
    fs::create_dir(sandbox.beside("mine")).unwrap();
    fs::write(sandbox.beside("mine/work.txt"), "mine").unwrap();
    use_it(&sandbox);
    sandbox.run(["uninstall", "--yes"]).code(0);
    let left: Vec<_> = files(&sandbox.beside("mine")).into_iter().map(|(path, _)| path).collect();
    assert_eq!(left, [sandbox.beside("mine/work.txt")]);
}

#[test]
fn nothing_is_deleted_if_an_agent_cannot_be_disconnected() {
    let sandbox = sandbox();
    use_it(&sandbox);
    sandbox.put("../home/.claude/settings.json", "{ broken");
    let ran = sandbox.run(["uninstall", "--yes"]);
    assert!(ran.code(1).stderr.starts_with("error: "), "{}", ran.stderr);
    assert!(sandbox.data_folder().join("setup/journal.json").exists());
}
