//! Our table in a TOML text: appended and removed as lines, and checked by parsing the result.

use serde_json::Value;
use toml::Table;

use super::command::{calls_hook, is_same_server, server_words, starts_server};
use super::registration::{EntryCall, Registration};
use super::{BYTE_ORDER_MARK, Presence, WiringError, line_end};

pub(super) fn presence(text: &str, path: [&str; 2], values: &Value) -> Result<Presence, WiringError> {
    let all = parse(text)?;
    Ok(match find(&all, path) {
        Some(found) if found == *values => Presence::Complete,
        Some(found) if is_same_server(&found, values) => Presence::Complete,
        Some(found) if starts_server(&found) => Presence::Partial,
        _ => Presence::Absent,
    })
}

pub(super) fn with(text: &str, path: [&str; 2], values: &Value) -> Result<String, WiringError> {
    match find(&parse(text)?, path) {
        Some(found) if starts_server(&found) => return Ok(text.to_owned()),
        Some(_) => return Err(WiringError::Taken(path.join("."))),
        None => {}
    }
    let end = line_end(text);
    let mut lines = vec![format!("[{}]", path.join("."))];
    // Strings and lists of strings are written as in JSON.
    let values = values.as_object().into_iter().flatten();
    lines.extend(values.map(|(key, value)| format!("{key} = {value}")));
    let gap = match text {
        _ if text.trim_start_matches(BYTE_ORDER_MARK).is_empty() => String::new(),
        _ if text.ends_with('\n') => end.to_owned(),
        _ => end.repeat(2),
    };
    let new = format!("{text}{gap}{}{end}", lines.join(end));
    // An inline table cannot be extended from outside.
    let is_there = parse(&new).is_ok_and(|all| find(&all, path).is_some());
    let unfit = || WiringError::Shape { key: path[0].to_owned(), wanted: "a table of its own" };
    is_there.then_some(new).ok_or_else(unfit)
}

pub(super) fn without(text: &str, path: [&str; 2]) -> Result<String, WiringError> {
    let all = parse(text)?;
    if !find(&all, path).is_some_and(|found| starts_server(&found)) {
        return Ok(text.to_owned());
    }
    let rest = cut(text, path);
    let mut wanted = all;
    if let Some(toml::Value::Table(outer)) = wanted.get_mut(path[0]) {
        outer.remove(path[1]);
        if outer.is_empty() && !text.lines().any(|line| line.trim() == format!("[{}]", path[0])) {
            wanted.remove(path[0]);
        }
    }
    // Cutting lines is correct only if the result equals that of removing keys.
    if parse(&rest).ok() == Some(wanted) { Ok(rest) } else { Err(WiringError::Entangled) }
}

/// Parses a text.
pub(super) fn value(text: &str) -> Option<Value> {
    serde_json::to_value(parse(text).ok()?).ok()
}

/// Returns what calls nudge; the line of a table is found by its header, that of a string by its text.
pub(super) fn registrations(text: &str) -> Vec<Registration> {
    let Ok(all) = parse(text) else { return Vec::new() };
    let mut found: Vec<Registration> = Vec::new();
    for (name, value) in all.get("mcp_servers").and_then(toml::Value::as_table).into_iter().flatten() {
        let Some(words) = serde_json::to_value(value).ok().as_ref().and_then(server_words) else { continue };
        let is_head = |line: &str| line.contains("mcp_servers") && line.contains(name.as_str());
        found.push(Registration { line: line_where(text, is_head), call: EntryCall::Server(words) });
    }
    for (event, value) in all.get("hooks").and_then(toml::Value::as_table).into_iter().flatten() {
        for command in strings(value).into_iter().filter(|text| calls_hook(text)) {
            // A string with escapes is found by the name of the program.
            let is_match = |line: &str| line.contains(command) || line.contains("nudge");
            let call = EntryCall::Hook { command: command.to_owned(), event: Some(event.clone()) };
            found.push(Registration { line: line_where(text, is_match), call });
        }
    }
    found
}

fn line_where(text: &str, is_match: impl Fn(&str) -> bool) -> usize {
    text.lines().position(is_match).map_or(0, |at| at + 1)
}

fn strings(value: &toml::Value) -> Vec<&str> {
    match value {
        toml::Value::String(text) => vec![text],
        toml::Value::Array(items) => items.iter().flat_map(strings).collect(),
        toml::Value::Table(table) => table.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

/// Cuts the lines of the table and its subtables, with the empty line before; comments after it stay.
fn cut(text: &str, path: [&str; 2]) -> String {
    let name = path.join(".");
    let (head, inner) = (format!("[{name}]"), format!("[{name}."));
    let mut kept = String::new();
    let mut pending = String::new();
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        let words = line.trim_start_matches(BYTE_ORDER_MARK).trim();
        if words.starts_with('[') {
            let starts = words.starts_with(&head) || words.starts_with(&inner);
            if starts && !inside {
                // The empty line before the table was inserted with it.
                let gap = ["\n\r\n", "\n\n"].iter().find(|gap| kept.ends_with(*gap));
                kept.truncate(kept.len() - gap.map_or(0, |gap| gap.len() - 1));
            }
            if !starts && inside {
                kept.push_str(&pending);
            }
            pending.clear();
            inside = starts;
        }
        match () {
            () if !inside => kept.push_str(line),
            () if words.is_empty() || words.starts_with('#') => pending.push_str(line),
            () => pending.clear(),
        }
    }
    kept.push_str(&pending);
    kept
}

fn parse(text: &str) -> Result<Table, WiringError> {
    let malformed =
        |error: toml::de::Error| WiringError::Malformed { format: "TOML", why: error.message().to_owned() };
    text.trim_start_matches(BYTE_ORDER_MARK).parse().map_err(malformed)
}

fn find(all: &Table, path: [&str; 2]) -> Option<Value> {
    let found = all.get(path[0])?.get(path[1])?;
    serde_json::to_value(found).ok()
}
