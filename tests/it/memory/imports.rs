//! `nudge import --from`: what other tools remember comes in once, without secrets, and after a look at it.

mod every_tool;

use std::fs;

use expect_test::expect;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::memory::scene::files_with;
use crate::payload::prompt;
use crate::sandbox::Sandbox;

const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/// Creates a store with the tables that version 13.25.3 of claude-mem creates.
fn claude_mem(sandbox: &Sandbox) {
    let folder = sandbox.beside("home/.claude-mem");
    fs::create_dir_all(&folder).expect("a folder");
    let connection = Connection::open(folder.join("claude-mem.db")).expect("a database");
    connection
        .execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
             CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL,
                 memory_session_id TEXT UNIQUE, project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude',
                 user_prompt TEXT, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL);
             CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER,
                 content_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL,
                 created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, sync_rev TEXT NOT NULL DEFAULT '1');
             CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
                 project TEXT NOT NULL, text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT,
                 narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT, prompt_number INTEGER,
                 created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, content_hash TEXT);
             CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
                 project TEXT NOT NULL, request TEXT, investigated TEXT, learned TEXT, completed TEXT,
                 next_steps TEXT, notes TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
             INSERT INTO sdk_sessions VALUES (1, 's1', 'm1', 'shop', 'claude', 'add tax', '', 0);
             INSERT INTO sdk_sessions VALUES (2, 's2', 'm2', 'observer-sessions', 'claude', 'x', '', 0);
             INSERT INTO user_prompts VALUES (1, 1, 's1', 1, 'add tax', '', unixepoch('now') * 1000, '1');
             INSERT INTO user_prompts VALUES (2, 1, 's1', 2, 'and round it', '', unixepoch('now', '-2 day') * 1000, '1');
             INSERT INTO observations VALUES (1, 'm1', 'shop', NULL, 'bugfix', 'Tax was rounded', 'at the end now',
                 '[\"check.sh covers it\"]', 'The token is {TOKEN}.', '[]', '[]', '[\"cart.py\"]', 1, '',
                 unixepoch('now', '-2 day') * 1000, 'h');
             INSERT INTO observations VALUES (2, 'm1', 'shop', NULL, 'change', 'Old', '', '[]', '', '[]', '[]', '[]', 1,
                 '', unixepoch('now', '-900 day') * 1000, 'h');
             INSERT INTO observations VALUES (3, 'm2', 'observer-sessions', NULL, 'change', 'own', '', '[]', '', '[]',
                 '[]', '[]', 1, '', unixepoch('now') * 1000, 'h');
             INSERT INTO session_summaries VALUES (1, 'm1', 'shop', 'add tax', NULL, 'rounding', 'Tax is added.', 'ship',
                 NULL, '', unixepoch('now', '-2 day') * 1000);"
        ))
        .expect("a store");
    // Most of it is still in the log of a program that runs.
    std::mem::forget(connection);
}

