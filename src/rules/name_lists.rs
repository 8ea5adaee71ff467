//! Changes the text of a rule file in place: names in its lists (`packs`, `disable`, `shadow`) and switches of a rule.
//!
//! Comments, order and formatting stay as they are. What comes out is parsed again and must differ from the old file in
//! exactly the wanted way; a form that this module does not understand is an error, never a damaged file.

use std::ops::Range;

use super::yaml::{self, Node, YamlError, YamlValue};

/// What happens to a name in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListEdit {
    Add,
    Remove,
}

/// Why a text was not changed.
#[derive(Debug, PartialEq)]
pub(crate) enum EditError {
    /// It is not YAML that we can read.
    Yaml(YamlError),
    /// The place is written in a form that is not changed automatically.
    Form { line: usize },
}

/// The keys of a file in the order in which new ones are inserted.
const ORDER: [&str; 4] = ["version", "packs", "disable", "shadow"];
/// The keys that a file needs one of.
const CONTENT: [&str; 4] = ["packs", "disable", "shadow", "rules"];

/// Adds a name to a list of a file, or removes it; a list that does not exist is created.
pub(crate) fn edit_list(text: &str, key: &str, name: &str, edit: ListEdit) -> Result<String, EditError> {
    let (bom, text) = text.strip_prefix('\u{feff}').map_or(("", text), |rest| ("\u{feff}", rest));
    let Some(root) = yaml::parse(text).map_err(EditError::Yaml)? else {
        let end = line_end(text);
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { end };
        return Ok(format!("{bom}{text}{gap}version: 1{end}{key}: [{}]{end}", written(name)));
    };
    let YamlValue::Map(entries) = &root.value else { return Err(EditError::Form { line: root.line }) };
    if entries.iter().any(|(key, _)| key.column != 1) {
        return Err(EditError::Form { line: root.line });
    }
    let list = RuleFileText { text, entries };
    let line = entries.iter().find(|(its, _)| its.name() == Some(key)).map_or(1, |(key, _)| key.line);
    let changed = match edit {
        ListEdit::Add => list.with(key, name),
        ListEdit::Remove => list.without(key, name),
    };
    let changed = changed.ok_or(EditError::Form { line })?;
    let mut wanted = names(&root, key);
    match edit {
        ListEdit::Add => wanted.push(name.to_owned()),
        ListEdit::Remove => wanted.retain(|its| its != name),
    }
    let is_right = yaml::parse(&changed)
        .ok()
        .flatten()
        .is_some_and(|new| names(&new, key) == wanted && without_key(&new, key) == without_key(&root, key));
    if is_right { Ok(format!("{bom}{changed}")) } else { Err(EditError::Form { line }) }
}

/// Sets a switch that a rule has already, such as `enabled: false`; the rule starts at this position.
pub(crate) fn set_switch(
    text: &str,
    rule: (usize, usize),
    key: &str,
    value: bool,
) -> Result<String, EditError> {
    let (bom, text) = text.strip_prefix('\u{feff}').map_or(("", text), |rest| ("\u{feff}", rest));
    let form = EditError::Form { line: rule.0 };
    let Some(root) = yaml::parse(text).map_err(EditError::Yaml)? else { return Err(form) };
    let switch = find(&root, "rules").and_then(|rules| match &rules.value {
        YamlValue::List(items) => items.iter().find(|item| (item.line, item.column) == rule),
        _ => None,
    });
    let Some(switch) = switch.and_then(|rule| find(rule, key)) else { return Err(form) };
    let (YamlValue::Bool(old), Some(start)) = (&switch.value, offset(text, switch.line, switch.column))
    else {
        return Err(form);
    };
    let end = start + old.to_string().len();
    match text.get(start..end) {
        Some(token) if token.eq_ignore_ascii_case(&old.to_string()) => {
            Ok(format!("{bom}{}{value}{}", &text[..start], &text[end..]))
        }
        _ => Err(form),
    }
}

/// Returns the names in a list of a file.
fn names(root: &Node, key: &str) -> Vec<String> {
    let Some(node) = find(root, key) else { return Vec::new() };
    let items = match &node.value {
        YamlValue::List(items) => items.as_slice(),
        YamlValue::Null => &[],
        _ => std::slice::from_ref(node),
    };
    items.iter().map(|item| item.name().unwrap_or_default().to_owned()).collect()
}

fn find<'n>(map: &'n Node, key: &str) -> Option<&'n Node> {
    let YamlValue::Map(entries) = &map.value else { return None };
    entries.iter().find(|(its, _)| its.name() == Some(key)).map(|(_, value)| value)
}

