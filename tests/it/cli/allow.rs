//! `nudge allow`: a person at a terminal allows one call once, and nobody else can.

#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;

use expect_test::expect;
use serde_json::{Value, json};

use crate::payload::{Payload, bash, silent_stop, tool};
use crate::person::Terminal;
use crate::sandbox::{Sandbox, rules};

const ASK: &str =
    "{ name: ask-first, on: { hook: PreToolUse }, match: { content: deploy }, action: ask, message: Ask. }";

/// A sandbox in which a call was refused.
fn refused(payload: Payload) -> Sandbox {
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[ASK]));
    assert!(sandbox.hook("claude-code", bypassing(payload)).blocks());
    sandbox
}

fn bypassing(payload: Payload) -> Payload {
    payload.with("permission_mode", "bypassPermissions")
}

fn passes(sandbox: &Sandbox, payload: Payload) -> bool {
    !sandbox.hook("claude-code", bypassing(payload)).blocks()
}

/// A person says yes.
fn allow(sandbox: &Sandbox) -> String {
    let mut terminal = Terminal::run(sandbox, &["allow"]);
    terminal.shows("[y/N] ", 1).types("y\n");
    let (code, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    seen
}

fn listed(sandbox: &Sandbox) -> Vec<Value> {
    let list = sandbox.run(["allow", "--list", "--json"]).code(0).json();
    list["items"].as_array().expect("a list").clone()
}

#[test]
fn a_person_allows_exactly_this_call_once() {
    let sandbox = refused(bash("deploy --now"));
    let seen = allow(&sandbox);
    assert!(seen.contains("deploy --now") && seen.contains("`ask-first`"), "{seen}");
    let state = |sandbox: &Sandbox| listed(sandbox)[0]["state"].clone();
    assert_eq!(state(&sandbox), "allowed");
    // Another command, another tool and another input are other calls.
    let others = [
        bash("deploy --now --all"),
        tool("Bash", json!({ "command": "deploy --now", "run_in_background": true })),
        tool("mcp__shell__run", json!({ "command": "deploy --now" })),
    ];
    for other in others {
        assert!(!passes(&sandbox, other));
    }
    // An agent words the purpose of the same command in another way.
    let again = || tool("Bash", json!({ "command": "deploy --now", "description": "again" }));
    assert!(passes(&sandbox, again()));
    let why = sandbox.run(["why"]).stdout.clone();
    assert!(why.contains("a person had allowed this call once"), "{why}");
    assert!(!passes(&sandbox, again()), "once");
    let stats = sandbox.run(["rules", "--stats", "--json"]).code(0).json();
    assert_eq!((&stats["items"][0]["name"], &stats["items"][0]["allowed"]), (&json!("ask-first"), &json!(1)));
}

#[test]
fn another_project_and_another_agent_are_not_allowed() {
    let sandbox = refused(bash("deploy"));
    sandbox.put("other/.nudge.yaml", rules(&[ASK]));
    allow(&sandbox);
    assert!(!passes(&sandbox, bash("deploy").with("cwd", "other")));
    let codex = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "turn_id": "t", "model": "m",
        "tool_name": "Bash", "tool_input": { "command": "deploy", "description": "a command" },
        "cwd": sandbox.path("") });
    let reply = sandbox.hook_bytes("codex", codex.to_string().as_bytes()).json();
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny");
    assert!(passes(&sandbox, bash("deploy")));
}

#[test]
fn an_agent_that_asks_does_not_ask_about_what_is_allowed() {
    let sandbox = refused(bash("deploy"));
    allow(&sandbox);
    sandbox.hook("claude-code", bash("deploy")).reply(expect!["nothing"]);
}

#[test]
fn of_many_hooks_at_once_one_uses_the_permission() {
    let sandbox = refused(bash("deploy"));
    allow(&sandbox);
    let hooks: Vec<_> = (0..12).map(|_| sandbox.start_hook(bypassing(bash("deploy")))).collect();
    let answers = hooks.into_iter().map(|hook| hook.wait_with_output().expect("the hook ends").stdout);
    assert_eq!(answers.filter(Vec::is_empty).count(), 1);
}

