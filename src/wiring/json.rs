//! Finds, inserts and removes our entries in JSON with comments; everything else stays unchanged.

mod layout;
mod remove;
mod tree;

use serde_json::{Map, Value};

use super::command::{calls_anywhere, has_hook, is_same_server, starts_server};
use super::{BYTE_ORDER_MARK, Presence, WiringError};
use crate::model::ConfigEntry;
use layout::Layout;
use tree::PathLookup;

pub(super) use tree::Tree;

/// Returns whether the text has all, some or none of these entries.
pub(super) fn presence(text: &str, entries: &[ConfigEntry]) -> Result<Presence, WiringError> {
    let (_, text) = split_mark(text);
    if text.trim().is_empty() {
        return Ok(Presence::Absent);
    }
    let all = value(text)?;
    let own: Vec<&ConfigEntry> =
        entries.iter().filter(|entry| !matches!(entry, ConfigEntry::Preset { .. })).collect();
    let wanted = own.iter().filter(|entry| is_there(&all, entry)).count();
    let ours = own.iter().map(|entry| count_ours(&all, entry)).sum::<usize>();
    Ok(match () {
        () if ours == 0 => Presence::Absent,
        () if wanted == own.len() && ours == wanted => Presence::Complete,
        () => Presence::Partial,
    })
}

/// Returns the text with the entries that it lacks.
pub(super) fn with(text: &str, entries: &[ConfigEntry]) -> Result<String, WiringError> {
    let (mark, text) = split_mark(text);
    let mut text = text.to_owned();
    if text.trim().is_empty() {
        text.push_str("{}\n");
    }
    for entry in entries {
        text = add(&text, entry)?;
    }
    // However unusual the text is, the result must be readable.
    Tree::parse(&tree::readable(&text)).map_err(|_| WiringError::Entangled)?;
    Ok(format!("{mark}{text}"))
}

/// Returns the text without what calls nudge at the paths of these entries; objects and lists that the origin has stay,
/// even if they are empty.
pub(super) fn without(text: &str, entries: &[ConfigEntry], origin: &str) -> Result<String, WiringError> {
    let (mark, text) = split_mark(text);
    if text.trim().is_empty() {
        return Ok(format!("{mark}{text}"));
    }
    Ok(format!("{mark}{}", remove::remove_ours(text, entries, &value(origin).unwrap_or_default())?))
}

/// Returns whether other hooks, at the paths of these entries, call nudge as well.
pub(super) fn has_others_hook(text: &str, entries: &[ConfigEntry]) -> bool {
    let Ok(all) = value(text) else { return false };
    entries.iter().any(|entry| match entry {
        ConfigEntry::Item { path, .. } => {
            let mut items = at(&all, path).as_array().into_iter().flatten();
            items.any(|item| calls_anywhere(item) && !has_hook(item))
        }
        ConfigEntry::Key { .. } | ConfigEntry::Preset { .. } => false,
    })
}

/// Parses a text.
pub(super) fn value(text: &str) -> Result<Value, WiringError> {
    Ok(Tree::parse(&tree::readable(split_mark(text).1))?.to_value())
}

/// Returns whether only keys remain that an agent needs in any file of this kind.
pub(super) fn is_bare(text: &str, entries: &[ConfigEntry]) -> bool {
    let (_, text) = split_mark(text);
    let presets: Vec<&str> = entries
        .iter()
        .filter_map(|entry| match entry {
            ConfigEntry::Preset { path, .. } => path.first().copied(),
            ConfigEntry::Item { .. } | ConfigEntry::Key { .. } => None,
        })
        .collect();
    let bare = |value: Value| {
        value.as_object().is_some_and(|map| map.keys().all(|key| presets.contains(&key.as_str())))
    };
    text.trim().is_empty() || (!text.contains("//") && !text.contains("/*") && value(text).is_ok_and(bare))
}

fn add(text: &str, entry: &ConfigEntry) -> Result<String, WiringError> {
    let readable = tree::readable(text);
    let tree = Tree::parse(&readable)?;
    let (path, value) = match entry {
        ConfigEntry::Item { path, value }
        | ConfigEntry::Key { path, value }
        | ConfigEntry::Preset { path, value } => (path, value),
    };
    let found = tree.find(path);
    let layout = Layout::of(text);
    match (entry, found) {
        // Everything below the first missing key is inserted at once.
        (_, PathLookup::Object { object, missing }) => {
            let leaf = match entry {
                ConfigEntry::Item { .. } => Value::Array(vec![value.clone()]),
                ConfigEntry::Key { .. } | ConfigEntry::Preset { .. } => value.clone(),
            };
            let Some((key, deeper)) = missing.split_first() else {
                return Err(WiringError::Shape { key: path.join("."), wanted: "a list" });
            };
            let value = deeper
                .iter()
                .rev()
                .fold(leaf, |inner, key| Value::Object(Map::from_iter([((*key).to_owned(), inner)])));
            Ok(layout.insert_property(object, key, &value))
        }
        (ConfigEntry::Item { .. }, PathLookup::Value(node)) => match node.as_array() {
            Some(_) if is_there(&tree.to_value(), entry) => Ok(text.to_owned()),
            Some(array) => Ok(layout.insert_item(array, value)),
            None => Err(WiringError::Shape { key: path.join("."), wanted: "a list" }),
        },
        (ConfigEntry::Key { .. }, PathLookup::Value(_)) if !is_there(&tree.to_value(), entry) => {
            Err(WiringError::Taken(path.join(".")))
        }
        (ConfigEntry::Key { .. } | ConfigEntry::Preset { .. }, PathLookup::Value(_)) => Ok(text.to_owned()),
        (_, PathLookup::NotAnObject(key)) => Err(WiringError::Shape { key, wanted: "an object" }),
    }
}

/// Returns whether the entry exists as we need it.
fn is_there(all: &Value, entry: &ConfigEntry) -> bool {
    match entry {
        ConfigEntry::Item { path, value } => {
            at(all, path).as_array().is_some_and(|items| items.iter().any(|item| is_same(item, value)))
        }
        ConfigEntry::Key { path, value } => {
            let found = at(all, path);
            found == value || is_same_server(found, value)
        }
        ConfigEntry::Preset { path, .. } => !at(all, path).is_null(),
    }
}

/// Returns whether these are the same hook; the timeout is up to the user.
fn is_same(found: &Value, wanted: &Value) -> bool {
    const TIMEOUT_KEYS: [&str; 2] = ["timeout", "timeoutSec"];
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            found.keys().all(|key| wanted.contains_key(key))
                && wanted.iter().all(|(key, wanted)| {
                    let same = |found| is_same(found, wanted) || TIMEOUT_KEYS.contains(&key.as_str());
                    found.get(key).is_some_and(same)
                })
        }
        (Value::Array(found), Value::Array(wanted)) => {
            found.len() == wanted.len()
                && found.iter().zip(wanted).all(|(found, wanted)| is_same(found, wanted))
        }
        _ => found == wanted,
    }
}

/// Counts what calls nudge at the path of the entry, in any form.
fn count_ours(all: &Value, entry: &ConfigEntry) -> usize {
    match entry {
        ConfigEntry::Item { path, .. } => {
            at(all, path).as_array().into_iter().flatten().filter(|item| has_hook(item)).count()
        }
        ConfigEntry::Key { path, .. } => usize::from(starts_server(at(all, path))),
        ConfigEntry::Preset { .. } => 0,
    }
}

fn at<'v>(all: &'v Value, path: &[&str]) -> &'v Value {
    path.iter().fold(all, |value, key| &value[*key])
}

pub(super) fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 })
}
