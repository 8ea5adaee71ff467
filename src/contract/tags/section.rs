//! Distinguishes the header of a section in a configuration file from a tag, by what follows it.

/// Maximum number of lines that are checked, without empty lines and comments.
const MAX_LINES: usize = 32;

/// Returns whether a text begins like the content of a section: with a setting, or with another table.
pub(super) fn continues_section(text: &str) -> bool {
    let has_content = |line: &&str| !line.is_empty() && !line.starts_with(['#', ';']);
    let mut lines = text.lines().map(str::trim).filter(has_content).take(MAX_LINES);
    // There may be several empty sections.
    lines.find_map(|line| if is_setting(line) || is_table(line) { Some(true) } else { not_a_section(line) })
        == Some(true)
}

/// Returns `Some(false)` if the line is something else, and `None` if it is another header.
fn not_a_section(line: &str) -> Option<bool> {
    let name = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
    if name.is_some_and(is_key) { None } else { Some(false) }
}

fn is_setting(line: &str) -> bool {
    let mut quote = None;
    let equals = line.char_indices().find(|(_, c)| {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(*c),
            (Some(open), c) if open == *c => quote = None,
            _ => {}
        }
        quote.is_none() && *c == '='
    });
    equals.is_some_and(|(at, _)| is_key(&line[..at]) && !line[at + 1..].starts_with('='))
}

/// Returns whether it is the header of a nested table, or of a table in a list.
fn is_table(line: &str) -> bool {
    let line = line.split(" #").next().unwrap_or(line).trim_end();
    let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) else { return false };
    let listed = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    listed.is_some_and(is_key) || name.contains('.') && is_key(name)
}

/// Returns whether it is a name, bare or in quotes, or several names joined by dots.
fn is_key(text: &str) -> bool {
    let text = text.trim();
    // Quoted text may be anything.
    let bare = text.split(['"', '\'']).step_by(2);
    let is_bare = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    !text.is_empty() && bare.into_iter().all(|part| part.chars().all(is_bare))
}
