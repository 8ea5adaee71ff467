//! Parses YAML into a tree with positions.
//!
//! People write rule files and want to know what is wrong and where, so every node has its line and column. Tags are
//! refused (an unquoted `!**/test/**` is one). Aliases count against a limit, so that a small file cannot expand into a
//! large tree.

use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

/// A YAML value with its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: YamlValue,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum YamlValue {
    Null,
    Bool(bool),
    Integer(i64),
    Text {
        text: String,
        /// Without quotes, so it might have been meant as something else.
        plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

/// Why a text is not supported YAML.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct YamlError {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// Maximum number of nodes in one file, with aliases counted at full size.
const MAX_NODES: usize = 200_000;
/// A text counts as one more node for each of these many bytes, so that aliases of a long text are not cheap.
const BYTES_PER_NODE: usize = 64;
/// Maximum nesting depth of one file.
const MAX_DEPTH: usize = 64;

/// Returns the only document of the file, or `None` if the file has only comments.
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
    /// Returns the kind of value for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            YamlValue::Null => "empty",
            YamlValue::Bool(_) => "a boolean",
            YamlValue::Integer(_) => "a number",
            YamlValue::Text { .. } => "a text",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "a map",
        }
    }

    /// Returns the text, if this is one.
    pub(crate) fn name(&self) -> Option<&str> {
        if let YamlValue::Text { text, .. } = &self.value { Some(text) } else { None }
    }
}

#[derive(Default)]
struct Builder<'s> {
    source: &'s str,
    open: Vec<OpenNode>,
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
    documents: usize,
    root: Option<Node>,
}

/// A list or a map whose end has not been reached.
struct OpenNode {
    node: Node,
    /// The key whose value comes next.
    key: Option<Node>,
    /// The names of a map's own keys.
    names: HashSet<String>,
    /// The entries from `<<`; a map's own keys win, whatever the order.
    merged: Vec<(Node, Node)>,
    anchor: usize,
    nodes_before: usize,
}

impl OpenNode {
    /// Adds the entries from `<<` whose keys the map does not have itself.
    fn merge(&mut self) {
        let YamlValue::Map(entries) = &mut self.node.value else { return };
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
                    error.hint = Some("remove the `---`, or split the file in two".into());
                    return Err(error);
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(tag.is_some(), line, column)?;
                let size = 1 + text.len() / BYTES_PER_NODE;
                let value = match style {
                    ScalarStyle::Plain => plain_value(&text),
                    _ => YamlValue::Text { text: text.into_owned(), plain: false },
                };
                self.close(node(value), anchor, size)
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_tag(tag.is_some(), line, column)?;
                self.open(node(YamlValue::List(Vec::new())), anchor)
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_tag(tag.is_some(), line, column)?;
                self.open(node(YamlValue::Map(Vec::new())), anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(mut open) = self.open.pop() else { return Ok(()) };
                // The content has been counted already; an alias to this node is as large as all of it.
                let inside = self.nodes - open.nodes_before;
                open.merge();
                self.nodes -= inside;
                self.close(open.node, open.anchor, inside + 1)
            }
            Event::Alias(anchor) => {
                let Some((mut node, size)) =
                    self.anchors.get(&anchor).map(|(node, size)| (node.clone(), *size))
                else {
                    return Err(self.error(line, column, "this alias has no anchor"));
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
        self.open.push(OpenNode {
            node,
            key: None,
            names: HashSet::new(),
            merged: Vec::new(),
            anchor,
            nodes_before: self.nodes,
        });
        Ok(())
    }

    /// Adds a finished node to its parent, or makes it the document.
    fn close(&mut self, node: Node, anchor: usize, size: usize) -> Result<(), YamlError> {
        // An anchor stores a copy.
        self.nodes += if anchor == 0 { size } else { 2 * size };
        if self.nodes > MAX_NODES {
            return Err(self.error(node.line, node.column, "too many values in this file"));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), size));
        }
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(node).filter(|node| node.value != YamlValue::Null);
            return Ok(());
        };
        match (&mut parent.node.value, parent.key.take()) {
            (YamlValue::List(items), _) => items.push(node),
            (YamlValue::Map(_), None) => parent.key = Some(node),
            (YamlValue::Map(entries), Some(key)) => {
                if is_merge(&key) {
                    let (line, column) = (node.line, node.column);
                    if !collect_merged(&mut parent.merged, node) {
                        return Err(self.error(line, column, "`<<` takes a map, or a list of maps"));
                    }
                    return Ok(());
                }
                // A duplicate key costs only its rule, so the caller reports it.
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
        let mut error = self.error(line, column, "YAML tags are not supported");
        error.hint = Some("quote this: a text that starts with `!` needs quotes".into());
        Err(error)
    }

    fn error(&self, line: usize, column: usize, message: &str) -> YamlError {
        YamlError { line, column, message: message.into(), hint: hint_near(self.source, line) }
    }
}

