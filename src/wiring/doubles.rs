//! Finds connections to nudge besides our own entries, which would deliver events or tools twice.

use serde_json::Value;

use super::command::{calls_anywhere, starts_server};
use super::{EntryCall, is_own, json, registrations, table};
use crate::model::{ConfigEntry, Content};

/// Returns whether a text of any format already connects an agent with nudge.
pub(crate) fn connects(text: &str) -> bool {
    is_own(text) || parse_value(text).is_some_and(|value| calls_anywhere(&value))
}

/// Returns whether a text calls nudge through hooks that are not ours, for events that ours handle.
pub(crate) fn connects_beside(text: &str, content: &Content) -> bool {
    match content {
        Content::Json(entries) => json::has_others_hook(text, entries),
        Content::Toml { .. } => table::value(text).is_some_and(|value| calls_anywhere(&value)),
        Content::Own(_) | Content::Document(_) => false,
    }
}

/// Returns the names of entries, other than ours, that start our server.
pub(crate) fn other_servers(text: &str, content: &Content) -> Vec<String> {
    let own = match content {
        Content::Json(entries) => entries.iter().find_map(|entry| match entry {
            ConfigEntry::Key { path, .. } => Some(path.join(".")),
            ConfigEntry::Item { .. } | ConfigEntry::Preset { .. } => None,
        }),
        Content::Toml { table, .. } => Some(table.join(".")),
        Content::Own(_) | Content::Document(_) => None,
    };
    let mut found = Vec::new();
    if let (Some(own), Some(value)) = (own, parse_value(text)) {
        collect_servers(&value, "", &mut found);
        found.retain(|name| *name != own);
    }
    found
}

/// Returns whether the settings of Claude Code enable our plugin, which has its own hooks.
pub(crate) fn has_plugin(settings: &str) -> bool {
    registrations(settings).iter().any(|one| one.call == EntryCall::Plugin)
}

fn collect_servers(value: &Value, path: &str, found: &mut Vec<String>) {
    for (key, inner) in value.as_object().into_iter().flatten() {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if starts_server(inner) {
            found.push(path);
        } else {
            collect_servers(inner, &path, found);
        }
    }
}

fn parse_value(text: &str) -> Option<Value> {
    json::value(text).ok().or_else(|| table::value(text))
}
