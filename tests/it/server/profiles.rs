//! Which tools a server offers, and what a session costs in tokens.

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::payload::{bash, event, prompt, stop};
use crate::sandbox::Sandbox;

/// An agent that sends all schemas to its model with every request must not pay more than this by default.
const MAX_DEFAULT_TOKENS: usize = 2_500;

fn tools(client: &mut Client) -> Vec<Value> {
    let list = client.ask("tools/list", json!({}))["result"]["tools"].take();
    list.as_array().expect("a list of tools").clone()
}

/// Counts the tools of memory, hints and plan.
fn counts(sandbox: &Sandbox, choice: Option<&str>) -> [usize; 3] {
    let mut client = Client::with_tools(sandbox, choice);
    let mut counts = [0; 3];
    for tool in tools(&mut client) {
        let name = tool["name"].as_str().expect("a name");
        counts[if name.starts_with("nx_") { 2 } else { usize::from(name.starts_with("nudge_")) }] += 1;
    }
    counts
}

#[test]
fn by_default_the_plan_has_tools_only_where_there_is_one() {
    let sandbox = Sandbox::new();
    assert_eq!(counts(&sandbox, None), [4, 6, 0]);
    let mut client = Client::new(&sandbox);
    assert!(!instructions(&sandbox, None).contains("nx_"));
    // What creates the plan can be called all the same, and then the tools are offered.
    client.call_json("nx_task_add", json!({ "title": "one", "context": "why" }));
    let offered = tools(&mut client);
    assert!(offered.iter().any(|tool| tool["name"] == "nx_task_list"), "{offered:?}");
    assert_eq!(counts(&sandbox, None), [4, 6, 15]);
    assert!(instructions(&sandbox, None).contains("nx_"));
}

/// People move whole stores with `nudge export`; an agent that knows the seed's tools can still call them.
#[test]
fn what_is_not_shown_by_default_can_be_called() {
    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    assert!(tools(&mut client).iter().all(|tool| tool["name"] != "nudge_export"));
    client.call_json("nudge_set_hint", json!({ "component": "web", "key": "build", "value": "make" }));
    let payload = client.call_json("nudge_export", json!({}))["payload"].clone();
    let imported = client.call_json("nudge_import", json!({ "payload": payload, "mode": "replace" }));
    assert_eq!(imported["imported"], 1);
}

#[test]
fn a_profile_offers_only_its_tools() {
    let sandbox = Sandbox::new();
    let all = [
        ("memory", [4, 0, 0]),
        ("hints", [0, 8, 0]),
        ("plan", [0, 0, 15]),
        ("memory,plan", [4, 0, 15]),
        ("all", [4, 8, 15]),
    ];
    for (choice, expected) in all {
        assert_eq!(counts(&sandbox, Some(choice)), expected, "{choice}");
    }
    let mut client = Client::with_tools(&sandbox, Some("memory"));
    let refused = client.ask("tools/call", json!({ "name": "nx_task_list", "arguments": {} }));
    assert_eq!(refused["error"]["message"], "unknown tool `nx_task_list`");
    let wrong = sandbox.run(["serve", "--tools", "everything"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("memory, hints, plan or all"), "{}", wrong.stderr);
}

fn instructions(sandbox: &Sandbox, choice: Option<&str>) -> String {
    let mut client = Client::with_tools(sandbox, choice);
    let answer = client.ask("initialize", crate::mcp_client::initialize("2025-06-18"));
    answer["result"]["instructions"].as_str().unwrap_or_default().to_owned()
}

/// Returns the bytes of what a model reads of the tools, as Gemini CLI 0.61 sends them: it adds an argument to each.
/// A played session had 9,876 bytes of such JSON for the ten tools of the default; the program counts one token more.
fn bytes_for_model(tools: &[Value]) -> usize {
    let shown = |tool: &Value| {
        let mut schema = tool["inputSchema"].clone();
        schema["properties"]["wait_for_previous"] = json!({
            "type": "boolean",
            "description": "Set to true to wait for all previously requested tools in this turn to complete before \
                            starting. Set to false (or omit) to run in parallel. Use true when this tool depends on \
                            the output of previous tools.",
        });
        let name = format!("mcp_nudge_{}", tool["name"].as_str().expect("a name"));
        json!({ "name": name, "description": tool["description"], "parametersJsonSchema": schema })
    };
    tools.iter().map(|tool| shown(tool).to_string().len()).sum()
}

#[test]
fn a_session_costs_what_it_says_it_costs() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", prompt("make it build"));
    sandbox.hook("claude-code", bash("cargo build").after());
    sandbox.hook("claude-code", stop("It builds."));
    let cost = |sandbox: &Sandbox| sandbox.run(["context", "--tokens", "--json"]).json();
    let said = |payload| {
        let ran = sandbox.hook("claude-code", payload);
        let reply = if ran.stdout.is_empty() { Value::Null } else { ran.json() };
        reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().len().div_ceil(4)
    };
    let start = || event("SessionStart").with("source", "startup").session("session-2");
    let mut client = Client::new(&sandbox);
    let before = cost(&sandbox);
    assert_eq!(before["start"], said(start()));
    assert!(tokens_of_tools(&before).abs_diff(bytes_for_model(&tools(&mut client)).div_ceil(4)) <= 1);
    assert!(before["tools"].as_u64().expect("a number") < MAX_DEFAULT_TOKENS as u64, "{before}");
    assert_eq!(before["instructions"], instructions(&sandbox, None).len().div_ceil(4));
    assert_eq!(before["prompt"], 0);
    // The hook knows which of the sessions lost its context, and has a few other words for it.
    let compact = u64::try_from(said(event("SessionStart").with("source", "compact"))).expect("a length");
    let counted = before["compaction"].as_u64().expect("a number");
    assert!(compact > 0 && counted.abs_diff(compact) < 40, "{compact}: {before}");
    client.call_json(
        "nx_plan_start",
        json!({ "topic": "Move", "issues": ["How?"], "research_summary": "none" }),
    );
    client.call_json("nx_task_add", json!({ "title": "one", "context": "why" }));
    let after = cost(&sandbox);
    assert_eq!(after["prompt"], said(prompt("and now?").session("session-3")));
    assert!(tokens_of_tools(&after).abs_diff(bytes_for_model(&tools(&mut client)).div_ceil(4)) <= 2);
    assert_eq!(after["instructions"], instructions(&sandbox, None).len().div_ceil(4));
}

fn tokens_of_tools(cost: &Value) -> usize {
    cost["tools"].as_u64().and_then(|tokens| tokens.try_into().ok()).expect("a number")
}

/// The table in the README says what the program counts.
#[test]
fn the_readme_says_what_a_session_costs() {
    let sandbox = Sandbox::new();
    let without = sandbox.run(["context", "--tokens", "--json"]).json();
    let sandbox = Sandbox::new().file(".nexus/state/.keep", "");
    let with = sandbox.run(["context", "--tokens", "--json"]).json();
    let readme = std::fs::read_to_string("README.md").expect("the README");
    let number = |value: &Value| {
        let digits = value.to_string();
        match digits.len() {
            4.. => format!("{},{}", &digits[..digits.len() - 3], &digits[digits.len() - 3..]),
            _ => digits,
        }
    };
    for key in ["instructions", "tools"] {
        let row = format!("| {} | {} |", number(&without[key]), number(&with[key]));
        assert!(readme.contains(&row), "the README lacks `{row}` for {key}");
    }
}
