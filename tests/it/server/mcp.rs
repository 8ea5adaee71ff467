//! The four tools over MCP: every row of the seed's tables, asked of the running server.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::payload::{Payload, bash, edit, event, prompt, tool, write};
use crate::sandbox::Sandbox;

/// A project with a little history, and another one beside it:
/// 1 started, 2 prompt, 3 failure, 4 read, 5 edit, 6 success; 7 prompt, 8 command; 9 elsewhere.
fn remembered() -> Sandbox {
    let sandbox = Sandbox::new();
    let session = |payload: Payload| payload.session("s1");
    remember(&sandbox, session(event("SessionStart").with("source", "startup")));
    remember(&sandbox, session(prompt("make the login tests pass")));
    remember(
        &sandbox,
        session(failed("cargo test login", "Exit code 101\nassertion failed: token_is_valid(&t)")),
    );
    remember(&sandbox, session(used("t4", tool("Read", json!({ "file_path": "src/auth.rs" })))));
    remember(&sandbox, session(used("t5", edit("src/auth.rs", "a < b", "a <= b"))));
    remember(&sandbox, session(used("t6", bash("cargo test login"))));
    remember(&sandbox, prompt("release the parser").session("s2"));
    remember(&sandbox, used("t8", bash("cargo publish -p parser")).session("s2"));
    let web = sandbox.beside("web");
    std::fs::create_dir_all(web.join(".git")).expect("another project");
    remember(
        &sandbox,
        used("t9", bash("npm run login:build")).session("s3").cwd(web.to_str().expect("UTF-8")),
    );
    sandbox
}

fn used(id: &str, payload: Payload) -> Payload {
    payload.after().with("tool_use_id", id)
}

fn failed(command: &str, error: &str) -> Payload {
    bash(command)
        .with("hook_event_name", "PostToolUseFailure")
        .with("error", error)
        .with("is_interrupt", false)
}

fn remember(sandbox: &Sandbox, payload: Payload) {
    sandbox.hook("claude-code", payload);
}

/// Sends this many commands, each with its number.
fn remember_commands(sandbox: &Sandbox, count: usize) {
    let hooks = (1..=count).map(|n| used(&format!("n{n}"), bash(&format!("make target {n}"))));
    for payload in hooks {
        remember(sandbox, payload);
    }
}

fn ids(output: &Value) -> Vec<i64> {
    output.as_array().expect("a list").iter().map(|row| row["id"].as_i64().expect("an id")).collect()
}

/// Compares JSON without its times.
fn assert_shows(mut output: Value, expected: &Expect) {
    fn forget_times(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    if key == "timestamp" && value.as_i64().is_some_and(|at| at > 1_700_000_000) {
                        *value = json!("now");
                    }
                    forget_times(value);
                }
            }
            Value::Array(values) => values.iter_mut().for_each(forget_times),
            _ => {}
        }
    }
    forget_times(&mut output);
    expected.assert_eq(&serde_json::to_string_pretty(&output).expect("JSON"));
}

