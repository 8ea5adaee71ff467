//! What the payloads become, recorded ones first.

use serde_json::{Value, json};

use super::*;

fn other(path: Option<&str>, text: &str) -> ToolAction {
    ToolAction::Other { path: path.map(str::to_owned), text: text.into() }
}

#[test]
fn every_recorded_payload_becomes_its_event() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude");
    let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    names.sort();
    assert_eq!(names.len(), 41);
    for path in names {
        let event = (AGENT.parse)(&std::fs::read(&path).unwrap(), None).unwrap().unwrap();
        expect_test::expect_file![path.with_extension("event")].assert_eq(&format!("{event:#?}\n"));
    }
}

fn parse(payload: &Value) -> Option<Event> {
    (AGENT.parse)(payload.to_string().as_bytes(), None).unwrap()
}

#[track_caller]
fn check_tool(name: &str, input: impl Into<Value>, expect: ToolAction) {
    let payload = json!({ "hook_event_name": "PreToolUse", "tool_name": name, "tool_input": input.into() });
    let expect =
        Event { tool: Some(ToolCall { name: name.into(), action: expect }), ..event(Hook::PreToolUse) };
    assert_eq!(parse(&payload), Some(expect));
}

#[test]
fn every_event_name_is_known_and_no_other() {
    let hook = |name: &str| parse(&json!({ "hook_event_name": name })).map(|event| event.hook);
    let acted_on = [
        Hook::PreToolUse,
        Hook::PostToolUse,
        Hook::PostToolUseFailure,
        Hook::UserPromptSubmit,
        Hook::Stop,
        Hook::SessionStart,
        Hook::SessionEnd,
        Hook::SubagentStart,
        Hook::SubagentStop,
        Hook::PostCompact,
    ];
    for name in wire::EVENTS {
        let expect = acted_on.into_iter().find(|hook| hook.name() == name).unwrap_or(Hook::Other);
        assert_eq!(hook(name), Some(expect), "{name}");
    }
    for name in ["", "pretooluse", "Other", "BeforeTool", "PreToolUse "] {
        assert_eq!(hook(name), None, "{name}");
    }
    assert_eq!(parse(&json!({})), None);
    assert_eq!(parse(&json!({ "hook_event_name": 5 })), None);
}