/// Returns the values of a file without one key, and without positions.
fn without_key(root: &Node, key: &str) -> Vec<String> {
    let YamlValue::Map(entries) = &root.value else { return Vec::new() };
    let others = entries.iter().filter(|(its, _)| its.name() != Some(key));
    others.map(|(key, value)| format!("{:?}: {}", key.name(), plain(value))).collect()
}

fn plain(node: &Node) -> String {
    match &node.value {
        YamlValue::List(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(", ")),
        YamlValue::Map(entries) => {
            let entry = |(key, value): &(Node, Node)| format!("{}: {}", plain(key), plain(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}

/// A rule file that is being changed.
struct RuleFileText<'t> {
    text: &'t str,
    entries: &'t [(Node, Node)],
}

impl RuleFileText<'_> {
    fn with(&self, key: &str, name: &str) -> Option<String> {
        let name = written(name);
        let Some((key_node, value)) = self.entry(key) else { return self.with_new_key(key, &name) };
        match &value.value {
            YamlValue::Null => {
                let colon = self.line_start(key_node.line) + key.len();
                self.text[colon..].starts_with(':').then(|| self.inserted(colon + 1, &format!(" [{name}]")))
            }
            YamlValue::Text { text, .. } => {
                let start = offset(self.text, value.line, value.column)?;
                let end = start + token_length(&self.text[start..], text)?;
                Some(format!(
                    "{}[{}, {name}]{}",
                    &self.text[..start],
                    &self.text[start..end],
                    &self.text[end..]
                ))
            }
            YamlValue::List(items) => {
                let start = offset(self.text, value.line, value.column)?;
                if self.text[start..].starts_with('[') {
                    let flow = flow_list(self.text, start)?;
                    return Some(match flow.items.last() {
                        Some(last) => self.inserted(last.end, &format!(", {name}")),
                        None => self.inserted(start + 1, &name),
                    });
                }
                let last = items.last()?;
                let line = self.line(last.line);
                let dash = line.find('-')?;
                if !line[..dash].trim().is_empty() {
                    return None;
                }
                Some(self.with_line_after(last.line, &format!("{}- {name}", &line[..dash])))
            }
            _ => None,
        }
    }

    fn without(&self, key: &str, name: &str) -> Option<String> {
        let (key_node, value) = self.entry(key)?;
        let is_only_content = !self
            .entries
            .iter()
            .any(|(its, _)| its.name().is_some_and(|its| its != key && CONTENT.contains(&its)));
        let YamlValue::List(items) = &value.value else {
            return (!is_only_content && value.line == key_node.line)
                .then(|| self.without_lines(key_node.line..key_node.line + 1));
        };
        let index = items.iter().position(|item| item.name() == Some(name))?;
        let start = offset(self.text, value.line, value.column)?;
        if !self.text[start..].starts_with('[') {
            let line = items[index].line;
            let dash = self.line(line).find('-').filter(|dash| self.line(line)[..*dash].trim().is_empty())?;
            debug_assert!(dash < self.line(line).len());
            return match (items.len(), is_only_content) {
                (1, false) => Some(self.without_lines(key_node.line..line + 1)),
                (1, true) => {
                    let shorter = self.without_lines(line..line + 1);
                    let colon = self.line_start(key_node.line) + key.len() + 1;
                    Some(format!("{} []{}", &shorter[..colon], &shorter[colon..]))
                }
                _ => Some(self.without_lines(line..line + 1)),
            };
        }
        let flow = flow_list(self.text, start)?;
        if flow.items.len() != items.len() {
            return None;
        }
        if items.len() == 1 {
            let last_line = self.text[..flow.close].matches('\n').count() + 1;
            let rest = self.text[flow.close + 1..].lines().next().unwrap_or_default().trim();
            if !is_only_content && (rest.is_empty() || rest.starts_with('#')) {
                return Some(self.without_lines(key_node.line..last_line + 1));
            }
            return Some(self.removed(flow.items[0].clone()));
        }
        Some(match index {
            0 => self.removed(flow.items[0].start..flow.items[1].start),
            _ => self.removed(flow.items[index - 1].end..flow.items[index].end),
        })
    }

    fn with_new_key(&self, key: &str, name: &str) -> Option<String> {
        let line = format!("{key}: [{name}]");
        let before = ORDER.iter().take_while(|other| **other != key);
        let last = before.filter_map(|other| self.last_line_of(other)).max();
        match last {
            Some(last) => Some(self.with_line_after(last, &line)),
            None => {
                let start = self.line_start(self.entries.first()?.0.line);
                Some(self.inserted(start, &format!("{line}{}", line_end(self.text))))
            }
        }
    }

    fn entry(&self, key: &str) -> Option<&(Node, Node)> {
        self.entries.iter().find(|(its, _)| its.name() == Some(key))
    }

    /// Returns the last line of a key's value: the last one with content before the next key.
    fn last_line_of(&self, key: &str) -> Option<usize> {
        let first = self.entry(key)?.0.line;
        let next = self.entries.iter().map(|(key, _)| key.line).filter(|line| *line > first).min();
        let lines = self.text.lines().count();
        let has_content = |line: &usize| {
            let text = self.line(*line).trim();
            !text.is_empty() && !text.starts_with('#')
        };
        (first..next.unwrap_or(lines + 1)).rev().find(has_content)
    }

    fn line(&self, line: usize) -> &str {
        self.text.lines().nth(line - 1).unwrap_or_default()
    }

    fn line_start(&self, line: usize) -> usize {
        self.text.split_inclusive('\n').take(line - 1).map(str::len).sum()
    }

    fn inserted(&self, at: usize, new: &str) -> String {
        format!("{}{new}{}", &self.text[..at], &self.text[at..])
    }

    fn removed(&self, range: Range<usize>) -> String {
        format!("{}{}", &self.text[..range.start], &self.text[range.end..])
    }

    fn with_line_after(&self, line: usize, new: &str) -> String {
        let at = self.line_start(line + 1);
        let end = line_end(self.text);
        if self.text[..at].ends_with('\n') {
            self.inserted(at, &format!("{new}{end}"))
        } else {
            format!("{}{end}{new}{end}", self.text)
        }
    }

    fn without_lines(&self, lines: Range<usize>) -> String {
        self.removed(self.line_start(lines.start)..self.line_start(lines.end))
    }
}

/// A list in brackets: where its items are, and its closing bracket.
struct FlowList {
    items: Vec<Range<usize>>,
    close: usize,
}

/// Finds the items of a list that starts with a bracket; `None` if it has more than plain and quoted names.
fn flow_list(text: &str, open: usize) -> Option<FlowList> {
    let mut items = Vec::new();
    let mut item: Option<Range<usize>> = None;
    let mut characters = text[open + 1..].char_indices().map(|(at, one)| (open + 1 + at, one)).peekable();
    let mut before = ' ';
    while let Some((at, one)) = characters.next() {
        match one {
            ']' | ',' => {
                items.extend(item.take());
                if one == ']' {
                    return Some(FlowList { items, close: at });
                }
            }
            '[' | '{' | '}' | '&' | '*' if item.is_none() => return None,
            '#' if before.is_whitespace() => while characters.next_if(|(_, one)| *one != '\n').is_some() {},
            '"' | '\'' if item.is_none() => {
                let mut end = None;
                while let Some((at, other)) = characters.next() {
                    let is_doubled = one == '\'' && characters.peek().is_some_and(|(_, next)| *next == one);
                    if (one == '"' && other == '\\') || (other == one && is_doubled) {
                        characters.next();
                    } else if other == one {
                        end = Some(at + 1);
                        break;
                    }
                }
                item = Some(at..end?);
            }
            _ if one.is_whitespace() => {}
            _ => {
                let start = item.as_ref().map_or(at, |item| item.start);
                item = Some(start..at + one.len_utf8());
            }
        }
        before = one;
    }
    None
}

/// Returns the length of a text as it is written: plain, or in quotes.
fn token_length(source: &str, text: &str) -> Option<usize> {
    match source.chars().next()? {
        quote @ ('"' | '\'') => source[1..].find(quote).map(|end| end + 2),
        _ => source.starts_with(text).then_some(text.len()),
    }
}

/// Returns the byte at a position that counts characters from one.
fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let within = text[start..].char_indices().nth(column.checked_sub(1)?);
    within.map(|(at, _)| start + at)
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns a name as YAML reads it back as the same text.
fn written(name: &str) -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "_-./".contains(one);
    let starts_well = name.starts_with(|one: char| one.is_ascii_alphabetic());
    let is_word = ["true", "false", "null", "yes", "no", "on", "off"]
        .iter()
        .any(|word| name.eq_ignore_ascii_case(word));
    if starts_well && name.chars().all(is_plain) && !is_word {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', "''"))
}

#[cfg(test)]
mod tests;
