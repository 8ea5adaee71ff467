//! Removes what calls nudge, with its commas, and what is empty afterwards unless it existed before.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use super::at;
use super::layout::{comment_end, skip_blank};
use super::tree::{Tree, member, readable};
use crate::model::ConfigEntry;
use crate::wiring::WiringError;
use crate::wiring::command::{has_hook, starts_server};

/// What to remove, and from which text.
struct EntryRemoval<'a> {
    text: &'a str,
    entries: &'a [ConfigEntry],
    /// The content before nudge was connected.
    origin: &'a serde_json::Value,
}

/// Returns the text without our parts at the paths of these entries.
pub(super) fn remove_ours(
    text: &str,
    entries: &[ConfigEntry],
    origin: &serde_json::Value,
) -> Result<String, WiringError> {
    let whole = readable(text);
    let tree = Tree::parse(&whole)?;
    let mut cuts = Vec::new();
    let remove_all = prune(&EntryRemoval { text, entries, origin }, tree.root(), &mut Vec::new(), &mut cuts);
    if let Some(object) = tree.root().as_object().filter(|_| remove_all) {
        let parts: Vec<_> = object.properties.iter().map(|part| (part.start()..part.end(), true)).collect();
        cut_parts(text, object.start() + 1, &parts, &mut cuts);
    }
    cuts.sort_by_key(|cut| cut.start);
    let mut rest = String::new();
    let mut at = 0;
    for cut in cuts {
        rest.push_str(text.get(at..cut.start).unwrap_or_default());
        at = at.max(cut.end);
    }
    rest.push_str(&text[at..]);
    let whole = readable(&rest).into_owned();
    let left = Tree::parse(&whole).map_err(|_| WiringError::Entangled)?;
    let inside = left.root().start() + 1..left.root().end() - 1;
    if remove_all && rest[inside.clone()].trim().is_empty() {
        rest.replace_range(inside, "");
    }
    Ok(rest)
}

/// Returns whether all of this is ours; otherwise records what to cut from it.
fn prune(
    removal: &EntryRemoval<'_>,
    node: &Value<'_>,
    path: &mut Vec<String>,
    cuts: &mut Vec<Range<usize>>,
) -> bool {
    if is_ours(node, path, removal.entries) {
        return true;
    }
    let mut inner = Vec::new();
    let parts: Vec<(Range<usize>, bool)> = match node {
        Value::Object(object) => {
            let part = |property: &jsonc_parser::ast::ObjectProp<'_>| {
                path.push(property.name.as_str().to_owned());
                let remove = leads_to_entry(path, removal.entries)
                    && prune(removal, &property.value, path, &mut inner);
                path.pop();
                (property.start()..property.end(), remove)
            };
            object.properties.iter().map(part).collect()
        }
        Value::Array(array) => {
            let part =
                |item: &Value<'_>| (item.start()..item.end(), prune_item(removal, item, path, &mut inner));
            array.elements.iter().map(part).collect()
        }
        _ => return false,
    };
    cuts.append(&mut inner);
    let remove_all = !parts.is_empty() && parts.iter().all(|(_, remove)| *remove);
    let is_commented = has_comment(removal.text, node, &parts);
    if remove_all && !path.is_empty() && !is_commented && was_there(removal.origin, path) {
        cuts.push(node.start() + 1..node.end() - 1);
        return false;
    }
    if remove_all && (path.is_empty() || !is_commented) {
        return true;
    }
    cut_parts(removal.text, node.start() + 1, &parts, cuts);
    false
}

/// Returns whether this existed before, and so stays even if it is empty.
fn was_there(origin: &serde_json::Value, path: &[String]) -> bool {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let before = at(origin, &names);
    before.is_object() || before.is_array()
}

/// Returns whether there is anything but whitespace and commas between the parts.
fn has_comment(text: &str, node: &Value<'_>, parts: &[(Range<usize>, bool)]) -> bool {
    let starts = parts.iter().map(|(part, _)| part.start).chain([node.end() - 1]);
    let ends = [node.start() + 1].into_iter().chain(parts.iter().map(|(part, _)| part.end));
    let is_blank = |c: char| c.is_whitespace() || c == ',';
    ends.zip(starts).any(|(from, to)| !text[from..to].trim_matches(is_blank).is_empty())
}

