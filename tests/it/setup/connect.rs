//! `nudge setup`: what it writes works, and what it undoes is byte for byte as it was.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Returns the name of every agent that there is.
pub(crate) fn agents() -> Vec<String> {
    let all = Sandbox::new().run(["setup", "--undo", "--user", "--dry-run", "--json"]).json();
    let name = |agent: &Value| agent["agent"].as_str().expect("a name").to_owned();
    let names: Vec<String> = all["agents"].as_array().expect("a list").iter().map(name).collect();
    assert!(names.len() >= 6, "{names:?}");
    names
}

/// Files that are there before: whatever their form, they are kept in it.
const JSON: [&str; 9] = [
    "",
    "{}",
    "{ \n }\n",
    "{\n  \"theme\": \"dark\"\n}\n",
    "\u{feff}{\r\n\t\"a\": [1, 2], // mine\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"theirs\"}]}],\r\n\t},\r\n}\r\n",
    "{\"a\":1,\"mcpServers\":{\"other\":{\"command\":\"x\"}}}",
    "/* head */\n{\n      \"odd\" : true ,\n   \"hooks\" :{ \"PreToolUse\":[ ] , \"preToolUse\":[ ]}\n\n}\n// tail\n",
    "{\n    \"hooks\": {},\n    \"mcp\": {}, \"mcpServers\": {\n    // none yet\n    }\n}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/old/place/nudge hook --harness claude-code\"}]}]}}\n",
];

const TOML: [&str; 4] = [
    "",
    "# mine\nmodel = \"x\"   # why\n\n[mcp_servers.other]\ncommand = \"y\"\n\n\n",
    "\u{feff}model = \"x\"\r\n[tui]\r\nnotifications = true\r\n",
    "model = \"no line end\"",
];

#[test]
fn a_round_trip_leaves_every_byte_as_it_was() {
    for agent in &agents() {
        for reach in ["--user", "--project"] {
            for variant in 0..=JSON.len() {
                round_trip(agent, reach, variant);
            }
        }
    }
}

#[track_caller]
fn round_trip(agent: &str, reach: &str, variant: usize) {
    let sandbox = sandbox();
    let files = files(&sandbox, agent, reach);
    let is_settings = |path: &&PathBuf| variant > 0 && !path.ends_with("nudge.js") && !is_document(path);
    for path in files.iter().filter(is_settings) {
        let toml = path.extension().is_some_and(|ending| ending == "toml");
        put(path, if toml { TOML[(variant - 1) % TOML.len()] } else { JSON[variant - 1] });
    }
    let about = format!("{agent} {reach} variant {variant}");
    let before = snapshot(&sandbox);
    let done = sandbox.run(["setup", agent, reach]);
    assert_eq!(done.code, Some(0), "{about}\n{}{}", done.stdout, done.stderr);
    let after = snapshot(&sandbox);
    assert!(files.iter().all(|path| before.get(path) != after.get(path)), "{about}");
    let again = sandbox.run(["setup", agent, reach]);
    assert_eq!((again.code, snapshot(&sandbox) == after), (Some(0), true), "{about}\n{}", again.stdout);
    let undone = sandbox.run(["setup", agent, reach, "--undo"]);
    assert_eq!(undone.code, Some(0), "{about}\n{}{}", undone.stdout, undone.stderr);
    assert_eq!(snapshot(&sandbox), before, "{about}");
}

