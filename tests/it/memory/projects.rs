//! Which folders are one project: worktrees, and folders that were moved, renamed or cloned again.

use std::fs;

use expect_test::expect;
use serde_json::json;

use crate::mcp_client::Client;
use crate::memory::scene::{failed, import, line, play};
use crate::payload::{bash, edit, event, prompt, stop};
use crate::repository::{git, git_in, repository};
use crate::sandbox::Sandbox;

/// Works in a folder: a session begins there and runs a command that names it.
fn work(sandbox: &Sandbox, folder: &str, session: &str) {
    let folder = sandbox.beside(folder);
    let folder = folder.to_str().expect("UTF-8");
    let start = event("SessionStart").with("source", "startup");
    let events = [start, bash(&format!("make {session}")).after()];
    play(sandbox, events.map(|event| event.cwd(folder).session(session)).into());
}

/// Returns the name, the address and the number of folders of each project, the newest first.
fn projects(sandbox: &Sandbox) -> Vec<(String, String, usize)> {
    let list = sandbox.run(["projects", "--json"]).json();
    let items = list["items"].as_array().expect("a list").clone();
    let project = |item: serde_json::Value| {
        let text = |key: &str| item[key].as_str().unwrap_or("-").to_owned();
        (text("name"), text("origin"), item["roots"].as_array().expect("roots").len())
    };
    items.into_iter().map(project).collect()
}

fn names(sandbox: &Sandbox) -> Vec<(String, String, usize)> {
    let mut all = projects(sandbox);
    all.sort();
    all
}

fn known(name: &str, origin: &str, folders: usize) -> (String, String, usize) {
    (name.to_owned(), origin.to_owned(), folders)
}

/// Copies a repository with everything that git has in it.
fn copy(sandbox: &Sandbox, from: &str, to: &str) {
    let mut copy = sandbox.command("cp");
    copy.args(["-r"]).arg(sandbox.beside(from)).arg(sandbox.beside(to));
    assert!(copy.status().expect("cp runs").success());
}

/// Makes a repository with an address, of which a person sees nothing but the config.
fn repository_at(sandbox: &Sandbox, folder: &str, origin: &str) {
    sandbox.put(&format!("../{folder}/.git/HEAD"), "ref: refs/heads/main\n");
    sandbox.put(&format!("../{folder}/.git/config"), format!("[remote \"origin\"]\n\turl = {origin}\n"));
}

#[test]
fn a_repository_under_all_its_addresses_is_one_project() {
    let sandbox = Sandbox::new();
    for (folder, origin) in [
        ("a", "https://github.com/Acme/Shop.git"),
        ("b", "git@github.com:acme/shop.git"),
        ("c", "https://ada:ghp_abcdefghijklmnopqrstuvwxyz0123456789@github.com/acme/shop"),
        ("d", "ssh://git@ssh.github.com:443/acme/shop.git/"),
        ("fork", "git@github.com:ada/shop.git"),
    ] {
        repository_at(&sandbox, folder, origin);
        work(&sandbox, folder, folder);
    }
    assert_eq!(
        names(&sandbox),
        [known("d", "github.com/acme/shop", 4), known("fork", "github.com/ada/shop", 1)]
    );
    // What one clone did is found in another, which has done nothing yet.
    repository_at(&sandbox, "e", "https://github.com/acme/shop");
    let other = sandbox.beside("e");
    let sandbox = sandbox.from(other.to_str().expect("UTF-8"));
    assert_eq!(sandbox.run(["search", "--ids", "make"]).stdout.lines().count(), 4);
    assert_eq!(sandbox.run(["recent", "--json"]).json()["items"].as_array().unwrap().len(), 8);
    // Nothing of the credentials is kept.
    for file in fs::read_dir(sandbox.data_folder()).expect("the data folder") {
        let bytes = fs::read(file.expect("a file").path()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains("ghp_abcdef") && !text.contains("ada:"));
    }
}

/// Does one thing in a folder, in a session of which nothing else is ever reported.
fn one_act(sandbox: &Sandbox, folder: &str, session: &str) {
    let folder = sandbox.beside(folder);
    let folder = folder.to_str().expect("UTF-8");
    play(sandbox, vec![bash(&format!("make {session}")).after().cwd(folder).session(session)]);
}