fn plain_value(text: &str) -> YamlValue {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => YamlValue::Null,
        "true" | "True" | "TRUE" => YamlValue::Bool(true),
        "false" | "False" | "FALSE" => YamlValue::Bool(false),
        _ => match text.parse() {
            Ok(number) => YamlValue::Integer(number),
            Err(_) => YamlValue::Text { text: text.to_owned(), plain: true },
        },
    }
}

fn is_merge(key: &Node) -> bool {
    matches!(&key.value, YamlValue::Text { text, plain: true } if text == "<<")
}

/// Collects the entries of `<<`, earlier maps first; returns whether the value can be merged.
fn collect_merged(merged: &mut Vec<(Node, Node)>, node: Node) -> bool {
    match node.value {
        YamlValue::Map(entries) => merged.extend(entries),
        YamlValue::List(items) => {
            return items
                .into_iter()
                .all(|item| matches!(item.value, YamlValue::Map(_)) && collect_merged(merged, item));
        }
        _ => return false,
    }
    true
}

const DOUBLE_QUOTES: &str = "in double quotes a backslash must be doubled; single quotes take it as it is";

/// Returns a hint for some messages of the parser, independent of their position.
fn hint_for(message: &str) -> Option<String> {
    if message.contains("unknown escape") {
        return Some(DOUBLE_QUOTES.to_owned());
    }
    None
}

/// Returns a hint for a line or its neighbours: the parser often notices a mistake one line late, and a tab one line
/// early.
fn hint_near(source: &str, line: usize) -> Option<String> {
    let text = |line: usize| source.lines().nth(line.checked_sub(1)?);
    let at = |line: Option<usize>| line.and_then(text);
    let next = at(line.checked_add(1)).filter(|next| next.trim_start_matches(' ').starts_with('\t'));
    at(Some(line))
        .and_then(hint_for_line)
        .or_else(|| next.and_then(hint_for_line))
        .or_else(|| at(line.checked_sub(1)).and_then(hint_for_line))
}

/// Recognises common mistakes in rule files.
fn hint_for_line(text: &str) -> Option<String> {
    if text.trim_start_matches(' ').starts_with('\t') {
        return Some("YAML is indented with spaces, not tabs".to_owned());
    }
    let keyed = text.split_once(": ");
    let value = keyed.map_or(text.trim_start_matches(['-', ' ']), |(_, value)| value).trim();
    let continues_after = |end: char| {
        let after = value.split_once(end).map_or("", |(_, after)| after.trim_start());
        !after.is_empty() && !after.starts_with([',', '#', ']', '}'])
    };
    let starts = match value.chars().next()? {
        '*' => "a bare `*` starts an alias",
        '!' => "a bare `!` starts a tag",
        '`' => "a bare backtick is reserved",
        '[' if continues_after(']') => "a bare `[` starts a list",
        '{' if value.starts_with("{{") || continues_after('}') => "a bare `{` starts a map",
        '"' if value.contains('\\') => return Some(DOUBLE_QUOTES.to_owned()),
        '"' | '\'' | '|' | '>' | '[' | '{' => return None,
        _ if keyed.is_some() && value.contains(": ") => "a bare `: ` starts a map",
        _ => return None,
    };
    Some(format!("quote this: {} ({starts})", quoted(value)))
}

/// Quotes a value so that YAML does not change it.
fn quoted(value: &str) -> String {
    if value.contains('"') || value.contains('\\') {
        return format!("`'{}'`", value.replace('\'', "''"));
    }
    format!("`\"{value}\"`")
}

#[cfg(test)]
mod tests;