#[test]
fn nobody_but_a_person_at_a_terminal_can_allow() {
    let sandbox = refused(bash("deploy"));
    sandbox.run(["allow"]).code(1).stderr(expect![[r#"
        error: only a person can allow a call, and nobody is at a terminal here
        hint: run `nudge allow` yourself, in a terminal of your own
    "#]]);
    let variables = [
        ("CLAUDECODE", "Claude Code"),
        ("CODEX_THREAD_ID", "Codex"),
        ("CODEX_SANDBOX", "Codex"),
        ("GEMINI_CLI", "Gemini CLI"),
        ("CURSOR_AGENT", "Cursor"),
        ("OPENCODE", "OpenCode"),
        ("COPILOT_CLI", "GitHub Copilot CLI"),
        ("AI_AGENT", "an agent"),
    ];
    for (variable, agent) in variables {
        let mut inside = refused(bash("deploy"));
        inside = inside.env(variable, "1");
        let (code, seen) = Terminal::run(&inside, &["allow"]).end();
        assert_eq!(code, Some(1), "{seen}");
        assert!(seen.contains(&format!("{agent} runs it (`{variable}` is set)")), "{seen}");
        assert!(!seen.contains("[y/N]"), "{seen}");
    }
    assert!(!passes(&sandbox, bash("deploy")));
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_above_the_process_is_found_without_variables() {
    let sandbox = refused(bash("deploy"));
    let program = sandbox.beside("codex");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/bin/sh", &program).expect("a link");
    let mut command = sandbox.command(program.to_str().expect("UTF-8"));
    command.args(["-c", &format!("{} allow; exit $?", env!("CARGO_BIN_EXE_nudge"))]);
    let ran = sandbox.ran(&command.output().expect("the shell runs"));
    ran.code(1).stderr(expect![[r#"
        error: only a person can allow a call, and Codex runs it (its process is above this one)
        hint: run `nudge allow` yourself, in a terminal of your own
    "#]]);
}

#[test]
fn without_a_yes_it_stays_refused() {
    for answer in ["n\n", "\n", "\u{4}", "always\n"] {
        let sandbox = refused(bash("deploy"));
        let mut terminal = Terminal::run(&sandbox, &["allow"]);
        terminal.shows("[y/N] ", 1).types(answer);
        assert_eq!(terminal.end().0, Some(1));
        assert!(!passes(&sandbox, bash("deploy")));
    }
}

#[test]
fn of_several_calls_a_person_chooses_one() {
    let sandbox = refused(bash("deploy one"));
    assert!(!passes(&sandbox, bash("deploy two")));
    let mut terminal = Terminal::run(&sandbox, &["allow"]);
    terminal.shows("Which one?", 1).types("9\n");
    assert_eq!(terminal.end().0, Some(0));
    let id =
        listed(&sandbox).iter().find(|one| one["input"] == "deploy one").expect("it waits")["id"].clone();
    let mut terminal = Terminal::run(&sandbox, &["allow", &id.as_str().expect("an id")[..8]]);
    terminal.shows("[y/N] ", 1).types("yes\n");
    assert_eq!(terminal.end().0, Some(0));
    assert!(!passes(&sandbox, bash("deploy two")));
    assert!(passes(&sandbox, bash("deploy one")));
}

#[test]
fn a_permission_can_be_taken_back() {
    let sandbox = refused(bash("deploy"));
    allow(&sandbox);
    let revoked = sandbox.run(["allow", "--revoke", "all", "--json"]).json();
    assert_eq!(revoked["revoked"].as_array().map(Vec::len), Some(1));
    assert!(!passes(&sandbox, bash("deploy")));
    sandbox.run(["allow", "--revoke", "feed"]).code(1).stderr(expect![[r#"
        error: no call waits under `feed`
        hint: `nudge allow --list` shows what waits
    "#]]);
}

#[test]
fn a_permission_ends_after_ten_minutes_and_cannot_be_lengthened() {
    let sandbox = refused(bash("deploy"));
    allow(&sandbox);
    let id = listed(&sandbox)[0]["id"].as_str().expect("an id").to_owned();
    let file = sandbox.data_folder().join(format!("allow/granted/{id}.json"));
    let text = std::fs::read_to_string(&file).expect("a permission");
    let set = |since: i64, until: i64| {
        let mut grant: Value = serde_json::from_str(&text).expect("JSON");
        let given = grant["since"].as_i64().expect("seconds");
        (grant["since"], grant["until"]) = (json!(given + since), json!(given + until));
        std::fs::write(&file, grant.to_string()).expect("written");
    };
    for (since, until) in [(-601, -1), (0, 36_000), (100, 600)] {
        set(since, until);
        assert_eq!(listed(&sandbox).iter().filter(|one| one["state"] == "allowed").count(), 0);
        assert!(!passes(&sandbox, bash("deploy")), "{since} {until}");
    }
}

#[test]
fn files_are_private_and_broken_ones_open_nothing() {
    let sandbox = refused(bash("deploy"));
    allow(&sandbox);
    let id = listed(&sandbox)[0]["id"].as_str().expect("an id").to_owned();
    let folder = sandbox.data_folder().join("allow/granted");
    let file = folder.join(format!("{id}.json"));
    let mode = |path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&folder)), (0o600, 0o700));
    let text = std::fs::read(&file).expect("a permission");
    let open = std::fs::Permissions::from_mode(0o666);
    std::fs::set_permissions(&file, open).expect("changed");
    assert!(!passes(&sandbox, bash("deploy")), "others can write to it");
    for broken in [&b"{}"[..], b"\xff\xfe", b"", b"[[[[", &text[..text.len() / 2]] {
        std::fs::write(&file, broken).expect("written");
        assert!(!passes(&sandbox, bash("deploy")), "{broken:?}");
    }
    std::fs::create_dir(&file).expect("a folder in its place");
    assert!(!passes(&sandbox, bash("deploy")));
    sandbox.run(["allow", "--list"]).code(0);
}

#[test]
fn what_a_person_reads_is_redacted_and_cannot_act_on_the_terminal() {
    let hostile =
        "deploy \u{1b}[2J\u{1b}]0;x\u{7} --token ghp_abcdefghijklmnopqrstuvwxyz0123456789 \u{202e}evil";
    let sandbox = refused(bash(hostile));
    let input = listed(&sandbox)[0]["input"].as_str().expect("an input").to_owned();
    assert!(!input.contains("ghp_") && !input.contains('\u{1b}') && !input.contains('\u{202e}'), "{input}");
    let mut terminal = Terminal::run(&sandbox, &["allow"]);
    terminal.shows("[y/N] ", 1).types("n\n");
    let (_, seen) = terminal.end();
    assert!(!seen.contains("\u{1b}[2J") && !seen.contains("\u{1b}]0;"), "{seen:?}");
    // A permission for a redacted call is for the call itself.
    allow(&sandbox);
    assert!(!passes(&sandbox, bash(&hostile.replace("6789", "6780"))));
    assert!(passes(&sandbox, bash(hostile)));
}

#[test]
fn a_huge_call_is_cut_and_says_so() {
    let sandbox = refused(bash(&format!("deploy {}", "x".repeat(200_000))));
    let call = &listed(&sandbox)[0];
    assert!(call["cut"].as_u64() > Some(100_000), "{}", call["cut"]);
    let mut terminal = Terminal::run(&sandbox, &["allow"]);
    terminal.shows("characters that are not shown", 1).types("n\n");
    terminal.end();
}

#[test]
fn every_permission_is_remembered() {
    let sandbox = refused(bash("deploy"));
    allow(&sandbox);
    sandbox.hook("claude-code", silent_stop());
    let rows = sandbox.run(["search", "allowed", "--json"]).json();
    let row = &rows["items"][0];
    assert_eq!(row["content_preview"], "allowed once: Bash deploy", "{rows}");
    assert_eq!(row["kind"], "allowed");
}

#[test]
fn forgetting_leaves_no_call_that_waits() {
    let sandbox = refused(bash("deploy"));
    sandbox.hook("claude-code", silent_stop());
    sandbox.run(["forget", "--query", "deploy", "--yes"]).code(0);
    assert!(listed(&sandbox).is_empty());
}