#[test]
fn one_event_without_a_session_start_is_enough_to_recognise_a_project() {
    let sandbox = repository();
    one_act(&sandbox, "project", "first");
    // The project moves before anybody has read the event.
    fs::rename(sandbox.beside("project"), sandbox.beside("elsewhere/shop")).expect("the project moves");
    let shop = sandbox.beside("elsewhere/shop");
    let sandbox = sandbox.from(shop.to_str().expect("UTF-8"));
    assert_eq!(sandbox.run(["search", "--ids", "make"]).stdout.lines().count(), 1);
    one_act(&sandbox, "elsewhere/shop", "moved");
    assert_eq!(names(&sandbox), [known("shop", "-", 2)]);
}

#[test]
fn the_second_project_of_a_spool_is_recognised_when_its_event_is_stored() {
    let sandbox = Sandbox::new();
    for name in ["cart", "shop"] {
        repository_at(&sandbox, name, &format!("https://example.org/a/{name}.git"));
        one_act(&sandbox, name, name);
    }
    assert_eq!(
        names(&sandbox),
        [known("cart", "example.org/a/cart", 1), known("shop", "example.org/a/shop", 1)]
    );
    // A folder whose settings say that it is private is not recognised anywhere.
    repository_at(&sandbox, "secret", "https://example.org/a/shop.git");
    sandbox.put("../secret/.nudge/config.toml", "[project]\nprivate = true\n");
    one_act(&sandbox, "cart", "again");
    one_act(&sandbox, "secret", "secret");
    assert_eq!(names(&sandbox).len(), 3);
    repository_at(&sandbox, "clone", "git@example.org:a/shop.git");
    let clone = sandbox.beside("clone");
    let sandbox = sandbox.from(clone.to_str().expect("UTF-8"));
    assert_eq!(sandbox.run(["search", "--ids", "make"]).stdout.lines().count(), 1);
}

#[test]
fn worktrees_and_folders_that_were_moved_or_renamed_are_one_project() {
    let sandbox = repository();
    git(&sandbox, "", &["worktree", "add", "-q", "../second", "-b", "second"]);
    work(&sandbox, "project", "first");
    work(&sandbox, "second", "second");
    assert_eq!(names(&sandbox), [known("project", "-", 1)]);
    // Without an address, its first commit shows what it is.
    fs::rename(sandbox.beside("project"), sandbox.beside("elsewhere/shop")).expect("the project moves");
    let shop = sandbox.beside("elsewhere/shop");
    let sandbox = sandbox.from(shop.to_str().expect("UTF-8"));
    // What happened is found in the new place before anything happens there.
    assert_eq!(sandbox.run(["search", "--ids", "make"]).stdout.lines().count(), 2);
    work(&sandbox, "elsewhere/shop", "moved");
    assert_eq!(names(&sandbox), [known("shop", "-", 2)]);
    assert_eq!(sandbox.run(["search", "--ids", "make"]).stdout.lines().count(), 3);
    // It gets an address, and is cloned again from there.
    git_in(
        &sandbox,
        &sandbox.beside("elsewhere/shop"),
        &["remote", "add", "origin", "https://example.org/a/shop.git"],
    );
    work(&sandbox, "elsewhere/shop", "with an address");
    repository_at(&sandbox, "clone", "git@example.org:a/shop.git");
    work(&sandbox, "clone", "cloned");
    assert_eq!(names(&sandbox), [known("clone", "example.org/a/shop", 3)]);
    // The address changes; the folder stays the project.
    git_in(
        &sandbox,
        &sandbox.beside("elsewhere/shop"),
        &["remote", "set-url", "origin", "https://example.org/b/store.git"],
    );
    work(&sandbox, "elsewhere/shop", "changed");
    assert_eq!(names(&sandbox).len(), 1);
}

