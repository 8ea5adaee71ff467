//! What the payloads become, recorded ones first.

use serde_json::{Value, json};

use super::*;

const MAIN: &str = "ec877c5c-9daa-4a00-bc46-7b2b7139fc61";
const SUB: &str = "f89569c1-c049-485c-b807-36a85e8d8e65";
const COMPACT: &str = "a95c2f4f-d9ea-47c9-95a7-77c0e05c3eb5";
const MEMORY: &str = "23a4406a-1aec-420b-b2b3-85c7ae3524ed";
const PLUGIN: &str = "340eb2ec-7aaa-4719-a0e5-88bd77596ff9";
const ASKING: &str = "bb33c38c-cebb-4f30-8eef-2cc87383ef46";

/// An event of a recorded session.
fn recorded(hook: Hook, session: &str) -> Event {
    Event {
        session: Some(SessionId(session.into())),
        cwd: "/home/u/proj".into(),
        transcript: Some(format!("/home/u/.claude/projects/-home-u-proj/{session}.jsonl").into()),
        ..event(hook)
    }
}

fn tool(hook: Hook, session: &str, name: &str, action: ToolAction) -> Event {
    Event { tool: Some(ToolCall { name: name.into(), action }), ..recorded(hook, session) }
}

fn command(command: &str) -> ToolAction {
    ToolAction::Command { command: command.into() }
}

fn other(path: Option<&str>, text: &str) -> ToolAction {
    ToolAction::Other { path: path.map(str::to_owned), text: text.into() }
}

fn write(content: &str) -> ToolAction {
    ToolAction::Write { path: "/home/u/proj/a.txt".into(), content: content.into() }
}

fn edit(before: Option<&str>) -> ToolAction {
    ToolAction::Edit {
        path: "/home/u/proj/a.txt".into(),
        replacements: vec![Replacement { old: "one".into(), new: "uno".into(), all: false }],
        before: before.map(str::to_owned),
    }
}

/// Every recorded payload with the event that it is.
fn expected() -> Vec<(&'static str, Event)> {
    use Hook::{Other, PostToolUse, PreToolUse};
    let recall = "mcp__memory__memory_recall";
    let plugin = "mcp__plugin_nexus-companion_memory__memory_recall";
    let stop =
        |hook, session, text: &str| Event { closing_message: Some(text.into()), ..recorded(hook, session) };
    let agent = || other(None, "sub\ndo sub\ngeneral-purpose");
    vec![
        ("InstructionsLoaded", recorded(Other, COMPACT)),
        ("MessageDisplay", recorded(Other, MAIN)),
        ("PermissionRequest.Write", tool(Other, ASKING, "Write", write("TODO x"))),
        ("PostCompact", recorded(Other, COMPACT)),
        ("PostToolBatch", recorded(Other, MAIN)),
        ("PostToolBatch.sub", recorded(Other, SUB)),
        ("PostToolUse.Agent", tool(PostToolUse, SUB, "Agent", agent())),
        ("PostToolUse.Bash", tool(PostToolUse, MAIN, "Bash", command("sleep 0.1; echo bg"))),
        ("PostToolUse.Bash.sub", tool(PostToolUse, SUB, "Bash", command("echo insub"))),
        ("PostToolUse.Edit", tool(PostToolUse, MAIN, "Edit", edit(Some("one\ntwo\n")))),
        ("PostToolUse.Glob", tool(PostToolUse, MAIN, "Glob", other(None, "*.txt"))),
        ("PostToolUse.Grep", tool(PostToolUse, MAIN, "Grep", other(None, "two\ncontent"))),
        ("PostToolUse.Read", tool(PostToolUse, MAIN, "Read", other(Some("/home/u/proj/a.txt"), ""))),
        ("PostToolUse.TaskCreate", tool(PostToolUse, MAIN, "TaskCreate", other(None, "S1\nD1"))),
        ("PostToolUse.Write", tool(PostToolUse, MAIN, "Write", write("one\ntwo\n"))),
        ("PostToolUse.mcp__memory__memory_recall", tool(PostToolUse, MEMORY, recall, other(None, "abc"))),
        (
            "PostToolUse.mcp__plugin_nexus-companion_memory__memory_recall",
            tool(PostToolUse, PLUGIN, plugin, other(None, "q")),
        ),
        ("PostToolUseFailure.Bash", tool(Other, MAIN, "Bash", command("exit 3"))),
        ("PostToolUseFailure.mcp__memory__memory_recall", tool(Other, MEMORY, recall, other(None, ""))),
        ("PreCompact", recorded(Other, COMPACT)),
        ("PreToolUse.Agent", tool(PreToolUse, SUB, "Agent", agent())),
        ("PreToolUse.Bash", tool(PreToolUse, MAIN, "Bash", command("exit 3"))),
        ("PreToolUse.Bash.sub", tool(PreToolUse, SUB, "Bash", command("echo insub"))),
        ("PreToolUse.Edit", tool(PreToolUse, MAIN, "Edit", edit(None))),
        ("PreToolUse.Glob", tool(PreToolUse, MAIN, "Glob", other(None, "*.txt"))),
        ("PreToolUse.Grep", tool(PreToolUse, MAIN, "Grep", other(None, "two\ncontent"))),
        ("PreToolUse.Read", tool(PreToolUse, MAIN, "Read", other(Some("/home/u/proj/a.txt"), ""))),
        ("PreToolUse.TaskCreate", tool(PreToolUse, MAIN, "TaskCreate", other(None, "S1\nD1"))),
        ("PreToolUse.Write", tool(PreToolUse, MAIN, "Write", write("one\ntwo\n"))),
        ("PreToolUse.mcp__memory__memory_recall", tool(PreToolUse, MEMORY, recall, other(None, "abc"))),
        (
            "PreToolUse.mcp__plugin_nexus-companion_memory__memory_recall",
            tool(PreToolUse, PLUGIN, plugin, other(None, "q")),
        ),
        ("SessionEnd", recorded(Hook::SessionEnd, MAIN)),
        ("SessionStart.compact", recorded(Hook::SessionStart, COMPACT)),
        ("SessionStart.resume", recorded(Hook::SessionStart, COMPACT)),
        ("SessionStart.startup", recorded(Hook::SessionStart, MAIN)),
        ("Stop", stop(Hook::Stop, MAIN, "end")),
        ("SubagentStart", recorded(Other, SUB)),
        ("SubagentStop", stop(Other, SUB, "sub done")),
        ("TaskCreated", recorded(Other, MAIN)),
        (
            "UserPromptSubmit",
            Event { prompt: Some("run the test".into()), ..recorded(Hook::UserPromptSubmit, MAIN) },
        ),
    ]
}

