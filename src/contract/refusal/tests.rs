//! Each of the nine agents with each kind of call.

use super::*;
use crate::contract::capability::ActionClass;
use crate::contract::{AGENTS, deeds, vocabulary};
use crate::model::ToolAction;

fn call(name: &str) -> ToolCall {
    let path = "/p/a.rs".to_owned();
    let action = match name {
        "Write" => ToolAction::Write { path, content: String::new() },
        "Edit" | "MultiEdit" => ToolAction::Edit { path, replacements: Vec::new(), before: None },
        "NotebookEdit" => ToolAction::EditNotebook { path, source: None },
        "Bash" => ToolAction::Command { command: "ls".to_owned() },
        "Read" => ToolAction::Read { path, text: String::new() },
        "Grep" => ToolAction::Search { query: String::new(), place: None, kind: None, text: String::new() },
        "Agent" => ToolAction::Agent { task: String::new(), agent_type: None, text: String::new() },
        name => match name.strip_prefix("mcp__nudge__") {
            Some(tool) => ToolAction::Mcp {
                server: "nudge".to_owned(),
                tool: tool.to_owned(),
                path: None,
                arguments: String::new(),
                text: String::new(),
            },
            None => ToolAction::Other { path: None, text: String::new() },
        },
    };
    ToolCall { name: name.to_owned(), action }
}

const CALLS: [&str; 17] = [
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Bash",
    "Read",
    "Grep",
    "Agent",
    "Skill",
    "mcp__nudge__nx_task_add",
    "mcp__nudge__nx_task_update",
    "mcp__nudge__nx_task_close",
    "mcp__nudge__nx_task_list",
    "mcp__nudge__nx_plan_status",
    "mcp__nudge__nx_memory_store",
    "mcp__nudge__nx_rule_store",
    "mcp__other__delete_everything",
];

fn refused_one(agent_type: &str, name: &str) -> Option<String> {
    let call = call(name);
    refusal(agent_type, &call, &deeds(&call))
}

fn refused(agent_type: &str) -> Vec<&'static str> {
    CALLS.into_iter().filter(|name| refused_one(agent_type, name).is_some()).collect()
}

#[test]
fn each_agent_is_refused_what_its_capabilities_block() {
    let edits = ["Write", "Edit", "MultiEdit", "NotebookEdit"];
    let notes = ["mcp__nudge__nx_memory_store", "mcp__nudge__nx_rule_store"];
    let (add, update) = (["mcp__nudge__nx_task_add"], ["mcp__nudge__nx_task_update"]);
    // Only the main conversation closes a cycle.
    let close = ["mcp__nudge__nx_task_close"];
    for agent in ["architect", "designer", "postdoc", "strategist"] {
        assert_eq!(refused(agent), [&edits[..], &add, &update, &close, &notes].concat(), "{agent}");
    }
    for agent in ["researcher", "tester", "reviewer"] {
        assert_eq!(refused(agent), [&edits[..], &add, &close, &notes].concat(), "{agent}");
    }
    for agent in ["engineer", "writer"] {
        assert_eq!(refused(agent), [add, close].concat(), "{agent}");
    }
    assert_eq!(refused("nexus:architect"), refused("architect"));
}

#[test]
fn other_agents_have_no_restrictions() {
    for agent in ["general-purpose", "Explore", "my:own-agent", "", "lead"] {
        assert_eq!(refused(agent), Vec::<&str>::new(), "{agent}");
    }
}