/// Removes our hooks from an item of a list of hooks; the item may be a group that also contains other hooks.
fn prune_item(
    removal: &EntryRemoval<'_>,
    item: &Value<'_>,
    path: &[String],
    cuts: &mut Vec<Range<usize>>,
) -> bool {
    let is_list =
        removal.entries.iter().any(|entry| matches!(entry, ConfigEntry::Item { path: at, .. } if at == path));
    if !is_list || !has_hook(&item.clone().into()) {
        return false;
    }
    let Some(Value::Array(group)) = item.as_object().and_then(|object| member(object, "hooks")) else {
        return true;
    };
    let parts: Vec<(Range<usize>, bool)> = group
        .elements
        .iter()
        .map(|handler| (handler.start()..handler.end(), has_hook(&handler.clone().into())))
        .collect();
    let all = parts.iter().all(|(_, remove)| *remove);
    if !all {
        cut_parts(removal.text, group.start() + 1, &parts, cuts);
    }
    all
}

/// Returns whether this is our value, that is, our server.
fn is_ours(node: &Value<'_>, path: &[String], entries: &[ConfigEntry]) -> bool {
    entries.iter().any(|entry| match entry {
        ConfigEntry::Key { path: at, .. } => at == path && starts_server(&node.clone().into()),
        ConfigEntry::Item { .. } | ConfigEntry::Preset { .. } => false,
    })
}

fn leads_to_entry(path: &[String], entries: &[ConfigEntry]) -> bool {
    entries.iter().any(|entry| match entry {
        ConfigEntry::Item { path: at, .. } | ConfigEntry::Key { path: at, .. } => {
            at.len() >= path.len() && at.iter().zip(path).all(|(a, b)| a == b)
        }
        ConfigEntry::Preset { .. } => false,
    })
}

/// Cuts the parts marked for removal, with the whitespace before them; commas stay only between the remaining parts.
fn cut_parts(text: &str, inside: usize, parts: &[(Range<usize>, bool)], cuts: &mut Vec<Range<usize>>) {
    let last_kept = parts.iter().rposition(|(_, remove)| !remove);
    let ends_with_comma = parts.last().is_some_and(|(last, _)| comma_after(text, last.end).is_some());
    let mut from = inside;
    for (index, (part, remove)) in parts.iter().enumerate() {
        if *remove {
            let run =
                parts[index..].iter().take_while(|(_, remove)| *remove).last().map_or(part, |(last, _)| last);
            cuts.push(leading_white(text, from, part.start, run.end)..part.end);
            cuts.extend(comma_after(text, part.end).map(|comma| comma..comma + 1));
        } else if last_kept == Some(index) && index + 1 < parts.len() && !ends_with_comma {
            cuts.extend(comma_after(text, part.end).map(|comma| comma..comma + 1));
        }
        from = part.end;
    }
}

fn comma_after(text: &str, end: usize) -> Option<usize> {
    Some(skip_blank(text, end)).filter(|at| text[*at..].starts_with(','))
}

/// Returns the start of the whitespace before a part. A line comment before it keeps its line break, unless there is
/// another one after the parts that are removed together.
fn leading_white(text: &str, from: usize, start: usize, run_end: usize) -> usize {
    let after = text[run_end..].trim_start_matches([' ', '\t', ',']);
    if ends_in_line_comment(text, from, start) && !after.starts_with(['\n', '\r']) {
        return start;
    }
    text[..start].trim_end().len()
}

/// Returns whether the last thing between two parts is a line comment.
fn ends_in_line_comment(text: &str, from: usize, to: usize) -> bool {
    let mut at = from;
    let mut found = false;
    while at < to {
        let rest = &text[at..to];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', ',']).len();
        match comment_end(text, at + blank).filter(|_| blank < rest.len()) {
            Some(end) => {
                found = rest[blank..].starts_with("//");
                at = end;
            }
            None => return found,
        }
    }
    found
}