#[test]
fn the_change_is_shown_and_proved_and_the_next_step_said() {
    let sandbox =
        sandbox().file(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n").file(".mcp.json", "{}\n");
    let ran = sandbox.run(["setup", "claude", "--project", "--dry-run"]);
    assert!(ran.code(0).stdout.contains("+    \"SessionStart\": ["), "{}", ran.stdout);
    assert_eq!(fs::read_to_string(sandbox.path(".mcp.json")).expect("the file is there"), "{}\n");
    let ran = sandbox.run(["setup", "claude", "--project"]);
    let last: Vec<&str> = ran.code(0).stdout.lines().rev().take(3).collect();
    expect![[r#"
        `nudge setup claude --undo` restores everything; copies are in ~/data/nudge/setup
        next: start a new session here, trust the folder and approve the server; commit these files to share them
        Claude Code is connected in this project; a test event was answered
    "#]]
    .assert_eq(&format!("{}\n", last.join("\n")));
    expect![[r#"
        {
          "mcpServers": {
            "nudge": {
              "type": "stdio",
              "command": "nudge",
              "args": [
                "serve"
              ]
            }
          }
        }
    "#]]
    .assert_eq(&fs::read_to_string(sandbox.path(".mcp.json")).expect("the file is there"));
}

#[test]
fn the_proof_leaves_nothing_in_the_memory() {
    let sandbox = sandbox();
    sandbox.run(["setup", "claude", "--user"]).code(0);
    assert_eq!(sandbox.run(["recent", "--json"]).json(), json!({ "items": [], "total": 0 }));
}

#[test]
fn a_command_that_does_not_answer_is_not_kept() {
    let sandbox = Sandbox::new().env("PATH", "/usr/bin:/bin");
    let before = snapshot(&sandbox);
    let ran = sandbox.run(["setup", "claude", "--project", "--json"]);
    assert_eq!(ran.code(1).json()["agents"][0]["state"], "failed", "{}", ran.stdout);
    assert!(ran.stderr.contains("did not answer a test event"), "{}", ran.stderr);
    assert_eq!(snapshot(&sandbox), before);
}

#[test]
fn what_others_wrote_since_is_kept() {
    let sandbox = sandbox().file(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    sandbox.run(["setup", "claude", "--project"]).code(0);
    let path = sandbox.path(".claude/settings.json");
    let text = fs::read_to_string(&path).expect("the file is there");
    put(&path, &text.replace("opus", "sonnet"));
    let ran = sandbox.run(["setup", "claude", "--undo"]);
    assert!(ran.code(0).stderr.contains("only what calls nudge is removed"), "{}", ran.stderr);
    assert!(ran.stdout.ends_with("Claude Code is disconnected in this project\n"), "{}", ran.stdout);
    assert_eq!(fs::read_to_string(&path).expect("the file is there"), "{\n  \"model\": \"sonnet\"\n}\n");
    assert!(!sandbox.path(".mcp.json").exists());
}

#[test]
fn comments_stay_and_an_agent_that_reads_none_is_named() {
    let sandbox = sandbox().file(".claude/settings.json", "{\n  // mine\n  \"model\": \"opus\"\n}\n");
    let ran = sandbox.run(["setup", "claude", "--project"]);
    assert!(ran.code(0).stderr.contains("so the agent ignores the whole file"), "{}", ran.stderr);
    let text = fs::read_to_string(sandbox.path(".claude/settings.json")).expect("the file is there");
    assert!(text.starts_with("{\n  // mine\n  \"model\": \"opus\",\n  \"hooks\": {\n"), "{text}");
}

#[test]
fn undo_deletes_our_file_even_without_a_journal() {
    let sandbox = sandbox();
    sandbox.run(["setup", "opencode", "--project"]).code(0);
    fs::remove_dir_all(sandbox.data_folder()).expect("our own folder");
    sandbox.run(["setup", "opencode", "--undo"]).code(0);
    assert!(!sandbox.path(".opencode/plugins/nudge.js").exists());
    let left = fs::read_to_string(sandbox.path("opencode.json")).expect("the file stays");
    assert_eq!(left, "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n");
}

#[test]
fn an_entry_of_another_place_is_renewed() {
    let sandbox = sandbox();
    sandbox.run(["setup", "claude", "--user"]).code(0);
    let path = sandbox.beside("home/.claude/settings.json");
    let ours = fs::read_to_string(&path).expect("the file is there");
    put(&path, &ours.replace(env!("CARGO_BIN_EXE_nudge"), "/gone/nudge"));
    sandbox.run(["setup", "claude", "--user"]).code(0);
    assert_eq!(fs::read_to_string(&path).expect("the file is there"), ours);
    sandbox.run(["setup", "claude", "--user", "--undo"]).code(0);
    assert!(!path.exists());
}

#[test]
fn a_file_that_was_deleted_meanwhile_is_not_part_of_the_undo() {
    let sandbox = sandbox().file(".mcp.json", "{\"a\": 1}");
    sandbox.run(["setup", "claude", "--project"]).code(0);
    fs::remove_file(sandbox.path(".mcp.json")).expect("the file is there");
    sandbox.run(["setup", "claude", "--project"]).code(0);
    sandbox.run(["setup", "--undo"]).code(0);
    assert!(!sandbox.path(".mcp.json").exists());
    sandbox.run(["setup", "--undo"]).code(0).stdout(expect![[r#"
        no agent has anything of nudge, for you or in this project
    "#]]);
}

#[test]
fn agents_are_found_by_their_folders() {
    let sandbox = sandbox();
    let ran = sandbox.run(["setup"]);
    ran.code(1).stderr(expect![[r#"
        error: no coding agent was found on this machine
        hint: name one to connect it all the same: claude, codex, gemini, cursor, opencode, copilot
    "#]]);
    for folder in [".claude", ".cursor"] {
        fs::create_dir(sandbox.beside("home").join(folder)).expect("a folder of an agent");
    }
    let shown = sandbox.run(["setup", "--dry-run", "--json"]).json();
    let found: Vec<&Value> =
        shown["agents"].as_array().expect("a list").iter().map(|one| &one["agent"]).collect();
    assert_eq!(found, ["claude", "cursor"]);
}

#[test]
fn an_agent_that_is_connected_elsewhere_is_reported() {
    let sandbox = sandbox();
    sandbox.run(["setup", "claude", "--project"]).code(0);
    let twice = sandbox.run(["setup", "claude", "--json"]);
    assert_eq!(twice.code(0).json()["agents"][0]["state"], "connected", "{}", twice.stdout);
    assert!(twice.stdout.contains("in this project every event comes twice"), "{}", twice.stdout);
    let cursor = sandbox.run(["setup", "cursor", "--project"]);
    assert!(
        cursor.code(0).stderr.contains("Cursor may call the hooks in `$BASE/home/.claude/settings.json` and")
    );
    let sandbox = self::sandbox();
    put(&sandbox.beside("home/.claude/settings.json"), "{\"enabledPlugins\": {\"nudge@nudge\": true}}");
    let skipped = sandbox.run(["setup", "claude"]);
    assert!(skipped.code(0).stderr.contains("through the plugin that"), "{}", skipped.stderr);
}

#[test]
fn a_file_that_does_not_fit_stays_and_so_do_all_others() {
    for (bad, why) in [
        ("{\"hooks\": ", "this is not valid JSON"),
        ("{\"hooks\": {\"Stop\": 1}}", "`hooks.Stop` is not a list here"),
    ] {
        let sandbox = sandbox().file(".claude/settings.json", bad);
        let before = snapshot(&sandbox);
        let ran = sandbox.run(["setup", "claude", "--project"]);
        assert!(ran.code(1).stderr.contains(why), "{}", ran.stderr);
        assert_eq!(snapshot(&sandbox), before);
    }
    let sandbox = sandbox().file(".mcp.json", "{\"mcpServers\": {\"nudge\": {\"url\": \"x\"}}}");
    let before = snapshot(&sandbox);
    let ran = sandbox.run(["setup", "claude", "--project"]);
    assert!(ran.code(1).stderr.contains("`mcpServers.nudge` is taken by something else"), "{}", ran.stderr);
    assert_eq!(snapshot(&sandbox), before);
}

#[test]
#[cfg(unix)]
fn a_read_only_file_is_named_and_nothing_changes() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox().file(".claude/settings.json", "{}\n").file(".mcp.json", "{}\n");
    let path = sandbox.path(".mcp.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("the file is ours");
    let before = snapshot(&sandbox);
    let ran = sandbox.run(["setup", "claude", "--project"]);
    assert!(ran.code(1).stderr.contains("this file is read-only"), "{}", ran.stderr);
    assert_eq!(snapshot(&sandbox), before);
}

#[test]
#[cfg(unix)]
fn a_link_is_followed_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = sandbox();
    let real = sandbox.beside("home/dotfiles/claude.json");
    put(&real, "{\n  \"a\": 1\n}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("the file is ours");
    let link = sandbox.beside("home/.claude/settings.json");
    fs::create_dir(link.parent().expect("a folder")).expect("a folder of the agent");
    symlink(&real, &link).expect("a link");
    sandbox.run(["setup", "claude", "--user"]).code(0);
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&real).expect("the file is there").contains("SessionStart"));
    assert_eq!(fs::metadata(&real).expect("the file is there").permissions().mode() & 0o777, 0o640);
    sandbox.run(["setup", "claude", "--user", "--undo"]).code(0);
    assert_eq!(fs::read_to_string(&real).expect("the file is there"), "{\n  \"a\": 1\n}\n");
}

#[test]
fn every_command_of_the_guide_prints_what_it_shows() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/setup.md");
    let text = fs::read_to_string(&page).expect("the guide");
    let sandbox = sandbox().file(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    let mut found = String::new();
    for (index, part) in text.split("```").enumerate() {
        let fence = if index == 0 { "" } else { "```" };
        let shown = part.strip_prefix("console\n").map(|block| {
            let lines = block.lines().filter_map(|line| line.strip_prefix("$ "));
            lines.map(|line| format!("$ {line}\n{}", played(&sandbox, line))).collect::<Vec<_>>().join("\n")
        });
        found += &shown.map_or_else(|| format!("{fence}{part}"), |shown| format!("{fence}console\n{shown}"));
    }
    expect_test::expect_file![page].assert_eq(&found);
}

/// Runs a line as a person would, and returns all that is printed.
fn played(sandbox: &Sandbox, line: &str) -> String {
    let output =
        sandbox.command("sh").args(["-c", &format!("{{ {line}; }} 2>&1")]).output().expect("a shell");
    let ran = sandbox.ran(&output).stdout;
    ran.replace("~/data", "~/.local/share").replace("$BASE/project", "~/shop")
}

/// A sandbox in which `nudge` is on every PATH, as after an installation.
pub(crate) fn sandbox() -> Sandbox {
    let folder = Path::new(env!("CARGO_BIN_EXE_nudge")).parent().expect("a folder");
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let sandbox = Sandbox::new().env("PATH", &path);
    put(&sandbox.beside("home/.profile"), &format!("PATH={path}\n"));
    sandbox
}

/// Returns the files that would be written.
pub(crate) fn files(sandbox: &Sandbox, agent: &str, reach: &str) -> Vec<PathBuf> {
    let shown = sandbox.run(["setup", agent, reach, "--dry-run", "--json"]).json();
    let files = shown["agents"][0]["files"].as_array().expect("a list of files");
    let path = |file: &Value| file["path"].as_str().expect("a path").replace("$BASE", "");
    files.iter().map(|file| sandbox.beside(path(file).trim_start_matches('/'))).collect()
}

/// Returns whether a file describes an agent or a skill.
fn is_document(path: &Path) -> bool {
    path.ancestors().any(|folder| ["agents", "skills", "commands"].iter().any(|name| folder.ends_with(name)))
}

/// Returns every file and folder of home and project; what we keep for ourselves is left out.
pub(crate) fn snapshot(sandbox: &Sandbox) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![sandbox.beside("home"), sandbox.beside("project")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if path == sandbox.data_folder() || path == sandbox.cache_folder() {
                continue;
            }
            let own =
                [sandbox.data_folder(), sandbox.cache_folder()].map(|own| own.parent().map(Path::to_owned));
            if own.contains(&Some(path.clone())) {
                continue;
            }
            if path.is_dir() {
                folders.push(path.clone());
                found.insert(path, None);
            } else {
                found.insert(path.clone(), Some(fs::read(&path).expect("a file")));
            }
        }
    }
    found
}

pub(crate) fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder in the sandbox");
    fs::write(path, text).expect("a file in the sandbox");
}
