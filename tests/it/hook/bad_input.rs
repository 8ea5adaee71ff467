//! Bad input to the hook: it ends with 0, says nothing on stderr, and keeps what went wrong for `nudge doctor`.

use std::process::Stdio;

use expect_test::expect;
use proptest::prelude::{ProptestConfig, any, prop, proptest};

use crate::payload::{event, write};
use crate::sandbox::{BLOCK_TODO, Sandbox};

/// Returns what happens to these bytes: the reply, and what `doctor` reports about it.
#[track_caller]
fn check(
    input: &[u8],
    reply: impl std::borrow::Borrow<expect_test::Expect>,
    logged: impl std::borrow::Borrow<expect_test::Expect>,
) {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    sandbox.hook_bytes("claude-code", input).reply(reply);
    logged.borrow().assert_eq(&log(&sandbox));
}

fn log(sandbox: &Sandbox) -> String {
    let doctor = sandbox.run(["doctor", "--json"]).json();
    let log = doctor["log"].as_array().expect("a log");
    let lines: Vec<&str> = log.iter().filter_map(|one| one["message"].as_str()).collect();
    if lines.is_empty() { "nothing".to_owned() } else { lines.join("\n") }
}

#[test]
fn input_that_is_not_an_event_is_logged() {
    check(b"", expect![["nothing"]], expect!["an event of claude-code was lost: the input is empty"]);
    check(b" \n\t", expect![["nothing"]], expect!["an event of claude-code was lost: the input is empty"]);
    check(
        b"{",
        expect![["nothing"]],
        expect![
            "an event of claude-code was lost: the input is not the expected JSON: EOF while parsing an object at column 1"
        ],
    );
    check(
        b"hello",
        expect![["nothing"]],
        expect!["an event of claude-code was lost: the input is not a JSON object"],
    );
    check(
        b"42",
        expect![["nothing"]],
        expect!["an event of claude-code was lost: the input is not a JSON object"],
    );
    check(
        b"null",
        expect![["nothing"]],
        expect!["an event of claude-code was lost: the input is not a JSON object"],
    );
    check(
        b"\"PreToolUse\"",
        expect![["nothing"]],
        expect!["an event of claude-code was lost: the input is not a JSON object"],
    );
    check(
        b"\xff\xfe\x00",
        expect![["nothing"]],
        expect!["an event of claude-code was lost: the input is not a JSON object"],
    );
    check(
        br#"{"hook_event_name":"PreToolUse"} trailing"#,
        expect![["nothing"]],
        expect!["an event of claude-code had other text behind it, which was passed over"],
    );
}

#[test]
fn an_array_is_not_an_event() {
    check(
        b"[]",
        expect![["nothing"]],
        expect!["an event of claude-code was lost: the input is not a JSON object"],
    );
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let listed = format!("[{}]", sandbox.place(write("a.rs", "TODO")));
    sandbox.hook_bytes("claude-code", listed.as_bytes()).reply(expect![["nothing"]]);
}

#[test]
fn an_unknown_event_is_not_a_mistake() {
    check(b"{}", expect![["nothing"]], expect![["nothing"]]);
    check(
        br#"{"hook_event_name":"SomethingNew","tool_name":"Write"}"#,
        expect![["nothing"]],
        expect![["nothing"]],
    );
    check(br#"{"hook_event_name":17}"#, expect![["nothing"]], expect![["nothing"]]);
}

#[test]
fn fields_of_another_shape_count_as_missing() {
    let shapes = ["null", "17", "true", "[]", "{}", "\"\"", "[\"TODO\"]", "{\"a\":\"TODO\"}"];
    for shape in shapes {
        let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
        let value = || serde_json::from_str::<serde_json::Value>(shape).expect("JSON");
        for key in [
            "tool_input",
            "tool_name",
            "session_id",
            "transcript_path",
            "tool_response",
            "stop_hook_active",
            "prompt",
            "source",
        ] {
            for name in ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"] {
                sandbox
                    .hook("claude-code", event(name).with("tool_name", "Write").with(key, value()))
                    .reply(expect![["nothing"]]);
            }
        }
    }
}

#[test]
fn a_deny_survives_fields_of_another_shape() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    for key in [
        "session_id",
        "transcript_path",
        "tool_response",
        "stop_hook_active",
        "prompt",
        "source",
        "effort",
        "new_thing",
    ] {
        for shape in [
            "null",
            "17",
            "[1,{\"a\":null}]",
            "{\"a\":[true]}",
            "1e400",
            "-0",
            "123456789012345678901234567890",
        ] {
            let Ok(value) = serde_json::from_str::<serde_json::Value>(shape) else { continue };
            let ran = sandbox.hook("claude-code", write("a.rs", "TODO").with(key, value));
            ran.reply(expect![["deny: Do it now (lines 1)."]]);
        }
    }
}

#[test]
fn text_that_is_not_utf_8_is_judged_all_the_same() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let payload = sandbox.place(write("a.rs", "TODO @@")).to_string();
    let (front, back) = payload.split_once("@@").expect("the mark");
    let bytes = [front.as_bytes(), b"\xff\xc3(", back.as_bytes()].concat();
    sandbox.hook_bytes("claude-code", &bytes).reply(expect![["deny: Do it now (lines 1)."]]);
    assert_eq!(log(&sandbox), "nothing");
}

