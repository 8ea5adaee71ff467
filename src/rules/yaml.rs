//! Reads YAML into a tree that knows its places.
//!
//! Rule files are written by people and read by people who want to know what is wrong and where, so every node
//! keeps its line and column. Tags are refused (an unquoted `!**/test/**` is one), and aliases are paid for from a
//! budget, so that a small file cannot grow into a large tree.

use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

/// A YAML value with the place where it starts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    Text {
        text: String,
        /// Without quotes, so that it might have been meant as something else.
        plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

/// Why a text is not YAML that we read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct YamlError {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// The most nodes of one file, aliases counted at full size.
const MAX_NODES: usize = 200_000;
/// A text costs a node for each of these bytes, or an alias of a long one would be cheap.
const BYTES_OF_A_NODE: usize = 64;
/// The deepest nesting of one file.
const MAX_DEPTH: usize = 64;

/// Returns the file's one document, or `None` if there is nothing but comments.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, YamlError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder { source: text, ..Builder::default() };
    for item in Parser::new_from_str(text) {
        let (event, span) = item.map_err(|error| {
            let marker = error.marker();
            let hint = hint_for(error.info()).or_else(|| hint_near(text, marker.line()));
            YamlError {
                line: marker.line(),
                column: marker.col() + 1,
                message: format!("not valid YAML: {}", error.info()),
                hint,
            }
        })?;
        builder.take(event, span)?;
    }
    Ok(builder.root)
}

impl Node {
    /// Says what kind of value this is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "a truth value",
            Value::Integer(_) => "a number",
            Value::Text { .. } => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// Returns the text that this is.
    pub(crate) fn name(&self) -> Option<&str> {
        if let Value::Text { text, .. } = &self.value { Some(text) } else { None }
    }
}

#[derive(Default)]
struct Builder<'s> {
    source: &'s str,
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
    documents: usize,
    root: Option<Node>,
}

/// A list or a map whose end has not been seen.
struct Open {
    node: Node,
    /// The key that waits for its value.
    key: Option<Node>,
    /// The names of a map's own keys.
    names: HashSet<String>,
    /// What `<<` brings; a map's own keys win, wherever they stand.
    merged: Vec<(Node, Node)>,
    anchor: usize,
    nodes_before: usize,
}

impl Open {
    /// Adds what `<<` brought, as far as the map has no such keys of its own.
    fn merge(&mut self) {
        let Value::Map(entries) = &mut self.node.value else { return };
        for (key, value) in self.merged.drain(..) {
            if key.name().is_none_or(|name| self.names.insert(name.to_owned())) {
                entries.push((key, value));
            }
        }
    }
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlError> {
        let (line, column) = (span.start.line(), span.start.col() + 1);
        let node = |value| Node { value, line, column };
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    let mut error = self.error(line, column, "more than one YAML document in this file");
                    error.hint = Some("remove the `---`, or make two files of it".into());
                    return Err(error);
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(tag.is_some(), line, column)?;
                let size = 1 + text.len() / BYTES_OF_A_NODE;
                let value = match style {
                    ScalarStyle::Plain => plain_value(&text),
                    _ => Value::Text { text: text.into_owned(), plain: false },
                };
                self.close(node(value), anchor, size)
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_tag(tag.is_some(), line, column)?;
                self.open(node(Value::List(Vec::new())), anchor)
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_tag(tag.is_some(), line, column)?;
                self.open(node(Value::Map(Vec::new())), anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(mut open) = self.open.pop() else { return Ok(()) };
                // What is inside has been counted; an alias to this node is as large as all of it.
                let inside = self.nodes - open.nodes_before;
                open.merge();
                self.nodes -= inside;
                self.close(open.node, open.anchor, inside + 1)
            }
            Event::Alias(anchor) => {
                let Some((mut node, size)) =
                    self.anchors.get(&anchor).map(|(node, size)| (node.clone(), *size))
                else {
                    return Err(self.error(line, column, "this alias names nothing"));
                };
                (node.line, node.column) = (line, column);
                self.close(node, 0, size)
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn open(&mut self, node: Node, anchor: usize) -> Result<(), YamlError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(self.error(node.line, node.column, "nested too deeply"));
        }
        self.open.push(Open {
            node,
            key: None,
            names: HashSet::new(),
            merged: Vec::new(),
            anchor,
            nodes_before: self.nodes,
        });
        Ok(())
    }

