//! `nudge why`: what hooks record about events, what is shown of it, and that it harms nobody.

use std::fs;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::memory::guide::assert_prints;
use crate::memory::scene::{failed, files_with, play, remembered, story};
use crate::payload::{bash, event, prompt, write};
use crate::sandbox::{BLOCK_TODO, Ran, Sandbox, rules};

const RULES: &str = "\
version: 1
rules:
  - name: no-todo
    on: { hook: PreToolUse, tool: Write }
    match: { content: TODO }
    action: interrupt
    message: Do it now.
  - name: mind-the-api
    on: { hook: PreToolUse, tool: Write, file: 'api/**' }
    match: { content: route }
    action: continue
    message: Describe the route.
  - name: no-force
    on: { hook: PreToolUse, tool: Bash }
    match: { content: push --force }
    action: interrupt
    message: Never.
";

/// Names what differs from run to run.
pub(crate) fn timeless(text: &str) -> String {
    let mut text = text.to_owned();
    for (pattern, name) in [
        (r"@[0-9a-f]{6}", "@3f9a1c"),
        (r"  +\d+(\.\d)? ms\b", "  4 ms"),
        (r"\d+(\.\d)? ms\b", "4 ms"),
        (r"past \(\d+\)", "past (N)"),
        (r"sent \d+ characters: past", "sent N characters: past"),
    ] {
        text = regex::Regex::new(pattern).expect("a pattern").replace_all(&text, name).into_owned();
    }
    text
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "an expectation is written where it is used")]
fn shows(ran: &Ran, expected: Expect) {
    expected.assert_eq(&timeless(&ran.code(0).stdout));
}

fn trace_file(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.data_folder().join("nudge.trace.jsonl")
}

fn events(sandbox: &Sandbox) -> Vec<Value> {
    sandbox.run(["why", "--all", "--last", "1000", "--json"]).json()["items"]
        .as_array()
        .expect("a list")
        .clone()
}