#[test]
fn half_a_surrogate_pair_is_judged_all_the_same() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let payload = sandbox.place(write("a.rs", "TODO @@")).to_string();
    for half in
        [r"\ud83d", r"\ude00", r"\ude00\ud83d", r"\ud83d\n", r"\\ud83d \ud83d", r"\ud83d\ude00 \uD83D"]
    {
        let ran = sandbox.hook_bytes("claude-code", payload.replace("@@", half).as_bytes());
        ran.reply(expect![["deny: Do it now (lines 1)."]]);
    }
    assert_eq!(log(&sandbox), "nothing");
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let payload = format!("\u{feff}{}\r\n", sandbox.place(write("a.rs", "TODO")));
    sandbox.hook_bytes("claude-code", payload.as_bytes()).reply(expect![["deny: Do it now (lines 1)."]]);
}

#[test]
fn ten_megabytes_are_judged() {
    let text = format!("{}\nTODO\n", "a line of text\n".repeat((10 << 20) / 15));
    Sandbox::new()
        .rule("a.yaml", BLOCK_TODO)
        .hook("claude-code", write("a.rs", &text))
        .reply(expect!["deny: Do it now (lines 699052)."]);
    let not_json = vec![b'['; 10 << 20];
    Sandbox::new()
        .rule("a.yaml", BLOCK_TODO)
        .hook_bytes("claude-code", &not_json)
        .reply(expect![["nothing"]]);
}

#[test]
fn an_unknown_harness_is_logged() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    sandbox.hook("nope", write("a.rs", "TODO")).stdout(expect![[""]]);
    expect!["`nudge hook` was called for an unknown harness `nope`"].assert_eq(&log(&sandbox));
}

#[test]
fn the_names_that_setup_takes_are_known_to_the_hook() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let reply = |name: &str| sandbox.hook(name, write("a.rs", "TODO")).stdout;
    assert!(reply("claude-code").contains("deny"));
    assert_eq!(reply("claude"), reply("claude-code"));
}

#[test]
fn a_wrong_command_line_of_the_hook_is_logged() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let input = sandbox.place(write("a.rs", "TODO")).to_string();
    let wrong: [&[&str]; 5] = [
        &["hook", "--harnes", "claude-code"],
        &["hook", "--harness"],
        &["hook", "a", "b", "c"],
        &["--colour", "hook"],
        &["--color", "always", "hook", "--bogus"],
    ];
    for args in wrong {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        command.args(args).stdin(Stdio::null());
        let ran = sandbox.ran(&command.output().expect("the program ends"));
        ran.assert_harmless();
        ran.stdout(expect![[""]]);
    }
    expect![[r#"
        `nudge hook` was called wrongly: unexpected argument '--harnes' found
        `nudge hook` was called wrongly: a value is required for '--harness <ID>' but none was supplied
        `nudge hook` was called wrongly: unexpected argument 'b' found
        `nudge hook` was called wrongly: unexpected argument '--colour' found
        `nudge hook` was called wrongly: unexpected argument '--bogus' found"#]]
    .assert_eq(&log(&sandbox));
    // An extra flag that is valid is not a mistake.
    sandbox
        .run_with(["--color", "never", "hook", "--verbose"], input.as_bytes())
        .reply(expect![["deny: Do it now (lines 1)."]]);
}

#[test]
fn another_command_is_not_excused_for_naming_the_hook() {
    Sandbox::new().run(["rules", "hook"]).code(2);
    Sandbox::new().run(["test", "--rule", "hook", "--bogus"]).code(2);
}

#[test]
fn verbose_says_what_went_wrong() {
    Sandbox::new().run(["hook", "--verbose"]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        nudge hook: an event of claude-code was lost: the input is empty
    "#]]);
}

#[test]
#[cfg(unix)]
fn a_closed_stdout_or_stdin_is_not_a_verdict() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    std::fs::write(sandbox.path("event.json"), sandbox.place(write("a.rs", "TODO")).to_string())
        .expect("a file");
    for redirection in [">&-", "<&-", ">&- 2>&- <&-", "> /dev/full"] {
        let mut command = sandbox.command("sh");
        command.args(["-c", &format!("\"$0\" hook < event.json {redirection}"), env!("CARGO_BIN_EXE_nudge")]);
        let ran = sandbox.ran(&command.output().expect("the shell ends"));
        ran.assert_harmless();
    }
}

#[test]
fn a_reader_that_went_away_is_not_a_verdict() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    command.arg("hook").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the hook starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("stdin is piped");
    std::io::Write::write_all(&mut stdin, sandbox.place(write("a.rs", "TODO")).to_string().as_bytes())
        .expect("it reads");
    drop(stdin);
    sandbox.ran(&child.wait_with_output().expect("the hook ends")).assert_harmless();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_bytes_are_the_hook_is_harmless(input in prop::collection::vec(any::<u8>(), 0..200)) {
        Sandbox::new().rule("a.yaml", BLOCK_TODO).hook_bytes("claude-code", &input);
    }

    #[test]
    fn whatever_a_rule_file_is_the_others_work(text in r#"(version: 1\n)?rules:\n(  - [ -~]{0,40}\n){0,4}"#) {
        let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).rule("b.yaml", &text);
        let ran = sandbox.hook("claude-code", write("a.rs", "TODO"));
        assert!(ran.blocks(), "{text}\n{}", ran.stdout);
    }
}

#[test]
fn duplicate_keys_and_text_after_the_event_lose_nothing() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let event = r#"{"hook_event_name":"Stop","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"a","content":"TODO"}}"#;
    sandbox.hook_bytes("claude-code", event.as_bytes()).reply(expect!["deny: Do it now (lines 1)."]);
    let event = r#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"a","content":"TODO"}} and more"#;
    sandbox.hook_bytes("claude-code", event.as_bytes()).reply(expect!["deny: Do it now (lines 1)."]);
}
