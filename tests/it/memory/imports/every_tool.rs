//! What holds for every tool: nothing comes in before it was shown, all of it comes in once, and what is left behind is
//! named.

use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A tool, and how its store is made.
struct ToolCase {
    name: &'static str,
    make: fn(&Sandbox),
    /// Where the store is, if the tool has no fixed place.
    path: Option<&'static str>,
    stored: u64,
    left_out: Value,
}

fn database(sandbox: &Sandbox, path: &str, sql: &str) {
    let path = sandbox.beside(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    Connection::open(path).expect("a database").execute_batch(sql).expect("tables");
}

fn home_file(sandbox: &Sandbox, path: &str, text: &str) {
    let path = sandbox.beside(&format!("home/{path}"));
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn cases() -> Vec<ToolCase> {
    vec![
        ToolCase {
            name: "claude-mem",
            make: super::claude_mem,
            path: None,
            stored: 4,
            left_out: json!({ "records of claude-mem's own sessions": 1 }),
        },
        ToolCase {
            name: "engram",
            make: |sandbox| {
                let sql = "CREATE TABLE sessions (id, project, directory, started_at, ended_at, summary);
                    CREATE TABLE observations (id, session_id, type, title, content, project, scope, topic_key,
                        created_at, deleted_at);
                    CREATE TABLE user_prompts (id, session_id, content, project, created_at);
                    INSERT INTO sessions VALUES ('s1', 'shop', '/p', datetime('now'), datetime('now'), 'Tax is added.');
                    INSERT INTO observations VALUES (1, 's1', 'decision', 'Rounding', 'at the end', 'shop', 'project',
                        'tax', datetime('now'), NULL), (2, 's1', 'note', 'Coffee', 'black', 'shop', 'personal', NULL,
                        datetime('now'), NULL);
                    INSERT INTO user_prompts VALUES (1, 's1', 'add tax', 'shop', datetime('now'));";
                database(sandbox, "home/.engram/engram.db", sql);
            },
            path: None,
            stored: 3,
            left_out: json!({ "personal observations (`--all`)": 1 }),
        },
        ToolCase {
            name: "nmem",
            make: |sandbox| {
                let sql = "CREATE TABLE sessions (id, project, started_at, ended_at, summary);
                    CREATE TABLE prompts (id, session_id, timestamp, source, content);
                    CREATE TABLE observations (id, session_id, timestamp, obs_type, tool_name, file_path, content,
                        metadata, is_pinned);
                    INSERT INTO sessions VALUES ('s1', '/p', unixepoch('now'), NULL, NULL);
                    INSERT INTO prompts VALUES (1, 's1', unixepoch('now'), 'user', 'add tax'),
                        (2, 's1', unixepoch('now'), 'agent', 'I think');
                    INSERT INTO observations VALUES (1, 's1', unixepoch('now'), 'command', 'Bash', NULL, 'make', '{}', 0);";
                database(sandbox, "home/.nmem/nmem.db", sql);
            },
            path: None,
            stored: 2,
            left_out: json!({ "what the agent thought": 1 }),
        },
        ToolCase {
            name: "mcp-memory",
            make: |sandbox| {
                let lines = "{\"type\":\"entity\",\"name\":\"cart\",\"entityType\":\"module\",\"observations\":[\"adds tax\"]}\n\
                    {\"type\":\"relation\",\"from\":\"cart\",\"to\":\"tax\",\"relationType\":\"uses\"}\nno json\n";
                sandbox.put("memory.jsonl", lines);
            },
            path: Some("memory.jsonl"),
            stored: 1,
            left_out: json!({ "lines that are not JSON": 1 }),
        },
        ToolCase {
            name: "beads",
            make: |sandbox| {
                let lines = "{\"id\":\"b-1\",\"title\":\"Tax\",\"status\":\"open\"}\n\
                    {\"id\":\"b-2\",\"title\":\"Done\",\"status\":\"closed\"}\n{\"_type\":\"gate\"}\n";
                sandbox.put(".beads/issues.jsonl", lines);
            },
            path: None,
            stored: 1,
            left_out: json!({ "closed issues (`--all`)": 1, "records that are neither issues nor memories": 1 }),
        },
        ToolCase {
            name: "serena",
            make: |sandbox| {
                sandbox.put(".serena/memories/core/style.md", "Use tabs.");
                sandbox.put(".serena/memories/empty.md", "");
            },
            path: None,
            stored: 1,
            left_out: json!({ "empty files": 1 }),
        },
        ToolCase {
            name: "claude-memory",
            make: |sandbox| {
                let root = fs::canonicalize(sandbox.path("")).expect("a folder");
                let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
                let slug: String = root.to_str().expect("UTF-8").chars().map(plain).collect();
                let folder = format!(".claude/projects/{slug}/memory");
                home_file(sandbox, &format!("{folder}/MEMORY.md"), "- [tax](tax.md)");
                home_file(sandbox, &format!("{folder}/tax.md"), "---\nname: tax\n---\nRound at the end.");
                let about_user = "---\nname: me\nmetadata:\n  type: user\n---\nLikes tea.";
                home_file(sandbox, &format!("{folder}/me.md"), about_user);
            },
            path: None,
            stored: 1,
            left_out: json!({ "the index of the memory": 1, "what is about you, not about the project (`--all`)": 1 }),
        },
        ToolCase {
            name: "codex-memory",
            make: |sandbox| {
                home_file(sandbox, ".codex/memories/MEMORY.md", "Round at the end.");
                home_file(sandbox, ".codex/memories/rollout_summaries/one.md", "Tax is added.");
                home_file(sandbox, ".codex/memories/raw_memories.md", "raw");
            },
            path: None,
            stored: 2,
            left_out: json!({ "raw material of Codex's memory": 1 }),
        },
        ToolCase {
            name: "basic-memory",
            make: |sandbox| {
                sandbox.put(
                    "notes/tax.md",
                    "---\ntitle: Tax\n---\n- [decision] round at the end #tax\n- uses [[Cart]]",
                );
                sandbox.put("notes/empty.md", "---\ntitle: Empty\n---\n");
            },
            path: Some("notes"),
            stored: 1,
            left_out: json!({ "empty files": 1 }),
        },
    ]
}

#[test]
fn a_memory_is_shown_then_stored_once_and_what_is_left_behind_is_named() {
    for case in cases() {
        let sandbox = Sandbox::new();
        (case.make)(&sandbox);
        let run = |how: &str| {
            let from = format!("--from={}", case.name);
            let ran = match case.path {
                Some(path) => sandbox.run(["import", &from, path, "--json", how]),
                None => sandbox.run(["import", &from, "--json", how]),
            };
            ran.code(0).json()
        };
        let counts = |report: &Value| ["stored", "known"].map(|name| report[name].as_u64().expect("a count"));
        let dry = run("--dry-run");
        assert_eq!(counts(&dry), [case.stored, 0], "{}: {dry}", case.name);
        assert_eq!(dry["left_out"], case.left_out, "{}", case.name);
        assert_ne!(dry["not_carried"], "", "{}", case.name);
        // Showing it has stored nothing.
        assert_eq!(counts(&run("--yes")), [case.stored, 0], "{}", case.name);
        assert_eq!(counts(&run("--yes")), [0, case.stored], "{}", case.name);
    }
}

#[test]
fn rules_are_shown_then_written_once_and_what_is_left_behind_is_named() {
    let net = "{\"version\":1,\"rules\":[{\"name\":\"no-force\",\"command\":\"git\",\"subcommand\":\"push\",\
        \"block_args\":[\"--force\"],\"reason\":\"Ask first.\"},{\"name\":\"broken\"}]}";
    let hookify = "---\nname: no-rm\nevent: bash\npattern: rm\\s+-rf\naction: block\n---\nUse trash.\n";
    let unmapped = "---\nname: said\nevent: stop\nconditions:\n  - field: transcript\n    operator: contains\n    pattern: x\n---\nNo.\n";
    let sandbox = Sandbox::new()
        .file(".safety-net.json", net)
        .file(".claude/hookify.no-rm.local.md", hookify)
        .file(".claude/hookify.said.local.md", unmapped);
    let target = sandbox.path("imported.nudge.yaml");
    for (from, left_out) in [("--from=cc-safety-net", "broken"), ("--from=hookify", "said")] {
        let dry = sandbox.run(["import", from, "--json", "--dry-run"]).code(0).json();
        assert_eq!(dry["rules"]["rules"], 1, "{dry}");
        assert!(dry["left_out"].to_string().contains(left_out), "{dry}");
        assert!(!target.exists());
        sandbox.run(["import", from, "--yes"]).code(0);
        let written = fs::read(&target).expect("rules");
        // A second time it is the same file, and one that the user has changed stays.
        sandbox.run(["import", from, "--yes"]).code(0);
        assert_eq!(fs::read(&target).expect("rules"), written);
        fs::write(&target, "mine").expect("rules");
        sandbox.run(["import", from, "--yes"]).code(1);
        assert_eq!(fs::read(&target).expect("rules"), b"mine");
        fs::remove_file(&target).expect("rules");
    }
}
