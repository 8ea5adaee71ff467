//! Globs of scopes, as micromatch reads them with `dot: true`; ext-globs (`@(a|b)`), ranges (`{1..3}`) and a leading
//! `!` are given up and refused, since taken literally they would hide a hint in silence.
//!
//! Stars and question marks are matched by hand: there are thousands of such globs, and a regex of each would take more
//! room than the hints. Braces are taken out first; only what has classes is left to `globset`.

mod braces;
mod compiled;
mod plain;

use globset::GlobBuilder;

use super::path::climbs;
use crate::model::HintFlaw;

/// A glob that was found to be one.
#[derive(Debug, Clone)]
pub(super) struct Glob {
    text: Box<str>,
    /// The same in small letters, where it has others.
    small: Option<Box<str>>,
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
        let small = text.to_lowercase();
        Glob { text: text.into(), small: (small != text).then(|| small.into()) }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn matches(&self, text: &str, case: Case) -> bool {
        match case {
            Case::Sensitive => is_match(&self.text, text),
            Case::Insensitive => is_match(self.small.as_deref().unwrap_or(&self.text), &text.to_lowercase()),
        }
    }
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

/// Says whether there are but stars and question marks; what an empty segment means only `globset` knows.
fn is_plain(glob: &str) -> bool {
    !glob.contains(['[', ']', '{', '}']) && !glob.ends_with('/') && !glob.contains("//")
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
    // Braces can put together what climbs only as a whole.
    if braces::expanded(&normal).into_iter().flatten().any(|glob| climbs(&glob)) {
        return Err(HintFlaw::scope("a glob of `scope.cwd_glob` must not climb with `..`"));
    }
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
    if let Err(error) = build(glob) {
        return refuse(&format!("is no glob: {}", error.kind()));
    }
    let Some(globs) = braces::expanded(glob) else {
        return refuse(&format!("has more than {} alternatives", braces::MOST));
    };
    if globs.is_empty() {
        return refuse("is empty");
    }
    match globs.iter().find_map(|glob| build(glob).err()) {
        Some(error) => refuse(&format!("is no glob: {}", error.kind())),
        None => Ok(()),
    }
}

/// What means something in a glob.
const SPECIAL: [char; 6] = ['*', '?', '[', ']', '{', '}'];

fn build(glob: &str) -> Result<globset::Glob, globset::Error> {
    GlobBuilder::new(glob).literal_separator(true).backslash_escape(false).build()
}

#[cfg(test)]
mod tests;
