//! Globs in scopes, with the semantics of micromatch under `dot: true`. Ext-globs (`@(a|b)`), ranges (`{1..3}`) and a
//! leading `!` are not supported. They are refused, because taken literally they would silently hide a hint.
//!
//! Stars and question marks are matched by hand: there may be thousands of globs, and one regex for each would take
//! more RAM than the hints. Braces are expanded first; only globs with character classes go to `globset`.

mod braces;
mod compiled;
mod plain;

use globset::GlobBuilder;

use super::path::has_parent_segment;
use crate::model::HintFlaw;

/// A valid glob.
#[derive(Debug, Clone)]
pub(super) struct Glob {
    text: Box<str>,
    /// The same in lower case, if that differs.
    lowercase: Option<Box<str>>,
    /// The length of the literal prefix in bytes; most texts are rejected by this prefix alone.
    prefix: usize,
}

/// Whether upper and lower case differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GlobCase {
    Sensitive,
    /// For folders on Windows.
    Insensitive,
}

impl Glob {
    /// Creates a glob from a text that has been checked.
    pub(super) fn new(text: &str) -> Glob {
        let lowercase = text.to_lowercase();
        Glob {
            text: text.into(),
            lowercase: (lowercase != text).then(|| lowercase.into()),
            prefix: prefix_length(text),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn matches(&self, text: &str, case: GlobCase) -> bool {
        match case {
            GlobCase::Sensitive => text.starts_with(&self.text[..self.prefix]) && is_match(&self.text, text),
            GlobCase::Insensitive => {
                is_match(self.lowercase.as_deref().unwrap_or(&self.text), &text.to_lowercase())
            }
        }
    }
}

/// Returns the length of the literal prefix, without a slash before `**`, since the folder itself matches too.
fn prefix_length(glob: &str) -> usize {
    // Globs with empty segments are left to `globset`.
    if glob.contains("//") {
        return 0;
    }
    let literal = glob.split(SPECIAL).next().unwrap_or_default();
    literal.trim_end_matches('/').len()
}

fn is_match(glob: &str, text: &str) -> bool {
    if !glob.contains('{') {
        return is_one_match(glob, text);
    }
    let may_match = text.contains(compiled::longest_literal(glob));
    may_match && braces::expanded(glob).into_iter().flatten().any(|glob| is_one_match(&glob, text))
}

/// Matches a glob without braces.
fn is_one_match(glob: &str, text: &str) -> bool {
    let decide = if is_plain(glob) { plain::is_match } else { compiled::is_match };
    // `/work/**` matches the folder itself too.
    let folder = glob.strip_suffix("/**").filter(|folder| !folder.is_empty() && !folder.ends_with(SPECIAL));
    decide(glob, text) || folder.is_some_and(|folder| decide(folder, text))
}

/// Returns whether a glob has only stars and question marks, and no empty segments, which are left to `globset`.
fn is_plain(glob: &str) -> bool {
    !glob.contains(['[', ']', '{', '}']) && !glob.ends_with('/') && !glob.contains("//")
}

/// Normalizes a glob for folders; refuses one with `..` or one that is not valid.
pub(super) fn normalize_glob(glob: &str) -> Result<String, HintFlaw> {
    if has_parent_segment(glob) {
        return Err(HintFlaw::scope("a glob of `scope.cwd_glob` must not contain `..`"));
    }
    let slashed = glob.trim().replace('\\', "/");
    let segments: Vec<&str> = slashed.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    let root = if slashed.starts_with('/') { "/" } else { "" };
    let normal = format!("{root}{}", segments.join("/"));
    check_glob("cwd_glob", &normal)?;
    // Expanding braces can produce a `..`, as in `.{.,a}`.
    if braces::expanded(&normal).into_iter().flatten().any(|glob| has_parent_segment(&glob)) {
        return Err(HintFlaw::scope("a glob of `scope.cwd_glob` must not contain `..`"));
    }
    Ok(normal)
}

/// Refuses a glob that is not valid, or that means something else here than in micromatch.
pub(super) fn check_glob(field: &str, glob: &str) -> Result<(), HintFlaw> {
    let refuse = |why: &str| Err(HintFlaw::scope(format!("an entry of `scope.{field}` {why}")));
    if glob.is_empty() {
        return refuse("is empty");
    }
    if glob.chars().any(char::is_control) {
        return refuse("has control characters");
    }
    if glob.starts_with('!') {
        return refuse("begins with `!`: negated globs are not supported");
    }
    if glob.as_bytes().windows(2).any(|pair| b"@+!?*".contains(&pair[0]) && pair[1] == b'(') {
        return refuse("has an ext-glob like `@(a|b)`: write `{a,b}`");
    }
    if glob.split('{').skip(1).any(|inside| inside.split(['}', ',']).next().is_some_and(|c| c.contains("..")))
    {
        return refuse("has a range like `{1..3}`: write `{1,2,3}`");
    }
    if let Err(error) = build(glob) {
        return refuse(&format!("is not a valid glob: {}", error.kind()));
    }
    let Some(globs) = braces::expanded(glob) else {
        return refuse(&format!("has more than {} alternatives", braces::MAX_ALTERNATIVES));
    };
    if globs.is_empty() {
        return refuse("is empty");
    }
    match globs.iter().find_map(|glob| build(glob).err()) {
        Some(error) => refuse(&format!("is not a valid glob: {}", error.kind())),
        None => Ok(()),
    }
}

/// Characters with a special meaning in a glob.
const SPECIAL: [char; 6] = ['*', '?', '[', ']', '{', '}'];

fn build(glob: &str) -> Result<globset::Glob, globset::Error> {
    GlobBuilder::new(glob).literal_separator(true).backslash_escape(false).build()
}

#[cfg(test)]
mod tests;
