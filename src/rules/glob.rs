//! Which files a rule is for: globs relative to the project's root, with `!` for exceptions; the last match wins.
//!
//! `globset` compiles a regex for each glob. So the common shapes are matched by comparing text, and for the others the
//! literal end is compared first.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::compiled::compiled;
use crate::model::Target;

/// The `file` of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct FileFilter {
    globs: Vec<FileGlob>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct FileGlob {
    negated: bool,
    glob: String,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Shape {
    /// `**`: any path.
    Any,
    /// `**/*.ts`: a name with this ending, in any folder.
    NameEnd(String),
    /// `**/.env.*`: a name with this beginning, in any folder.
    NameStart(String),
    /// `src/generated/**`: anything below this folder.
    Below(String),
    /// `**/node_modules/**`: anything below a folder of this name or path, anywhere.
    BelowAny(String),
    /// Anything else; a path that matches has this ending.
    General { end: String },
}

impl FileFilter {
    /// Parses the globs; the error says what is wrong.
    pub(crate) fn new<'a>(globs: impl IntoIterator<Item = &'a str>) -> Result<FileFilter, String> {
        let globs = globs.into_iter().map(FileGlob::new).collect::<Result<Vec<_>, _>>()?;
        Ok(FileFilter { globs })
    }

    /// Returns whether the rule is for this file.
    pub(crate) fn accepts(&self, path: &Target) -> bool {
        // A list that begins with an exception accepts everything else.
        let mut accepted = self.globs.first().is_some_and(|glob| glob.negated);
        for glob in &self.globs {
            // Only a glob that would change the answer is asked.
            if accepted == glob.negated && glob.matches(path) {
                accepted = !glob.negated;
            }
        }
        accepted
    }

    /// Returns whether files that the globs accept may be inside this folder; `**/name` says nothing about a folder.
    pub(crate) fn is_inside(&self, folder: &Target) -> bool {
        self.globs.iter().filter(|glob| !glob.negated).any(|glob| {
            let is_absolute = glob.glob.starts_with('/') || glob.glob.as_bytes().get(1) == Some(&b':');
            let path = if is_absolute { Some(&folder.absolute) } else { folder.relative.as_ref() };
            let literal =
                glob.glob.find(['*', '?', '[', '{', '\\']).map_or(glob.glob.as_str(), |at| &glob.glob[..at]);
            path.is_some_and(|path| match path.trim_end_matches('/') {
                "" | "." => !literal.is_empty(),
                path => literal.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')),
            })
        })
    }

    /// Returns the globs as they were written, with `!` before an exception.
    pub(crate) fn written(&self) -> Vec<String> {
        let one = |glob: &FileGlob| format!("{}{}", if glob.negated { "!" } else { "" }, glob.glob);
        self.globs.iter().map(one).collect()
    }

    /// Returns the absolute globs.
    pub(crate) fn absolute_globs(&self) -> impl Iterator<Item = &str> {
        self.globs.iter().map(|glob| glob.glob.as_str()).filter(|glob| glob.starts_with('/'))
    }

    /// Returns example paths for the globs, made by filling in their wildcards.
    pub(crate) fn examples(&self) -> impl Iterator<Item = String> {
        let wanted = self.globs.iter().filter(|glob| !glob.negated).map(|glob| {
            let path = first_choices(&glob.glob).replace("**/", "").replace("**", "example");
            path.replace('*', "example").trim_start_matches('/').replace('?', "x")
        });
        wanted.chain(["example.txt".to_owned()]).collect::<Vec<_>>().into_iter()
    }
}