#[test]
fn a_refusal_is_explained_with_the_rules_that_were_not_tried() {
    let sandbox = Sandbox::new().file(".nudge.yaml", RULES);
    assert!(sandbox.hook("claude-code", write("src/a.ts", "// TODO")).blocks());
    shows(
        &sandbox.run(["why"]),
        expect![[r#"
            @3f9a1c  just now  PreToolUse Write src/a.ts
                blocked in 4 ms (claude-code, session session-)
                rule `no-todo` fired: it blocks
                sent 43 characters: rules (43)
                remembered: 1 observation
                The other rules of today (reconstructed from the names that were kept):
                rule `mind-the-api` was not tried: its `on.file` is `api/**`  .nudge.yaml:8:5
                rule `no-force` was not tried: its `on.tool` is `Bash`  .nudge.yaml:13:5
        "#]],
    );
}

#[test]
fn guidance_silence_and_other_rules_are_shown() {
    let sandbox = Sandbox::new().file(".nudge.yaml", RULES);
    sandbox.hook("claude-code", write("api/a.ts", "route()"));
    sandbox.hook("claude-code", bash("ls -l"));
    sandbox.hook("claude-code", prompt("hello"));
    shows(
        &sandbox.run(["why"]),
        expect![[r#"
            @3f9a1c  just now  PreToolUse Write api/a.ts
                context added in 4 ms (claude-code, session session-)
                rule `mind-the-api` fired: it guides
                rule `no-todo` did not fire: its `match.content` is not found
                sent 57 characters: rules (57)
                nothing in it to remember
            @3f9a1c  just now  PreToolUse Bash `ls -l`
                allowed in 4 ms (claude-code, session session-)
                rule `no-force` did not fire: its `match.content` is not found
                nothing in it to remember
            @3f9a1c  just now  UserPromptSubmit
                allowed in 4 ms (claude-code, session session-)
                no rule was for it
                remembered: 1 observation
        "#]],
    );
    let id = events(&sandbox)[1]["id"].as_str().expect("an id").to_owned();
    shows(
        &sandbox.run(["why", &id]),
        expect![[r#"
            @3f9a1c  just now  PreToolUse Bash `ls -l`
                allowed in 4 ms (claude-code, session session-)
                rule `no-force` did not fire: its `match.content` is not found
                nothing in it to remember
                The other rules of today (reconstructed from the names that were kept):
                rule `no-todo` was not tried: its `on.tool` is `Write`  .nudge.yaml:3:5
                rule `mind-the-api` was not tried: its `on.tool` is `Write`  .nudge.yaml:8:5
        "#]],
    );
    sandbox.run(["why", "@ffffff0"]).code(1).stderr(expect![[r#"
        error: no event `@ffffff0` is kept
        hint: `nudge why --all` lists what is kept; only the last events are
    "#]]);
}

#[test]
fn a_rule_that_came_later_is_called_new() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("git push --force"));
    sandbox.put(".nudge.yaml", RULES);
    shows(
        &sandbox.run(["why"]),
        expect![[r#"
            @3f9a1c  just now  PreToolUse Bash `git push --force`
                allowed in 4 ms (claude-code, session session-)
                no rule was for it
                nothing in it to remember
                The other rules of today (reconstructed from the names that were kept):
                rule `no-todo` was not tried: its `on.tool` is `Write`  .nudge.yaml:3:5
                rule `mind-the-api` was not tried: its `on.tool` is `Write`  .nudge.yaml:8:5
                rule `no-force` was not tried then: it is new, or was changed since  .nudge.yaml:13:5
        "#]],
    );
}

#[test]
fn context_from_the_past_is_shown() {
    let sandbox = remembered();
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session("next"));
    shows(
        &sandbox.run(["why", "--session", "next"]),
        expect![[r#"
            @3f9a1c  just now  SessionStart
                context added in 4 ms (claude-code, session next)
                no rule was for it
                sent N characters: past (N) from #4 #5
                remembered: 1 observation
        "#]],
    );
    let again = failed("cargo build", "Exit code 101\nerror: linking with `cc` failed: cannot find -lssl");
    sandbox.hook("claude-code", again.session("next"));
    let last = events(&sandbox).pop().expect("an event");
    assert_eq!(last["parts"][0]["part"], "past", "{last}");
}

#[test]
fn an_event_that_was_lost_or_not_remembered_is_said() {
    let sandbox = Sandbox::new();
    sandbox.hook_bytes("claude-code", b"{ this is not JSON");
    let spool = sandbox.data_folder().join("nudge.spool");
    fs::create_dir_all(spool.parent().expect("a folder")).expect("a folder");
    fs::write(&spool, "in the way").expect("a file");
    sandbox.hook("claude-code", prompt("hello"));
    let shown = sandbox.run(["why"]).stdout;
    assert!(shown.contains("lost in") && shown.contains("an event of claude-code was lost"), "{shown}");
    assert!(shown.contains("not remembered: an event could not be remembered"), "{shown}");
    let said = sandbox.run(["doctor"]).stdout;
    assert!(said.contains("2 events lost, or not remembered"), "{said}");
}

#[test]
fn other_projects_and_sessions_are_asked_for() {
    let sandbox = Sandbox::new().from("../elsewhere");
    sandbox.run(["why"]).code(0).stderr(expect![[r#"
        no event is kept: an agent's hooks write them, and `nudge forget` removes those of what it deletes
    "#]]);
    sandbox.hook("claude-code", bash("ls").session("one"));
    sandbox.hook("claude-code", bash("ls").session("two"));
    sandbox.run(["why"]).code(0).stdout(expect![""]).stderr(expect![[r#"
        nothing here; of other sessions and projects 2 are kept: try `--all`
    "#]]);
    assert_eq!(sandbox.run(["why", "--all", "--json"]).json()["items"].as_array().map(Vec::len), Some(2));
    let of_one = sandbox.run(["why", "--session", "tw", "--json"]).json();
    assert_eq!(
        (of_one["items"].as_array().map(Vec::len), &of_one["items"][0]["session"]),
        (Some(1), &json!("two"))
    );
}

#[test]
fn no_secret_is_in_the_trace() {
    let sandbox = Sandbox::new().file(".nudge/config.toml", "[redact]\nmine = 'hush-\\w+'");
    let secrets = ["ghp_0123456789abcdefghijklmnopqrstuvwxyzAB", "hunter2hunter2", "hush-mine"];
    let [token, password, own] = secrets;
    // The second one begins before the cut and ends behind it.
    let long = format!("{} {token}", "x".repeat(100));
    for command in [
        &format!("curl -H 'Authorization: Bearer {token}'"),
        &format!("export PASSWORD={password}"),
        own,
        &long,
    ] {
        sandbox.hook("claude-code", bash(command));
        sandbox.hook("claude-code", bash(command).after());
    }
    sandbox.hook("claude-code", write(&format!("{token}.txt"), token));
    sandbox.hook("claude-code", prompt(&format!("my password is {password}")));
    let text = fs::read_to_string(trace_file(&sandbox)).expect("a trace");
    for secret in secrets.iter().flat_map(|secret| [*secret, &secret[..8.min(secret.len())]]) {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    assert_eq!(events(&sandbox).len(), 10);
}

#[test]
fn without_memory_the_trace_has_no_commands() {
    let sandbox = Sandbox::new().file(".nudge/config.toml", "[observations]\nenabled = false");
    sandbox.hook("claude-code", bash("make love").after());
    let event = events(&sandbox).pop().expect("an event");
    assert_eq!((&event["target"], &event["recorded"]), (&Value::Null, &json!("off")), "{event}");
}

#[test]
fn what_is_forgotten_is_in_no_trace_either() {
    let sandbox = remembered();
    assert!(!files_with(&sandbox, "cargo build").is_empty());
    sandbox.run(["forget", "--session", "session-1", "--yes"]).code(0);
    assert_eq!(files_with(&sandbox, "cargo build"), Vec::<std::path::PathBuf>::new());
}

/// Makes the lines of the trace this many days older.
fn age(sandbox: &Sandbox, days: u64) {
    let text = fs::read_to_string(trace_file(sandbox)).expect("a trace");
    let older = |line: &str| {
        let mut trace: Value = serde_json::from_str(line).expect("a whole line");
        trace["at"] = (trace["at"].as_u64().expect("a time") - days * 86_400_000).into();
        format!("{trace}\n")
    };
    fs::write(trace_file(sandbox), text.lines().map(older).collect::<String>()).expect("a file");
}

#[test]
fn the_trace_is_kept_no_longer_than_its_observations() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("make old"));
    age(&sandbox, 3);
    sandbox.hook("claude-code", bash("make new"));
    sandbox.run(["gc"]).code(0);
    assert_eq!(events(&sandbox).len(), 2, "by default it is 90 days");
    sandbox.put_user_settings("[retention]\nfile_read = 2\ncommand = 0\n");
    let said = sandbox.run(["gc", "--dry-run"]).stderr;
    assert!(said.contains("1 line of the trace would go"), "{said}");
    assert_eq!(events(&sandbox).len(), 2, "nothing has gone yet");
    sandbox.run(["gc"]).code(0);
    assert_eq!(files_with(&sandbox, "make old"), Vec::<std::path::PathBuf>::new());
    assert_eq!(events(&sandbox)[0]["target"]["command"], "make new");
}

#[test]
fn a_session_that_starts_deletes_old_lines() {
    let sandbox = Sandbox::new();
    sandbox.put_user_settings("[retention]\nfile_read = 2\n");
    sandbox.hook("claude-code", bash("make old"));
    age(&sandbox, 400);
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup"));
    assert_eq!(events(&sandbox).len(), 2, "the clock alone makes nothing old");
    fs::remove_file(sandbox.data_folder().join("gc.day")).expect("a note");
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup"));
    assert_eq!(files_with(&sandbox, "make old"), Vec::<std::path::PathBuf>::new());
    assert_eq!(events(&sandbox).len(), 2, "the starts themselves are there");
}

#[test]
fn disabling_the_memory_removes_commands_from_older_lines() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("make love"));
    assert!(!files_with(&sandbox, "make love").is_empty());
    sandbox.put(".nudge/config.toml", "[observations]\nenabled = false");
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup"));
    assert_eq!(files_with(&sandbox, "make love"), Vec::<std::path::PathBuf>::new());
    assert_eq!(events(&sandbox).len(), 2, "how long it took is still known");
}

#[test]
fn hooks_that_run_at_once_leave_whole_lines() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let started: Vec<_> = (0..20).map(|number| sandbox.start_hook(bash(&format!("echo {number}")))).collect();
    for hook in started {
        assert!(hook.wait_with_output().expect("the hook ends").status.success());
    }
    let found = sandbox.run(["why", "--last", "100", "--json"]).json();
    let mut commands: Vec<String> = found["items"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["target"]["command"].to_string())
        .collect();
    commands.sort();
    commands.dedup();
    assert_eq!((commands.len(), &found["torn_lines"]), (20, &json!(0)));
}

#[test]
fn a_damaged_trace_costs_only_its_lines() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("first"));
    let mut bytes = fs::read(trace_file(&sandbox)).expect("a trace");
    bytes.extend_from_slice(b"{\"id\": \"torn\n\xff\xfe\0\n[]\n{}\n");
    fs::write(trace_file(&sandbox), bytes).expect("a file");
    sandbox.hook("claude-code", bash("second"));
    let ran = sandbox.run(["why"]);
    assert!(ran.stdout.contains("`first`") && ran.stdout.contains("`second`"), "{}", ran.stdout);
    assert!(ran.stderr.contains("4 lines of the trace could not be read"), "{}", ran.stderr);
    fs::remove_file(trace_file(&sandbox)).expect("the trace");
    fs::create_dir(trace_file(&sandbox)).expect("something in the way");
    sandbox.hook("claude-code", bash("third"));
    let ran = sandbox.run(["why"]);
    let said = "nudge.trace.jsonl: error: the trace can be neither read nor written: ";
    assert!(ran.code(0).stdout(expect![""]).stderr.contains(said), "{}", ran.stderr);
    let ran = sandbox.run(["doctor"]);
    assert!(ran.code(1).stdout.contains(said), "{}", ran.stdout);
}

#[test]
fn torn_lines_are_said_and_dropped_by_the_doctor() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("first"));
    let mut bytes = fs::read(trace_file(&sandbox)).expect("a trace");
    bytes.extend_from_slice(b"{\"id\": \"torn\n\xff\xfe\0\n");
    fs::write(trace_file(&sandbox), bytes).expect("a file");
    let found = sandbox.run(["doctor", "--json"]).code(0).json();
    assert_eq!(
        (&found["hooks"]["torn_lines"], &found["hooks"]["problems"][0]["message"]),
        (&json!(2), &json!("2 lines of the trace cannot be read"))
    );
    assert!(found["hooks"]["problems"][0]["hint"].is_string());
    sandbox.run(["doctor", "--fix"]).code(0);
    assert_eq!(sandbox.run(["doctor", "--json"]).json()["hooks"]["torn_lines"], 0);
    assert_eq!(events(&sandbox).len(), 1);
}

#[cfg(unix)]
#[test]
fn files_of_another_user_are_said() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("ls"));
    // Only root can give a file away; elsewhere there is nothing to try.
    if std::os::unix::fs::chown(trace_file(&sandbox), Some(65_534), None).is_err() {
        return;
    }
    let ran = sandbox.run(["doctor"]);
    let said = "nudge.trace.jsonl: error: this belongs to another user (uid 65534)";
    assert!(ran.code(1).stdout.contains(said), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn the_trace_is_of_its_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("ls"));
    let mode = fs::metadata(trace_file(&sandbox)).expect("a trace").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn many_rules_are_counted_and_those_that_fired_named() {
    let many: Vec<String> = (0..40)
        .map(|number| format!("{{ name: r{number}, on: {{ hook: PreToolUse, tool: Bash }}, match: {{ content: 'w{number}x' }}, action: continue, message: m }}"))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let sandbox = Sandbox::new().file(".nudge.yaml", rules(&many));
    sandbox.hook("claude-code", bash("echo w39x"));
    let event = events(&sandbox).pop().expect("an event");
    assert_eq!(
        (&event["tried"], &event["fired"], event["rules"].as_array().map(Vec::len)),
        (&json!(40), &json!(["r39"]), Some(16))
    );
    assert_eq!(event["rules"][0], json!({ "rule": "r39", "fate": "guided" }));
    assert_eq!(
        event["reconstructed"][0]["why"],
        "may have been tried; of this command today: its `content` is not found"
    );
}

#[test]
fn a_list_of_events_counts_the_rules_that_were_silent() {
    let many: Vec<String> = (0..9)
        .map(|number| format!("{{ name: r{number}, on: {{ hook: PreToolUse, tool: Bash }}, match: {{ content: 'w{number}x' }}, action: continue, message: m }}"))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let sandbox = Sandbox::new().file(".nudge.yaml", rules(&many));
    sandbox.hook("claude-code", bash("echo w8x"));
    sandbox.hook("claude-code", bash("ls"));
    let list = sandbox.run(["why"]);
    assert!(
        list.stdout.contains("rule `r8` fired: it guides\n    8 more rules were tried\n")
            && list.stdout.contains("\n    9 rules were tried\n")
            && !list.stdout.contains("did not fire"),
        "{}",
        list.stdout
    );
    let one = sandbox.run(["why", "--last", "1"]);
    assert_eq!(
        one.stdout.matches("did not fire: its `match.content` is not found").count(),
        9,
        "{}",
        one.stdout
    );
}

#[test]
fn every_command_prints_what_the_guide_says() {
    let sandbox =
        Sandbox::new().file(".nudge.yaml", RULES).file(".nudge/config.toml", "[project]\nname = 'shop'");
    play(&sandbox, story());
    sandbox.hook("claude-code", write("src/a.ts", "// TODO"));
    assert_prints("docs/guide/why.md", &sandbox);
}

#[test]
fn a_role_and_a_gate_that_refuse_are_named() {
    let sandbox = Sandbox::new().file(".nexus/state/.keep", "");
    sandbox.hook("claude-code", write("a.txt", "x").with("agent_id", "a1").with("agent_type", "reviewer"));
    shows(
        &sandbox.run(["why"]),
        expect![[r#"
            @3f9a1c  just now  PreToolUse Write a.txt
                blocked in 4 ms (claude-code, session session-)
                refused by the role `reviewer` of this agent, not by a rule
                no rule was for it
                sent 202 characters: a gate of the project (202)
                remembered: 1 observation
        "#]],
    );
    sandbox.put_user_settings("[nexus]\nedit_gate = true\n");
    sandbox.hook("claude-code", write("a.txt", "x"));
    let why = sandbox.run(["why", "-n", "1"]);
    assert!(why.stdout.contains("refused by the setting `nexus.edit_gate`, not by a rule"), "{}", why.stdout);
    let refused: Vec<Value> = events(&sandbox).iter().map(|event| event["refused_by"].clone()).collect();
    assert_eq!(refused, [json!("role reviewer"), json!("nexus.edit_gate")]);
}

#[test]
fn rules_of_other_events_are_only_counted() {
    let sandbox = Sandbox::new().file(".nudge.yaml", RULES);
    sandbox.hook("claude-code", event("SessionEnd").with("reason", "exit"));
    shows(
        &sandbox.run(["why"]),
        expect![[r#"
            @3f9a1c  just now  SessionEnd
                allowed in 4 ms (claude-code, session session-)
                no rule was for it
                remembered: 1 observation
                3 rules are for other events
        "#]],
    );
    let reconstructed = &events(&sandbox)[0]["reconstructed"];
    assert_eq!(*reconstructed, json!([]));
}

#[test]
fn the_first_key_that_did_not_hold_is_named() {
    let lines = [
        "{ name: other-tool, on: { hook: PreToolUse, tool: Bash }, action: continue, message: m }",
        "{ name: other-file, on: { hook: PreToolUse, file: 'api/**' }, action: continue, message: m }",
        "{ name: other-deed, on: { hook: PreToolUse, file: 'src/**', does: delete }, action: continue, message: m }",
        "{ name: other-text, on: { hook: PreToolUse, tool: Write }, match: { content: TODO }, action: continue, message: m }",
        "{ name: excepted, on: { hook: PreToolUse, tool: Write }, unless: { content: x }, action: continue, message: m }",
        "{ name: other-branch, on: { hook: PreToolUse, tool: Write }, when: { branch: release }, action: continue, message: m }",
        "{ name: too-early, on: { hook: PreToolUse, tool: Write }, after: { tool: Bash }, action: continue, message: m }",
        "{ name: off, on: { hook: PreToolUse, tool: Write }, action: continue, message: m, enabled: false }",
        "{ name: said, on: { hook: PreToolUse, tool: Write }, action: continue, message: m, once: session }",
        "{ name: later, on: { hook: Stop }, action: continue, message: m }",
    ];
    let sandbox = Sandbox::new().file(".nudge.yaml", rules(&lines));
    sandbox.hook("claude-code", write("src/a.ts", "x"));
    sandbox.hook("claude-code", write("src/a.ts", "x"));
    shows(
        &sandbox.run(["why", "-n", "1"]),
        expect![[r#"
            @3f9a1c  just now  PreToolUse Write src/a.ts
                allowed in 4 ms (claude-code, session session-)
                rule `too-early` matched, and waits: its `after` has not happened in this session
                rule `said` matched, and was silent: it speaks once in a session (`once`)
                rule `other-branch` did not fire: its `when: branch` was not true
                rule `other-text` did not fire: its `match.content` is not found
                rule `excepted` did not fire: its `unless` is found
                nothing in it to remember
                The other rules of today (reconstructed from the names that were kept):
                rule `other-tool` was not tried: its `on.tool` is `Bash`  .nudge.yaml:3:5
                rule `other-file` was not tried: its `on.file` is `api/**`  .nudge.yaml:4:5
                rule `other-deed` was not tried: its `on.does` is `delete` for `src/**`  .nudge.yaml:5:5
                rule `off` was not tried: it is disabled  .nudge.yaml:10:5
                1 rule is for other events
        "#]],
    );
}