#[test]
fn a_submodule_a_fork_and_another_repository_in_the_folder_are_projects_of_their_own() {
    let sandbox = repository();
    git(&sandbox, "", &["remote", "add", "origin", "https://example.org/a/shop.git"]);
    copy(&sandbox, "project", "fork");
    git(&sandbox, "../fork", &["remote", "set-url", "origin", "https://example.org/fork/shop.git"]);
    copy(&sandbox, "project", "lib");
    let lib = sandbox.beside("lib");
    git(&sandbox, "", &["submodule", "--quiet", "add", lib.to_str().expect("UTF-8"), "vendor/lib"]);
    for folder in ["project", "fork", "project/vendor/lib"] {
        work(&sandbox, folder, &format!("in {folder}"));
    }
    let all = names(&sandbox);
    assert_eq!(all.len(), 3, "{all:?}");
    // The folder is deleted, and used for something else.
    fs::remove_dir_all(sandbox.beside("fork")).expect("the fork is deleted");
    fs::create_dir_all(sandbox.beside("fork")).expect("a folder");
    git(&sandbox, "../fork", &["clone", "-q", "../project", "."]);
    git(&sandbox, "../fork", &["remote", "set-url", "origin", "https://example.org/x/other.git"]);
    work(&sandbox, "fork", "reused");
    assert_eq!(names(&sandbox).len(), 4);
    let fork = sandbox.beside("fork");
    let sandbox = sandbox.from(fork.to_str().expect("UTF-8"));
    assert_eq!(sandbox.run(["search", "--ids", "make"]).stdout.lines().count(), 1);
}

#[test]
fn outside_git_the_marked_folder_is_the_project_else_the_agents_own() {
    let sandbox = Sandbox::new();
    sandbox.put("../plain/.nudge.yaml", "version: 1\nrules: []\n");
    sandbox.put("../plain/deep/x", "");
    work(&sandbox, "plain/deep", "deep");
    work(&sandbox, "plain", "top");
    assert_eq!(names(&sandbox), [known("plain", "-", 1)]);
    sandbox.put("../loose/deep/x", "");
    let sandbox = sandbox.env("CLAUDE_PROJECT_DIR", "$BASE/loose");
    work(&sandbox, "loose/deep", "loose");
    assert_eq!(names(&sandbox), [known("loose", "-", 1), known("plain", "-", 1)]);
    // Paths are relative to the project there too.
    let marked = Sandbox::new();
    marked.put("../plain/.nudge.yaml", "version: 1\nrules: []\n");
    let plain = marked.beside("plain");
    let file = plain.join("src/a.rs");
    let edited = edit(file.to_str().expect("UTF-8"), "a", "b").after();
    marked.hook("claude-code", edited.cwd(plain.to_str().expect("UTF-8")));
    let rows = marked.run(["recent", "--all", "--json"]).json();
    assert_eq!(rows["items"][0]["file_path"], "src/a.rs");
}

#[test]
fn a_private_project_is_told_to_no_other_even_if_it_asks() {
    let sandbox = Sandbox::new();
    sandbox.put("../secret/.nudge/config.toml", "[project]\nprivate = true\n");
    let folder = |name: &str| sandbox.beside(name).to_str().expect("UTF-8").to_owned();
    let (secret, open) = (folder("secret"), folder("open"));
    fs::create_dir(&open).expect("a folder");
    let message = "Exit code 2\nzebra: stripes missing in quagga.c";
    let fails = |folder: &str, session: &str, id: &str| {
        failed("make zebra", message).with("tool_use_id", id).cwd(folder).session(session)
    };
    let makes =
        |command: &str, id: &str| bash(command).after().with("tool_use_id", id).cwd(&secret).session("s1");
    play(
        &sandbox,
        vec![
            prompt("ship the falcon").cwd(&secret).session("s1"),
            fails(&secret, "s1", "t1"),
            makes("make stripes", "t2"),
            makes("make zebra", "t3"),
            stop("Falcon is shipped to acme.").cwd(&secret).session("s1"),
        ],
    );
    let told = sandbox.hook("claude-code", fails(&open, "s2", "t4")).stdout.clone();
    assert!(!told.contains("Seen before"), "{told}");
    let mut client = Client::new(&sandbox);
    for (tool, arguments) in [
        ("search", json!({ "query": "stripes falcon", "project": "*" })),
        ("search", json!({ "query": "stripes falcon", "project": "secret" })),
        ("get_observations", json!({ "ids": [1, 2, 3, 4, 5] })),
        ("recent_context", json!({ "project": "*" })),
    ] {
        let answer = client.call_json(tool, arguments.clone()).to_string();
        assert!(!answer.contains("stripes\"") && !answer.contains("falcon"), "{tool} {arguments}: {answer}");
    }
    assert_eq!(client.refused("timeline", json!({ "anchor": 2 })), "anchor observation not found");
    // Without the setting all of it is seen, but for what the agent said about its own work.
    sandbox.put("../secret/.nudge/config.toml", "[project]\nprivate = false\n");
    let told = sandbox.hook("claude-code", fails(&open, "s3", "t5")).stdout.clone();
    assert!(told.contains("make stripes") && !told.contains("Falcon"), "{told}");
    let answer = client.call_json("search", json!({ "query": "stripes", "project": "*" })).to_string();
    assert!(answer.contains("stripes"), "{answer}");
    // Nobody wants rows of other projects here.
    sandbox.put_user_settings("[context]\nother_projects = 0\n");
    let told = sandbox.hook("claude-code", fails(&open, "s4", "t6")).stdout.clone();
    assert!(!told.contains("make stripes"), "{told}");
}

