//! Globs of scopes, as micromatch reads them with `dot: true`; ext-globs (`@(a|b)`), ranges (`{1..3}`) and a leading
//! `!` are given up and refused, since taken literally they would hide a hint in silence.
//!
//! `globset` decides. It makes a regex of each glob, so that is done when a glob is first needed, and kept; before it a
//! look for its longest literal settles most questions.

use std::sync::OnceLock;

use globset::{GlobBuilder, GlobMatcher};

use super::path::climbs;
use crate::model::HintFlaw;

/// A glob that was found to be one.
#[derive(Debug, Clone)]
pub(super) struct Glob {
    text: String,
    /// Each text that matches has this in it.
    literal: String,
    /// `/work` of `/work/**`, which matches the folder itself too.
    itself: Option<Box<Glob>>,
    matcher: OnceLock<GlobMatcher>,
    /// The same in small letters.
    small: OnceLock<Box<Glob>>,
}

/// Whether `A` is `a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Sensitive,
    /// As the folders of Windows are.
    Insensitive,
}

impl Glob {
    /// Takes a glob that was checked.
    pub(super) fn new(text: &str) -> Glob {
        let itself =
            text.strip_suffix("/**").filter(|folder| !folder.is_empty() && !folder.ends_with(SPECIAL));
        Glob {
            text: text.to_owned(),
            literal: longest_literal(text).to_owned(),
            itself: itself.map(|folder| Box::new(Glob::new(folder))),
            matcher: OnceLock::new(),
            small: OnceLock::new(),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn matches(&self, text: &str, case: Case) -> bool {
        match case {
            Case::Sensitive => self.is_match(text),
            Case::Insensitive => {
                let small = self.small.get_or_init(|| Box::new(Glob::new(&self.text.to_lowercase())));
                small.is_match(&text.to_lowercase())
            }
        }
    }

    fn is_match(&self, text: &str) -> bool {
        if self.itself.as_ref().is_some_and(|folder| folder.is_match(text)) {
            return true;
        }
        if !self.text.contains(SPECIAL) {
            return self.text == text;
        }
        if !text.contains(self.literal.as_str()) {
            return false;
        }
        // A glob that was checked is one; should it not be, it matches nothing.
        match self.matcher.get() {
            Some(matcher) => matcher.is_match(text),
            None => build(&self.text)
                .is_ok_and(|glob| self.matcher.get_or_init(|| glob.compile_matcher()).is_match(text)),
        }
    }
}

/// Brings a glob of folders into normal form; one that climbs or is none is refused.
pub(super) fn normal_glob(glob: &str) -> Result<String, HintFlaw> {
    if climbs(glob) {
        return Err(HintFlaw::scope("a glob of `scope.cwd_glob` must not climb with `..`"));
    }
    let slashed = glob.trim().replace('\\', "/");
    let segments: Vec<&str> = slashed.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    let root = if slashed.starts_with('/') { "/" } else { "" };
    let normal = format!("{root}{}", segments.join("/"));
    checked("cwd_glob", &normal)?;
    Ok(normal)
}

/// Refuses a glob that is none, or that we read otherwise than who wrote it.
pub(super) fn checked(field: &str, glob: &str) -> Result<(), HintFlaw> {
    let refuse = |why: &str| Err(HintFlaw::scope(format!("an entry of `scope.{field}` {why}")));
    if glob.is_empty() {
        return refuse("is empty");
    }
    if glob.chars().any(char::is_control) {
        return refuse("has control characters");
    }
    if glob.starts_with('!') {
        return refuse("begins with `!`: exceptions are not known here");
    }
    if glob.as_bytes().windows(2).any(|pair| b"@+!?*".contains(&pair[0]) && pair[1] == b'(') {
        return refuse("has an ext-glob like `@(a|b)`: write `{a,b}`");
    }
    if glob.split('{').skip(1).any(|inside| inside.split(['}', ',']).next().is_some_and(|c| c.contains("..")))
    {
        return refuse("has a range like `{1..3}`: write `{1,2,3}`");
    }
    match build(glob) {
        Ok(_) => Ok(()),
        Err(error) => refuse(&format!("is no glob: {}", error.kind())),
    }
}

/// What means something in a glob.
const SPECIAL: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// Returns the longest text that must stand in whatever matches; what braces and classes hold may or may not.
fn longest_literal(glob: &str) -> &str {
    let certain = glob.split(['{', '[']).next().unwrap_or_default();
    // The slash is left out: `**/name` also matches a bare `name`.
    let runs = certain.split(|c: char| SPECIAL.contains(&c) || c == '/');
    runs.max_by_key(|run| run.len()).unwrap_or_default()
}

fn build(glob: &str) -> Result<globset::Glob, globset::Error> {
    GlobBuilder::new(glob).literal_separator(true).backslash_escape(false).build()
}

#[cfg(test)]
mod tests;