impl FileGlob {
    fn new(text: &str) -> Result<FileGlob, String> {
        let (negated, glob) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            // `\!` is a name that really starts with an exclamation mark.
            None => (false, if text.starts_with("\\!") { &text[1..] } else { text }),
        };
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        if glob.is_empty() {
            return Err("an empty glob matches nothing".into());
        }
        builder(glob).build().map_err(|error| error.kind().to_string())?;
        Ok(FileGlob { negated, glob: glob.to_owned(), shape: Shape::of(glob) })
    }

    fn matches(&self, path: &Target) -> bool {
        let text = match (&path.relative, self.glob.starts_with('/')) {
            (Some(relative), false) => relative,
            // An anchored glob is relative to the project, so it cannot match a file outside.
            (None, false) if !self.glob.starts_with("**") => return false,
            _ => &path.absolute,
        };
        match &self.shape {
            Shape::Any => true,
            Shape::NameStart(start) => {
                text.rsplit('/').next().is_some_and(|name| name.starts_with(start.as_str()))
            }
            Shape::Below(folder) => is_below(text, folder),
            Shape::BelowAny(folder) => {
                is_below(text, folder)
                    || text.match_indices('/').any(|(at, _)| is_below(&text[at + 1..], folder))
            }
            Shape::NameEnd(end) => text.rsplit('/').next().is_some_and(|name| name.ends_with(end.as_str())),
            Shape::General { end } => {
                text.ends_with(end.as_str())
                    && text.contains(needed_text(&self.glob))
                    && compile(&self.glob).is_ok_and(|glob| glob.is_match(text))
            }
        }
    }
}

impl Shape {
    fn of(glob: &str) -> Shape {
        let special = |c: char| matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | ',' | '\\' | '/');
        let is_plain = |text: &&str| !text.is_empty() && !text.contains(special);
        let is_path = |text: &&str| text.trim_start_matches('/').split('/').all(|part| is_plain(&part));
        if glob == "**" {
            return Shape::Any;
        }
        if let Some(end) = glob.strip_prefix("**/*").filter(|end| !end.contains(special)) {
            return Shape::NameEnd(end.to_owned());
        }
        if let Some(rest) = glob.strip_prefix("**/") {
            if let Some(start) = rest.strip_suffix('*').filter(is_plain) {
                return Shape::NameStart(start.to_owned());
            }
            if let Some(folder) =
                rest.strip_suffix("/**").filter(|rest| !rest.starts_with('/') && is_path(rest))
            {
                return Shape::BelowAny(folder.to_owned());
            }
        } else if let Some(folder) = glob.strip_suffix("/**").filter(is_path) {
            return Shape::Below(folder.to_owned());
        }
        // A slash is not part of the ending: `**/name` also matches a bare `name`. Braces and escapes have no literal
        // ending.
        let end = glob.rsplit(special).next().unwrap_or_default();
        Shape::General { end: if glob.contains(['\\', '{']) { String::new() } else { end.to_owned() } }
    }
}

/// Returns the longest text that every path has which a glob matches; empty if that is not plain to see.
fn needed_text(glob: &str) -> &str {
    if glob.contains(['{', '[', '\\']) {
        return "";
    }
    let texts = glob.split(['*', '?']).map(|text| text.trim_matches('/'));
    texts.max_by_key(|text| text.len()).unwrap_or_default()
}

/// Returns whether a path is inside a folder, or is the folder with a slash behind it.
fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Replaces every `{a,b}` by its first alternative.
fn first_choices(glob: &str) -> String {
    let mut path = String::new();
    let mut rest = glob;
    while let Some((before, choices, after)) = rest.split_once('{').and_then(|(before, inside)| {
        let (choices, after) = inside.split_once('}')?;
        Some((before, choices, after))
    }) {
        path.push_str(before);
        path.push_str(choices.split(',').next().unwrap_or_default());
        rest = after;
    }
    path + rest
}

fn compile(glob: &str) -> Result<Rc<globset::GlobMatcher>, globset::Error> {
    compiled(|| format!("glob {glob}"), || Ok(builder(glob).build()?.compile_matcher()))
}

fn builder(glob: &str) -> globset::GlobBuilder<'_> {
    let mut builder = globset::GlobBuilder::new(glob);
    builder.literal_separator(true).backslash_escape(true);
    builder
}

#[cfg(test)]
mod tests;