#[test]
fn the_payloads_own_name_wins_over_the_callers() {
    let check = |payload: &str, name: Option<&str>, expect: Option<Hook>| {
        let event = (AGENT.parse)(payload.as_bytes(), name).unwrap();
        assert_eq!(event.map(|event| event.hook), expect, "{payload} {name:?}");
    };
    check(r#"{"hook_event_name":"Stop"}"#, Some("PreToolUse"), Some(Hook::Stop));
    check("{}", Some("PreToolUse"), Some(Hook::PreToolUse));
    check(r#"{"hook_event_name":""}"#, Some("PreToolUse"), Some(Hook::PreToolUse));
    check(r#"{"hook_event_name":"Nope"}"#, Some("PreToolUse"), None);
    check("{}", Some("nope"), None);
}

#[test]
fn fields_of_another_type_count_as_missing() {
    let payload = json!({
        "hook_event_name": "PreToolUse", "session_id": 1, "cwd": null, "transcript_path": [], "tool_name": {},
        "tool_input": "x", "prompt": 1, "stop_hook_active": "true", "last_assistant_message": [1],
    });
    assert_eq!(parse(&payload), Some(event(Hook::PreToolUse)));
    for input in [Value::Null, json!("x"), json!([1]), json!({ "file_path": 1, "content": [], "edits": 3 })] {
        let nothing = Replacement { old: String::new(), new: String::new(), all: false };
        check_tool("Write", input.clone(), other(None, ""));
        let empty = ToolAction::Edit { path: String::new(), replacements: vec![nothing], before: None };
        check_tool("Edit", input.clone(), empty);
        check_tool(
            "NotebookEdit",
            input.clone(),
            ToolAction::EditNotebook { path: String::new(), source: None },
        );
        check_tool("Bash", input, ToolAction::Command { command: String::new() });
    }
}

#[test]
fn arrays_and_rubbish_are_unreadable() {
    for input in ["", "[]", "[\"PreToolUse\"]", "null", "{\"hook_event_name\":"] {
        assert!((AGENT.parse)(input.as_bytes(), None).is_err(), "{input}");
    }
}

#[test]
fn both_spellings_of_prompt_and_message_are_read() {
    let prompt = |payload: Value| parse(&payload).and_then(|event| event.prompt);
    let name = "UserPromptSubmit";
    assert_eq!(
        prompt(json!({ "hook_event_name": name, "prompt": "a", "user_prompt": "b" })).as_deref(),
        Some("a")
    );
    assert_eq!(prompt(json!({ "hook_event_name": name, "user_prompt": "b" })).as_deref(), Some("b"));
    let message = |payload: Value| parse(&payload).and_then(|event| event.closing_message);
    assert_eq!(
        message(json!({ "hook_event_name": "Stop", "last_assistant_message": "a" })).as_deref(),
        Some("a")
    );
    assert_eq!(message(json!({ "hook_event_name": "Stop", "assistant_message": "b" })).as_deref(), Some("b"));
    assert_eq!(message(json!({ "hook_event_name": "Stop", "last_assistant_message": "" })), None);
    let active = parse(&json!({ "hook_event_name": "Stop", "stop_hook_active": true }));
    assert_eq!(active, Some(Event { stop_hook_active: true, ..event(Hook::Stop) }));
}

#[test]
fn what_a_machine_injected_is_not_the_users_prompt() {
    let check = |payload: Value, expect: Option<&str>| {
        let mut payload = payload;
        payload["hook_event_name"] = json!("UserPromptSubmit");
        assert_eq!(parse(&payload).and_then(|event| event.prompt).as_deref(), expect, "{payload}");
    };
    check(json!({ "prompt": "\n<task-notification>done</task-notification>" }), None);
    check(json!({ "prompt": "what is a <task-notification>?" }), Some("what is a <task-notification>?"));
    check(json!({ "prompt": "a", "source": "user" }), Some("a"));
    check(json!({ "prompt": "a", "source": "sdk" }), Some("a"));
    check(json!({ "prompt": "a", "source": "cron" }), None);
}

#[test]
fn edits_in_a_list_and_alone() {
    let replacement = |old: &str, new: &str, all| Replacement { old: old.into(), new: new.into(), all };
    let edit = |replacements| ToolAction::Edit { path: "a".into(), replacements, before: None };
    check_tool(
        "MultiEdit",
        json!({ "file_path": "a", "edits": [
            { "old_string": "1", "new_string": "2", "replace_all": true },
            { "old_string": "3", "new_string": "4" },
        ] }),
        edit(vec![replacement("1", "2", true), replacement("3", "4", false)]),
    );
    let alone = json!({ "file_path": "a", "old_string": "1", "new_string": "2", "replace_all": true });
    check_tool("Edit", alone, edit(vec![replacement("1", "2", true)]));
    check_tool("MultiEdit", json!({ "file_path": "a", "edits": [] }), edit(vec![]));
}

#[test]
fn notebook_cells_are_replaced_and_deleted() {
    let cell = |source: Option<&str>| ToolAction::EditNotebook {
        path: "a".into(),
        source: source.map(str::to_owned),
    };
    check_tool("NotebookEdit", json!({ "notebook_path": "a", "new_source": "x" }), cell(Some("x")));
    let insert = json!({ "notebook_path": "a", "new_source": "x", "edit_mode": "insert" });
    check_tool("NotebookEdit", insert, cell(Some("x")));
    let delete = json!({ "notebook_path": "a", "new_source": "x", "edit_mode": "delete" });
    check_tool("NotebookEdit", delete, cell(None));
}

#[test]
fn every_text_that_another_tool_is_given_is_its_content() {
    let given = |tool: &str, input: Value| {
        let payload = json!({ "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input });
        let action = parse(&payload).unwrap().tool.unwrap().action;
        (action.given_text().map(str::to_owned), action.path().map(str::to_owned))
    };
    let check = |tool: &str, input: Value, text: &str, path: Option<&str>| {
        assert_eq!(given(tool, input), (Some(text.to_owned()), path.map(str::to_owned)), "{tool}");
    };
    check("WebFetch", json!({ "url": "https://x", "prompt": "sum up" }), "https://x\nsum up", None);
    let nested = json!({ "b": ["two", { "c": "three" }], "a": "one", "n": 1, "t": true, "z": null });
    check("mcp__a__b", nested, "two\nthree\none", None);
    check("mcp__a__b", json!({ "file_path": "x.rs", "text": "t" }), "t", Some("x.rs"));
    check("mcp__a__b", json!("bare"), "bare", None);
    check("Read", json!({ "file_path": "x.rs" }), "", Some("x.rs"));
    check("TodoWrite", json!({ "todos": [{ "content": "do" }] }), "do", None);
}

#[test]
fn the_last_message_is_found_in_a_transcript() {
    let check = |lines: &[Value], expect: Option<&str>| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        assert_eq!(AGENT.last_message(&format!("ut off\"}}\n{text}")).as_deref(), expect);
    };
    let said = |content: Value| json!({ "type": "assistant", "message": { "content": content } });
    let user = json!({ "type": "user", "message": { "content": "thanks" } });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let tool = json!({ "type": "tool_use", "input": { "text": "no" } });
    check(&[said(json!("first")), said(json!("last")), user.clone()], Some("last"));
    check(&[said(json!([text("a"), text("b")]))], Some("a\nb"));
    check(&[said(json!([text("a")])), said(json!([tool]))], Some("a"));
    check(&[said(json!([])), said(json!(3)), user], None);
    check(&[], None);
}
