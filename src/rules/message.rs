//! Fills in the variables of a rule's message.

use crate::model::beginning;

/// The values of the variables of one message; a known variable without a value is empty.
#[derive(Debug, Default)]
pub(crate) struct MessageVariables<'e> {
    pub(crate) lines: String,
    pub(crate) file_path: &'e str,
    pub(crate) matched: String,
    pub(crate) tool_name: &'e str,
    pub(crate) prompt: &'e str,
    pub(crate) after: &'e str,
}

/// The variables of the RFC and `after`, with their meaning.
pub(crate) const NAMES: [(&str, &str); 6] = [
    ("lines", "comma-separated line numbers of the matches"),
    ("file_path", "the file being written or edited"),
    ("matched", "the first match"),
    ("tool_name", "the tool being used"),
    ("prompt", "the user's message"),
    ("after", "what `after` found last: a path or a command"),
];

/// Maximum length of a variable's value, in characters.
const MAX_VALUE: usize = 2_000;
/// Maximum length of `{{ matched }}`, in characters.
const MAX_MATCHED: usize = 200;
/// Maximum number of listed lines; the others are counted.
const MAX_LINES: usize = 20;

/// Maximum length of a variable's name with its spaces; longer text in braces is not meant as a variable.
const MAX_NAME: usize = 64;

/// Fills in a template in one pass; inserted values are not expanded again.
pub(crate) fn render(template: &str, variables: &MessageVariables<'_>) -> String {
    let mut message = String::with_capacity(template.len());
    for piece in pieces(template) {
        match piece {
            TemplatePiece::Text(text) => message.push_str(text),
            TemplatePiece::Variable { name, written } => match variables.get(name) {
                Some(value) => message.push_str(beginning(value, MAX_VALUE)),
                None => message.push_str(written),
            },
        }
    }
    message.truncate(message.trim_end().len());
    message
}

/// Returns every text between braces that is not a known variable.
pub(crate) fn unknown_variables(template: &str) -> Vec<&str> {
    let known = |name: &str| NAMES.iter().any(|(known, _)| *known == name);
    let insides = template.split("{{").skip(1).filter_map(|rest| {
        let (inside, _) = rest.split_once("}}")?;
        Some(inside.trim()).filter(|inside| !inside.contains('\n') && inside.len() <= MAX_NAME)
    });
    insides.filter(|inside| !inside.is_empty() && !known(inside)).collect()
}

/// Lists the first twenty line numbers.
pub(crate) fn line_list(lines: &[usize], more: bool) -> String {
    let shown: Vec<String> = lines.iter().take(MAX_LINES).map(usize::to_string).collect();
    let list = shown.join(", ");
    match (lines.len().saturating_sub(MAX_LINES), more) {
        (0, false) => list,
        (0, true) => format!("{list} (+ more)"),
        (rest, false) => format!("{list} (+{rest} more)"),
        (rest, true) => format!("{list} (+{rest} or more)"),
    }
}

/// Shortens a match so that it fits into a sentence: one line, no control characters.
pub(crate) fn matched_text(text: &str) -> String {
    let line: String = text.trim_start_matches(['\r', '\n']).lines().next().unwrap_or_default().to_owned();
    let clean: String = line.chars().filter(|c| !c.is_control()).collect();
    beginning(&clean, MAX_MATCHED).to_owned()
}

impl MessageVariables<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        Some(match name {
            "lines" => &self.lines,
            "file_path" => self.file_path,
            "matched" => &self.matched,
            "tool_name" => self.tool_name,
            "prompt" => self.prompt,
            "after" => self.after,
            _ => return None,
        })
    }
}

enum TemplatePiece<'t> {
    Text(&'t str),
    Variable { name: &'t str, written: &'t str },
}

fn pieces(template: &str) -> Vec<TemplatePiece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        if let Some((name, end)) = variable_at(rest, start) {
            pieces.push(TemplatePiece::Text(&rest[..start]));
            pieces.push(TemplatePiece::Variable { name, written: &rest[start..end] });
            rest = &rest[end..];
        } else {
            // Not a variable; but one may begin inside, as in `{{{ lines }}`.
            pieces.push(TemplatePiece::Text(&rest[..=start]));
            rest = &rest[start + 1..];
        }
    }
    pieces.push(TemplatePiece::Text(rest));
    pieces
}

/// Parses `{{ name }}` at a position; returns the name and the end.
fn variable_at(text: &str, start: usize) -> Option<(&str, usize)> {
    let inside = &text[start + 2..];
    let inside = &inside[..inside.floor_char_boundary(MAX_NAME)];
    let name = &inside[..inside.find("}}")?];
    let end = start + 2 + name.len() + 2;
    let name = name.trim();
    (!name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some((name, end))
}

#[cfg(test)]
mod tests;