#[test]
fn every_recorded_payload_becomes_its_event() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude");
    let expected = expected();
    for (name, expect) in &expected {
        let payload = std::fs::read(folder.join(format!("{name}.json"))).unwrap();
        assert_eq!(ClaudeCode.parse(&payload, None).unwrap().as_ref(), Some(expect), "{name}");
    }
    assert_eq!(
        std::fs::read_dir(&folder).unwrap().count(),
        expected.len(),
        "a payload without an expectation"
    );
}

fn parse(payload: &Value) -> Option<Event> {
    ClaudeCode.parse(payload.to_string().as_bytes(), None).unwrap()
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
        Hook::UserPromptSubmit,
        Hook::Stop,
        Hook::SessionStart,
        Hook::SessionEnd,
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
        let event = ClaudeCode.parse(payload.as_bytes(), name).unwrap();
        assert_eq!(event.map(|event| event.hook), expect, "{payload} {name:?}");
    };
    check(r#"{"hook_event_name":"Stop"}"#, Some("PreToolUse"), Some(Hook::Stop));
    check("{}", Some("PreToolUse"), Some(Hook::PreToolUse));
    check(r#"{"hook_event_name":""}"#, Some("PreToolUse"), Some(Hook::PreToolUse));
    check(r#"{"hook_event_name":"Nope"}"#, Some("PreToolUse"), None);
    check("{}", Some("nope"), None);
}

#[test]
fn fields_of_another_shape_count_as_missing() {
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
        check_tool("Bash", input, command(""));
    }
}

#[test]
fn arrays_and_rubbish_are_unreadable() {
    for input in ["", "[]", "[\"PreToolUse\"]", "null", "{\"hook_event_name\":"] {
        assert!(ClaudeCode.parse(input.as_bytes(), None).is_err(), "{input}");
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
    check_tool(
        "WebFetch",
        json!({ "url": "https://x", "prompt": "sum up" }),
        other(None, "https://x\nsum up"),
    );
    let nested = json!({ "b": ["two", { "c": "three" }], "a": "one", "n": 1, "t": true, "z": null });
    check_tool("mcp__a__b", nested, other(None, "two\nthree\none"));
    check_tool("mcp__a__b", json!({ "file_path": "x.rs", "text": "t" }), other(Some("x.rs"), "t"));
    check_tool("mcp__a__b", json!("bare"), other(None, "bare"));
}

#[test]
fn the_last_message_is_found_in_a_transcript() {
    let check = |lines: &[Value], expect: Option<&str>| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        assert_eq!(ClaudeCode.last_message(&format!("ut off\"}}\n{text}")).as_deref(), expect);
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
