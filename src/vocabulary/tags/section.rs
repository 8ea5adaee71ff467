//! Tells the header of a section in a configuration file from a tag: by what follows it.

/// So many lines are looked at, without comments; a section does not hide behind more empty ones.
const MOST: usize = 32;

/// Says whether a text begins as a section goes on below its header: with a setting, or with another table.
pub(super) fn goes_on(text: &str) -> bool {
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with(['#', ';']);
    let mut lines = text.lines().map(str::trim).filter(is_said).take(MOST);
    // Of empty sections there may be several.
    lines.find_map(|line| if is_setting(line) || is_table(line) { Some(true) } else { is_other(line) })
        == Some(true)
}

/// Returns that it is something else, unless it is one more header.
fn is_other(line: &str) -> Option<bool> {
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

/// Says whether it is the header of a table in a table, or of one in a list.
fn is_table(line: &str) -> bool {
    let line = line.split(" #").next().unwrap_or(line).trim_end();
    let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) else { return false };
    let listed = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    listed.is_some_and(is_key) || name.contains('.') && is_key(name)
}

/// Says whether it is a name, as it stands or in quotes, or several with dots between them.
fn is_key(text: &str) -> bool {
    let text = text.trim();
    // What is in quotes may be anything.
    let bare = text.split(['"', '\'']).step_by(2);
    let is_bare = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    !text.is_empty() && bare.into_iter().all(|part| part.chars().all(is_bare))
}