#[test]
fn a_private_project_is_recognised_by_its_folder_only() {
    let sandbox = Sandbox::new();
    repository_at(&sandbox, "secret", "git@example.org:a/secret.git");
    sandbox.put("../secret/.nudge/config.toml", "[project]\nprivate = true\n");
    play(
        &sandbox,
        vec![
            event("SessionStart").with("source", "startup").cwd("../secret"),
            prompt("rotate the vault").cwd("../secret"),
            event("Stop").with("last_assistant_message", "The vault is rotated.").cwd("../secret"),
        ],
    );
    // A stranger's folder says that it is the same repository.
    repository_at(&sandbox, "stranger", "git@example.org:a/secret.git");
    let start = event("SessionStart").with("source", "startup").cwd("../stranger").session("other");
    let told = sandbox.hook("claude-code", start).stdout.clone();
    assert!(!told.contains("vault"), "{told}");
    assert_eq!(names(&sandbox), [known("secret", "-", 1), known("stranger", "example.org/a/secret", 1)]);
    // The same without the setting: that is what it protects from.
    sandbox.put("../secret/.nudge/config.toml", "[project]\nprivate = false\n");
    work(&sandbox, "secret", "open");
    let start = event("SessionStart").with("source", "startup").cwd("../stranger").session("third");
    let told = sandbox.hook("claude-code", start).stdout.clone();
    assert!(told.contains("vault"), "{told}");
}