#[test]
fn a_hit_has_the_six_fields_of_the_seed() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    let output = client.call_json("search", json!({ "query": "token_is_valid" }));
    assert_shows(
        output,
        &expect![[r#"
            [
              {
                "id": 3,
                "timestamp": "now",
                "obs_type": "command_error",
                "content_preview": "cargo test login\nassertion failed: token_is_valid(&t)",
                "file_path": null,
                "session_id": "s1"
              }
            ]"#]],
    );
}

#[test]
fn an_observation_has_all_fields_of_the_seed() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    assert_shows(
        client.call_json("get_observations", json!({ "ids": [3, 2] })),
        &expect![[r#"
            [
              {
                "id": 3,
                "timestamp": "now",
                "session_id": "s1",
                "project": "project",
                "obs_type": "command_error",
                "source_event": "PostToolUseFailure",
                "tool_name": "Bash",
                "content": "cargo test login\nassertion failed: token_is_valid(&t)",
                "file_path": null,
                "metadata": {
                  "command": "cargo test login",
                  "exit_code": 101,
                  "harness": "claude-code",
                  "tool_use_id": "t1"
                }
              },
              {
                "id": 2,
                "timestamp": "now",
                "session_id": "s1",
                "project": "project",
                "obs_type": "user_prompt",
                "source_event": "UserPromptSubmit",
                "tool_name": null,
                "content": "make the login tests pass",
                "file_path": null,
                "metadata": {
                  "harness": "claude-code"
                }
              }
            ]"#]],
    );
}

#[test]
fn observations_come_in_the_order_of_their_ids_and_the_missing_are_left_out() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    let mut asked = |wanted: &[i64]| ids(&client.call_json("get_observations", json!({ "ids": wanted })));
    assert_eq!(asked(&[5, 999, 2, 9, 2]), [5, 2, 9, 2]);
    assert_eq!(asked(&[998, 999, -1]), Vec::<i64>::new());
    assert_eq!(asked(&[1; 50]).len(), 50);
    let edited = client.call_json("get_observations", json!({ "ids": [5] }));
    assert_eq!(
        (&edited[0]["obs_type"], &edited[0]["file_path"]),
        (&json!("file_edit"), &json!("src/auth.rs"))
    );
}

#[test]
fn a_timeline_stays_in_its_session_and_in_the_order_of_time() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    let mut around = |arguments: Value| {
        let output = client.call_json("timeline", arguments);
        (ids(&output["before"]), output["anchor"]["id"].as_i64(), ids(&output["after"]))
    };
    assert_eq!(around(json!({ "anchor": 4 })), (vec![1, 2, 3], Some(4), vec![5, 6]));
    assert_eq!(around(json!({ "anchor": 4, "before": 1, "after": 1 })), (vec![3], Some(4), vec![5]));
    assert_eq!(around(json!({ "anchor": 4, "before": 0, "after": 0 })), (vec![], Some(4), vec![]));
    assert_eq!(around(json!({ "anchor": 9 })), (vec![], Some(9), vec![]));
}

#[test]
fn a_timeline_shows_whole_observations() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    let whole = client.call_json("get_observations", json!({ "ids": [3, 4, 5] }));
    let output = client.call_json("timeline", json!({ "anchor": 4, "before": 1, "after": 1 }));
    assert_eq!(output, json!({ "anchor": whole[1], "before": [whole[0]], "after": [whole[2]] }));
}

#[test]
fn recent_context_is_the_project_newest_first_each_file_once_then_the_others() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    // 4 is the same file as 5, and older.
    assert_eq!(ids(&client.call_json("recent_context", json!({}))), [8, 7, 6, 5, 3, 2, 1, 9]);
    assert_eq!(ids(&client.call_json("recent_context", json!({ "limit": 3 }))), [8, 7, 6]);
    assert_eq!(ids(&client.call_json("recent_context", json!({ "project": "web", "limit": 3 }))), [9, 8, 7]);
    assert_eq!(ids(&client.call_json("recent_context", json!({ "project": null, "limit": 2 }))), [9, 8]);
    let whole = client.call_json("get_observations", json!({ "ids": [8] }));
    assert_eq!(client.call_json("recent_context", json!({ "limit": 1 })), whole);
}

#[test]
fn a_project_without_observations_has_no_recent_context() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    assert_eq!(client.call_json("recent_context", json!({ "project": "nobody" })), json!([]));
}

#[test]
fn the_current_project_is_that_of_the_servers_folder() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    let mut found = |arguments: Value| {
        let mut found = ids(&client.call_json("search", arguments));
        found.sort_unstable();
        found
    };
    assert_eq!(found(json!({ "query": "login" })), [2, 3, 6]);
    assert_eq!(found(json!({ "query": "login", "project": null })), [2, 3, 6, 9]);
    assert_eq!(found(json!({ "query": "login", "project": "*" })), [2, 3, 6, 9]);
    assert_eq!(found(json!({ "query": "login", "project": "web" })), [9]);
    assert_eq!(found(json!({ "query": "login", "project": "nobody" })), Vec::<i64>::new());
    let web = sandbox.beside("web");
    let sandbox = sandbox.from(web.to_str().expect("UTF-8"));
    let mut client = Client::new(&sandbox);
    assert_eq!(ids(&client.call_json("search", json!({ "query": "login" }))), [9]);
    assert_eq!(ids(&client.call_json("recent_context", json!({ "limit": 1 }))), [9]);
}

