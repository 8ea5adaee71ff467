//! Parses patches in the format of `apply_patch` into one change for each file.
//!
//! Agents pass a patch to a tool of that name or to the command in a shell; both are parsed here. Parsing is as lenient
//! as in Codex, and more: a line that does not fit is skipped, since rules must see as much as possible.

use super::{Replacement, ToolAction};

/// Returns the change of each file in a patch; empty if the text is not a patch.
pub(crate) fn read_patch(text: &str) -> Vec<ToolAction> {
    let mut changes = Vec::new();
    let mut open: Option<Section> = None;
    let begun = text.lines().skip_while(|line| line.trim() != "*** Begin Patch").skip(1);
    for line in begun {
        match parse_header(line) {
            Some(Header::End) => break,
            Some(Header::Move(path)) => {
                if let Some(section) = &mut open {
                    section.moved_to = Some(path.to_owned());
                }
            }
            Some(Header::File(verb, path)) => {
                changes.extend(open.take().into_iter().flat_map(Section::into_changes));
                open = Some(Section::new(verb, path));
            }
            None => open.iter_mut().for_each(|section| section.take(line)),
        }
    }
    changes.extend(open.into_iter().flat_map(Section::into_changes));
    changes
}

/// Reads a unified diff, as `git diff` prints it; empty if the text has none.
pub(crate) fn read_diff(text: &str) -> Vec<ToolAction> {
    let mut changes = Vec::new();
    let mut open: Option<Section> = None;
    let mut from = "";
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_header = line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        if is_header {
            changes.extend(open.take().into_iter().flat_map(Section::into_changes));
            from = diff_path(&line[4..]);
        } else if let Some(to) = line.strip_prefix("+++ ").filter(|_| open.is_none() && !from.is_empty()) {
            let to = diff_path(to);
            open = Some(match (from, to) {
                ("/dev/null", to) => Section::new(Verb::Add, to),
                (from, "/dev/null") => Section::new(Verb::Delete, from),
                (_, to) => Section::new(Verb::Update, to),
            });
            from = "";
        } else if line.starts_with("diff --git ") {
            changes.extend(open.take().into_iter().flat_map(Section::into_changes));
        } else {
            open.iter_mut().for_each(|section| section.take(line));
        }
    }
    changes.extend(open.into_iter().flat_map(Section::into_changes));
    changes
}

/// Returns the path in the header of a diff, without the first folder, which stands for a side, and without a date.
fn diff_path(text: &str) -> &str {
    let path = text.split('\t').next().unwrap_or(text).trim();
    path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path)
}

#[derive(Clone, Copy, PartialEq)]
enum Verb {
    Add,
    Update,
    Delete,
}

enum Header<'l> {
    File(Verb, &'l str),
    Move(&'l str),
    End,
}

fn parse_header(line: &str) -> Option<Header<'_>> {
    let rest = line.trim_end().strip_prefix("*** ")?;
    let file = |verb, name: &str| Some(Header::File(verb, rest.strip_prefix(name)?.trim()));
    if rest == "End Patch" {
        return Some(Header::End);
    }
    file(Verb::Add, "Add File:")
        .or_else(|| file(Verb::Update, "Update File:"))
        .or_else(|| file(Verb::Delete, "Delete File:"))
        .or_else(|| rest.strip_prefix("Move to:").map(|path| Header::Move(path.trim())))
}

/// The lines below the name of a file.
struct Section {
    verb: Verb,
    path: String,
    moved_to: Option<String>,
    /// The changed parts of the file; a new file has one.
    hunks: Vec<Replacement>,
}

impl Section {
    fn new(verb: Verb, path: &str) -> Section {
        Section { verb, path: path.to_owned(), moved_to: None, hunks: Vec::new() }
    }

    fn take(&mut self, line: &str) {
        if line.starts_with("@@") {
            self.hunks.push(empty_hunk());
            return;
        }
        let (mark, rest) = match line.chars().next() {
            Some(mark @ ('+' | '-' | ' ')) => (mark, &line[1..]),
            // Models omit the leading space of an empty line.
            None => (' ', ""),
            Some(_) => return,
        };
        if self.hunks.is_empty() {
            self.hunks.push(empty_hunk());
        }
        let Some(hunk) = self.hunks.last_mut() else { return };
        if mark != '+' {
            hunk.old.push_str(rest);
            hunk.old.push('\n');
        }
        if mark != '-' {
            hunk.new.push_str(rest);
            hunk.new.push('\n');
        }
    }

    fn into_changes(mut self) -> Vec<ToolAction> {
        self.hunks.retain(|hunk| !hunk.old.is_empty() || !hunk.new.is_empty());
        let path = self.path;
        match self.verb {
            Verb::Add => {
                let content = self.hunks.into_iter().map(|hunk| hunk.new).collect();
                vec![ToolAction::Write { path, content }]
            }
            Verb::Delete => vec![ToolAction::Delete { path }],
            Verb::Update => {
                let edit = |path, replacements| ToolAction::Edit { path, replacements, before: None };
                // A move changes both files.
                let moved = self.moved_to.map(|to| edit(to, self.hunks.clone()));
                std::iter::once(edit(path, self.hunks)).chain(moved).collect()
            }
        }
    }
}

fn empty_hunk() -> Replacement {
    Replacement { old: String::new(), new: String::new(), all: false }
}

#[cfg(test)]
mod tests;
