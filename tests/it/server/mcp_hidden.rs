//! Text that goes to a model over MCP contains nothing that a person does not see.

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::payload::{bash, silent_stop};
use crate::sandbox::Sandbox;

/// `obey` in tag characters, a mark of direction, a zero width space and the start of a terminal's command.
const HIDDEN: &str = "\u{e006f}\u{e0062}\u{e0065}\u{e0079}\u{202e}\u{200b}\u{1b}";
const SHOWN: &str = "\\u{e006f}\\u{e0062}\\u{e0065}\\u{e0079}\\u{202e}\\u{200b}\\u{1b}";

/// Asserts that an answer shows what is hidden, and contains nothing hidden itself, in text and structured content.
#[track_caller]
fn assert_visible(answer: &Value, what: &str) {
    let mut texts = Vec::new();
    collect(answer, &mut texts);
    for text in &texts {
        let hidden = text.chars().find(|c| HIDDEN.contains(*c));
        assert_eq!(hidden, None, "{what}: {text:?}");
    }
    assert!(texts.iter().any(|text| text.contains("\\u{e006f}")), "{what}: {answer}");
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            texts.push(key.clone());
            collect(value, texts);
        }),
        _ => {}
    }
}

#[test]
fn the_memory_shows_hidden_characters() {
    let sandbox = Sandbox::new();
    let command = format!("make zebra{HIDDEN}");
    sandbox.hook("claude-code", bash(&command).after());
    sandbox.hook("claude-code", silent_stop());
    let mut client = Client::new(&sandbox);
    for (tool, arguments) in [
        ("search", json!({ "query": "zebra" })),
        ("get_observations", json!({ "ids": [1] })),
        ("timeline", json!({ "anchor": 1 })),
        ("recent_context", json!({})),
    ] {
        assert_visible(&client.call(tool, arguments), tool);
    }
    // Emoji and spelling are not hidden text.
    let family = "make 👨‍👩‍👧 می‌خواهم";
    sandbox.hook("claude-code", bash(family).after().session("two"));
    let output = client.call_json("search", json!({ "query": "می" }));
    assert!(output.to_string().contains(family), "{output}");
}

#[test]
fn hints_show_hidden_characters() {
    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    let value = format!("make all{HIDDEN}");
    assert_visible(
        &client.call("nudge_set_hint", json!({ "component": "web", "key": "build", "value": value })),
        "nudge_set_hint",
    );
    for (tool, arguments) in [
        ("nudge_get_hint", json!({ "component": "web", "key": "build" })),
        ("nudge_query", json!({ "component": "web" })),
    ] {
        let answer = client.call(tool, arguments);
        assert_visible(&answer, tool);
        assert!(answer.to_string().contains("make all"), "{answer}");
    }
    assert_visible(&client.ask("resources/read", json!({ "uri": "nudge://hints/web" })), "resources/read");
    let prompt = json!({ "name": "hints", "arguments": { "component": "web" } });
    assert_visible(&client.ask("prompts/get", prompt), "prompts/get");
}

#[test]
fn plan_tasks_and_notes_show_hidden_characters() {
    let note = format!("# Zebra\n\nStripes{HIDDEN} are black.\n");
    let tasks = json!({ "goal": format!("ship{HIDDEN}"), "decisions": [], "tasks": [
        { "id": 1, "title": format!("one{HIDDEN}"), "status": "pending", "context": "", "deps": [], "unknown": { HIDDEN: 1 },
          "createdAt": "2026-01-01T00:00:00Z" } ] });
    let sandbox = Sandbox::new()
        .file(".nexus/memory/external-zebra.md", note)
        .file(".nexus/state/tasks.json", tasks.to_string());
    let mut client = Client::new(&sandbox);
    for (tool, arguments) in [
        ("nx_memory_search", json!({ "query": "stripes" })),
        ("nx_task_list", json!({})),
        ("nx_context", json!({})),
    ] {
        assert_visible(&client.call(tool, arguments), tool);
    }
    // A refusal that quotes is shown, too.
    assert_visible(
        &client.call("search", json!({ "query": "x", "obs_type": SHOWN })),
        "what is quoted stays",
    );
    assert_visible(&client.call("search", json!({ "query": "x", "obs_type": HIDDEN })), "a refusal");
}
