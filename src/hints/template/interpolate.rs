//! `${name}` and nothing else: what a shell would make of its own `$HOME`, `$(…)` and `${name:-…}` is left to the shell.

use super::{MOST, Trouble, Variables};

pub(super) fn render(body: &str, variables: &Variables) -> Result<String, Trouble> {
    let mut text = String::new();
    let mut rest = body;
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            text.push('$');
            rest = after;
        } else if let Some((name, after)) = placeholder(rest) {
            let value = variables.get(name).ok_or_else(|| Trouble::Undefined(Some(name.to_owned())))?;
            text.push_str(value);
            rest = after;
        } else {
            text.push('$');
        }
        if text.len() > MOST {
            return Err(Trouble::too_long());
        }
    }
    text.push_str(rest);
    if text.len() > MOST { Err(Trouble::too_long()) } else { Ok(text) }
}

/// Reads `{name}`, and returns what follows.
fn placeholder(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix('{')?.split_once('}')?;
    let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_name = starts && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    is_name.then_some((name, after))
}
