//! One board for all worktrees of a repository, whoever asks: command, tool or hook.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::payload::{event, prompt, write};
use crate::repository::{commit_all, git, git_in, repository};
use crate::sandbox::{Ran, Sandbox};

/// Runs nudge in any folder.
pub(super) fn nudge_in(sandbox: &Sandbox, folder: &Path, args: &[&str]) -> Ran {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    let output = command.args(args).current_dir(folder).output().expect("the program runs");
    sandbox.ran(&output)
}

/// A repository with one task, and a worktree beside it.
fn with_worktree() -> (Sandbox, PathBuf) {
    let sandbox = repository();
    sandbox.run(["init", "--no-rules"]).code(0);
    commit_all(&sandbox, "nexus");
    sandbox.run(["task", "add", "Store"]).code(0);
    let tree = sandbox.beside("tree");
    git(&sandbox, "", &["worktree", "add", "-q", tree.to_str().expect("UTF-8"), "-b", "feature"]);
    (sandbox, tree)
}

/// Returns the titles and statuses that a folder's board has.
fn board(sandbox: &Sandbox, folder: &Path) -> Vec<(String, String)> {
    let tasks = nudge_in(sandbox, folder, &["task", "--json"]).json();
    let tasks = tasks["tasks"].as_array().cloned().unwrap_or_default();
    let text = |task: &Value, name: &str| task[name].as_str().unwrap_or_default().to_owned();
    tasks.iter().map(|task| (text(task, "title"), text(task, "status"))).collect()
}

fn rows(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(title, status)| ((*title).to_owned(), (*status).to_owned())).collect()
}

#[test]
fn command_tool_and_hook_see_and_move_the_same_board_from_a_worktree() {
    let (sandbox, tree) = with_worktree();
    assert_eq!(board(&sandbox, &tree), rows(&[("Store", "pending")]));
    nudge_in(&sandbox, &tree, &["task", "start", "1"]).code(0);
    assert_eq!(board(&sandbox, &sandbox.path("")), rows(&[("Store", "in_progress")]));
    let in_tree = sandbox.from("../tree");
    let mut client = Client::new(&in_tree);
    client.call_json("nx_task_add", json!({ "title": "Search", "context": "c" }));
    assert_eq!(client.call_json("nx_context", json!({}))["branch"], "feature");
    let payload = prompt("how far are we?").with("cwd", "../tree");
    let reply = in_tree.hook("claude-code", payload).in_words();
    assert!(reply.contains("in progress #1 Store; ready: #2 Search"), "{reply}");
    assert!(!tree.join(".nexus/state").exists(), "the worktree has no board of its own");
    assert_eq!(board(&in_tree, &in_tree.path("")).len(), 2);
}

#[test]
fn notes_and_history_stay_with_the_branch_and_paths_are_those_of_the_worktree() {
    let (sandbox, tree) = with_worktree();
    nudge_in(&sandbox, &tree, &["note", "add", "pattern-test-display", "Tests need a display here"]).code(0);
    assert!(tree.join(".nexus/memory/pattern-test-display.md").exists());
    assert!(!sandbox.path(".nexus/memory/pattern-test-display.md").exists());
    // A session in the main checkout has a subagent that writes in the worktree.
    let agent = |name: &str| event(name).with("agent_id", "a1").with("agent_type", "engineer");
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup"));
    sandbox.hook("claude-code", agent("SubagentStart"));
    let file = tree.join("src/b.rs");
    let written =
        write(file.to_str().expect("UTF-8"), "x").after().with("agent_id", "a1").with("cwd", "../tree");
    sandbox.hook("claude-code", written);
    sandbox.hook("claude-code", agent("SubagentStop").with("last_assistant_message", "done"));
    let tracker =
        fs::read_to_string(sandbox.path(".nexus/state/claude-code/agent-tracker.json")).expect("a tracker");
    let tracker: Value = serde_json::from_str(&tracker).expect("JSON");
    assert_eq!(tracker[0]["files_touched"], json!(["src/b.rs"]));
    let check = nudge_in(
        &sandbox,
        &tree,
        &["nexus", "resume-check", "--agent", "a1", "--file", "src/b.rs", "--json"],
    );
    assert_eq!(check.json()["decision"], "resume", "{}", check.stdout);
    nudge_in(&sandbox, &tree, &["task", "close", "--drop"]).code(0);
    assert!(tree.join(".nexus/history.json").exists() && !sandbox.path(".nexus/history.json").exists());
    assert_eq!(board(&sandbox, &sandbox.path("")), rows(&[]));
}