#[test]
fn the_settings_name_the_current_project() {
    let sandbox = Sandbox::new().file(".nudge/config.toml", "[project]\nname = \"engine\"\n");
    remember(&sandbox, used("t1", bash("make engine")));
    let mut client = Client::new(&sandbox);
    let output = client.call_json("recent_context", json!({}));
    assert_eq!((ids(&output), &output[0]["project"]), (vec![1], &json!("engine")));
    assert_eq!(ids(&client.call_json("search", json!({ "query": "make" }))), [1]);
    assert_eq!(client.call_json("search", json!({ "query": "make", "project": "project" })), json!([]));
}

#[test]
fn without_a_project_all_projects_are_searched() {
    let sandbox = remembered();
    let home = sandbox.beside("home");
    let sandbox = sandbox.from(home.to_str().expect("UTF-8"));
    let mut client = Client::new(&sandbox);
    assert_eq!(ids(&client.call_json("recent_context", json!({ "limit": 2 }))), [9, 8]);
    assert_eq!(client.call_json("search", json!({ "query": "login" })).as_array().map(Vec::len), Some(4));
}

#[test]
fn queries_are_plain_words_or_fts5() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    let mut found = |query: &str| {
        let mut found = ids(&client.call_json("search", json!({ "query": query })));
        found.sort_unstable();
        found
    };
    assert_eq!(found("how did we publish the parser?"), [7, 8]);
    assert_eq!(found("login AND assertion"), [3]);
    assert_eq!(found("publish OR assertion"), [3, 8]);
    assert_eq!(found("login NOT cargo"), [2]);
    assert_eq!(found("\"login tests\""), [2]);
    assert_eq!(found("assert*"), [3]);
    assert_eq!(found("src/auth.rs"), [4, 5]);
    assert_eq!(found("-> ??? &&"), Vec::<i64>::new());
}

#[test]
fn a_type_and_an_order_are_taken() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    let mut found = |kind: &str, order: &str| {
        ids(&client
            .call_json("search", json!({ "query": "cargo login auth", "obs_type": kind, "order": order })))
    };
    assert_eq!(found("command_error", "relevance"), [3]);
    assert_eq!(found("command_error", "blended"), [3]);
    assert_eq!(found("file_edit", "blended"), [5]);
    assert_eq!(found("mcp_call", "relevance"), Vec::<i64>::new());
}

#[test]
fn limits_have_defaults_and_caps() {
    let sandbox = Sandbox::new();
    remember_commands(&sandbox, 102);
    let mut client = Client::new(&sandbox);
    let mut count = |tool: &str, arguments: Value| client.call_json(tool, arguments).as_array().map(Vec::len);
    assert_eq!(count("search", json!({ "query": "target" })), Some(20));
    assert_eq!(count("search", json!({ "query": "target", "limit": 1000 })), Some(100));
    assert_eq!(count("search", json!({ "query": "target", "limit": 100, "offset": 99 })), Some(3));
    assert_eq!(count("search", json!({ "query": "target", "offset": 5000 })), Some(0));
    assert_eq!(count("recent_context", json!({})), Some(30));
    assert_eq!(count("recent_context", json!({ "limit": 1000 })), Some(100));
    let first = ids(&client.call_json("search", json!({ "query": "target", "limit": 4 })));
    let second = ids(&client.call_json("search", json!({ "query": "target", "limit": 2, "offset": 2 })));
    assert_eq!(first[2..], second);
}

#[test]
fn a_preview_has_120_characters() {
    let sandbox = Sandbox::new();
    let long = format!("grüße {}", "äöü ".repeat(200));
    remember(&sandbox, prompt(&long));
    let mut client = Client::new(&sandbox);
    let output = client.call_json("search", json!({ "query": "grüße" }));
    let preview: String = long.chars().take(120).collect();
    assert_eq!(output[0]["content_preview"], preview);
}

