//! Finds everything that calls nudge in an agent's configuration, in any form and from any version, with its line.

use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::command::{calls_hook, hook_words, server_words};
use super::json::{self, Tree};
use super::registration::{EntryCall, Registration};
use super::{is_own, table};
use crate::model::quoted;

/// The keys under which agents list their MCP servers.
const SERVER_KEYS: [&str; 3] = ["mcpServers", "mcp", "mcp_servers"];

/// Returns every entry that calls nudge; empty if the text cannot be parsed.
pub(crate) fn registrations(text: &str) -> Vec<Registration> {
    if is_own(text) {
        return in_plugin(text).into_iter().collect();
    }
    let (mark, text) = json::split_mark(text);
    let lines_before = mark.matches('\n').count();
    let mut found = match Tree::parse(text) {
        Ok(tree) => in_json(text, tree.root()),
        Err(_) => table::registrations(text),
    };
    found.iter_mut().for_each(|one| one.line += lines_before);
    found
}

/// Parses our plugin, which names the program in one line, and the harness where it calls the program.
fn in_plugin(text: &str) -> Option<Registration> {
    let is_program = |line: &str| line.starts_with("const PROGRAM = ");
    let (number, line) = text.lines().enumerate().find(|(_, line)| is_program(line))?;
    let (_, program) = line.split_once("= ")?;
    let program: String = serde_json::from_str(program.trim_end_matches(';')).ok()?;
    let (_, harness) = text.split_once("\"--harness\", \"")?;
    let (harness, _) = harness.split_once('"')?;
    let command = format!("{} hook --harness {harness}", quoted(&program));
    Some(Registration { line: number + 1, call: EntryCall::Hook { command, event: None } })
}

fn in_json(text: &str, root: &Value<'_>) -> Vec<Registration> {
    let mut found = Vec::new();
    for property in properties(root) {
        match property.name.as_str() {
            "hooks" => properties(&property.value).for_each(|event| {
                find_hooks(text, &event.value, event.name.as_str(), &mut found);
            }),
            "enabledPlugins" => properties(&property.value)
                .filter(|plugin| plugin.name.as_str().starts_with("nudge@"))
                .filter(|plugin| matches!(&plugin.value, Value::BooleanLit(switch) if switch.value))
                .for_each(|plugin| {
                    found.push(Registration {
                        line: line_number(text, plugin.start()),
                        call: EntryCall::Plugin,
                    });
                }),
            "projects" => {
                let projects = properties(&property.value).flat_map(|project| properties(&project.value));
                projects.for_each(|inner| find_servers(text, inner, &mut found));
            }
            _ => find_servers(text, property, &mut found),
        }
    }
    found
}

/// Finds hooks in the list of one event: shell lines, and programs with arguments.
fn find_hooks(text: &str, node: &Value<'_>, event: &str, found: &mut Vec<Registration>) {
    let mut add = |command: String, at: usize| {
        let call = EntryCall::Hook { command, event: Some(event.to_owned()) };
        found.push(Registration { line: line_number(text, at), call });
    };
    match node {
        Value::StringLit(string) if calls_hook(&string.value) => {
            add(string.value.to_string(), node.start());
        }
        Value::Object(_) => {
            if let Some(words) = hook_words(&node.clone().into()) {
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                return add(words.join(" "), node.start());
            }
            // The key for PowerShell is always next to one for the usual shell.
            let inner = properties(node).filter(|property| property.name.as_str() != "powershell");
            inner.for_each(|property| find_hooks(text, &property.value, event, found));
        }
        Value::Array(list) => list.elements.iter().for_each(|item| find_hooks(text, item, event, found)),
        _ => {}
    }
}

fn find_servers(text: &str, property: &ObjectProp<'_>, found: &mut Vec<Registration>) {
    if !SERVER_KEYS.contains(&property.name.as_str()) {
        return;
    }
    for server in properties(&property.value) {
        if let Some(words) = server_words(&server.value.clone().into()) {
            found.push(Registration {
                line: line_number(text, server.start()),
                call: EntryCall::Server(words),
            });
        }
    }
}

fn properties<'n, 't>(node: &'n Value<'t>) -> impl Iterator<Item = &'n ObjectProp<'t>> {
    node.as_object().into_iter().flat_map(|object| &object.properties)
}

fn line_number(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}