#[test]
fn a_worktree_may_keep_a_board_of_its_own() {
    let (sandbox, tree) = with_worktree();
    let ran = nudge_in(&sandbox, &tree, &["init", "--own-board", "--no-rules"]);
    assert!(ran.stdout.contains("made   .nexus/own-board"), "{}{}", ran.stdout, ran.stderr);
    nudge_in(&sandbox, &tree, &["task", "add", "Mine"]).code(0);
    assert_eq!(board(&sandbox, &tree), rows(&[("Mine", "pending")]));
    assert_eq!(board(&sandbox, &sandbox.path("")), rows(&[("Store", "pending")]));
    // Without the file the board is shared again, and what is left here is named.
    fs::remove_file(tree.join(".nexus/own-board")).expect("it was written");
    assert_eq!(board(&sandbox, &tree), rows(&[("Store", "pending")]));
    let checked = nudge_in(&sandbox, &tree, &["nexus", "check"]);
    assert!(
        checked.stdout.contains("has a plan or tasks of its own, but shares the board of"),
        "{}",
        checked.stdout
    );
}

#[test]
fn a_worktree_that_was_moved_keeps_the_board_and_a_copy_does_not_get_it() {
    let (sandbox, tree) = with_worktree();
    let moved = sandbox.beside("moved");
    git_in(
        &sandbox,
        &sandbox.path(""),
        &["worktree", "move", tree.to_str().unwrap(), moved.to_str().unwrap()],
    );
    assert_eq!(board(&sandbox, &moved), rows(&[("Store", "pending")]));
    let by_hand = sandbox.beside("by-hand");
    fs::rename(&moved, &by_hand).expect("moved");
    assert_eq!(board(&sandbox, &by_hand), rows(&[("Store", "pending")]), "git does not know yet");
    // A folder that claims to be the worktree, while the real one is there.
    fs::rename(&by_hand, &moved).expect("moved back");
    fs::create_dir(sandbox.beside("copy")).expect("a folder");
    fs::copy(moved.join(".git"), sandbox.beside("copy").join(".git")).expect("copied");
    assert_eq!(board(&sandbox, &sandbox.beside("copy")), rows(&[]));
}

#[test]
fn worktrees_of_a_bare_repository_share_a_board_in_it() {
    let sandbox = repository();
    let (bare, one, two) = (sandbox.beside("shop.git"), sandbox.beside("one"), sandbox.beside("two"));
    git(&sandbox, "", &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    for (tree, branch) in [(&one, "one"), (&two, "two")] {
        git_in(&sandbox, &bare, &["worktree", "add", "-q", tree.to_str().unwrap(), "-b", branch]);
    }
    nudge_in(&sandbox, &one, &["task", "add", "Shared"]).code(0);
    assert_eq!(board(&sandbox, &two), rows(&[("Shared", "pending")]));
    assert!(bare.join("nudge/.nexus/state/tasks.json").exists());
    assert!(!one.join(".nexus/state").exists() && !two.join(".nexus/state").exists());
}

#[test]
fn submodules_have_boards_of_their_own_that_their_worktrees_share() {
    let sandbox = repository();
    let library = sandbox.beside("library");
    git(&sandbox, "", &["clone", "-q", ".", library.to_str().unwrap()]);
    git(&sandbox, "", &["submodule", "--quiet", "add", library.to_str().unwrap(), "lib"]);
    let (lib, tree) = (sandbox.path("lib"), sandbox.beside("lib-tree"));
    git_in(&sandbox, &lib, &["worktree", "add", "-q", tree.to_str().unwrap(), "-b", "fix"]);
    sandbox.run(["task", "add", "Outer"]).code(0);
    nudge_in(&sandbox, &lib, &["task", "add", "Inner"]).code(0);
    assert_eq!(board(&sandbox, &sandbox.path("")), rows(&[("Outer", "pending")]));
    assert_eq!(board(&sandbox, &tree), rows(&[("Inner", "pending")]));
}

#[test]
fn a_worktree_whose_main_checkout_is_gone_works_alone() {
    let (sandbox, tree) = with_worktree();
    fs::rename(sandbox.path(""), sandbox.beside("away")).expect("moved");
    let added = nudge_in(&sandbox, &tree, &["task", "add", "Alone"]);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    assert_eq!(board(&sandbox, &tree), rows(&[("Alone", "pending")]));
    fs::rename(sandbox.beside("away"), sandbox.path("")).expect("back");
    assert_eq!(board(&sandbox, &tree), rows(&[("Store", "pending")]));
}
