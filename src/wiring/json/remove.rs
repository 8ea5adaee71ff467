//! Takes out what calls us, with its commas, and what is empty without it unless it was there before.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use super::at;
use super::layout::{comment_end, skip_blank};
use super::tree::{Tree, member, readable};
use crate::model::Entry;
use crate::wiring::Unfit;
use crate::wiring::command::{has_hook, starts_server};

/// What is to be taken out, and of what.
struct Task<'a> {
    text: &'a str,
    entries: &'a [Entry],
    /// What was there before us.
    origin: &'a serde_json::Value,
}

/// Returns the text without what is ours at the places of these entries.
pub(super) fn ours(text: &str, entries: &[Entry], origin: &serde_json::Value) -> Result<String, Unfit> {
    let whole = readable(text);
    let tree = Tree::parse(&whole)?;
    let mut cuts = Vec::new();
    let all_gone = prune(&Task { text, entries, origin }, tree.root(), &mut Vec::new(), &mut cuts);
    if let Some(object) = tree.root().as_object().filter(|_| all_gone) {
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
    let left = Tree::parse(&whole).map_err(|_| Unfit::Entangled)?;
    let inside = left.root().start() + 1..left.root().end() - 1;
    if all_gone && rest[inside.clone()].trim().is_empty() {
        rest.replace_range(inside, "");
    }
    Ok(rest)
}

/// Says whether the whole of this is ours; otherwise notes what to cut of it.
fn prune(task: &Task<'_>, node: &Value<'_>, path: &mut Vec<String>, cuts: &mut Vec<Range<usize>>) -> bool {
    if is_ours(node, path, task.entries) {
        return true;
    }
    let mut inner = Vec::new();
    let parts: Vec<(Range<usize>, bool)> = match node {
        Value::Object(object) => {
            let part = |property: &jsonc_parser::ast::ObjectProp<'_>| {
                path.push(property.name.as_str().to_owned());
                let gone =
                    leads_to_entry(path, task.entries) && prune(task, &property.value, path, &mut inner);
                path.pop();
                (property.start()..property.end(), gone)
            };
            object.properties.iter().map(part).collect()
        }
        Value::Array(array) => {
            let part =
                |item: &Value<'_>| (item.start()..item.end(), prune_item(task, item, path, &mut inner));
            array.elements.iter().map(part).collect()
        }
        _ => return false,
    };
    cuts.append(&mut inner);
    let all_gone = !parts.is_empty() && parts.iter().all(|(_, gone)| *gone);
    let is_commented = has_comment(task.text, node, &parts);
    if all_gone && !path.is_empty() && !is_commented && was_there(task.origin, path) {
        cuts.push(node.start() + 1..node.end() - 1);
        return false;
    }
    if all_gone && (path.is_empty() || !is_commented) {
        return true;
    }
    cut_parts(task.text, node.start() + 1, &parts, cuts);
    false
}

/// Says whether this was there before us, and so stays even if nothing is left in it.
fn was_there(origin: &serde_json::Value, path: &[String]) -> bool {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let before = at(origin, &names);
    before.is_object() || before.is_array()
}

/// Says whether there is anything between the parts but white space and commas.
fn has_comment(text: &str, node: &Value<'_>, parts: &[(Range<usize>, bool)]) -> bool {
    let starts = parts.iter().map(|(part, _)| part.start).chain([node.end() - 1]);
    let ends = [node.start() + 1].into_iter().chain(parts.iter().map(|(part, _)| part.end));
    let is_blank = |c: char| c.is_whitespace() || c == ',';
    ends.zip(starts).any(|(from, to)| !text[from..to].trim_matches(is_blank).is_empty())
}

/// An item of a list of hooks may be a group, in which others have put theirs.
fn prune_item(task: &Task<'_>, item: &Value<'_>, path: &[String], cuts: &mut Vec<Range<usize>>) -> bool {
    let is_list =
        task.entries.iter().any(|entry| matches!(entry, Entry::Item { path: at, .. } if at == path));
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
    let all = parts.iter().all(|(_, gone)| *gone);
    if !all {
        cut_parts(task.text, group.start() + 1, &parts, cuts);
    }
    all
}

/// Says whether this is a value of our own: the server, or what the agent needs beside our hooks and nothing else.
fn is_ours(node: &Value<'_>, path: &[String], entries: &[Entry]) -> bool {
    entries.iter().any(|entry| match entry {
        Entry::Key { path: at, .. } => at == path && starts_server(&node.clone().into()),
        Entry::Item { .. } | Entry::Preset { .. } => false,
    })
}

fn leads_to_entry(path: &[String], entries: &[Entry]) -> bool {
    entries.iter().any(|entry| match entry {
        Entry::Item { path: at, .. } | Entry::Key { path: at, .. } => {
            at.len() >= path.len() && at.iter().zip(path).all(|(a, b)| a == b)
        }
        Entry::Preset { .. } => false,
    })
}

/// Cuts the parts that go from what starts there, with the white space before them; commas stay only between what stays.
fn cut_parts(text: &str, inside: usize, parts: &[(Range<usize>, bool)], cuts: &mut Vec<Range<usize>>) {
    let last_kept = parts.iter().rposition(|(_, gone)| !gone);
    let ends_with_comma = parts.last().is_some_and(|(last, _)| comma_after(text, last.end).is_some());
    let mut from = inside;
    for (index, (part, gone)) in parts.iter().enumerate() {
        if *gone {
            let run =
                parts[index..].iter().take_while(|(_, gone)| *gone).last().map_or(part, |(last, _)| last);
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

/// Returns where the white space before a part starts; a line comment keeps the end of its line, unless one follows what
/// goes together with the part.
fn leading_white(text: &str, from: usize, start: usize, run_end: usize) -> usize {
    let behind = text[run_end..].trim_start_matches([' ', '\t', ',']);
    if ends_in_line_comment(text, from, start) && !behind.starts_with(['\n', '\r']) {
        return start;
    }
    text[..start].trim_end().len()
}

/// Says whether the last thing between two parts is a comment that goes to the end of its line.
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
