//! What the memory stores: every event once, even if a process is killed, locked out or out of disk space.

use std::fs;
use std::process::Command;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::payload::{self, Payload, bash, edit, event, prompt, tool, write};
use crate::sandbox::Sandbox;

/// A tool call that has happened, with an id of its own.
fn done(payload: Payload, id: &str) -> Payload {
    payload.after().with("tool_use_id", id)
}

fn failed(command: &str, error: &str, id: &str) -> Payload {
    bash(command)
        .with("hook_event_name", "PostToolUseFailure")
        .with("tool_use_id", id)
        .with("error", error)
        .with("duration_ms", 44)
}

impl Sandbox {
    /// Ends the turn, which stores the waiting events in the database.
    pub(crate) fn end_turn(&self) {
        self.hook("claude-code", payload::silent_stop());
    }

    fn database(&self) -> Connection {
        Connection::open(self.data_folder().join("nudge.db")).expect("a database")
    }

    /// Returns every observation as one line: type, tool, path, content, metadata without what differs.
    pub(crate) fn remembered(&self) -> Vec<String> {
        let connection = self.database();
        let sql = "SELECT obs_type, tool_name, file_path, content, metadata FROM observations ORDER BY id";
        let mut statement = connection.prepare(sql).expect("a table");
        let rows = statement.query_map([], |row| {
            let [tool, path, metadata]: [Option<String>; 3] = [row.get(1)?, row.get(2)?, row.get(4)?];
            let metadata: Value =
                metadata.map_or(json!({}), |text| serde_json::from_str(&text).expect("JSON"));
            let (kind, content): (String, String) = (row.get(0)?, row.get(3)?);
            Ok(format!(
                "{kind} {} {} {content:?} {metadata}",
                tool.unwrap_or_default(),
                path.unwrap_or_default()
            ))
        });
        rows.expect("rows").map(|row| row.expect("a row")).collect()
    }

    fn count(&self) -> usize {
        self.database().query_row("SELECT count(*) FROM observations", [], |row| row.get(0)).expect("a count")
    }
}