/// The seed's table of errors, and what else a caller can get wrong.
#[test]
fn mistakes_are_answered_in_a_sentence() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    let mut check = |tool: &str, arguments: Value, expected: Expect| {
        expected.assert_eq(&client.refused(tool, arguments));
    };
    check(
        "search",
        json!({ "query": "say \"hello" }),
        expect![[
            r#"malformed query: the quote at character 5 is never closed; add a `"` after the phrase, or leave it out"#
        ]],
    );
    check("search", json!({}), expect!["`query` is required: what to look for"]);
    check("search", json!({ "query": "a", "limit": 0 }), expect!["`limit` must be at least 1, not 0"]);
    check("search", json!({ "query": "a", "limit": -3 }), expect!["`limit` must be at least 1, not -3"]);
    check(
        "search",
        json!({ "query": "a", "obs_type": "comand" }),
        expect![[
            r#"`obs_type` must be one of file_read, file_write, file_edit, command, command_error, search, user_prompt, session_start, session_end, mcp_call, outcome, summary, not "comand""#
        ]],
    );
    check("get_observations", json!({ "ids": [] }), expect!["ids array must not be empty"]);
    check(
        "get_observations",
        json!({ "ids": true }),
        expect!["`ids` must be a list of whole numbers, not true"],
    );
    check("timeline", json!({ "anchor": 999 }), expect!["anchor observation not found"]);
    check(
        "timeline",
        json!({ "anchor": "four" }),
        expect![[r#"`anchor` must be a whole number, not "four""#]],
    );
    check("recent_context", json!({ "limit": 0 }), expect!["`limit` must be at least 1, not 0"]);
    check(
        "recent_context",
        json!({ "project": 5 }),
        expect![
            "`project` must be the name of a project, null for all projects, or absent for the current one, not 5"
        ],
    );
}

#[test]
fn nothing_found_is_an_empty_list() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    assert_eq!(client.call_json("search", json!({ "query": "zeppelin" })), json!([]));
    assert_eq!(client.call_json("get_observations", json!({ "ids": [999] })), json!([]));
}

#[test]
fn before_the_first_event_every_list_is_empty_and_no_file_is_made() {
    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    assert_eq!(client.call_json("search", json!({ "query": "login" })), json!([]));
    assert_eq!(client.call_json("get_observations", json!({ "ids": [1] })), json!([]));
    assert_eq!(client.call_json("recent_context", json!({})), json!([]));
    assert_eq!(client.refused("timeline", json!({ "anchor": 1 })), "anchor observation not found");
    drop(client.end());
    assert!(!sandbox.data_folder().exists());
}

#[test]
fn a_running_server_sees_what_happens_meanwhile() {
    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    assert_eq!(client.call_json("recent_context", json!({})), json!([]));
    remember(&sandbox, used("t1", write("a.rs", "fn a() {}")));
    assert_eq!(ids(&client.call_json("recent_context", json!({}))), [1]);
    remember(&sandbox, used("t2", bash("cargo build")));
    assert_eq!(ids(&client.call_json("search", json!({ "query": "build" }))), [2]);
}

#[test]
fn a_database_that_cannot_be_used_is_a_sentence_without_a_path() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.data_folder()).expect("a data folder");
    let database = rusqlite::Connection::open(sandbox.data_folder().join("nudge.db")).expect("a file");
    database.execute_batch("CREATE TABLE theirs (x)").expect("a database of another program");
    drop(database);
    let mut client = Client::new(&sandbox);
    for (tool, arguments) in questions() {
        let sentence = client.refused(tool, arguments);
        assert!(!sentence.contains(sandbox.data_folder().to_str().expect("UTF-8")), "{sentence}");
        expect!["the file is a database of another program; check what `NUDGE_DB` names"]
            .assert_eq(&sentence);
    }
}

#[test]
fn a_damaged_database_is_moved_away_and_the_question_is_answered() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.data_folder()).expect("a data folder");
    let text = "not a database, but long enough to be one".repeat(200);
    std::fs::write(sandbox.data_folder().join("nudge.db"), &text).expect("a damaged file");
    let mut client = Client::new(&sandbox);
    assert_eq!(client.call_json("search", json!({ "query": "a" })), json!([]));
    let kept = std::fs::read_dir(sandbox.data_folder()).expect("a folder").flatten();
    let kept: Vec<_> =
        kept.filter(|entry| entry.file_name().to_string_lossy().starts_with("nudge.db.damaged-")).collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(std::fs::read_to_string(kept[0].path()).expect("a file"), text);
}

fn questions() -> [(&'static str, Value); 4] {
    [
        ("search", json!({ "query": "a" })),
        ("get_observations", json!({ "ids": [1] })),
        ("timeline", json!({ "anchor": 1 })),
        ("recent_context", json!({})),
    ]
}
