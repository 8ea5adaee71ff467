//! A rule's message with its variables filled in.

/// What the variables of one message stand for; a variable that is known but has no value is empty.
#[derive(Debug, Default)]
pub(crate) struct Variables<'e> {
    pub(crate) lines: String,
    pub(crate) file_path: &'e str,
    pub(crate) matched: String,
    pub(crate) tool_name: &'e str,
    pub(crate) prompt: &'e str,
}

/// The variables of the RFC, with what they stand for.
pub(crate) const NAMES: [(&str, &str); 5] = [
    ("lines", "comma-separated line numbers of the matches"),
    ("file_path", "the file being written or edited"),
    ("matched", "the first match"),
    ("tool_name", "the tool being used"),
    ("prompt", "the user's message"),
];

/// The longest text that one variable may bring in.
const MAX_VALUE: usize = 2_000;
/// The longest `{{ matched }}`.
const MAX_MATCHED: usize = 200;
/// So many line numbers are listed, the others counted.
const MAX_LINES: usize = 20;

/// A name with its spaces is not longer than this; beyond it nobody means a variable.
const MAX_NAME: usize = 64;

/// Fills in a template in one pass: what a variable brings in is not looked at again.
pub(crate) fn render(template: &str, variables: &Variables<'_>) -> String {
    let mut message = String::with_capacity(template.len());
    for piece in pieces(template) {
        match piece {
            Piece::Text(text) => message.push_str(text),
            Piece::Variable { name, written } => match variables.get(name) {
                Some(value) => message.push_str(shortened(value, MAX_VALUE)),
                None => message.push_str(written),
            },
        }
    }
    message.truncate(message.trim_end().len());
    message
}

/// Returns what stands between braces in a template and is no variable: another name, or more than a name.
pub(crate) fn unknown_variables(template: &str) -> Vec<&str> {
    let known = |name: &str| NAMES.iter().any(|(known, _)| *known == name);
    let insides = template.split("{{").skip(1).filter_map(|rest| {
        let (inside, _) = rest.split_once("}}")?;
        Some(inside.trim()).filter(|inside| !inside.contains('\n') && inside.len() <= MAX_NAME)
    });
    insides.filter(|inside| !inside.is_empty() && !known(inside)).collect()
}

/// Lists line numbers: each once, in order, the first twenty.
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

/// Makes a match fit into a sentence: one line, no control characters, not too long.
pub(crate) fn matched_text(text: &str) -> String {
    let line: String = text.trim_start_matches(['\r', '\n']).lines().next().unwrap_or_default().to_owned();
    let clean: String = line.chars().filter(|c| !c.is_control()).collect();
    shortened(&clean, MAX_MATCHED).to_owned()
}

impl Variables<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        Some(match name {
            "lines" => &self.lines,
            "file_path" => self.file_path,
            "matched" => &self.matched,
            "tool_name" => self.tool_name,
            "prompt" => self.prompt,
            _ => return None,
        })
    }
}

enum Piece<'t> {
    Text(&'t str),
    Variable { name: &'t str, written: &'t str },
}

fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        if let Some((name, end)) = variable_at(rest, start) {
            pieces.push(Piece::Text(&rest[..start]));
            pieces.push(Piece::Variable { name, written: &rest[start..end] });
            rest = &rest[end..];
        } else {
            // Not a variable; but one may begin inside, as in `{{{ lines }}`.
            pieces.push(Piece::Text(&rest[..=start]));
            rest = &rest[start + 1..];
        }
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// Reads `{{ name }}` at a place; returns the name and where it ends.
fn variable_at(text: &str, start: usize) -> Option<(&str, usize)> {
    let inside = &text[start + 2..];
    let inside = &inside[..inside.floor_char_boundary(MAX_NAME)];
    let name = &inside[..inside.find("}}")?];
    let end = start + 2 + name.len() + 2;
    let name = name.trim();
    (!name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some((name, end))
}

fn shortened(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests;