#[test]
fn a_refusal_says_what_to_do_next() {
    expect_test::expect![[r#"
        `Edit` is not for the agent `reviewer` in this project (no_file_edit). Hand back what should change, with file and line; an agent that may edit (engineer, writer) carries it out."#]]
    .assert_eq(&refused_one("nexus:reviewer", "Edit").unwrap());
    expect_test::expect!["`mcp__nudge__nx_task_close`, which closes the cycle, is up to the main conversation, not to the agent `architect`: say in the final message that the work is done; it closes the cycle."]
    .assert_eq(&refused_one("architect", "mcp__nudge__nx_task_close").unwrap());
}

#[test]
fn the_table_blocks_what_the_vocabulary_says() {
    let all =
        [Capability::NoFileEdit, Capability::NoTaskCreate, Capability::NoTaskUpdate, Capability::NoShellExec];
    let words = vocabulary().capabilities;
    assert_eq!(all.map(Capability::id).to_vec(), words.iter().map(|words| &words.id).collect::<Vec<_>>());
    for (capability, words) in all.iter().zip(words) {
        let blocked = serde_json::to_value(capability.blocks()).unwrap();
        assert_eq!(blocked, serde_json::to_value(words.blocks_semantic_classes).unwrap());
        assert_eq!(serde_json::to_value(capability).unwrap(), capability.id());
    }
}

#[test]
fn every_class_belongs_to_some_call() {
    let capabilities = AGENTS.iter().flat_map(|agent| agent.capabilities).chain(&[Capability::NoShellExec]);
    let mut blocked: Vec<ActionClass> = Vec::new();
    capabilities.flat_map(|capability| capability.blocks()).for_each(|class| {
        if !blocked.contains(class) {
            blocked.push(*class);
        }
    });
    assert_eq!(blocked.len(), 11);
    let done = |name: &&str| {
        let call = call(name);
        let of_deeds: Vec<ActionClass> = deeds(&call).iter().flat_map(Deed::classes).copied().collect();
        [classes(&call).to_vec(), of_deeds].concat()
    };
    let mut done: Vec<ActionClass> = CALLS.iter().flat_map(done).collect();
    let command = ToolAction::Command { command: "rm a.rs".to_owned() };
    let removal = ToolCall { name: "Bash".to_owned(), action: command };
    done.extend(deeds(&removal).iter().flat_map(Deed::classes));
    blocked.retain(|class| !done.contains(class));
    assert_eq!(blocked, []);
}

#[test]
fn a_command_is_refused_for_what_it_does() {
    let check = |agent: &str, command: &str, expected: Option<&str>| {
        let action = ToolAction::Command { command: command.to_owned() };
        let call = ToolCall { name: "Bash".to_owned(), action };
        let refused = refusal(agent, &call, &deeds(&call));
        let start = refused.as_deref().and_then(|text| text.split(" in this project").next());
        assert_eq!(start.map(|text| text.split(": ").next().unwrap_or(text)), expected, "{agent}: {command}");
    };
    check("architect", "ls; git log", None);
    check(
        "architect",
        "echo x > a.rs",
        Some("`Bash`, which writes `a.rs`, is not for the agent `architect`"),
    );
    check("tester", "rm a.rs", Some("`Bash`, which deletes `a.rs`, is not for the agent `tester`"));
    check("engineer", "echo x > a.rs; rm b.rs", None);
    check("engineer", "nudge task add x", Some("`Bash`, which adds a task, is not for the agent `engineer`"));
    check("engineer", "nudge task done 1", None);
    check(
        "architect",
        "nudge task done 1",
        Some("`Bash`, which changes a task, is not for the agent `architect`"),
    );
    check(
        "engineer",
        "nudge task close",
        Some("`Bash`, which closes the cycle, is up to the main conversation, not to the agent `engineer`"),
    );
    check("general-purpose", "nudge task close; rm -rf .", None);
}

/// The calls of the matrix: a tool, and the command or the arguments that it is called with.
const MATRIX: [(&str, &str); 19] = [
    ("Write", ""),
    ("Edit", ""),
    ("MultiEdit", ""),
    ("NotebookEdit", ""),
    ("Bash", "cargo test"),
    ("Bash", "echo x > src/a.rs"),
    ("Bash", "rm src/a.rs"),
    ("Bash", "nudge task add x"),
    ("Read", ""),
    ("mcp__nudge__nx_task_list", ""),
    ("mcp__nudge__nx_task_add", ""),
    ("mcp__nudge__nx_task_update", ""),
    ("mcp__nudge__nx_task_close", ""),
    ("mcp__nudge__nx_plan_start", ""),
    ("mcp__nudge__nx_plan_decide", ""),
    ("mcp__nudge__nx_memory_store", ""),
    ("mcp__nudge__nx_memory_gc", "confirm: true, paths: [a]"),
    ("mcp__nudge__nx_artifact_write", ""),
    ("mcp__filesystem__write_file", ""),
];

fn matrix_call((name, detail): (&str, &str)) -> ToolCall {
    let mut call = call(name);
    match &mut call.action {
        ToolAction::Command { command } => detail.clone_into(command),
        ToolAction::Mcp { arguments, .. } => detail.clone_into(arguments),
        _ => {}
    }
    if name == "mcp__filesystem__write_file" {
        let (server, tool) = ("filesystem".to_owned(), "write_file".to_owned());
        let (arguments, text) = (String::new(), String::new());
        call.action = ToolAction::Mcp { server, tool, path: Some("a.rs".to_owned()), arguments, text };
    }
    call
}

#[test]
fn every_role_with_every_tool() {
    // A column for each call of the matrix, in its order: `x` is refused.
    let roles = [
        ("architect", "xxxx.xxx..xxxxxxx.x"),
        ("designer", "xxxx.xxx..xxxxxxx.x"),
        ("postdoc", "xxxx.xxx..xxxxxxx.x"),
        ("strategist", "xxxx.xxx..xxxxxxx.x"),
        ("engineer", ".......x..x.xxx...."),
        ("writer", ".......x..x.xxx...."),
        ("researcher", "xxxx.xxx..x.xxxxx.x"),
        ("tester", "xxxx.xxx..x.xxxxx.x"),
        ("reviewer", "xxxx.xxx..x.xxxxx.x"),
        ("general-purpose", "..................."),
        ("lead", "..................."),
    ];
    for (role, expected) in roles {
        let refused = |one: (&str, &str)| {
            let call = matrix_call(one);
            if refusal(role, &call, &deeds(&call)).is_some() { 'x' } else { '.' }
        };
        assert_eq!(MATRIX.map(refused).into_iter().collect::<String>(), expected, "{role}");
    }
}