fn rows(sandbox: &Sandbox) -> Vec<String> {
    let connection = Connection::open(sandbox.data_folder().join("nudge.db")).expect("a database");
    let sql = "SELECT session_id || ' ' || obs_type || ' ' || content || ' <' || coalesce(metadata ->> '$.tool', '')
            || ' ' || coalesce(file_path, '') || '>' FROM observations WHERE source_event = 'Import' ORDER BY id";
    let mut statement = connection.prepare(sql).expect("a table");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

#[test]
fn a_memory_is_shown_first_and_comes_in_once() {
    let sandbox = Sandbox::new();
    // A hook has seen the first prompt.
    sandbox.hook("claude-code", prompt("add tax").session("s1"));
    claude_mem(&sandbox);
    let shown = sandbox.run(["import", "--from", "claude-mem"]);
    assert!(
        shown.stdout.contains("3 observations would be stored, 1 known already, 1 older than what is kept"),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stderr.contains("nothing was imported") && shown.stderr.contains("own sessions"),
        "{}",
        shown.stderr
    );
    assert_eq!(rows(&sandbox), Vec::<String>::new());
    let stored = |args: [&str; 5]| {
        let report = sandbox.run(args).code(0).json();
        ["dry_run", "stored", "known", "expired"].map(|name| report[name].clone())
    };
    let json = ["import", "--from", "claude-mem", "--json", "--dry-run"];
    assert_eq!(stored(json), [json!(true), json!(3), json!(1), json!(1)]);
    let json = ["import", "--from", "claude-mem", "--json", "--yes"];
    assert_eq!(stored(json), [json!(false), json!(3), json!(1), json!(1)]);
    assert_eq!(stored(json), [json!(false), json!(0), json!(4), json!(1)]);
    expect![[r#"
        s1 user_prompt and round it <claude-mem >
        s1 summary Tax was rounded — at the end now
        The token is [REDACTED:github-token]
        - check.sh covers it <claude-mem cart.py>
        s1 outcome Tax is added.
        asked: add tax
        learned: rounding
        next: ship <claude-mem >"#]]
    .assert_eq(&rows(&sandbox).join("\n"));
    // The session's project is the one that the hook has seen.
    let connection = Connection::open(sandbox.data_folder().join("nudge.db")).expect("a database");
    let projects: i64 = connection
        .query_row("SELECT count(DISTINCT project_id) FROM observations", [], |row| row.get(0))
        .expect("a count");
    assert_eq!(projects, 1);
    let own = files_with(&sandbox, TOKEN);
    let own: Vec<_> = own.into_iter().filter(|path| !path.iter().any(|part| part == ".claude-mem")).collect();
    assert!(own.is_empty(), "{own:?}");
    // What was forgotten does not come back.
    sandbox.run(["forget", "--session", "s1", "--yes"]).code(0);
    let report = sandbox.run(json).code(0).json();
    assert_eq!((report["stored"].clone(), report["forgotten"].clone()), (json!(0), json!(4)));
}

#[test]
fn files_and_lines_belong_to_the_project_that_the_user_is_in() {
    let sandbox = Sandbox::new()
        .file(".serena/memories/core/code_style.md", "Use tabs.")
        .file(".serena/memories/empty.md", "")
        .file(".beads/issues.jsonl", "{\"id\":\"b-1\",\"title\":\"Tax\",\"status\":\"open\"}\nnot json\n{\"id\":\"b-2\",\"title\":\"Done\",\"status\":\"closed\"}\n")
        .file("memory.jsonl", "{\"type\":\"entity\",\"name\":\"cart\",\"entityType\":\"module\",\"observations\":[\"adds tax\"]}\n");
    let import = |args: [&str; 5]| sandbox.run(args).code(0).json();
    let report = sandbox.run(["import", "--from=serena", "--yes", "--json"]).code(0).json();
    assert_eq!(
        (report["stored"].clone(), report["left_out"].clone()),
        (json!(1), json!({ "empty files": 1 }))
    );
    let report = sandbox.run(["import", "--from=beads", "--yes", "--json"]).code(0).json();
    assert_eq!(report["left_out"], json!({ "closed issues (`--all`)": 1, "lines that are not JSON": 1 }));
    let all = import(["import", "--from=beads", "--yes", "--json", "--all"]);
    assert_eq!((all["stored"].clone(), all["known"].clone()), (json!(1), json!(1)));
    sandbox.run(["import", "--from=mcp-memory", "memory.jsonl", "--yes"]).code(0);
    let found = sandbox.run(["search", "tabs", "--json"]).code(0).json();
    assert_eq!(found["items"][0]["obs_type"], "summary", "{found}");
}

#[test]
fn topics_become_notes_only_on_request_and_never_replace_one() {
    let sandbox = Sandbox::new().file(".serena/memories/core/code_style.md", "Use tabs in this project.");
    let refused = sandbox.run(["import", "--from=serena", "--as-notes", "--yes"]);
    assert!(refused.code(1).stderr.contains("hint: `nudge init` creates it"), "{}", refused.stderr);
    sandbox.run(["init"]).code(0);
    let report = sandbox.run(["import", "--from=serena", "--as-notes", "--yes", "--json"]).code(0).json();
    assert_eq!(
        (report["notes"].clone(), report["stored"].clone()),
        (json!(["core-code-style.md"]), json!(0))
    );
    let note = sandbox.path(".nexus/memory/core-code-style.md");
    assert!(fs::read_to_string(&note).expect("a note").contains("Use tabs"));
    fs::write(&note, "mine").expect("a note");
    let again = sandbox.run(["import", "--from=serena", "--as-notes", "--yes", "--json"]).code(0).json();
    assert_eq!(again["left_out"], json!({ "notes that exist": 1 }));
    assert_eq!(fs::read_to_string(&note).expect("a note"), "mine");
}

#[test]
fn rules_are_written_beside_the_ones_in_use() {
    let rule = "---\nname: no-rm\nevent: bash\npattern: rm\\s+-rf\naction: block\n---\nUse trash.\n";
    let sandbox = Sandbox::new().file(".claude/hookify.no-rm.local.md", rule).file(".claude/other.md", "x");
    sandbox.run(["import", "--from=hookify"]).code(0);
    assert!(!sandbox.path("imported.nudge.yaml").exists());
    sandbox.run(["import", "--from=hookify", "--yes"]).code(0);
    sandbox.run(["validate", "imported.nudge.yaml"]).code(0);
    // Nothing guards yet.
    let quiet = sandbox.hook("claude-code", crate::payload::bash("rm -rf /tmp/x"));
    assert_eq!(quiet.stdout, "");
    fs::rename(sandbox.path("imported.nudge.yaml"), sandbox.path(".nudge.yaml")).expect("a file");
    // It only counts until somebody switches it on.
    assert_eq!(sandbox.hook("claude-code", crate::payload::bash("rm -rf /tmp/x")).stdout, "");
    let text =
        fs::read_to_string(sandbox.path(".nudge.yaml")).expect("a file").replace("    shadow: true\n", "");
    sandbox.put(".nudge.yaml", text);
    let blocked = sandbox.hook("claude-code", crate::payload::bash("rm -rf /tmp/x"));
    assert!(blocked.stdout.contains("Use trash."), "{}", blocked.stdout);
    sandbox.put("imported.nudge.yaml", "mine");
    sandbox.run(["import", "--from=hookify", "--yes"]).code(1);
    assert_eq!(fs::read_to_string(sandbox.path("imported.nudge.yaml")).expect("a file"), "mine");
}

#[test]
fn a_store_that_is_missing_encrypted_or_something_else_is_named() {
    let sandbox = Sandbox::new();
    let said = |args: [&str; 3]| sandbox.run(args).code(1).stderr.clone();
    assert!(said(["import", "--from=nmem", "--yes"]).contains("no store of nmem was found"));
    assert!(said(["import", "--from=basic-memory", "--yes"]).contains("name the file or folder"));
    let folder = sandbox.beside("home/.nmem");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("nmem.db"), [7_u8; 4096]).expect("a file");
    assert!(said(["import", "--from=nmem", "--yes"]).contains("encrypted"));
    fs::remove_file(folder.join("nmem.db")).expect("a file");
    let connection = Connection::open(folder.join("nmem.db")).expect("a database");
    connection.execute_batch("CREATE TABLE other (x)").expect("a table");
    assert!(said(["import", "--from=nmem", "--yes"]).contains("none of the tables"));
    // Every column has another type, and in place of a table there is a view that never ends.
    connection
        .execute_batch(
            "CREATE TABLE prompts (id, session_id, timestamp, source, content);
             INSERT INTO prompts VALUES (x'00', 5, 'never', 7, x'ff'), (1, 's1', 1e300, 'user', 'x');
             CREATE VIEW observations AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
                 SELECT id, 's1' AS session_id, 1 AS timestamp, 'note' AS type, 'x' AS content FROM n WHERE id < 0;",
        )
        .expect("tables");
    let report = sandbox.run(["import", "--from=nmem", "--yes", "--json"]).code(0).json();
    assert_eq!(report["stored"], 0, "{report}");
    assert_eq!(
        report["left_out"].as_object().map(|left| left.values().filter_map(Value::as_u64).sum()),
        Some(2)
    );
    sandbox.run(["import"]).code(2);
    sandbox.run(["import", "--from=nobody"]).code(2);
}
