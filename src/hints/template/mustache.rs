//! Mustache over texts: variables, sections, inverted sections, comments and other delimiters; no partials.
//!
//! Written here and not taken from a crate: over plain texts it is five tags, and of the crates that are kept, ramhorns
//! accepts a section that is never closed and changes line ends, and handlebars knows no inverted section.

use super::{MOST, Trouble, Variables};

/// A piece of a template.
enum Piece<'t> {
    Text(&'t str),
    Variable(&'t str),
    Open {
        name: &'t str,
        inverted: bool,
    },
    Close(&'t str),
    /// A comment, or other delimiters from here on.
    Nothing,
}

pub(super) fn render(body: &str, variables: &Variables) -> Result<String, Trouble> {
    let mut text = String::new();
    // The sections around this place: their names, and whether they are shown.
    let mut around: Vec<(&str, bool)> = Vec::new();
    for piece in pieces(body)? {
        let shown = around.last().is_none_or(|(_, shown)| *shown);
        match piece {
            Piece::Text(part) if shown => text.push_str(part),
            Piece::Variable(name) if shown => {
                let name = if name == "." { around.last().map_or(name, |(name, _)| name) } else { name };
                let missing = || Trouble::Undefined(Some(name.to_owned()));
                text.push_str(variables.get(name).ok_or_else(missing)?);
            }
            Piece::Open { name, inverted } => {
                let there = variables.get(name).is_some_and(|value| !value.is_empty());
                around.push((name, shown && there != inverted));
            }
            Piece::Close(name) => match around.pop() {
                Some((open, _)) if open == name => {}
                _ => return Err(broken(format!("`{name}` is closed and was not open"))),
            },
            Piece::Text(_) | Piece::Variable(_) | Piece::Nothing => {}
        }
        if text.len() > MOST {
            return Err(Trouble::too_long());
        }
    }
    match around.pop() {
        Some((name, _)) => Err(broken(format!("`{name}` is never closed"))),
        None => Ok(text),
    }
}

fn pieces(body: &str) -> Result<Vec<Piece<'_>>, Trouble> {
    let mut delimiters = ("{{", "}}");
    let mut pieces = Vec::new();
    let mut rest = body;
    // Whether nothing was kept yet of the line that `rest` begins in.
    let mut line_is_blank = true;
    while let Some((before, after)) = rest.split_once(delimiters.0) {
        let (inner, after) = split_tag(after, delimiters.1)?;
        let piece = read(inner, &mut delimiters)?;
        let last_line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
        let starts_line = (before.contains('\n') || line_is_blank) && last_line.trim().is_empty();
        let own_line =
            if starts_line && !matches!(piece, Piece::Variable(_)) { blank_end(after) } else { None };
        // What stands alone in its line takes the line with it.
        let kept = if own_line.is_some() { &before[..before.len() - last_line.len()] } else { before };
        pieces.extend([Piece::Text(kept), piece]);
        rest = own_line.unwrap_or(after);
        line_is_blank = own_line.is_some();
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

/// Returns what follows the end of this line, if nothing but blanks is left of it.
fn blank_end(after: &str) -> Option<&str> {
    let (line, rest) = after.split_once('\n').unwrap_or((after, ""));
    line.trim().is_empty().then_some(rest)
}

/// Splits off a tag; three braces end with three.
fn split_tag<'t>(after: &'t str, end: &str) -> Result<(&'t str, &'t str), Trouble> {
    let found = match after.strip_prefix('{') {
        Some(inner) if end == "}}" => inner.find("}}}").map(|at| (&after[..=at], &inner[at + 3..])),
        _ if after.starts_with('=') => {
            let close = format!("={end}");
            after[1..].find(&close).map(|at| (&after[..at + 2], &after[1 + at + close.len()..]))
        }
        _ => after.split_once(end),
    };
    found.ok_or_else(|| broken(format!("a tag has no `{end}`")))
}

fn read<'t>(inner: &'t str, delimiters: &mut (&'t str, &'t str)) -> Result<Piece<'t>, Trouble> {
    let (sign, name) = match inner.chars().next() {
        Some(sign @ ('#' | '^' | '/' | '!' | '&' | '{' | '>' | '=')) => (sign, inner[1..].trim()),
        _ => (' ', inner.trim()),
    };
    if sign == '!' {
        return Ok(Piece::Nothing);
    }
    if sign == '=' {
        let words = name.strip_suffix('=').unwrap_or(name).split_whitespace().collect::<Vec<_>>();
        let [open, close] = words[..] else {
            return Err(broken("delimiters are written as in `{{=<% %>=}}`".to_owned()));
        };
        *delimiters = (open, close);
        return Ok(Piece::Nothing);
    }
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(broken(format!("`{name}` is no name")));
    }
    match sign {
        '#' => Ok(Piece::Open { name, inverted: false }),
        '^' => Ok(Piece::Open { name, inverted: true }),
        '/' => Ok(Piece::Close(name)),
        '>' => Err(broken(format!("the partial `{name}` is not offered here"))),
        _ => Ok(Piece::Variable(name)),
    }
}

fn broken(why: String) -> Trouble {
    Trouble::Broken(why)
}
