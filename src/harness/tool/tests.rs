//! Tests of this module.

use serde_json::json;

use super::*;
use crate::model::Replacement;

#[track_caller]
fn check(name: &str, input: Value, expect: ToolAction) {
    let expect = ToolCall { name: name.into(), action: expect };
    assert_eq!(tool_call(name.into(), input, &Value::Null), expect);
}

fn write(path: &str, content: &str) -> ToolAction {
    ToolAction::Write { path: path.into(), content: content.into() }
}

fn edit(path: &str, old: &str, new: &str, all: bool) -> ToolAction {
    let replacements = vec![Replacement { old: old.into(), new: new.into(), all }];
    ToolAction::Edit { path: path.into(), replacements, before: None }
}

#[test]
fn the_same_operation_is_the_same_action_whatever_it_is_called() {
    check("write_file", json!({ "file_path": "a", "content": "x" }), write("a", "x"));
    check("write", json!({ "filePath": "a", "content": "x" }), write("a", "x"));
    check("create", json!({ "path": "a", "file_text": "x" }), write("a", "x"));
    check("Write", json!({ "file_path": "a", "contents": "x" }), write("a", "x"));
    let create = json!({ "command": "create", "path": "a", "file_text": "x" });
    check("str_replace_editor", create, write("a", "x"));
    check(
        "replace",
        json!({ "file_path": "a", "old_string": "x", "new_string": "y", "instruction": "z", "allow_multiple": true }),
        edit("a", "x", "y", true),
    );
    let opencode = json!({ "filePath": "a", "oldString": "x", "newString": "y", "replaceAll": false });
    check("edit", opencode, edit("a", "x", "y", false));
    check("edit", json!({ "path": "a", "old_str": "x", "new_str": "y" }), edit("a", "x", "y", false));
    let replace = json!({ "command": "str_replace", "path": "a", "old_str": "x", "new_str": "y" });
    check("str_replace_editor", replace, edit("a", "x", "y", false));
    let insert = json!({ "command": "insert", "path": "a", "insert_line": 2, "insert_text": "y" });
    check("str_replace_editor", insert, edit("a", "", "y", false));
    let read = |text: &str| ToolAction::Read { path: "a".into(), text: text.into() };
    check("read_file", json!({ "absolute_path": "a" }), read(""));
    check("view", json!({ "path": "a" }), read(""));
    check(
        "str_replace_editor",
        json!({ "command": "view", "path": "a", "view_range": [1, 2] }),
        read("view"),
    );
    let search = |place: Option<&str>, text: &str| ToolAction::Search {
        query: "q".into(),
        place: place.map(str::to_owned),
        kind: None,
        text: text.into(),
    };
    check("grep_search", json!({ "pattern": "q", "path": "src" }), search(Some("src"), "q\nsrc"));
    check("glob", json!({ "pattern": "q" }), search(None, "q"));
    let agent =
        ToolAction::Agent { task: "do".into(), agent_type: Some("scout".into()), text: "do\nscout".into() };
    check("invoke_agent", json!({ "prompt": "do", "agent_name": "scout" }), agent);
}

#[test]
fn commands_come_as_texts_and_as_words() {
    let command = |command: &str| ToolAction::Command { command: command.into() };
    check("run_shell_command", json!({ "command": "ls", "description": "look" }), command("ls"));
    check("exec_command", json!({ "cmd": "ls" }), command("ls"));
    check("shell", json!({ "command": ["bash", "-lc", "ls | wc"] }), command("ls | wc"));
    check("shell", json!({ "command": ["ls", "-l", 3] }), command("ls -l"));
    check("bash", json!({ "command": 5 }), command(""));
}

#[test]
fn a_patch_is_found_wherever_it_is() {
    let text = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
    for input in
        [json!(text), json!({ "command": text }), json!({ "patchText": text }), json!({ "input": text })]
    {
        check(APPLY_PATCH, input, ToolAction::Patch { changes: vec![write("a", "x\n")] });
    }
    check(APPLY_PATCH, json!("rubbish"), ToolAction::Other { path: None, text: "rubbish".into() });
    check(APPLY_PATCH, json!({ "command": 1 }), ToolAction::Other { path: None, text: String::new() });
}

#[test]
fn a_tool_of_a_server_keeps_the_agents_name() {
    let call = mcp_call("mcp_a_b".into(), "a", "b", json!({ "q": "x" }));
    let action = ToolAction::Mcp {
        server: "a".into(),
        tool: "b".into(),
        path: None,
        arguments: "q=x".into(),
        text: "x".into(),
    };
    assert_eq!(call, ToolCall { name: "mcp_a_b".into(), action });
}

#[test]
fn an_unknown_tool_gives_its_texts() {
    check("dance", json!({ "how": "well" }), ToolAction::Other { path: None, text: "well".into() });
}