    /// Puts a finished node into what is open, or makes it the document.
    fn close(&mut self, node: Node, anchor: usize, size: usize) -> Result<(), YamlError> {
        // An anchor keeps a copy.
        self.nodes += if anchor == 0 { size } else { 2 * size };
        if self.nodes > MAX_NODES {
            return Err(self.error(node.line, node.column, "too many values in this file"));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), size));
        }
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(node).filter(|node| node.value != Value::Null);
            return Ok(());
        };
        match (&mut parent.node.value, parent.key.take()) {
            (Value::List(items), _) => items.push(node),
            (Value::Map(_), None) => parent.key = Some(node),
            (Value::Map(entries), Some(key)) => {
                if is_merge(&key) {
                    let (line, column) = (node.line, node.column);
                    if !gather(&mut parent.merged, node) {
                        return Err(self.error(line, column, "`<<` takes a map, or a list of maps"));
                    }
                    return Ok(());
                }
                // A key that stands twice costs only the rule it is in, so that it is left to who reads the tree.
                parent.names.extend(key.name().map(str::to_owned));
                entries.push((key, node));
            }
            _ => {}
        }
        Ok(())
    }

    fn refuse_tag(&self, tagged: bool, line: usize, column: usize) -> Result<(), YamlError> {
        if !tagged {
            return Ok(());
        }
        let mut error = self.error(line, column, "YAML tags are not used here");
        error.hint = Some("quote this: a text that starts with `!` needs quotes".into());
        Err(error)
    }

    fn error(&self, line: usize, column: usize, message: &str) -> YamlError {
        YamlError { line, column, message: message.into(), hint: hint_near(self.source, line) }
    }
}

fn plain_value(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match text.parse() {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Text { text: text.to_owned(), plain: true },
        },
    }
}

fn is_merge(key: &Node) -> bool {
    matches!(&key.value, Value::Text { text, plain: true } if text == "<<")
}

/// Gathers the entries that `<<` brings, the first maps first; says whether it is something to merge at all.
fn gather(merged: &mut Vec<(Node, Node)>, node: Node) -> bool {
    match node.value {
        Value::Map(entries) => merged.extend(entries),
        Value::List(items) => {
            return items.into_iter().all(|item| matches!(item.value, Value::Map(_)) && gather(merged, item));
        }
        _ => return false,
    }
    true
}

const DOUBLE_QUOTES: &str = "in double quotes a backslash must be doubled; single quotes take it as it is";

/// Knows what to do about some of the parser's sentences, wherever they point.
fn hint_for(message: &str) -> Option<String> {
    if message.contains("unknown escape") {
        return Some(DOUBLE_QUOTES.to_owned());
    }
    None
}

/// The parser often notices a mistake a line late, and a tab a line early.
fn hint_near(source: &str, line: usize) -> Option<String> {
    let text = |line: usize| source.lines().nth(line.checked_sub(1)?);
    let at = |line: Option<usize>| line.and_then(text);
    let next = at(line.checked_add(1)).filter(|next| next.trim_start_matches(' ').starts_with('\t'));
    at(Some(line))
        .and_then(hint_for_line)
        .or_else(|| next.and_then(hint_for_line))
        .or_else(|| at(line.checked_sub(1)).and_then(hint_for_line))
}

/// Recognises the mistakes that everybody makes once in a rule file.
fn hint_for_line(text: &str) -> Option<String> {
    if text.trim_start_matches(' ').starts_with('\t') {
        return Some("YAML is indented with spaces, not tabs".to_owned());
    }
    let keyed = text.split_once(": ");
    let value = keyed.map_or(text.trim_start_matches(['-', ' ']), |(_, value)| value).trim();
    let goes_on_behind = |end: char| {
        let behind = value.split_once(end).map_or("", |(_, behind)| behind.trim_start());
        !behind.is_empty() && !behind.starts_with([',', '#', ']', '}'])
    };
    let starts = match value.chars().next()? {
        '*' => "a bare `*` starts an alias",
        '!' => "a bare `!` starts a tag",
        '`' => "a bare backtick is reserved",
        '[' if goes_on_behind(']') => "a bare `[` starts a list",
        '{' if value.starts_with("{{") || goes_on_behind('}') => "a bare `{` starts a map",
        '"' if value.contains('\\') => return Some(DOUBLE_QUOTES.to_owned()),
        '"' | '\'' | '|' | '>' | '[' | '{' => return None,
        _ if keyed.is_some() && value.contains(": ") => "a bare `: ` starts a map",
        _ => return None,
    };
    Some(format!("quote this: {} ({starts})", quoted(value)))
}

/// Quotes a value so that it stays as it is.
fn quoted(value: &str) -> String {
    if value.contains('"') || value.contains('\\') {
        return format!("`'{}'`", value.replace('\'', "''"));
    }
    format!("`\"{value}\"`")
}

#[cfg(test)]
mod tests;