#[test]
fn each_event_becomes_what_the_contract_says() {
    let sandbox = Sandbox::new();
    let events = [
        event("SessionStart").with("source", "startup"),
        prompt("please <private>my salary is 5</private> fix the login").with("prompt_id", "p1"),
        prompt("<task-notification>done</task-notification>").with("prompt_id", "p2"),
        done(bash("cargo build"), "t1")
            .with("tool_response", json!({ "stdout": "ok", "stderr": "" }))
            .with("duration_ms", 7),
        failed(
            "cargo test",
            "Exit code 101\nrunning 1 test\nerror: test failed, to rerun pass `--lib`",
            "t2",
        ),
        done(bash("git commit -m x"), "t3")
            .with("tool_response", json!({ "stdout": "[main 1a2b3c4] fix the login\n 1 file changed" })),
        done(tool("Read", json!({ "file_path": "src/a.rs" })), "t4"),
        done(write("src/a.rs", "one\ntwo\n"), "t5"),
        done(edit("src/a.rs", "one\nsame", "uno\nsame"), "t6"),
        done(tool("Grep", json!({ "pattern": "login", "path": "src" })), "t7")
            .with("tool_response", json!({ "numFiles": 3 })),
        done(tool("WebFetch", json!({ "url": "https://docs.rs/x", "prompt": "sum up" })), "t8"),
        done(tool("mcp__memory__recall", json!({ "query": "abc" })), "t9"),
        tool("mcp__memory__recall", json!({ "query": "abc" }))
            .with("hook_event_name", "PostToolUseFailure")
            .with("tool_use_id", "t10")
            .with("error", "no such memory"),
        done(
            tool(
                "Agent",
                json!({ "description": "look around", "prompt": "do", "subagent_type": "Explore" }),
            ),
            "t11",
        ),
        done(tool("TaskCreate", json!({ "subject": "S" })), "t12"),
        event("Notification").with("message", "hello"),
        prompt("and the logout").with("prompt_id", "p1"),
        payload::stop("I fixed the login.\n<private>for 5 euros</private>\nThe tests pass.")
            .with("prompt_id", "p1"),
        event("PostCompact").with("trigger", "manual").with("compact_summary", "The login works."),
        event("SessionEnd").with("reason", "other"),
    ];
    for event in events {
        sandbox.hook("claude-code", event);
    }
    expect_test::expect![[r#"
        session_start   "session started (startup)" {"cause":"startup","harness":"claude-code"}
        user_prompt   "please  fix the login" {"harness":"claude-code"}
        command Bash  "cargo build" {"command":"cargo build","exit_code":0,"duration_ms":7,"harness":"claude-code","tool_use_id":"t1"}
        command_error Bash  "cargo test\nrunning 1 test\nerror: test failed, to rerun pass `--lib`" {"command":"cargo test","exit_code":101,"duration_ms":44,"harness":"claude-code","tool_use_id":"t2"}
        command Bash  "git commit -m x\n1a2b3c4 fix the login" {"command":"git commit -m x","exit_code":0,"kind":"git_commit","commit":"1a2b3c4","subject":"fix the login","harness":"claude-code","tool_use_id":"t3"}
        file_read Read src/a.rs "src/a.rs" {"harness":"claude-code","tool_use_id":"t4"}
        file_write Write src/a.rs "src/a.rs: 2 lines" {"bytes":8,"hash":"7b9c7bc72169cef7","harness":"claude-code","tool_use_id":"t5"}
        file_edit Edit src/a.rs "src/a.rs: one → uno" {"harness":"claude-code","tool_use_id":"t6"}
        search Grep  "login in src (3 hits)" {"hits":3,"harness":"claude-code","tool_use_id":"t7"}
        search WebFetch  "https://docs.rs/x" {"kind":"web","harness":"claude-code","tool_use_id":"t8"}
        mcp_call mcp__memory__recall  "memory recall query=abc" {"server":"memory","mcp_tool":"recall","harness":"claude-code","tool_use_id":"t9"}
        command_error mcp__memory__recall  "memory recall query=abc\nno such memory" {"server":"memory","mcp_tool":"recall","harness":"claude-code","tool_use_id":"t10"}
        command Agent  "Explore: look around" {"kind":"agent","harness":"claude-code","tool_use_id":"t11"}
        summary TaskCreate  "[ ] S" {"kind":"todo","todo":{"some":[{"text":"S","state":null}]},"harness":"claude-code","tool_use_id":"t12"}
        user_prompt   "and the logout" {"harness":"claude-code"}
        outcome   "I fixed the login.\n\nThe tests pass." {"harness":"claude-code"}
        summary   "The login works." {"harness":"claude-code"}
        session_end   "session ended (other)" {"cause":"other","harness":"claude-code"}"#]].assert_eq(&sandbox.remembered().join("\n"));
}

#[test]
fn an_event_that_arrives_twice_is_stored_once() {
    let sandbox = Sandbox::new();
    for _ in 0..2 {
        sandbox.hook("claude-code", done(bash("ls"), "t1"));
        sandbox.hook("claude-code", prompt("hello").with("prompt_id", "p1"));
        sandbox.hook("claude-code", payload::stop("done").with("prompt_id", "p1"));
    }
    sandbox.hook("claude-code", done(bash("ls"), "t2"));
    sandbox.end_turn();
    assert_eq!(sandbox.count(), 4);
}

#[test]
fn a_second_look_at_the_same_file_adds_nothing_new() {
    let sandbox = Sandbox::new();
    let read = |path: &str, id: &str| done(tool("Read", json!({ "file_path": path })), id);
    for (path, id) in [("a.rs", "t1"), ("a.rs", "t2"), ("b.rs", "t3")] {
        sandbox.hook("claude-code", read(path, id));
    }
    sandbox.hook("claude-code", read("a.rs", "t4").session("session-2"));
    sandbox.end_turn();
    assert_eq!(sandbox.count(), 3);
}

#[test]
fn a_block_is_remembered_and_guidance_is_noted() {
    let sandbox = Sandbox::new().rule(
        "a.yaml",
        "version: 1\nrules:\n  \
         - { name: no, on: { hook: PreToolUse, tool: Write }, match: { content: BAD }, action: interrupt, message: 'never BAD' }\n  \
         - { name: hm, on: { hook: PostToolUse, tool: Bash }, action: continue, message: 'mind the gap' }\n",
    );
    sandbox.hook("claude-code", write("a.ts", "BAD"));
    sandbox.hook("claude-code", done(bash("ls"), "t9"));
    sandbox.end_turn();
    expect_test::expect![[r#"
        command_error Write a.ts "blocked by a rule: Write a.ts\nnever BAD" {"kind":"rule","rule":"no","harness":"claude-code","tool_use_id":"t1"}
        command Bash  "ls" {"command":"ls","exit_code":0,"harness":"claude-code","tool_use_id":"t9","guided":"mind the gap","rule":"hm"}"#]]
    .assert_eq(&sandbox.remembered().join("\n"));
}

#[test]
fn worktrees_of_one_repository_share_a_project() {
    let sandbox = Sandbox::new();
    let git = |folder: &str, args: &[&str]| {
        let done =
            Command::new("git").args(args).current_dir(sandbox.path(folder)).output().expect("git runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    fs::remove_dir(sandbox.path(".git")).expect("an empty folder");
    git("", &["init", "-q", "-b", "main"]);
    git("", &["-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "first"]);
    git("", &["worktree", "add", "-q", "../elsewhere/tree", "-b", "topic"]);
    sandbox.hook("claude-code", done(bash("ls"), "t1"));
    let tree = sandbox.beside("elsewhere/tree");
    sandbox.hook("claude-code", done(bash("pwd"), "t2").cwd(tree.to_str().expect("UTF-8")));
    sandbox.end_turn();
    let sql = "SELECT name, metadata ->> '$.branch' FROM observations JOIN projects ON projects.id = project_id ORDER BY observations.id";
    let connection = sandbox.database();
    let mut statement = connection.prepare(sql).expect("tables");
    let rows: Vec<(String, String)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("rows")
        .map(|row| row.expect("a row"))
        .collect();
    assert_eq!(rows, [("project".into(), "main".into()), ("project".into(), "topic".into())]);
    let projects: usize =
        connection.query_row("SELECT count(*) FROM projects", [], |row| row.get(0)).expect("a count");
    assert_eq!(projects, 1);
}

/// The agents are recognised by their payloads, since the command line does not name them.
#[test]
fn recorded_events_of_other_agents_are_stored_where_they_are_understood_and_never_an_error() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let sandbox = Sandbox::new();
    for agent in ["codex", "gemini"] {
        let mut paths: Vec<_> =
            fs::read_dir(folder.join(agent)).expect("payloads").flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        paths.sort();
        for path in paths {
            let ran = sandbox.run_with(["record"], &fs::read(&path).expect("a payload"));
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", path.display());
        }
    }
    expect_test::expect![[r#"
        command Bash  "echo boom >&2; exit 3" {"command":"echo boom >&2; exit 3","harness":"codex","tool_use_id":"call_1_1"}
        command Bash  "echo hi > a.txt; cat a.txt" {"command":"echo hi > a.txt; cat a.txt","harness":"codex","tool_use_id":"call_0_0"}
        command Bash  "ls" {"command":"ls","harness":"codex","agent_id":"01a1e073-e111-7000-8000-000000000001","tool_use_id":"call_2_1"}
        file_write apply_patch n.txt "n.txt: 1 line" {"bytes":6,"hash":"a9bc80cca21f28b3","harness":"codex","tool_use_id":"call_2_1"}
        file_edit apply_patch a.txt "a.txt: two → TWO" {"harness":"codex","tool_use_id":"call_2_1"}
        command spawn_agent  "tester: TASK: 1" {"kind":"agent","harness":"codex","tool_use_id":"call_2_1"}
        session_end   "session ended (other)" {"cause":"other","harness":"claude-code"}
        session_start   "session started (startup)" {"cause":"startup","harness":"claude-code"}
        outcome   "hello" {"harness":"codex"}
        user_prompt   "run the test" {"harness":"codex"}
        outcome   "t2" {"harness":"gemini-cli"}
        search glob  "*.txt" {"harness":"gemini-cli"}
        search grep_search  "one" {"harness":"gemini-cli"}
        command invoke_agent  "tester: TASK: 1" {"kind":"agent","harness":"gemini-cli"}
        mcp_call mcp_nudge_search  "nudge search query=x" {"server":"nudge","mcp_tool":"search","harness":"gemini-cli"}
        file_read read_file a.txt "a.txt" {"harness":"gemini-cli"}
        file_edit replace a.txt "a.txt: two → TWO" {"harness":"gemini-cli"}
        command_error run_shell_command  "echo boom >&2; exit 3\nboom" {"command":"echo boom >&2; exit 3","exit_code":3,"harness":"gemini-cli"}
        command run_shell_command  "echo fine" {"command":"echo fine","exit_code":0,"harness":"gemini-cli"}
        file_write write_file a.txt "a.txt: 1 line" {"bytes":6,"hash":"1de3c22c41962d6d","harness":"gemini-cli"}
        user_prompt   "run the test" {"harness":"gemini-cli"}
        session_end   "session ended (exit)" {"cause":"exit","harness":"gemini-cli"}
        session_start   "session started (startup)" {"cause":"startup","harness":"gemini-cli"}"#]].assert_eq(&sandbox.remembered().join("\n"));
}