#[test]
fn projects_are_listed_merged_and_renamed() {
    let sandbox = Sandbox::new();
    sandbox.run(["projects"]).code(0).stderr(expect![[r#"
        nothing is remembered yet: it begins when an agent's hooks call `nudge hook`
    "#]]);
    sandbox.put("../old/.git/HEAD", "");
    sandbox.put("../other/old/.git/HEAD", "");
    for folder in ["project", "old", "other/old"] {
        work(&sandbox, folder, &format!("in {folder}"));
    }
    sandbox.run(["projects", "merge", "old", "project"]).code(1).stderr(expect![[r#"
        error: `old` means 2 projects: $BASE/old, $BASE/other/old
        hint: name the folder of the one you mean
    "#]]);
    sandbox.run(["projects", "merge", "nowhere", "project"]).code(1).stderr(expect![[r#"
        error: no project in the memory is named `nowhere`
        hint: known are `old`, `project`
    "#]]);
    let old = sandbox.beside("old");
    sandbox.run(["projects", "merge", old.to_str().expect("UTF-8"), "project"]).code(0).stderr(expect![[
        r#"
        `old` is part of `project` now: 4 observations
    "#
    ]]);
    sandbox.run(["projects", "merge", "project", "project"]).code(1).stderr(expect![[r#"
        error: `project` and `project` are the same project already
        hint: `nudge projects` lists them
    "#]]);
    assert_eq!(sandbox.run(["search", "--ids", "make"]).stdout.lines().count(), 2);
    sandbox.run(["projects", "rename", "project", "the shop"]).code(0).stderr(expect![[r#"
        `project` is called `the shop` now
    "#]]);
    sandbox.run(["projects", "rename", "project", " "]).code(2);
    assert_eq!(names(&sandbox), [known("old", "-", 1), known("the shop", "-", 2)]);
    for name in ["the shop", "project"] {
        let found = sandbox.run(["search", "--ids", "make", "--project", name]).stdout;
        assert_eq!(found.lines().count(), 2, "{name}");
    }
    let mut client = Client::new(&sandbox);
    let rows = client.call_json("recent_context", json!({ "project": "the shop" }));
    assert_eq!((rows[0]["project"].as_str(), rows.as_array().map(Vec::len)), (Some("the shop"), Some(6)));
}

#[test]
fn old_rows_without_an_address_become_part_of_their_project() {
    let sandbox = Sandbox::new();
    import(&sandbox, &[line("make old", json!({}))]);
    sandbox.put(".git/config", "[remote \"origin\"]\n\turl = https://example.org/a/b\n");
    work(&sandbox, "project", "now");
    assert_eq!(names(&sandbox), [known("project", "example.org/a/b", 1)]);
    assert_eq!(sandbox.run(["search", "--ids", "make"]).stdout.lines().count(), 2);
    // An export carries the address, so another machine recognises the project in another folder.
    let exported = sandbox.run(["observations", "export"]).stdout.replace("$BASE", "/another/machine");
    assert!(exported.contains(r#""origin":"example.org/a/b""#), "{exported}");
    let other = Sandbox::new();
    other.run_with(["observations", "import", "-"], exported.as_bytes()).code(0);
    other.put(".git/config", "[remote \"origin\"]\n\turl = git@example.org:a/b.git\n");
    assert_eq!(other.run(["search", "--ids", "make"]).stdout.lines().count(), 2);
}

#[test]
fn lists_over_mcp_are_narrowed_like_those_of_the_command_line() {
    let sandbox = Sandbox::new();
    import(
        &sandbox,
        &[
            line("make one", json!({ "metadata": { "harness": "codex" } })),
            line("make two", json!({ "timestamp": 1_100_000_000, "session_id": "newer" })),
        ],
    );
    let mut client = Client::new(&sandbox);
    let mut found = |tool: &str, arguments: serde_json::Value| {
        let mut arguments = arguments;
        if tool == "search" {
            arguments["query"] = json!("make");
        }
        let rows = client.call_json(tool, arguments);
        rows.as_array()
            .expect("a list")
            .iter()
            .map(|row| row["id"].as_i64().expect("an id"))
            .collect::<Vec<_>>()
    };
    for tool in ["search", "recent_context"] {
        assert_eq!(found(tool, json!({})).len(), 2, "{tool}");
        assert_eq!(found(tool, json!({ "since": "2002-01-01" })), [2], "{tool}");
        assert_eq!(found(tool, json!({ "until": "2002-01-01T00:00:00Z" })), [1], "{tool}");
        assert!(found(tool, json!({ "since": "2h" })).is_empty(), "{tool}");
        assert_eq!(found(tool, json!({ "session": "new" })), [2], "{tool}");
        assert_eq!(found(tool, json!({ "harness": "codex" })), [1], "{tool}");
    }
    assert_eq!(sandbox.run(["search", "--ids", "make", "--agent", "codex"]).stdout, "1\n");
    let recent = sandbox.run(["recent", "--json", "--harness", "codex", "--until", "2002-01-01"]).json();
    assert_eq!(recent["items"][0]["id"], 1);
    expect![[r#"
        `since` is not a time: write a date or time (`2026-01-31`, `2026-01-31T14:30`), how long ago (`3d`, `2h`, `1w`), `today` or `yesterday`"#]]
    .assert_eq(&client.refused("search", json!({ "query": "a", "since": "soon" })));
    expect!["no session in the memory matches `zzz`; `nudge sessions --all` lists them"]
        .assert_eq(&client.refused("recent_context", json!({ "session": "zzz" })));
}

#[test]
fn a_search_says_that_it_ranked_only_the_newest_and_goes_on() {
    let sandbox = Sandbox::new();
    let lines: Vec<String> = (0..2_100_i64)
        .map(|n| {
            line(
                &format!("deploy number{n}"),
                json!({ "timestamp": 1_000_000_000 + n, "session_id": format!("s{n}") }),
            )
        })
        .collect();
    import(&sandbox, &lines);
    let mut client = Client::new(&sandbox);
    let result = client.call("search", json!({ "query": "deploy", "limit": 5 }));
    let note = result["structuredContent"]["note"].as_str().expect("a note").to_owned();
    assert_eq!(
        note,
        "more rows match than were ranked: these are the best since 2001-09-09T01:48:20Z; `until` 2001-09-09T01:48:20Z shows older ones"
    );
    assert_eq!(result["content"][1]["text"], note);
    let older =
        client.call_json("search", json!({ "query": "deploy", "limit": 5, "until": "2001-09-09T01:48:20Z" }));
    let oldest = older[0]["timestamp"].as_i64().expect("a time");
    assert!(oldest < 1_000_000_100, "{older}");
    // Expressions as written are ranked over all rows.
    let exact = client.call_json("search", json!({ "query": "deploy AND number7" }));
    assert_eq!(exact[0]["content_preview"], "deploy number7");
    let ran = sandbox.run(["search", "deploy", "-n", "5"]);
    assert!(ran.stderr.contains("more rows match than were ranked"), "{}", ran.stderr);
}

#[test]
fn over_mcp_equal_rows_are_one_and_the_preview_has_the_match() {
    let sandbox = Sandbox::new();
    let long = format!("{} needle in it", "straw ".repeat(60));
    let lines: Vec<String> = (0..3)
        .map(|n| line(&long, json!({ "timestamp": 1_000_000_000 + n, "session_id": format!("s{n}") })))
        .collect();
    import(&sandbox, &lines);
    let found = Client::new(&sandbox).call_json("search", json!({ "query": "needle" }));
    let preview = found[0]["content_preview"].as_str().expect("a preview");
    assert_eq!((found.as_array().map(Vec::len), found[0]["times"].as_i64()), (Some(1), Some(3)));
    assert!(preview.contains("needle") && preview.chars().count() <= 120, "{preview}");
}

#[test]
fn a_bare_repository_is_called_as_people_call_it() {
    let sandbox = Sandbox::new();
    for (bare, tree) in [("shop/.bare", "shop/main"), ("host/web.git", "host/web-main")] {
        let (git_dir, folder) = (sandbox.beside(bare), sandbox.beside(tree));
        for part in ["worktrees/main", "refs", "objects"] {
            fs::create_dir_all(git_dir.join(part)).expect("a folder");
        }
        fs::create_dir_all(&folder).expect("a folder");
        for (file, text) in [
            ("HEAD", "ref: refs/heads/main\n".to_owned()),
            ("worktrees/main/HEAD", "ref: refs/heads/main\n".to_owned()),
            ("worktrees/main/commondir", "../..\n".to_owned()),
            ("worktrees/main/gitdir", format!("{}\n", folder.join(".git").display())),
        ] {
            fs::write(git_dir.join(file), text).expect("a file");
        }
        let link = format!("gitdir: {}\n", git_dir.join("worktrees/main").display());
        fs::write(folder.join(".git"), link).expect("a file");
        work(&sandbox, tree, &tree.replace('/', "-"));
    }
    assert_eq!(names(&sandbox), [known("shop", "-", 1), known("web", "-", 1)]);
}

#[test]
fn two_projects_of_one_name_are_told_apart_by_their_folders() {
    let sandbox = Sandbox::new();
    for (folder, origin) in
        [("a/shop", "https://github.com/acme/shop"), ("b/shop", "https://github.com/other/shop")]
    {
        repository_at(&sandbox, folder, origin);
        work(&sandbox, folder, &folder.replace('/', "-"));
    }
    let both = sandbox.run(["recent", "--project", "shop"]);
    assert!(
        both.code(0).stdout.contains("make a-shop") && both.stdout.contains("make b-shop"),
        "{}",
        both.stdout
    );
    assert!(
        both.stderr.contains("2 projects are called `shop`: $BASE/a/shop, $BASE/b/shop;"),
        "{}",
        both.stderr
    );
    let folder = sandbox.beside("a/shop");
    for word in [folder.to_str().expect("UTF-8"), "../a/shop", "github.com/acme/shop"] {
        let one = sandbox.run(["recent", "--project", word]);
        assert!(
            one.code(0).stdout.contains("make a-shop") && !one.stdout.contains("b-shop"),
            "{}",
            one.stdout
        );
        assert_eq!(one.stderr, "", "{word}");
    }
    // What deletes means one of them.
    let ran = sandbox.run(["forget", "--project", "shop", "--yes"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("`shop` means 2 projects: "), "{}", ran.stderr);
    sandbox.run(["forget", "--project", folder.to_str().expect("UTF-8"), "--yes"]).code(0);
    let left = sandbox.run(["recent", "--all"]);
    assert!(left.stdout.contains("make b-shop") && !left.stdout.contains("a-shop"), "{}", left.stdout);
}
